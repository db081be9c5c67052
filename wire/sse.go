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
	data []byte // lines joined by newlines, owned by the reader of the event; of an oversized one its start
	tail []byte // of an oversized event, the end of its data
	lost *FrameTooLargeError
}

// isMessage reports whether e holds a message of the protocol, as far as its name tells.
func (e event) isMessage() bool { return len(e.data) > 0 && (e.name == "" || e.name == "message") }

// sseReader reads a text/event-stream as the HTML standard has it: lines end in LF, CR or CRLF, a line starting with a
// colon is a comment, a field may lack its colon, unknown fields are ignored. Of an event of more bytes than the limit,
// comments included, only the start and the end are read into memory. Unlike the standard it delivers a last event that
// lacks the blank line after it: the message inside is checked anyway, and servers do forget it.
type sseReader struct {
	r         *bufio.Reader
	oversized *oversizedLog
	size      int64  // bytes read since the last event
	long      []byte // a line that came in several parts
	ended     bool   // the line in long is there to its end
	skipLF    bool   // the last line ended in CR; an LF that follows belongs to it
	started   bool

	lastID string        // id of the last event that had one
	retry  time.Duration // reconnection time the server asked for, 0 when it did not
}

func newSSEReader(r io.Reader, oversized *oversizedLog) *sseReader {
	return &sseReader{r: bufio.NewReaderSize(r, 16<<10), oversized: oversized}
}

// next returns the next event that has data. It returns io.EOF at the end of the stream, and a *FrameTooLargeError when an
// event has no end.
func (s *sseReader) next() (event, error) {
	var e event
	hasData := false
	s.size = 0
	for {
		line, err := s.line()
		switch {
		case errors.Is(err, errOversized):
			if err := s.skip(&e, hasData); err != nil || e.lost != nil {
				return e, err
			}
			e, hasData, s.size = event{}, false, 0
			continue
		case err != nil && hasData && errors.Is(err, io.EOF):
			return e, nil
		case err != nil:
			return event{}, err
		case len(line) == 0 && hasData:
			return e, nil
		case len(line) == 0:
			e.name, s.size = "", 0
			continue
		}
		if value, isData := s.field(line, &e); isData {
			if hasData {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
			hasData = true
		}
	}
}

// field takes in a line, unless it is one of data: then its value is returned.
func (s *sseReader) field(line []byte, e *event) (data []byte, isData bool) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		return value, true
	case "event":
		e.name = string(value)
	case "id":
		s.setID(string(value))
	case "retry":
		s.setRetry(string(value))
	}
	return nil, false
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

// errOversized says that the event is beyond the limit. What was read of the line is in sseReader.long.
var errOversized = errors.New("event beyond the limit")

// line returns the next line without its end; it is valid until the next call.
func (s *sseReader) line() ([]byte, error) {
	if s.long = s.long[:0]; cap(s.long) > lineBuffer {
		s.long = nil
	}
	for parts := 0; ; parts++ {
		part, ended, err := s.part()
		switch {
		case err != nil && len(s.long) > 0 && errors.Is(err, io.EOF):
			return s.long, nil
		case err != nil:
			return nil, err
		case parts == 0 && ended && s.size <= int64(s.oversized.limit):
			return part, nil
		}
		s.long, s.ended = append(s.long, part...), ended
		if s.size > int64(s.oversized.limit) {
			return nil, errOversized
		}
		if ended {
			return s.long, nil
		}
	}
}

// part returns what is there of the line under way, without its end, and whether it ends there; it is valid until the next
// call. The end of a line is not looked for beyond a CR, or an event would wait for the one after it.
func (s *sseReader) part() (part []byte, ended bool, err error) {
	for {
		if _, err := s.r.Peek(1); err != nil {
			return nil, false, err
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
		s.size += int64(taken)
		ended = end < len(chunk)
		s.skipLF = ended && chunk[end] == '\r'
		s.r.Discard(taken) // leaves the bytes of chunk in place until the next read
		return chunk[:end], ended, nil
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
