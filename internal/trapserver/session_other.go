//go:build !unix

package trapserver

import "syscall"

// ownSession does nothing where there are no sessions.
func ownSession() *syscall.SysProcAttr { return nil }
