//go:build unix

package postgres

import "syscall"

// attributes run a command as the account, and apart from what the terminal tells this process.
func (a *account) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}, Setpgid: true}
}
