//go:build !linux && !darwin

package cli

// singleKeys says that keys come in lines here: the letter, then Enter.
func singleKeys(any) (restore func(), ok bool) { return nil, false }
