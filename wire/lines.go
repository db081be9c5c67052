package wire

import (
	"bytes"
	"errors"
	"io"
)

const (
	idleBuffer = 8 << 10  // bytes read at a time from a server that says little
	lineBuffer = 64 << 10 // and from one that says more
	mostBuffer = 1 << 20  // that are made ready for a line because the last ones were large
	largeLine  = 32 << 10 // a line of this size takes its buffer along instead of being copied
)

// lineReader cuts a server's output into messages. Servers print banners and log lines to stdout, some indent their
// messages over several lines, some send more than the limit, and none of it may end the session or pass unrecorded.
type lineReader struct {
	r         io.Reader
	max       int
	oversized *oversizedLog
	noise     *noiseLog
	started   bool
	queue     []received // what was read but not handed over
	spare     []received // of no length: where the queue begins
	partial   []byte     // lines that begin a message written over several
	joined    int        // how many lines were added to the first of partial
	last      bool       // the line taken is the last, and has no end

	buf        []byte
	start, end int    // what was read and not yet taken is buf[start:end]
	large      int    // bytes of the last large line
	idle       func() // called before more is read; may be nil
	seen       int    // how much of it is known to hold no newline
	err        error  // what ended the reading
}

func newLineReader(r io.Reader, oversized *oversizedLog, noise *noiseLog) *lineReader {
	spare := make([]received, 0, 1)
	return &lineReader{queue: spare, spare: spare, r: r, max: oversized.limit, oversized: oversized, noise: noise}
}

// next returns the next message, or the reply lost in its place. After an error nothing more can be read. An envelope without members
// holds what ReadFrame takes apart, or nests too deep.
func (l *lineReader) next() (received, error) {
	for {
		if len(l.queue) > 0 {
			r := l.queue[0]
			if l.queue = l.queue[1:]; len(l.queue) == 0 {
				l.queue = l.spare[:0]
			}
			return r, nil
		}
		line, err := l.line()
		l.last = err != nil
		if len(bytes.TrimSpace(line)) > 0 {
			l.take(line)
		}
		if err != nil && len(l.queue) == 0 {
			l.partial = l.noise.addAll(l.partial) // the end answers every request that waits
			return received{}, err
		}
	}
}

// line returns the next line without its end, owned by the caller; at the end of input it returns io.EOF beside what
// was left. Of a line beyond the limit nothing is returned.
func (l *lineReader) line() ([]byte, error) {
	for {
		at := bytes.IndexByte(l.buf[l.start+l.seen:l.end], '\n')
		switch {
		case at >= 0:
			at += l.seen
			if contentLength(l.buf[l.start:l.start+at]) > l.max {
				return nil, l.skip()
			}
			return l.trimBOM(bytes.TrimRight(l.cut(at), "\r")), nil
		case l.end-l.start > l.max+len("\r"):
			return nil, l.skip()
		case l.err != nil:
			line := bytes.TrimRight(l.buf[l.start:l.end], "\r")
			l.buf, l.start, l.end, l.seen = nil, 0, 0, 0
			if len(line) > l.max {
				l.loseHeld(line, false)
				return nil, l.err
			}
			return l.trimBOM(line), l.err
		}
		l.seen = l.end - l.start
		l.fill()
	}
}

func contentLength(line []byte) int { return len(bytes.TrimRight(line, "\r")) }

// cut takes the first n bytes and the newline after them.
func (l *lineReader) cut(n int) []byte {
	line, rest := l.buf[l.start:l.start+n:l.start+n+1], l.buf[l.start+n+1:l.end]
	l.seen = 0
	if n < largeLine || n < len(l.buf)/2 {
		l.start += n + 1
		return bytes.Clone(line)
	}
	// The next buffer has the usual size again, so that one large message does not keep its space taken for good; after two
	// of them it has room for a third, which is then not copied as it grows.
	room := min(l.large, n)
	if l.large = n; room > mostBuffer {
		room = 0
	}
	l.buf = make([]byte, max(lineBuffer, len(rest), room+room/8))
	l.start, l.end = 0, copy(l.buf, rest)
	return line
}

// fill reads once. A buffer without room is doubled, so that a large line is copied about once as it grows; the first one is small, and the
// next as large as those after it.
func (l *lineReader) fill() {
	if l.start == l.end {
		l.start, l.end = 0, 0
	}
	if l.end == len(l.buf) {
		unread := l.buf[l.start:l.end]
		switch {
		case l.buf == nil:
			l.buf = make([]byte, idleBuffer)
		case len(l.buf) < lineBuffer:
			l.buf = make([]byte, lineBuffer)
		case len(unread) > len(l.buf)/2:
			l.buf = make([]byte, min(2*len(l.buf), l.max+lineBuffer))
		}
		l.start, l.end = 0, copy(l.buf, unread)
	}
	if l.idle != nil {
		l.idle()
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if l.err = err; n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

func (l *lineReader) trimBOM(line []byte) []byte {
	if l.started {
		return line
	}
	l.started = len(line) > 0
	rest, found := bytes.CutPrefix(line, []byte("\xef\xbb\xbf"))
	if found {
		l.noise.mu.Lock()
		l.noise.bom = true
		l.noise.mu.Unlock()
	}
	return rest
}

// take queues what is in line: a message, several, or one lost. Anything else is noise.
func (l *lineReader) take(line []byte) {
	e, err := Scan(line)
	if err == nil && e.isMessage() {
		l.dropPartial()
		l.queue = append(l.queue, received{env: e})
		return
	}
	if len(l.partial) > 0 && len(splitBatch(line)) == 0 {
		l.join(line)
		return
	}
	l.dropPartial()
	switch opens := bytes.HasPrefix(line, []byte("{")); {
	case errors.Is(err, ErrTruncated) && opens && !isCutInside(line):
		l.partial, l.joined = append(l.partial, line...), 0
	default:
		l.giveUp(line)
	}
}

// giveUp takes a line, or several, that is no message by itself and that nothing more belongs to.
func (l *lineReader) giveUp(frame []byte) {
	messages, kind, lost := ReadFrame(frame)
	switch {
	case lost != nil && !l.last: // the end of the server tells more than the end of its line
		l.queue = append(l.queue, received{err: lost})
	case len(messages) > 0 || kind == NoiseTooDeep:
		l.queue = append(l.queue, received{env: Envelope{Raw: frame}})
	default:
		l.noise.addAll(frame)
	}
}

// join adds line to a message begun on an earlier one. An indented message ends with a brace in the first column, so
// only such a line is worth a scan of the whole, and the first one, which tells whether this is a message at all; this
// keeps the work linear.
func (l *lineReader) join(line []byte) {
	first := len(l.partial)
	l.partial = append(append(l.partial, '\n'), line...)
	l.joined++
	switch {
	case len(l.partial) > l.max:
		frame := l.partial
		if l.partial = nil; readOutline(frame).isReply() {
			l.loseHeld(frame, false)
		} else {
			l.noise.addAll(frame)
		}
	case line[0] == '}' || l.joined == 1:
		if e, err := Scan(l.partial); err == nil && e.isMessage() {
			l.queue = append(l.queue, received{env: e})
			l.partial = nil
		} else if !errors.Is(err, ErrTruncated) && l.joined == 1 {
			l.partial = l.partial[:first]
			l.dropPartial()
			l.take(line)
		} else if !errors.Is(err, ErrTruncated) {
			l.dropPartial()
		}
	}
}

// dropPartial gives up on a message begun and not finished.
func (l *lineReader) dropPartial() {
	if len(l.partial) == 0 {
		return
	}
	frame := l.partial
	l.partial = nil
	l.giveUp(frame)
}
