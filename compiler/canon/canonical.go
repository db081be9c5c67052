package canon

import "slices"

// Canonical returns the anvil-c14n/1 form of the one JSON value in src, in a buffer of its own. It fails with [ErrSyntax] only: whatever
// is JSON has a canonical form. Time is near linear, memory at most about three times the input.
func Canonical(src []byte) ([]byte, error) {
	w := writer{src: src, dst: make([]byte, 0, len(src))}
	if err := single(src, w.value); err != nil {
		return nil, err
	}
	return w.dst, nil
}

// ValueOf is v as canonical JSON. It panics where v has no JSON: it is for values of our own, of numbers, words, and structs, lists and maps of them.
func ValueOf(v any) Raw {
	text, err := EncodeCompact(v)
	if err != nil {
		panic("canon: " + err.Error())
	}
	return MustCanonical(text)
}

// MustCanonical is [Canonical] for bytes this program made itself; it panics on anything else.
func MustCanonical(src []byte) []byte {
	out, err := Canonical(src)
	if err != nil {
		panic("canon: own JSON is malformed: " + err.Error())
	}
	return out
}

// writer appends canonical text to dst while it reads src. members is a stack shared by all open objects.
type writer struct {
	src, dst, scratch []byte
	members           []span
	depth             int
}

// span is one written member: its decoded name and where it stands in dst.
type span struct {
	name       []byte
	start, end int
}

func (w *writer) value(i int) (int, error) {
	if i >= len(w.src) {
		return 0, syntaxError(i, "expected a value")
	}
	switch c := w.src[i]; {
	case c == '"':
		return w.text(i)
	case c == '-' || '0' <= c && c <= '9':
		end, err := lexNumber(w.src, i)
		if err == nil {
			w.dst = appendCanonicalNumber(w.dst, w.src[i:end])
		}
		return end, err
	case c == '{' || c == '[':
		if w.depth++; w.depth > MaxDepth {
			return 0, syntaxError(i, "nested too deep")
		}
		defer func() { w.depth-- }()
		if c == '[' {
			return w.array(i)
		}
		return w.object(i)
	}
	end, err := lexLiteral(w.src, i)
	if err == nil {
		w.dst = append(w.dst, w.src[i:end]...)
	}
	return end, err
}

func (w *writer) text(i int) (int, error) {
	end, plain, err := lexString(w.src, i)
	if err == nil {
		w.dst = literal{w.src[i:end], plain}.appendCanonical(w.dst)
	}
	return end, err
}

func (w *writer) array(i int) (int, error) {
	w.dst = append(w.dst, '[')
	first := true
	end, err := walk(w.src, i, nil, func(value int) (int, error) {
		if !first {
			w.dst = append(w.dst, ',')
		}
		first = false
		return w.value(value)
	})
	w.dst = append(w.dst, ']')
	return end, err
}

func (w *writer) object(i int) (int, error) {
	w.dst = append(w.dst, '{')
	base, body := len(w.members), len(w.dst)
	end, err := walk(w.src, i, func(name literal, value int) (int, error) {
		start := len(w.dst)
		w.dst = name.appendCanonical(w.dst)
		w.dst = append(w.dst, ':')
		next, err := w.value(value)
		w.members = append(w.members, span{name.decoded(), start, len(w.dst)})
		w.dst = append(w.dst, ',')
		return next, err
	}, nil)
	if err != nil {
		return 0, err
	}
	w.sort(w.members[base:], body)
	w.members = w.members[:base]
	if len(w.dst) > body {
		w.dst = w.dst[:len(w.dst)-1]
	}
	w.dst = append(w.dst, '}')
	return end, nil
}

// sort puts the members written from offset body on in order, each with its comma. Members of one name keep their order.
func (w *writer) sort(members []span, body int) {
	if slices.IsSortedFunc(members, byName) {
		return
	}
	w.scratch = append(w.scratch[:0], w.dst[body:]...)
	slices.SortStableFunc(members, byName)
	w.dst = w.dst[:body]
	for _, m := range members {
		w.dst = append(append(w.dst, w.scratch[m.start-body:m.end-body]...), ',')
	}
}

func byName(a, b span) int { return compareUTF16(a.name, b.name) }
