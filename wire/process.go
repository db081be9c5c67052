package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	defaultGrace     = 500 * time.Millisecond
	defaultKillAfter = time.Second
	// drainTime is how long output is waited for once the process has exited: a descendant may hold the pipe open.
	drainTime = 250 * time.Millisecond
	// drainBytes is how much is read after the exit. No pipe holds more, so it loses nothing the process itself wrote.
	drainBytes = 1 << 20
	// killWait bounds the wait for a killed process. Only one stuck in the kernel exceeds it.
	killWait = 2 * time.Second
)

// Command says how to start a server on stdio.
type Command struct {
	Args []string // program and arguments; the program is looked up in the PATH of Env
	Env  []string // the whole environment, as "K=V"; nil stands for BaseEnv(nil), never for everything
	Dir  string   // working directory, empty for the current one
	// MaxFrame bounds one message from the server, in bytes; 0 stands for DefaultMaxFrame.
	MaxFrame int
	// Spool keeps the lines beyond MaxFrame; they are skipped either way.
	Spool Spool
	// Grace is how long Close lets the server leave by itself after its stdin is closed; 0 stands for 500 ms.
	Grace time.Duration
	// KillAfter is how long Close waits between SIGTERM and SIGKILL; 0 stands for one second.
	KillAfter time.Duration
	// Secrets are values that must not be repeated, such as those of Env entries that came from a configuration: in what
	// Stderr and ExitError tell of the server's stderr they are masked. Values under six characters are not.
	Secrets []string
}

// Process is a server running as a child process; it implements Link over its stdin and stdout. The child leads a
// process group of its own, and whatever is left of the group is killed when the child is gone, however it went. On
// Linux so are descendants that left the group: to find them the child is given the variable ANVIL_PROCESS, and this
// process becomes the parent of orphans among its descendants.
type Process struct {
	cmd       *exec.Cmd
	command   Command
	tree      *tree
	secrets   masker
	in        *os.File
	out       *os.File
	outbox    *outbox
	noise     noiseLog
	oversized *oversizedLog
	stderr    stderrLog

	frames  chan received
	endErr  error         // why frames was closed; set before it is
	closing chan struct{} // closed by Close
	ended   chan struct{} // closed when frames is
	taken   chan struct{} // closed by Each
	takeMu  sync.Mutex
	take    func(Envelope, error) // of Each; nil before and after
	idle    func()
	exited  chan struct{} // closed when the child has exited; it may not be reaped yet
	outDone chan struct{} // closed when stdout is read to its end
	errDone chan struct{} // closed when stderr is read to its end
	gone    chan struct{} // closed when the child is reaped and its group killed

	closeOnce sync.Once
	stopOnce  sync.Once
	signalMu  sync.Mutex
	reaped    bool
	left      int    // descendants that would not die; valid once gone is closed
	code      int    // valid once gone is closed
	signal    string // valid once gone is closed
}

// Start starts the server. ctx bounds the start alone; the process runs until it exits or Close is called. A missing
// program is an error for which errors.Is reports exec.ErrNotFound or fs.ErrNotExist.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd, err := c.build()
	if err != nil {
		return nil, err
	}
	p := &Process{
		cmd: cmd, command: c, tree: newTree(), secrets: newMasker(c.Secrets),
		frames: make(chan received), closing: make(chan struct{}), ended: make(chan struct{}), taken: make(chan struct{}), exited: make(chan struct{}),
		outDone: make(chan struct{}), errDone: make(chan struct{}), gone: make(chan struct{}),
		oversized: &oversizedLog{limit: frameLimit(c.MaxFrame), spool: c.Spool},
	}
	cmd.Env = p.tree.markEnv(cmd.Env)
	errOut, err := p.spawn()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	p.tree.lead(p.Pid())
	p.enlist()
	p.outbox = newOutbox(p.in)
	go p.pump()
	go p.collectStderr(errOut)
	go p.supervise(errOut)
	return p, nil
}

// build resolves the program and the environment.
func (c Command) build() (*exec.Cmd, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, errors.New("start: no command given")
	}
	if c.Dir != "" {
		// Without this the kernel's answer would blame the program.
		if info, err := os.Stat(c.Dir); err != nil {
			return nil, fmt.Errorf("start %s: working directory: %w", c.Args[0], err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("start %s: working directory %s is not a directory: %w", c.Args[0], c.Dir, fs.ErrInvalid)
		}
	}
	env := c.Env
	if env == nil {
		env = BaseEnv(nil)
	}
	path, err := lookPath(c.Args[0], env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w; install it or give its full path", c.Args[0], err)
	}
	return &exec.Cmd{Path: path, Args: c.Args, Env: env, Dir: c.Dir}, nil
}

