package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDepth is how deep arrays and objects may nest in a frame. It equals the bound of encoding/json, so that whatever
// Scan accepts can be read by any later stage; a deeper frame is ErrDepth.
const MaxDepth = 10000

// The reasons for which Scan refuses a frame; test with errors.Is.
var (
	ErrSyntax     = errors.New("malformed JSON")
	ErrTruncated  = errors.New("JSON ends too early")
	ErrDepth      = errors.New("JSON nests too deep")
	ErrBatch      = errors.New("JSON-RPC batch, not a single message")
	ErrNotMessage = errors.New("JSON, but not a JSON-RPC message")
)

// scanError places one of the reasons above at a byte offset.
type scanError struct {
	reason error
	offset int
	detail string
}

func (e *scanError) Error() string {
	return fmt.Sprintf("%v: %s at byte %d", e.reason, e.detail, e.offset)
}

func (e *scanError) Unwrap() error { return e.reason }

// scanner walks JSON text without building anything. Nesting is kept as one bit per level (1 = object) rather than on
// the call stack, so that depth costs nothing and cannot exhaust it.
type scanner struct {
	b     []byte
	i     int
	depth int
	nest  [MaxDepth/64 + 1]uint64
}

// peek returns the byte at the cursor, 0 at the end. A NUL byte is legal nowhere in JSON, so the two need no telling
// apart until an error is made.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) space() {
	for s.i < len(s.b) && s.b[s.i] <= ' ' {
		if c := s.b[s.i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return
		}
		s.i++
	}
}

func (s *scanner) fail(want string) error {
	if s.i >= len(s.b) {
		return &scanError{ErrTruncated, s.i, "want " + want}
	}
	return &scanError{ErrSyntax, s.i, "want " + want}
}

