package wire

import (
	"bytes"
	"errors"
	"io"
)

// oversizedField is how much is read of a line in an oversized event, unless it is one of data.
const oversizedField = 8 << 10

// oversizedEvent is an event beyond the limit on its way past.
type oversizedEvent struct {
	s       *sseReader
	e       *event
	data    *oversizedMessage
	hasData bool
	line    []byte // the start of the line under way, unless it is one of data
	inData  bool   // it is
}

// skip reads past an oversized event and makes e what is to be told of it. hasData tells whether the event had data before the current
// line, which is in s.long. When it ends without any, e.lost stays nil.
func (s *sseReader) skip(e *event, hasData bool) error {
	l := oversizedEvent{s: s, e: e, data: s.oversized.begin(), hasData: hasData}
	if hasData {
		_, _ = l.data.Write(e.data)
	}
	part, ended := s.long, s.ended
	e.data, s.long = nil, nil // neither is needed in memory any more
	for {
		l.add(part)
		part = nil
		if ended && l.endLine() {
			l.end(true)
			return nil
		}
		if s.size > skipFactor*int64(s.oversized.limit) {
			l.data.size = max(l.data.size, s.size)
			return l.data.end(false)
		}
		var err error
		if part, ended, err = s.part(); err != nil {
			l.endLine()
			l.end(errors.Is(err, io.EOF))
			if e.lost != nil && errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// end completes the event, if there is one.
func (l *oversizedEvent) end(whole bool) {
	if l.hasData {
		l.e.lost = l.data.end(whole)
		l.e.data, l.e.tail = l.data.head, l.data.tail
	}
}

// add takes in more of the line under way. Six bytes tell whether it is one of data.
func (l *oversizedEvent) add(part []byte) {
	if n := min(len(part), len("data: ")-len(l.line)); !l.inData && n > 0 {
		l.line = append(l.line, part[:n]...)
		part = part[n:]
		if value, isData := bytes.CutPrefix(l.line, []byte("data:")); isData && len(value) > 0 {
			l.inData = true
			l.addData(bytes.TrimPrefix(value, []byte{' '}))
		}
	}
	if l.inData {
		_, _ = l.data.Write(part)
		return
	}
	l.line = append(l.line, part[:min(len(part), oversizedField-len(l.line))]...)
}

// addData starts another line of data.
func (l *oversizedEvent) addData(value []byte) {
	if l.hasData {
		_, _ = l.data.Write([]byte{'\n'})
	}
	l.hasData = true
	_, _ = l.data.Write(value)
}

// endLine ends the line under way; it reports whether the line is blank, and so the event at its end.
func (l *oversizedEvent) endLine() (blank bool) {
	line, inData := l.line, l.inData
	l.line, l.inData = l.line[:0], false
	if inData || len(line) == 0 {
		return !inData
	}
	if value, isData := l.s.field(line, l.e); isData {
		l.addData(value)
	}
	return false
}
