package wire

import (
	"fmt"
	"io"
	"sync"
)

const (
	// skipFactor bounds how much of one oversized message is read past, in limits: a server that writes without end is given up.
	skipFactor = 16
	// oversizedKept is how many oversized messages a link tells of.
	oversizedKept = 64
)

// Spool opens the place to which an oversized message, one beyond the limit of a link, is written as it streams by: its bytes without the
// line's end, or without the framing of server-sent events, up to sixteen limits of them. One that is cut is kept as far as it came. A nil
// writer stands for not keeping this one, a nil Spool for keeping none. What the writer is called, if it has a method Name() string, is asked
// for after Close and told in the error. No failure of it ends a link. It may be called from several goroutines.
type Spool func() (io.WriteCloser, error)

// FrameTooLargeError says that the peer sent a message beyond the limit.
type FrameTooLargeError struct {
	Limit   int    // bytes
	Size    int64  // bytes of it that were read, or announced; 0 when it was not read on
	Whole   bool   // Size is all of it
	Kept    string // where it was written to as far as it was read; empty when it was not kept
	KeepErr error  // why it was not kept, or not as far as it was read, though it was to be
}

func (e *FrameTooLargeError) Error() string {
	text := fmt.Sprintf("message is larger than the limit of %d bytes", e.Limit)
	switch {
	case e.Whole:
		text += fmt.Sprintf(": it has %d", e.Size)
	case e.Size > 0:
		text += fmt.Sprintf(": %d of it were read", e.Size)
	}
	switch {
	case e.Kept != "" && e.KeepErr != nil:
		text += fmt.Sprintf(", the start is kept in %s: %v", e.Kept, e.KeepErr)
	case e.Kept != "":
		text += ", kept in " + e.Kept
	case e.KeepErr != nil:
		text += fmt.Sprintf(", and it could not be kept: %v", e.KeepErr)
	}
	return text
}

// oversizedLog is what a link knows of the oversized messages it met. It is safe for concurrent use.
type oversizedLog struct {
	limit int
	spool Spool

	mu  sync.Mutex
	met []FrameTooLargeError
}

// all returns what is known of the first oversized messages, at most oversizedKept, in the order in which they ended.
func (o *oversizedLog) all() []FrameTooLargeError {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]FrameTooLargeError(nil), o.met...)
}

func (o *oversizedLog) note(e FrameTooLargeError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.met) < oversizedKept {
		o.met = append(o.met, e)
	}
}

// begin starts an oversized message. Whoever does must end it.
func (o *oversizedLog) begin() *oversizedMessage { return &oversizedMessage{log: o} }

// oversizedMessage is one on its way past: of all that is written to it only the start and the end stay in memory.
type oversizedMessage struct {
	log        *oversizedLog
	head, tail []byte
	size       int64

	opened bool
	out    io.WriteCloser // nil when nothing is kept
	err    error          // why nothing is, or no more
}

// Write takes the next bytes; it never fails.
func (x *oversizedMessage) Write(p []byte) (int, error) {
	x.open()
	x.size += int64(len(p))
	x.head = append(x.head, p[:min(len(p), lostHead-len(x.head))]...)
	x.tail = append(x.tail, p[max(0, len(p)-lostTail):]...)
	if cut := len(x.tail) - lostTail; cut > 0 {
		x.tail = append(x.tail[:0], x.tail[cut:]...)
	}
	if x.out != nil && x.err == nil {
		_, x.err = x.out.Write(p)
	}
	return len(p), nil
}

func (x *oversizedMessage) open() {
	if x.opened || x.log.spool == nil {
		return
	}
	x.opened = true
	x.out, x.err = x.log.spool()
}

// isEndless reports whether so much was read that the rest is not waited for.
func (x *oversizedMessage) isEndless() bool { return x.size > skipFactor*int64(x.log.limit) }

// end closes what was opened and returns what there is to say. whole tells that nothing of the message is missing.
// nameOf is the name of what a message was written to.
func nameOf(w io.WriteCloser) string {
	if named, ok := w.(interface{ Name() string }); ok {
		return named.Name()
	}
	return "a place without a name"
}

func (x *oversizedMessage) end(whole bool) *FrameTooLargeError {
	e := FrameTooLargeError{Limit: x.log.limit, Size: x.size, Whole: whole, KeepErr: x.err}
	if x.out != nil {
		err := x.out.Close()
		if e.KeepErr == nil {
			e.KeepErr = err
		}
		if err == nil {
			e.Kept = nameOf(x.out)
		}
	}
	x.log.note(e)
	return &e
}
