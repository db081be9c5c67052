package wire

import (
	"bytes"
	"sync"
)

const (
	noiseLines = 8       // lines of noise kept
	noiseBytes = 2 << 10 // bytes kept of each
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

// addAll adds each line of text, and returns nil.
func (n *noiseLog) addAll(text []byte) []byte {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if len(line) > 0 {
			n.add(line)
		}
	}
	return nil
}

func (n *noiseLog) lose(lost *ReplyLostError) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = append(n.lost, lost)
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

// skip reads past a line beyond the limit.
func (l *lineReader) skip() error {
	x := l.large.begin()
	for {
		unread := l.buf[l.start:l.end]
		at := bytes.IndexByte(unread, '\n')
		line := unread
		if at >= 0 {
			line = unread[:at]
		}
		_, _ = x.Write(line)
		if at >= 0 || l.err != nil {
			l.start += len(line) + min(1, at+1)
			l.seen = 0
			if l.start == l.end {
				l.buf, l.start, l.end = nil, 0, 0 // it may have grown to the limit
			}
			l.loseLarge(x, at >= 0)
			return nil
		}
		if x.isEndless() {
			return x.end(false)
		}
		l.start, l.end = 0, 0
		l.fill()
	}
}

// loseHeld is loseLarge for bytes that are all there is of it and in memory.
func (l *lineReader) loseHeld(line []byte, whole bool) {
	x := l.large.begin()
	_, _ = x.Write(line)
	l.loseLarge(x, whole)
}

// loseLarge ends a line beyond the limit. It was the reply to a request, another message or, as noise, neither.
func (l *lineReader) loseLarge(x *excess, whole bool) {
	l.dropPartial()
	err := x.end(whole)
	id, reply := lostID(x.head, bytes.TrimRight(x.tail, "\r"))
	switch {
	case reply:
		l.lose(&ReplyLostError{ID: id, Err: err, Frame: x.head})
	case !readOutline(x.head).method:
		l.noise.add(x.head)
	}
}
