package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// event is one server-sent event.
type event struct {
	name string // empty stands for "message"
	data []byte // lines joined by newlines, owned by the reader of the event
}

// sseReader reads a text/event-stream as the HTML standard has it: lines end in LF, CR or CRLF, a line starting with a
// colon is a comment, a field may lack its colon, unknown fields are ignored. An event of more than max bytes, comments
// included, is an error. Unlike the standard it delivers a last event that lacks the blank line after it: the message
// inside is checked anyway, and servers do forget it.
type sseReader struct {
	r       *bufio.Reader
	max     int
	size    int  // bytes read since the last event
	skipLF  bool // the last line ended in CR; an LF that follows belongs to it
	started bool

	lastID string        // id of the last event that had one
	retry  time.Duration // reconnection time the server asked for, 0 when it did not
}

func newSSEReader(r io.Reader, max int) *sseReader {
	return &sseReader{r: bufio.NewReaderSize(r, 16<<10), max: max}
}

// next returns the next event that has data. It returns io.EOF at the end of the stream.
func (s *sseReader) next() (event, error) {
	var e event
	hasData := false
	s.size = 0
	for {
		line, err := s.line()
		if err != nil {
			if hasData && errors.Is(err, io.EOF) {
				return e, nil
			}
			return event{}, err
		}
		if len(line) == 0 {
			if hasData {
				return e, nil
			}
			e.name, s.size = "", 0
			continue
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "data":
			if hasData {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
			hasData = true
		case "event":
			e.name = string(value)
		case "id":
			s.setID(string(value))
		case "retry":
			s.setRetry(string(value))
		}
	}
}

// setID keeps the id unless it could not be sent back in a header.
func (s *sseReader) setID(id string) {
	if len(id) <= 4<<10 && !strings.ContainsFunc(id, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		s.lastID = id
	}
}

func (s *sseReader) setRetry(value string) {
	ms, err := strconv.ParseUint(value, 10, 31)
	if err == nil {
		s.retry = time.Duration(ms) * time.Millisecond
	}
}

// line returns the next line without its end; it is valid until the next call. The end of a line is not looked for
// beyond a CR, or an event would wait for the one after it.
func (s *sseReader) line() ([]byte, error) {
	var long []byte
	for {
		if _, err := s.r.Peek(1); err != nil {
			if len(long) > 0 && errors.Is(err, io.EOF) {
				return long, nil
			}
			return nil, err
		}
		chunk, _ := s.r.Peek(s.r.Buffered())
		if s.skipLF {
			s.skipLF = false
			if chunk[0] == '\n' {
				s.r.Discard(1)
				continue
			}
		}
		if !s.started {
			s.started = true
			if s.trimBOM() {
				continue
			}
		}
		end := lineEnd(chunk)
		taken := min(end+1, len(chunk))
		if s.size += taken; s.size > s.max {
			return nil, &FrameTooLargeError{s.max}
		}
		ended := end < len(chunk)
		s.skipLF = ended && chunk[end] == '\r'
		line := chunk[:end]
		if long != nil || !ended {
			long = append(long, line...)
			line = long
		}
		s.r.Discard(taken) // leaves the bytes of chunk in place until the next read
		if ended {
			return line, nil
		}
	}
}

// lineEnd returns the offset of the first CR or LF, the length of b when there is none.
func lineEnd(b []byte) int {
	if lf := bytes.IndexByte(b, '\n'); lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return len(b)
}

// trimBOM drops a byte order mark at the start of the stream.
func (s *sseReader) trimBOM() bool {
	const bom = "\xef\xbb\xbf"
	if first, _ := s.r.Peek(1); first[0] != bom[0] {
		return false
	}
	if head, _ := s.r.Peek(len(bom)); string(head) != bom {
		return false
	}
	s.r.Discard(len(bom))
	return true
}
