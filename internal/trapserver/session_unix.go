//go:build unix

package trapserver

import "syscall"

// ownSession has a child leave its parent's session, and so its process group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
