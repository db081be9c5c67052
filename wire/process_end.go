package wire

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// ExitError says that the server process is gone. errors.Is reports io.EOF for it.
type ExitError struct {
	Code   int      // exit code; -1 when a signal ended the process
	Signal string   // name of that signal, such as "SIGKILL"; empty otherwise
	Stderr []string // the last lines the process wrote to stderr, oldest first, unsanitised, secrets masked
	cut    bool
}

// Error is one sentence with the exit code and the last lines of stderr, control characters removed.
func (e *ExitError) Error() string {
	var b strings.Builder
	switch {
	case e.cut:
		b.WriteString("the server closed its stdout and was stopped")
	case e.Signal != "":
		fmt.Fprintf(&b, "the server was ended by %s", e.Signal)
	default:
		fmt.Fprintf(&b, "the server exited with code %d", e.Code)
	}
	var tail []string
	for _, line := range e.Stderr {
		if line = printable(line, 200); line != "" {
			tail = append(tail, line)
		}
	}
	if len(tail) == 0 {
		return b.String() + " and wrote nothing to stderr"
	}
	tail = tail[max(0, len(tail)-3):]
	return b.String() + "; its last words on stderr: " + strings.Join(tail, " | ")
}

// Is makes errors.Is(err, io.EOF) true: the peer is gone.
func (e *ExitError) Is(target error) bool { return target == io.EOF }

var errServerGone = fmt.Errorf("the server is gone: %w", io.EOF)

// printable prepares a peer's text for a message: control characters become spaces, at most max bytes are kept.
func printable(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), 4*max)], "\uFFFD"))
	s = strings.TrimSpace(s)
	if len(s) > max {
		s = strings.ToValidUTF8(s[:max], "") + "..."
	}
	return s
}

// drainReader reads the child's stdout or stderr. Once the child has exited each read is given drainTime and all of
// them drainBytes: what the child left in the pipe is read, a descendant holding the pipe open is not waited for.
type drainReader struct {
	f      *os.File
	exited <-chan struct{}
	after  int
}

func (d *drainReader) Read(b []byte) (int, error) {
	for {
		exited := isClosed(d.exited)
		if exited {
			if d.after >= drainBytes {
				return 0, io.EOF
			}
			d.f.SetReadDeadline(time.Now().Add(drainTime))
		}
		n, err := d.f.Read(b)
		if exited {
			d.after += n
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if exited {
			return n, io.EOF
		}
		// The deadline set by supervise interrupted a read begun before the exit; give it its time.
	}
}

// supervise waits for the child to exit, collects what it left behind, kills what is left of its group and its other
// descendants, and reaps it last: until then its id, and so the group's, cannot be given to anyone else.
func (p *Process) supervise(errOut *os.File) {
	state := awaitExit(p.cmd.Process)
	close(p.exited)
	deadline := time.Now().Add(drainTime)
	p.out.SetReadDeadline(deadline)
	errOut.SetReadDeadline(deadline)
	patience := time.NewTimer(drainTime)
	defer patience.Stop()
	for _, done := range []chan struct{}{p.outDone, p.errDone} {
		select {
		case <-done:
		case <-patience.C:
			patience.Reset(0)
		}
	}
	p.signalGroup(killGroup)
	p.left = p.tree.kill(killWait)
	p.signalMu.Lock()
	if state == nil {
		state, _ = p.cmd.Process.Wait()
	}
	p.reaped = true
	p.signalMu.Unlock()
	p.code, p.signal = exitStatus(state)
	p.outbox.finish(errServerGone)
	p.in.Close()
	<-p.errDone
	p.delist()
	close(p.gone)
}

// Close closes the server's stdin, gives it Grace to leave, then sends SIGTERM to its group, and after KillAfter
// SIGKILL. When it returns nil the server and its descendants are gone, those in its group and, on Linux, the others.
func (p *Process) Close() error {
	p.closeOnce.Do(func() { close(p.closing) })
	p.stop()
	switch {
	case !isClosed(p.gone):
		return fmt.Errorf("process %d was killed and does not die", p.Pid())
	case p.left > 0:
		return fmt.Errorf("process %d left %d descendants that were killed and do not die", p.Pid(), p.left)
	}
	return nil
}

func (p *Process) stop() {
	p.stopOnce.Do(func() {
		p.tree.remember()
		p.outbox.finish(ErrClosed)
		if waitFor(p.gone, orDefault(p.command.Grace, defaultGrace)) {
			return
		}
		p.in.Close() // the writer may hang on a server that does not read
		p.signalGroup(terminateGroup)
		p.tree.terminate()
		if waitFor(p.gone, orDefault(p.command.KillAfter, defaultKillAfter)) {
			return
		}
		p.signalGroup(killGroup)
		waitFor(p.gone, drainTime+2*killWait)
	})
}

func (p *Process) signalGroup(send func(*os.Process)) {
	p.signalMu.Lock()
	defer p.signalMu.Unlock()
	if !p.reaped {
		send(p.cmd.Process)
	}
}

// waitFor reports whether c is closed within d.
func waitFor(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return isClosed(c)
	}
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}
