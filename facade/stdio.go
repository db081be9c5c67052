package facade

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"anvil/internal/nowait"
	"anvil/wire"
)

const (
	idleBuffer = 16 << 10 // bytes read from a client at a time
	ownWrite   = 16 << 10 // a frame of this size is written from where it is
	keptBuffer = 1 << 20  // the largest write buffer kept for the next time
)

// lines is the server's side of a stdio transport: one message a line. It implements wire.Link, but for one point: a
// Recv that waits in Read ends with Close only if the reader can be closed.
type lines struct {
	in   io.Reader
	out  io.Writer
	idle func() // called before more is read; may be nil
	r    *bufio.Reader
	max  int

	mu      sync.Mutex // guards what follows, and out
	now     *nowait.Writer
	buf     []byte
	items   []outgoing
	started bool // for Recv alone
}

func newLines(in io.Reader, out io.Writer, max int) *lines {
	l := &lines{in: in, out: out, max: max}
	l.r = bufio.NewReaderSize(readerFunc(l.read), idleBuffer)
	if f, ok := out.(*os.File); ok {
		l.now = nowait.Reopen(f)
	}
	return l
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func (l *lines) read(b []byte) (int, error) {
	if l.idle != nil {
		l.idle()
	}
	return l.in.Read(b)
}

// Recv returns the next line that is not blank.
func (l *lines) Recv(context.Context) ([]byte, error) {
	for {
		line, err := l.line()
		if !l.started && len(line) > 0 {
			l.started = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 {
			return line, nil // an end of input shows again with the next line
		}
		if err != nil {
			return nil, err
		}
	}
}

// line returns a copy of the next line, at the end of input what was left of one.
func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		chunk, err := l.r.ReadSlice('\n')
		if len(line)+len(chunk) > l.max+len("\r\n") {
			return nil, &wire.FrameTooLargeError{Limit: l.max}
		}
		line = append(line, chunk...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Send writes one message.
func (l *lines) Send(_ context.Context, frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sendAll([]outgoing{{frame: bytes.Clone(frame)}})
}

// drain writes what waits in q, and reports whether more may come. It waits for the client.
func (l *lines) drain(q *queue) (open bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items, open = q.take(l.items)
	defer clear(l.items)
	return open, l.sendAll(l.items)
}

// start writes what waits in q as far as the client takes it at once. It reports false when something is left for drain.
func (l *lines) start(q *queue) bool {
	if l.now == nil || !l.mu.TryLock() {
		return false
	}
	defer l.mu.Unlock()
	if len(l.buf) > 0 || q.most() >= ownWrite {
		return false
	}
	l.items, _ = q.take(l.items)
	defer clear(l.items)
	for _, o := range l.items {
		l.gather(o.frame)
	}
	n := l.now.Write(l.buf)
	l.buf = l.buf[:copy(l.buf, l.buf[n:])]
	return len(l.buf) == 0
}

// sendAll writes several messages, which it takes over: small ones with one system call, and large ones that have room for the end of the line from
// where they are.
func (l *lines) sendAll(items []outgoing) error {
	for _, o := range items {
		if len(o.frame) < ownWrite || cap(o.frame) == len(o.frame) {
			l.gather(o.frame)
			continue
		}
		if err := l.flush(); err != nil {
			return err
		}
		blankLines(o.frame)
		if _, err := l.out.Write(append(o.frame, '\n')); err != nil {
			return err
		}
	}
	return l.flush()
}

// gather adds a message to what is written next. Valid JSON has line breaks only between tokens, where a space serves as well.
func (l *lines) gather(frame []byte) {
	blankLines(frame)
	l.buf = append(append(l.buf, frame...), '\n')
}

// flush writes what was gathered.
func (l *lines) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.out.Write(l.buf)
	if l.buf = l.buf[:0]; cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	return err
}

func blankLines(b []byte) {
	for _, c := range []byte{'\n', '\r'} {
		for rest := b; ; {
			at := bytes.IndexByte(rest, c)
			if at < 0 {
				break
			}
			rest[at] = ' '
			rest = rest[at+1:]
		}
	}
}

// Close closes the reader and the writer, where they can be.
func (l *lines) Close() error {
	errs := []error{l.now.Close()}
	for _, end := range []any{l.in, l.out} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
