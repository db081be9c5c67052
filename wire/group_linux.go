package wire

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// startInGroup starts cmd as the leader of a new process group that gets SIGTERM should this process die without
// closing its links. The kernel ties that to the death of the thread that forked, not of the process, and a thread on
// which some other package locked a goroutine may end at any time; so one thread that never ends does all the forking.
func startInGroup(cmd *exec.Cmd) error {
	becomeReaper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	forks := forkThread()
	done := make(chan error)
	forks <- func() { done <- cmd.Start() }
	return <-done
}

var forkThread = sync.OnceValue(func() chan<- func() {
	forks := make(chan func())
	go func() {
		runtime.LockOSThread()
		for fork := range forks {
			fork()
		}
	}()
	return forks
})

// awaitExit returns when p has exited, leaving it unreaped; nil says so.
func awaitExit(p *os.Process) *os.ProcessState {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EINTR):
			state, _ := p.Wait()
			return state
		}
	}
}
