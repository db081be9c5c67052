package wire

import (
	"bytes"
	"sync"
)

const (
	noiseLines = 8       // lines of noise kept
	noiseBytes = 2 << 10 // bytes kept of each

	lostHead = 4 << 10 // bytes kept of the start of a line beyond the limit
	lostTail = 1 << 10 // and of its end
)

// noiseLog keeps the first lines of output that were not messages, and counts all of them. It also carries the replies
// lost in lines beyond the limit to the reader.
type noiseLog struct {
	mu    sync.Mutex
	lines [][]byte
	count int
	bom   bool
	lost  []*ReplyLostError
}

func (n *noiseLog) add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	if len(n.lines) < noiseLines {
		n.lines = append(n.lines, bytes.Clone(line[:min(len(line), noiseBytes)]))
	}
}

// handOver turns the placeholder of a lost reply into the error it stands for.
func (n *noiseLog) handOver(e Envelope) (Envelope, error) {
	if e.Raw != nil {
		return e, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	lost := n.lost[0]
	n.lost = n.lost[1:]
	return Envelope{}, lost
}

// skip reads past a line beyond the limit, keeping its start and its end.
func (l *lineReader) skip() error {
	head := bytes.Clone(l.buf[l.start:min(l.end, l.start+lostHead)])
	var tail []byte
	for skipped := 0; ; {
		unread := l.buf[l.start:l.end]
		at := bytes.IndexByte(unread, '\n')
		line := unread
		if at >= 0 {
			line = unread[:at]
		}
		tail = lastBytes(tail, line)
		if at >= 0 || l.err != nil {
			l.start += len(line) + min(1, at+1)
			break
		}
		if skipped += len(line); skipped > skipFactor*l.max {
			l.noise.add(head)
			return &FrameTooLargeError{l.max}
		}
		l.start, l.end = 0, 0
		l.fill()
	}
	l.seen = 0
	if l.start == l.end {
		l.buf, l.start, l.end = nil, 0, 0 // it may have grown to the limit
	}
	l.lose(head, tail)
	return nil
}

// lastBytes returns the last of tail and more.
func lastBytes(tail, more []byte) []byte {
	tail = append(tail, more[max(0, len(more)-lostTail):]...)
	return tail[max(0, len(tail)-lostTail):]
}

// lose records a line beyond the limit as noise, and as the loss of a reply when it may have been one.
func (l *lineReader) lose(head, tail []byte) {
	head = bytes.Clone(head[:min(len(head), lostHead)])
	l.dropPartial()
	l.noise.add(head)
	id, reply := lostID(head, bytes.TrimRight(tail, "\r"))
	if !reply {
		return
	}
	l.noise.mu.Lock()
	defer l.noise.mu.Unlock()
	l.noise.lost = append(l.noise.lost, &ReplyLostError{ID: id, Err: &FrameTooLargeError{l.max}, Frame: head})
	l.queue = append(l.queue, Envelope{})
}

// lostID reads from the start and the end of a message too large to be kept whether it may have been a reply, and to
// which request: most peers write the id first, some last.
func lostID(head, tail []byte) (id []byte, reply bool) {
	s := scanner{b: bytes.TrimLeft(head, "\xef\xbb\xbf \t")}
	if s.peek() == '[' {
		return nil, true
	}
	if s.peek() != '{' || s.push(true) != nil {
		return nil, false
	}
	for first := true; ; first = false {
		name, value, done, err := s.member(first)
		if err != nil || done {
			break
		}
		switch knownName(s.b[name.Start+1 : name.End-1]) {
		case "id":
			id = bytes.Clone(s.b[value.Start:value.End])
		case "method":
			return nil, false
		}
	}
	if id == nil {
		id = trailingID(tail)
	}
	return id, true
}

// trailingID returns the id of a message that ends with one. A number right before the last brace cannot be inside a
// string, and what stands before it, up to the comma, is at the same level.
func trailingID(tail []byte) []byte {
	rest, ok := bytes.CutSuffix(bytes.TrimRight(tail, " \t"), []byte{'}'})
	if !ok {
		return nil
	}
	rest = bytes.TrimRight(rest, " \t")
	digits := len(rest)
	for digits > 0 && rest[digits-1] >= '0' && rest[digits-1] <= '9' {
		digits--
	}
	before, ok := bytes.CutSuffix(bytes.TrimRight(rest[:digits], " \t"), []byte{':'})
	if _, isID := plainID(rest[digits:]); !ok || !isID || digits == len(rest) {
		return nil
	}
	before, ok = bytes.CutSuffix(bytes.TrimRight(before, " \t"), []byte(`"id"`))
	if !ok || !bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte{','}) {
		return nil
	}
	return bytes.Clone(rest[digits:])
}
