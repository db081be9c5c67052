//go:build !linux && !darwin && !windows

package cli

// singleKeys says that keys come in lines here: the letter, then Enter.
func singleKeys(any) (restore func(), ok bool) { return nil, false }

// forgetKeys says that what was typed before a question cannot be dropped here.
func forgetKeys(any) bool { return false }
