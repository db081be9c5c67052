package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"anvil/compiler/canon"
)

// scanner goes through JSON texts of any size and holds only the values that it is asked for. It sees to brackets, strings and commas itself; what it hands out
// is for canon to read, and what it passes over is not checked further.
type scanner struct {
	r     *bufio.Reader
	line  int  // from 1
	start bool // the next byte is the first of its line
	held  []byte
	keep  bool // bytes go to held
	most  int
	over  int  // bytes that would have made held longer than most
	head  bool // the byte read last is the first of its line
	last  byte
}

func newScanner(r io.Reader) *scanner {
	s := &scanner{r: bufio.NewReaderSize(r, 64<<10), line: 1, start: true}
	if mark, err := s.r.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = s.r.Discard(len(mark)) // it is there
	}
	return s
}

// The bounds of a document's skeleton, down to its spans.
const (
	maxScanDepth = 256 // arrays and objects inside one another
	maxName      = 256 // bytes of a member's name, as it is spelled
	maxMembers   = 64  // of a document, a resource or a scope
)

// inputError is an error of the reader, and not of what it reads.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func (s *scanner) badly(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{canon.ErrSyntax}, args...)...)
}

// get reads one byte. The end of the text inside a document is a flaw of it.
func (s *scanner) get() (byte, error) {
	c, err := s.r.ReadByte()
	s.head, s.last = s.start && err == nil, c
	switch {
	case errors.Is(err, io.EOF):
		return 0, s.badly("the text ends inside a document; was it cut?")
	case err != nil:
		return 0, inputError{err}
	}
	if s.start = c == '\n'; s.start {
		s.line++
	}
	if s.keep {
		if len(s.held) < s.most {
			s.held = append(s.held, c)
		} else {
			s.over++
		}
	}
	return c, nil
}

func (s *scanner) back() {
	if s.r.UnreadByte() != nil {
		return
	}
	if s.last == '\n' {
		s.line--
	}
	s.start = s.head
	switch {
	case s.keep && s.over > 0:
		s.over--
	case s.keep && len(s.held) > 0:
		s.held = s.held[:len(s.held)-1]
	}
}

// token reads the next byte that is no white space.
func (s *scanner) token() (byte, error) {
	for {
		c, err := s.get()
		if err != nil || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, err
		}
	}
}

// next goes to the beginning of the next document; io.EOF says that there is none.
func (s *scanner) next() error {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return err
		}
		switch c {
		case '\n':
			s.line++
			s.start = true
		case ' ', '\t', '\r', 0x1e: // the last one leads a text of RFC 7464
			s.start = false
		default:
			return s.r.UnreadByte()
		}
	}
}

// resume goes to the next line that begins with a brace, behind a document that cannot be read.
func (s *scanner) resume() error {
	if s.head && s.last == '{' {
		s.start = true
		return s.r.UnreadByte()
	}
	for start := s.start; ; {
		c, err := s.r.ReadByte()
		switch {
		case err != nil:
			return err
		case c == '{' && start:
			s.start = true
			return s.r.UnreadByte()
		case c == '\n':
			s.line++
		}
		start = c == '\n'
	}
}

// object goes through an object: member is called at each value and must read it. What is null has no members.
func (s *scanner) object(what string, member func(name string) error) error {
	if empty, err := s.open('{', what); empty || err != nil {
		return err
	}
	var seen []string
	for c := byte(','); c == ','; {
		name, err := s.name()
		if err != nil {
			return err
		}
		for _, other := range seen {
			if other == name {
				return s.badly("member %s is given twice", quoted(name))
			}
		}
		if seen = append(seen, name); len(seen) > maxMembers {
			return s.badly("%s has more than %d members", what, maxMembers)
		}
		if c, err = s.token(); err == nil && c != ':' {
			err = s.badly("expected a colon")
		}
		if err == nil {
			err = member(name)
		}
		if err == nil {
			c, err = s.token()
		}
		if err == nil && c != ',' && c != '}' {
			err = s.badly("expected a comma or a brace")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array goes through an array: item is called at each value and must read it. What is null has no items.
func (s *scanner) array(what string, item func() error) error {
	if empty, err := s.open('[', what); empty || err != nil {
		return err
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch c, err := s.token(); {
		case err != nil:
			return err
		case c == ']':
			return nil
		case c != ',':
			return s.badly("expected a comma or a bracket")
		}
	}
}

// open reads the bracket that opens a container, and the whole of an empty one and of null.
func (s *scanner) open(bracket byte, what string) (empty bool, err error) {
	c, err := s.token()
	if err != nil {
		return false, err
	}
	if c == 'n' {
		s.back()
		return true, s.skip()
	}
	if c != bracket {
		return false, s.badly("%s does not begin with %c", what, bracket)
	}
	if c, err = s.token(); err != nil || c == bracket+2 {
		return true, err
	}
	s.back()
	return false, nil
}

// name reads a member's name.
func (s *scanner) name() (string, error) {
	text, err := s.value(maxName)
	if err != nil {
		return "", err
	}
	n, err := canon.Outline(text, 1)
	if err != nil || !n.Is(canon.String) {
		return "", s.badly("expected the name of a member")
	}
	return n.Text(), nil
}

// value reads a value of at most so many bytes, white space at its ends left out. A longer one is read over, and is errTooLong.
func (s *scanner) value(most int) ([]byte, error) {
	if _, err := s.token(); err != nil {
		return nil, err
	}
	s.back()
	s.held, s.keep, s.most, s.over = s.held[:0], true, most, 0
	err := s.skip()
	s.keep = false
	switch {
	case err != nil:
		return nil, err
	case s.over > 0:
		return nil, fmt.Errorf("%w: it has more than %d bytes", errTooLong, most)
	}
	return s.held, nil
}
