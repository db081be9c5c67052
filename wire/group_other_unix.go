//go:build unix && !linux

package wire

import (
	"os"
	"os/exec"
	"syscall"
)

// startInGroup starts cmd as the leader of a new process group.
func startInGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

// awaitExit returns when p has exited. It reaps p, there being no portable way not to.
func awaitExit(p *os.Process) *os.ProcessState {
	state, _ := p.Wait()
	return state
}