func (s *scanner) push(object bool) error {
	if s.depth >= MaxDepth {
		return &scanError{ErrDepth, s.i, fmt.Sprintf("more than %d levels", MaxDepth)}
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	if object {
		s.nest[word] |= bit
	} else {
		s.nest[word] &^= bit
	}
	s.depth++
	s.i++
	return nil
}

func (s *scanner) pop() {
	s.depth--
	s.i++
}

func (s *scanner) inObject() bool {
	top := s.depth - 1
	return s.nest[top/64]>>(top%64)&1 == 1
}

// value skips one value and the space before it.
func (s *scanner) value() error {
	for floor := s.depth; ; {
		opened, err := s.begin()
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		if more, err := s.after(floor); err != nil || !more {
			return err
		}
	}
}

// begin consumes a scalar, an empty container, or the start of a container up to its first value; it reports whether a
// value is still to come before anything is complete.
func (s *scanner) begin() (opened bool, err error) {
	s.space()
	switch c := s.peek(); c {
	case '{':
		if err := s.push(true); err != nil {
			return false, err
		}
		if s.space(); s.peek() == '}' {
			s.pop()
			return false, nil
		}
		_, err := s.name()
		return true, err
	case '[':
		if err := s.push(false); err != nil {
			return false, err
		}
		if s.space(); s.peek() == ']' {
			s.pop()
			return false, nil
		}
		return true, nil
	case '"':
		return false, s.text()
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

// after runs when a value is complete: it closes what ends here, and reports whether another value follows above floor.
func (s *scanner) after(floor int) (more bool, err error) {
	for s.depth > floor {
		s.space()
		switch c := s.peek(); {
		case c == ',':
			s.i++
			if s.inObject() {
				_, err = s.name()
			}
			return true, err
		case c == '}' && s.inObject(), c == ']' && !s.inObject():
			s.pop()
		default:
			return false, s.fail("a comma or the end of the container")
		}
	}
	return false, nil
}

// name reads a member's name and the colon after it, and returns the span of the quoted name.
func (s *scanner) name() (Span, error) {
	s.space()
	if s.peek() != '"' {
		return Span{}, s.fail("a member name")
	}
	start := s.i
	if err := s.text(); err != nil {
		return Span{}, err
	}
	name := Span{start, s.i}
	if s.space(); s.peek() != ':' {
		return Span{}, s.fail("a colon")
	}
	s.i++
	return name, nil
}

// key reads the name of the next member of the object whose opening brace was just pushed (first) or whose previous member
// was just read, up to its value. done is true once the closing brace is consumed.
func (s *scanner) key(first bool) (name Span, done bool, err error) {
	s.space()
	switch c := s.peek(); {
	case c == '}':
		s.pop()
		return Span{}, true, nil
	case first:
	case c == ',':
		s.i++
	default:
		return Span{}, false, s.fail("a comma or the end of the object")
	}
	if name, err = s.name(); err != nil {
		return Span{}, false, err
	}
	s.space()
	return name, false, nil
}

// find skips one value and returns where in it the member called name is, when it is an object; the last duplicate wins.
func (s *scanner) find(name string) (found Span, err error) {
	if s.peek() != '{' {
		return Span{}, s.value()
	}
	if err := s.push(true); err != nil {
		return Span{}, err
	}
	for first := true; ; first = false {
		key, value, done, err := s.member(first)
		if err != nil || done {
			return found, err
		}
		if isName(s.b[key.Start+1:key.End-1], name) {
			found = value
		}
	}
}

// member reads the next member, its value as well; see key.
func (s *scanner) member(first bool) (name, value Span, done bool, err error) {
	if name, done, err = s.key(first); done || err != nil {
		return Span{}, Span{}, done, err
	}
	start := s.i
	if err = s.value(); err != nil {
		return Span{}, Span{}, false, err
	}
	return name, Span{start, s.i}, false, nil
}

// end checks that nothing but space is left.
func (s *scanner) end() error {
	if s.space(); s.i < len(s.b) {
		return &scanError{ErrSyntax, s.i, "text after the value"}
	}
	return nil
}

// text skips a string, the cursor being at its opening quote. Bytes that are not UTF-8 pass: they are the sender's, and
// later stages report them.
func (s *scanner) text() error {
	s.i++
	// Most strings are names and short words, not worth the set-up of plain.
	for near := min(s.i+8, len(s.b)); s.i < near && s.b[s.i] >= 0x20 && s.b[s.i] != '\\'; s.i++ {
		if s.b[s.i] == '"' {
			s.i++
			return nil
		}
	}
	for {
		s.i += plain(s.b[s.i:])
		if s.i >= len(s.b) {
			return s.fail("the end of a string")
		}
		switch s.b[s.i] {
		case '"':
			s.i++
			return nil
		case '\\':
			if err := s.escape(); err != nil {
				return err
			}
		default:
			return s.fail("no control character in a string")
		}
	}
}

func (s *scanner) escape() error {
	s.i++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return nil
	case 'u':
		for range 4 {
			s.i++
			if _, ok := hexDigit(s.peek()); !ok {
				return s.fail("four hexadecimal digits")
			}
		}
		s.i++
		return nil
	}
	return s.fail("an escape")
}

// plain counts the leading bytes of b that stand for themselves inside a string. Eight bytes are tested at a time:
// results are mostly text, and this loop is where a scan spends its time.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote := w ^ (ones * '"')
		slash := w ^ (ones * '\\')
		// The high bit of a byte is set where it is below 0x20, a quote or a backslash. Borrows can mark a byte too many
		// above a true hit, never below one, so the lowest mark is exact.
		hit := ((w - ones*0x20) &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\'; i++ {
	}
	return i
}

func (s *scanner) literal(word string) error {
	for k := range len(word) {
		if s.peek() != word[k] {
			return s.fail(word)
		}
		s.i++
	}
	return nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.i++
	}
	switch c := s.peek(); {
	case c == '0':
		s.i++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return s.fail("a value")
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return s.fail("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		if !s.digits() {
			return s.fail("a digit")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}
