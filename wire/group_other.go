//go:build !unix

package wire

import (
	"os"
	"os/exec"
)

// Without process groups only the child itself is ended; its descendants have to notice that their stdin is closed.

func startInGroup(cmd *exec.Cmd) error { return cmd.Start() }

func awaitExit(p *os.Process) *os.ProcessState {
	state, _ := p.Wait()
	return state
}

func terminateGroup(*os.Process) {}

func killGroup(p *os.Process) { _ = p.Kill() }

func exitStatus(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	return state.ExitCode(), ""
}
