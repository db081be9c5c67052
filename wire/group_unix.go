//go:build unix

package wire

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func terminateGroup(p *os.Process) { signalTo(p, unix.SIGTERM) }

func killGroup(p *os.Process) { signalTo(p, unix.SIGKILL) }

// signalTo signals the group that p leads. Errors are dropped: the one there is says that nobody is left.
func signalTo(p *os.Process, sig unix.Signal) { _ = unix.Kill(-p.Pid, sig) }

func exitStatus(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}