// spawn starts the child on three pipes and returns this side of its stderr.
func (p *Process) spawn() (errOut *os.File, err error) {
	var ours, theirs [3]*os.File
	defer func() {
		closeFiles(theirs[:])
		if err != nil {
			closeFiles(ours[:])
		}
	}()
	if theirs[0], ours[0], err = os.Pipe(); err != nil {
		return nil, err
	}
	for i := 1; i < 3; i++ {
		if ours[i], theirs[i], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err = startInGroup(p.cmd); err != nil {
		return nil, err
	}
	p.in, p.out = ours[0], ours[1]
	return ours[2], nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// Send queues one message for the server's stdin.
func (p *Process) Send(ctx context.Context, frame []byte) error {
	if isClosed(p.closing) {
		return ErrClosed
	}
	err := p.outbox.send(ctx, frame)
	if err == nil || ctx.Err() != nil || isClosed(p.closing) {
		return err
	}
	// A broken pipe is the shadow of something else: the exit, with what the server said on stderr, tells more.
	if waitFor(p.gone, orDefault(p.command.Grace, defaultGrace)) {
		return p.exitError()
	}
	return fmt.Errorf("write to the server's stdin: %w", err)
}

// Recv returns the next message from the server's stdout. When the server is gone the error is an *ExitError.
func (p *Process) Recv(ctx context.Context) ([]byte, error) {
	e, err := p.RecvEnvelope(ctx)
	return e.Raw, err
}

// RecvEnvelope is Recv with the message's envelope.
func (p *Process) RecvEnvelope(ctx context.Context) (Envelope, error) {
	if isClosed(p.closing) {
		return Envelope{}, ErrClosed
	}
	select {
	case r, ok := <-p.frames:
		if !ok {
			return Envelope{}, p.endErr
		}
		return r.env, r.err
	case <-p.closing:
		return Envelope{}, ErrClosed
	case <-ctx.Done():
		return Envelope{}, ctx.Err()
	}
}

// Each hands every message over on the goroutine that reads the server's stdout, until the server is gone or ctx ends, and returns what Recv
// would. It is called once, in the place of all further calls of Recv. idle is called before more is waited for, when something was handed over since. What
// the two are still at when ctx ends is waited for.
func (p *Process) Each(ctx context.Context, take func(Envelope, error), idle func()) error {
	p.takeMu.Lock()
	p.take, p.idle = take, idle
	p.takeMu.Unlock()
	close(p.taken)
	defer func() {
		p.takeMu.Lock()
		p.take, p.idle = nil, nil
		p.takeMu.Unlock()
	}()
	select {
	case <-p.ended:
		return p.endErr
	case <-p.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// handOver hands r to whoever called Each; once that has returned, r is nobody's.
func (p *Process) handOver(r received) {
	p.takeMu.Lock()
	defer p.takeMu.Unlock()
	if p.take != nil && !isClosed(p.closing) {
		p.take(r.env, r.err)
	}
}

func (p *Process) waits() {
	p.takeMu.Lock()
	defer p.takeMu.Unlock()
	if p.idle != nil {
		p.idle()
	}
}

// Expect says whether more messages are about to be sent: they are then written together. Whoever says so says soon that no more are.
func (p *Process) Expect(more bool) { p.outbox.expect(more) }

// pump reads stdout to its end and hands the messages over one by one, so that no more than one waits in memory.
func (p *Process) pump() {
	defer p.out.Close()
	lines := newLineReader(&drainReader{f: p.out, exited: p.exited}, p.oversized, &p.noise)
	handed := false
	lines.idle = func() {
		if handed {
			p.waits()
		}
		handed = false
	}
	for {
		r, err := lines.next()
		if err != nil {
			close(p.outDone)
			p.endErr = p.ending(err)
			close(p.frames)
			close(p.ended)
			return
		}
		if isClosed(p.taken) {
			p.handOver(r)
			handed = true
			continue
		}
		select {
		case p.frames <- r:
		case <-p.taken:
			p.handOver(r)
			handed = true
		case <-p.closing: // nobody reads any more, but the server may still have to write before it can leave
		}
	}
}

// ending turns the end of stdout into the error that readers get. A server that closes its stdout and stays cannot be
// talked to, so it is stopped.
func (p *Process) ending(err error) error {
	var tooLarge *FrameTooLargeError
	if errors.As(err, &tooLarge) {
		return fmt.Errorf("read from the server's stdout: %w", err)
	}
	cut := false
	if !waitFor(p.gone, orDefault(p.command.Grace, defaultGrace)) {
		cut = !isClosed(p.closing)
		p.stop()
	}
	if !isClosed(p.gone) {
		return fmt.Errorf("the server closed its stdout and does not die: %w", io.EOF)
	}
	e := p.exitError()
	e.cut = cut
	return e
}

// exitError describes the end of the process; gone must be closed.
func (p *Process) exitError() *ExitError {
	return &ExitError{Code: p.code, Signal: p.signal, Stderr: p.Stderr()}
}

// Exit returns the exit code of the server once it is gone. The code is -1 when a signal ended it.
func (p *Process) Exit() (code int, exited bool) {
	if !isClosed(p.gone) {
		return 0, false
	}
	return p.code, true
}

// Pid returns the process id of the server, which is also the id of its process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stderr returns the last lines the server wrote to stderr, oldest first, as it wrote them but for the command's secrets:
// control characters are for the renderer to remove. At most 200 lines and 64 KiB are kept.
func (p *Process) Stderr() []string { return p.secrets.lines(p.stderr.last()) }

// Noise returns the first lines of stdout that were not JSON-RPC messages: at most eight, of 2 KiB each.
func (p *Process) Noise() [][]byte {
	p.noise.mu.Lock()
	defer p.noise.mu.Unlock()
	return append([][]byte(nil), p.noise.lines...)
}

// NoiseCount returns how many lines of stdout were not JSON-RPC messages.
func (p *Process) NoiseCount() int {
	p.noise.mu.Lock()
	defer p.noise.mu.Unlock()
	return p.noise.count
}

// Oversized returns what is known of the first oversized messages, at most 64, in the order in which they ended.
func (p *Process) Oversized() []FrameTooLargeError { return p.oversized.all() }

// BOM reports whether stdout began with a byte order mark.
func (p *Process) BOM() bool {
	p.noise.mu.Lock()
	defer p.noise.mu.Unlock()
	return p.noise.bom
}
