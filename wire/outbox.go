package wire

import (
	"bytes"
	"context"
	"os"
	"sync"

	"anvil/internal/nowait"
)

// outboxBytes is how much waits for a slow reader before Send blocks. A larger message is taken when nothing waits.
const outboxBytes = 1 << 20

// outbox writes messages, one a line. Senders only add to a buffer, so that a caller whose context ends can leave
// without cutting a message in half, and what gathered during one write goes out with the next: under load that is
// many messages to a system call. What the pipe takes at once the sender writes itself.
type outbox struct {
	w    *os.File
	wake chan struct{} // holds a token when there is work
	done chan struct{} // closed when the writer has closed w

	mu       sync.Mutex
	now      *nowait.Writer
	buf      []byte
	writing  bool          // the goroutine has something to write
	gather   bool          // more messages are about to come
	room     chan struct{} // closed, and replaced, when buf was taken
	finished bool
	err      error // why nothing can be sent any more
}

func newOutbox(w *os.File) *outbox {
	o := &outbox{w: w, now: nowait.To(w), wake: make(chan struct{}, 1), done: make(chan struct{}), room: make(chan struct{})}
	go o.run()
	return o
}

func (o *outbox) send(ctx context.Context, frame []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for {
		o.mu.Lock()
		if o.err != nil {
			defer o.mu.Unlock()
			return o.err
		}
		if len(o.buf) == 0 || len(o.buf)+len(frame) < outboxBytes {
			o.buf = appendLine(o.buf, frame)
			if !o.gather || len(o.buf) >= gathered {
				o.start()
			}
			o.mu.Unlock()
			return nil
		}
		room := o.room
		o.mu.Unlock()
		o.signal() // what waits may be gathered for others
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// gathered is up to how many bytes messages are held back for others that are about to come.
const gathered = 32 << 10

// start writes what the pipe takes at once, and leaves the rest to the goroutine; mu is held.
func (o *outbox) start() {
	if !o.writing {
		n := o.now.Write(o.buf)
		o.buf = o.buf[:copy(o.buf, o.buf[n:])]
	}
	if len(o.buf) > 0 {
		o.signal()
	}
}

// expect says whether more messages are about to come, which are then written together.
func (o *outbox) expect(more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gather = more; !more && len(o.buf) > 0 && o.err == nil {
		o.start()
	}
}

// appendLine appends frame and a newline. Valid JSON has line breaks only between tokens, where a space serves as well.
func appendLine(dst, frame []byte) []byte {
	start := len(dst)
	dst = append(dst, frame...)
	if bytes.IndexByte(frame, '\n') >= 0 || bytes.IndexByte(frame, '\r') >= 0 {
		for i, c := range dst[start:] {
			if c == '\n' || c == '\r' {
				dst[start+i] = ' '
			}
		}
	}
	return append(dst, '\n')
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// finish refuses further messages and has the writer close w once what waits is written.
func (o *outbox) finish(err error) {
	o.mu.Lock()
	o.finished = true
	if o.err == nil {
		o.err = err
	}
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) run() {
	defer close(o.done)
	defer o.w.Close()
	var spare []byte
	for range o.wake {
		o.mu.Lock()
		full, finished := o.buf, o.finished
		o.buf, o.writing = spare[:0], true
		close(o.room)
		o.room = make(chan struct{})
		o.mu.Unlock()
		if _, err := o.w.Write(full); err != nil {
			o.mu.Lock()
			if o.err == nil {
				o.err = err
			}
			close(o.room)
			o.room = make(chan struct{})
			o.mu.Unlock()
			return
		}
		if finished {
			return
		}
		o.mu.Lock()
		o.writing = false
		o.mu.Unlock()
		if spare = full; cap(spare) > outboxBytes {
			spare = nil
		}
	}
}
