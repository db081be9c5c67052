package wire

import (
	"bytes"
	"errors"
)

const (
	lostHead = 4 << 10 // bytes kept of the start of an oversized message, or of one that cannot be read
	lostTail = 1 << 10 // and of the end of an oversized one
)

// outline is what the start of an object tells that cannot be read to its end: the members that stand before the fault, and
// the name of the one that holds it. Nothing behind a fault is believed, since a quote too many makes structure of text.
type outline struct {
	id      []byte // raw, nil when there is none
	unsure  bool   // there are two of them
	version bool   // jsonrpc is "2.0"
	body    bool   // there is a result or an error
	method  bool   // there is a method, or there are params
	closed  bool   // the object is there to its end
	rest    int    // offset of what follows it, when closed
}

// readOutline reads what it can of b. Nesting beyond MaxDepth is no fault here.
func readOutline(b []byte) outline {
	var o outline
	s := scanner{b: b}
	if s.space(); s.peek() != '{' || s.push(true) != nil {
		return o
	}
	for first := true; ; first = false {
		s.space()
		switch c := s.peek(); {
		case c == '}':
			o.closed, o.rest = true, s.i+1
			return o
		case first:
		case c == ',':
			s.i++
		default:
			return o
		}
		name, err := s.name()
		if err != nil {
			return o
		}
		s.space()
		start := s.i
		err = s.value()
		if errors.Is(err, ErrDepth) {
			s.i, s.depth = start, 1
			err = s.deepValue()
		}
		o.note(b[name.Start+1:name.End-1], b[start:s.i], err == nil)
		if err != nil {
			return o
		}
	}
}

// note takes in one member; of one with a fault the value is not whole.
func (o *outline) note(name, value []byte, whole bool) {
	switch known := knownName(name); {
	case known == "result", known == "error":
		o.body = true
	case known == "method", known == "params":
		o.method = true
	case known == "id" && whole:
		o.unsure = o.unsure || o.id != nil && !bytes.Equal(o.id, value)
		o.id = bytes.Clone(value)
	case known == "" && whole && isName(name, "jsonrpc"):
		o.version = isText(value, "2.0")
	}
}

// deepValue skips a value however deep it nests. It checks strings and that brackets match, which is all it takes to find its end.
func (s *scanner) deepValue() error {
	var open []byte // the brackets to come, at most as many as the frame has bytes
	for {
		s.space()
		switch c := s.peek(); c {
		case '{', '[':
			open = append(open, c+2) // in ASCII each closes two behind
			s.i++
			continue
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return s.fail("another bracket")
			}
			open = open[:len(open)-1]
			s.i++
		case ',', ':':
			s.i++
			continue
		default:
			if _, err := s.begin(); err != nil {
				return err
			}
		}
		if len(open) == 0 {
			return nil
		}
	}
}

// lostReply tells of a frame that Scan refuses with err whether it is beyond doubt the reply to a request, and to which: it names
// its protocol or is whole but for its nesting, it has an id, it has a result or an error and no method, and all of that
// stands before what is wrong with it. Nil when any of this is missing: a line of a log may well contain an id.
func lostReply(frame []byte, err error) *ReplyLostError {
	if !isUnreadable(err) {
		return nil
	}
	o := readOutline(frame)
	if !o.isReply() || !o.version && !(o.closed && errors.Is(err, ErrDepth)) {
		return nil
	}
	if o.closed && len(bytes.TrimSpace(frame[o.rest:])) > 0 {
		return nil // a message and then something else: ReadFrame takes it apart
	}
	return &ReplyLostError{ID: o.id, Err: err, Frame: bytes.Clone(frame[:min(len(frame), lostHead)])}
}

// isUnreadable reports whether err is about the JSON of a frame.
func isUnreadable(err error) bool {
	return errors.Is(err, ErrSyntax) || errors.Is(err, ErrTruncated) || errors.Is(err, ErrDepth)
}

func (o outline) isReply() bool {
	return o.body && !o.method && o.id != nil && !o.unsure && o.id[0] != 'n'
}

// lostID reads from the start and the end of an oversized message whether it may have been a reply, and to
// which request: most peers write the id first, some last.
func lostID(head, tail []byte) (id []byte, reply bool) {
	head = bytes.TrimLeft(head, "\xef\xbb\xbf \t")
	if bytes.HasPrefix(head, []byte("[")) {
		return nil, looksLikeBatch(head)
	}
	o := readOutline(head)
	if o.method || !bytes.HasPrefix(head, []byte("{")) {
		return nil, false
	}
	if id = o.id; id == nil {
		id = trailingID(tail)
	}
	return id, o.body || o.version // a line of a log may well have an id, at its end too
}

// looksLikeBatch tells the start of an array of objects from a line such as "[INFO] ready".
func looksLikeBatch(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t"), []byte("{"))
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
