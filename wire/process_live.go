package wire

import (
	"os"
	"os/signal"
	"sync"
	"time"
)

// live holds the servers this process has started and not yet seen the end of.
var live = struct {
	mu    sync.Mutex
	procs map[*Process]struct{}
}{procs: map[*Process]struct{}{}}

func (p *Process) enlist() {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.procs[p] = struct{}{}
}

func (p *Process) delist() {
	live.mu.Lock()
	defer live.mu.Unlock()
	delete(live.procs, p)
}

func livingProcesses() []*Process {
	live.mu.Lock()
	defer live.mu.Unlock()
	var procs []*Process
	for p := range live.procs {
		procs = append(procs, p)
	}
	return procs
}

// KillAll kills every server this process has started, with all its descendants, and returns when they are gone, after
// a few seconds at the latest. It is for an end that has no time to close links: deferred in main it also covers a panic
// of the main goroutine. A server started at the same time may be missed.
//
// Without it, that is on os.Exit, a panic elsewhere, or SIGKILL, the kernel sends SIGTERM to each server (Linux), but not
// to its descendants; to those the closed pipes are the only sign.
func KillAll() {
	procs := livingProcesses()
	for _, p := range procs {
		p.closeOnce.Do(func() { close(p.closing) })
		p.tree.remember()
		p.signalGroup(killGroup)
	}
	for deadline := time.Now().Add(drainTime + 2*killWait); len(procs) > 0; procs = procs[1:] {
		waitFor(procs[0].gone, time.Until(deadline))
	}
}

// KillOnSignal makes the first of the given signals call KillAll and then end this process as the signal would have. It
// is for programs that do not handle these signals otherwise: other handlers of them are lost. stop undoes it.
func KillOnSignal(signals ...os.Signal) (stop func()) {
	arrived, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(arrived, signals...)
	go func() {
		select {
		case sig := <-arrived:
			KillAll()
			signal.Reset(signals...)
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(sig) != nil {
				os.Exit(1) // a system on which no process can signal itself
			}
		case <-stopped:
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(arrived)
		close(stopped)
	})
}
