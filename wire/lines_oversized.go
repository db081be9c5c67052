package wire

import "bytes"

// skip reads past an oversized line.
func (l *lineReader) skip() error {
	x := l.oversized.begin()
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
			l.loseOversized(x, at >= 0)
			return nil
		}
		if x.isEndless() {
			return x.end(false)
		}
		l.start, l.end = 0, 0
		l.fill()
	}
}

// loseHeld is loseOversized for bytes that are all there is of it and in memory.
func (l *lineReader) loseHeld(line []byte, whole bool) {
	x := l.oversized.begin()
	_, _ = x.Write(line)
	l.loseOversized(x, whole)
}

// loseOversized ends an oversized line. It was the reply to a request, another message or, as noise, neither.
func (l *lineReader) loseOversized(x *oversizedMessage, whole bool) {
	l.dropPartial()
	err := x.end(whole)
	id, reply := lostID(x.head, bytes.TrimRight(x.tail, "\r"))
	switch {
	case reply:
		l.queue = append(l.queue, received{err: &ReplyLostError{ID: id, Err: err, Frame: x.head}})
	case !readOutline(x.head).method:
		l.noise.add(x.head)
	}
}
