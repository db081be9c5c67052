package wire

import "strings"

// Span is a half-open range of byte offsets. The zero Span means absent: no value inside a message can start at 0.
type Span struct{ Start, End int }

func (s Span) absent() bool { return s == Span{} }

// Envelope is one JSON-RPC message, as offsets into the bytes that arrived. It owns nothing: Raw aliases the scanned
// frame. A member that occurs twice is represented by its last occurrence and sets Dup; whoever forwards a message
// should refuse such a one, since its receiver may prefer the first.
type Envelope struct {
	Raw                               []byte
	ID, Method, Params, Result, Error Span
	// IsError is the member isError of a result that is an object: whoever tells of a call would else have to go over a long result again.
	IsError Span
	// NoVersion says that "jsonrpc" is absent or not "2.0".
	NoVersion bool
	// Dup says that one of jsonrpc, id, method, params, result, error occurs more than once.
	Dup bool
}

// Scan reads one JSON-RPC message: strict JSON in one pass, members in any order, names compared after decoding. It
// fails with ErrSyntax, ErrTruncated or ErrDepth on what is not JSON, ErrBatch on an array, and ErrNotMessage on other
// JSON (a scalar, a method that is no string, an id that is neither string, number nor null). An object with none of
// the members passes; the Is methods are then all false.
func Scan(frame []byte) (Envelope, error) {
	s := scanner{b: frame}
	if s.space(); s.peek() != '{' {
		return Envelope{}, notAnObject(&s)
	}
	e := Envelope{Raw: frame, NoVersion: true}
	if err := s.push(true); err != nil {
		return Envelope{}, err
	}
	versions := 0
	for first := true; ; first = false {
		name, done, err := s.key(first)
		if err != nil {
			return Envelope{}, err
		}
		if done {
			break
		}
		known, value := knownName(frame[name.Start+1:name.End-1]), Span{Start: s.i}
		if known == "result" {
			e.IsError, err = s.find("isError")
		} else {
			err = s.value()
		}
		if err != nil {
			return Envelope{}, err
		}
		value.End = s.i
		if slot := e.slot(known); slot != nil {
			e.Dup = e.Dup || !slot.absent()
			*slot = value
		} else if isName(frame[name.Start+1:name.End-1], "jsonrpc") {
			e.Dup = e.Dup || versions > 0
			versions++
			e.NoVersion = !isText(frame[value.Start:value.End], "2.0")
		}
	}
	if err := s.end(); err != nil {
		return Envelope{}, err
	}
	return e, e.checkShape()
}

// notAnObject tells why a frame that does not start with a brace is no message. The whole value is read first, or a log
// line such as "[INFO] ready" would pass for a batch.
func notAnObject(s *scanner) error {
	start := s.i
	batch := s.peek() == '['
	if err := s.value(); err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	if batch {
		return &scanError{ErrBatch, start, "an array"}
	}
	return &scanError{ErrNotMessage, start, "a bare value"}
}

func (e *Envelope) slot(name string) *Span {
	switch name {
	case "id":
		return &e.ID
	case "method":
		return &e.Method
	case "params":
		return &e.Params
	case "result":
		return &e.Result
	case "error":
		return &e.Error
	}
	return nil
}

func (e *Envelope) checkShape() error {
	if !e.Method.absent() && e.Raw[e.Method.Start] != '"' {
		return &scanError{ErrNotMessage, e.Method.Start, "the method is not a string"}
	}
	if !e.ID.absent() {
		switch e.Raw[e.ID.Start] {
		case '{', '[', 't', 'f':
			return &scanError{ErrNotMessage, e.ID.Start, "the id is neither a string nor a number"}
		}
	}
	return nil
}

// Bytes returns the part of Raw that s covers, nil when s is absent.
func (e Envelope) Bytes(s Span) []byte {
	if s.absent() {
		return nil
	}
	return e.Raw[s.Start:s.End:s.End]
}

// MethodName returns the decoded method, empty when absent.
func (e Envelope) MethodName() string {
	name, _ := Unquote(e.Bytes(e.Method))
	return name
}

// IsRequest reports whether the message asks for a reply: a method and an id other than null.
func (e Envelope) IsRequest() bool { return !e.Method.absent() && e.hasID() }

// IsNotification reports whether the message has a method and nothing to reply to; "id":null is nothing to reply to.
func (e Envelope) IsNotification() bool { return !e.Method.absent() && !e.hasID() }

// IsResponse reports whether the message has a result or an error and no method. Its id may still be absent or null, as
// when a peer could not read the request.
func (e Envelope) IsResponse() bool {
	return e.Method.absent() && !(e.Result.absent() && e.Error.absent())
}

func (e Envelope) hasID() bool { return !e.ID.absent() && e.Raw[e.ID.Start] != 'n' }

// isMessage reports whether the object is meant as JSON-RPC. Servers log JSON to stdout, and a log line may well have a
// member called "error" or "method", so without a version more is asked of it.
func (e Envelope) isMessage() bool {
	if e.NoVersion {
		return e.IsRequest() || e.IsResponse() && e.hasID() || strings.HasPrefix(e.MethodName(), "notifications/")
	}
	return !e.Method.absent() || e.IsResponse()
}

// WithID appends the message to dst with the bytes of its id replaced by id, every other byte as it was, and returns
// the extended slice. A message without an id is appended unchanged.
func (e Envelope) WithID(dst, id []byte) []byte {
	if e.ID.absent() {
		return append(dst, e.Raw...)
	}
	dst = append(dst, e.Raw[:e.ID.Start]...)
	dst = append(dst, id...)
	return append(dst, e.Raw[e.ID.End:]...)
}

// Member finds the value of the member called name in the raw JSON object, comparing decoded names; the last duplicate
// wins. The span is relative to object. It reports false when the member is absent or object is not one JSON object.
func Member(object []byte, name string) (Span, bool) {
	s := scanner{b: object}
	if s.space(); s.peek() != '{' {
		return Span{}, false
	}
	found, err := s.find(name)
	if err != nil || s.end() != nil {
		return Span{}, false
	}
	return found, !found.absent()
}

// Elements returns the span of each element of the raw JSON array, relative to array. It reports false when array is
// not one JSON array. It is how a batch is taken apart.
func Elements(array []byte) ([]Span, bool) {
	s := scanner{b: array}
	if s.space(); s.peek() != '[' || s.push(false) != nil {
		return nil, false
	}
	spans := []Span{}
	if s.space(); s.peek() == ']' {
		s.pop()
		return spans, s.end() == nil
	}
	for {
		s.space()
		start := s.i
		if s.value() != nil {
			return nil, false
		}
		spans = append(spans, Span{start, s.i})
		switch s.space(); s.peek() {
		case ',':
			s.i++
		case ']':
			s.pop()
			return spans, s.end() == nil
		default:
			return nil, false
		}
	}
}
