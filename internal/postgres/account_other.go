//go:build !unix

package postgres

import "syscall"

// attributes has nothing to say where nobody is root.
func (a *account) attributes() *syscall.SysProcAttr { return nil }
