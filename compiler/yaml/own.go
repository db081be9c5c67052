package yaml

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// JSON is [ToJSON] for who has no use for lines. What [FromJSON] wrote, which is most of what is read here, takes a fraction of the time: it is
// read as that writes it, and anything that is not written so is left to the library.
func JSON(src []byte) ([]byte, error) {
	if text, ok := readOwn(src); ok {
		return text, nil
	}
	text, _, err := ToJSON(src)
	return text, err
}

// readOwn reads an object or array as [FromJSON] lays it out in blocks. ok is false for all that is written otherwise, correct or not. What it
// takes means the same to every reader: plain text is plainSafe, literal blocks are literalSafe, and no line is left over.
func readOwn(src []byte) (text []byte, ok bool) {
	r := ownReader{src: src, out: make([]byte, 0, len(src)+len(src)/8)}
	if len(src) == 0 || src[len(src)-1] != '\n' || !r.entries(0, 1) || r.pos != len(src) {
		return nil, false
	}
	return r.out, true
}

// ownReader appends the JSON of what it reads. Its methods report whether that is of our own writing, and leave pos behind it: entries at the first
// byte of the line below, the others at the end of the line.
type ownReader struct {
	src, out []byte
	pos      int
	names    []span // of the open mappings
	text     []byte // scratch
}

// span is where a name is spelled in out.
type span struct{ start, end int }

func (r *ownReader) name(s span) []byte { return r.out[s.start:s.end] }

// line returns what is left of the line.
func (r *ownReader) line() []byte {
	rest := r.src[r.pos:]
	return rest[:max(0, bytes.IndexByte(rest, '\n'))]
}

// indent returns the spaces that the line at pos begins with.
func (r *ownReader) indent() int {
	n := 0
	for r.pos+n < len(r.src) && r.src[r.pos+n] == ' ' {
		n++
	}
	return n
}

func (r *ownReader) startsItem() bool {
	return r.pos+1 < len(r.src) && r.src[r.pos] == '-' && r.src[r.pos+1] == ' '
}

// entries reads the members or items of a value at column col, the first of which begins at pos.
func (r *ownReader) entries(col, depth int) bool {
	if depth > maxBlockDepth {
		return false
	}
	isList, first, names := r.startsItem(), true, len(r.names)
	open, end := byte('{'), byte('}')
	if isList {
		open, end = '[', ']'
	}
	r.out = append(r.out, open)
	for ; first || r.pos < len(r.src) && r.indent() == col; first = false {
		if !first {
			r.pos += col
			r.out = append(r.out, ',')
		}
		if isList != r.startsItem() || !r.entry(isList, col, depth) {
			return false
		}
	}
	distinct := r.areDistinct(r.names[names:])
	r.names = r.names[:names]
	r.out = append(r.out, end)
	return distinct
}

func (r *ownReader) entry(isList bool, col, depth int) bool {
	if isList {
		r.pos += len("- ")
		return r.item(col, depth)
	}
	start := len(r.out)
	if !r.key() {
		return false
	}
	r.names = append(r.names, span{start, len(r.out)})
	r.out = append(r.out, ':')
	switch {
	case r.pos >= len(r.src):
		return false
	case r.src[r.pos] == '\n':
		r.pos++
		if r.indent() != col+2 {
			return false
		}
		r.pos += col + 2
		return r.entries(col+2, depth+1)
	case r.src[r.pos] != ' ':
		return false
	}
	r.pos++
	return r.leaf(col)
}

// item reads what stands behind the dash: entries of its own, or a leaf. A line that begins as a key does is one.
func (r *ownReader) item(col, depth int) bool {
	if r.startsItem() {
		return r.entries(col+2, depth+1)
	}
	start, at := len(r.out), r.pos
	isKey := r.key()
	r.out, r.pos = r.out[:start], at
	if isKey {
		return r.entries(col+2, depth+1)
	}
	return r.leaf(col)
}

// key reads the name of a member and its colon.
func (r *ownReader) key() bool {
	line := r.line()
	if len(line) == 0 {
		return false
	}
	start := r.pos
	if line[0] == '"' {
		if !r.quoted() || r.pos >= len(r.src) || r.src[r.pos] != ':' {
			return false
		}
	} else {
		end := bytes.Index(line, []byte(": "))
		if end < 0 {
			end = len(line) - 1
		}
		if line[end] != ':' || !plainSafe(line[:end]) {
			return false
		}
		r.out = canon.AppendQuote(r.out, line[:end])
		r.pos += end
	}
	r.pos++
	return r.pos-start <= maxSimpleKey
}

// leaf reads a value without entries, and the end of its line.
func (r *ownReader) leaf(col int) bool {
	line := r.line()
	if len(line) == 0 {
		return false
	}
	switch c := line[0]; {
	case c == '"':
		return r.quoted() && r.lineEnds()
	case c == '|':
		return r.literal(line, col+2)
	}
	r.pos += len(line)
	switch string(line) {
	case "{}", "[]", "true", "false", "null":
		r.out = append(r.out, line...)
		return r.lineEnds()
	}
	switch c := line[0]; {
	case c == '-' || '0' <= c && c <= '9':
		if n, err := canon.Parse(line); err != nil || !n.Is(canon.Number) || len(n.Raw) != len(line) {
			return false
		}
		r.out = append(r.out, line...)
	case plainSafe(line):
		r.out = canon.AppendQuote(r.out, line)
	default:
		return false
	}
	return r.lineEnds()
}

func (r *ownReader) lineEnds() bool {
	if r.pos >= len(r.src) || r.src[r.pos] != '\n' {
		return false
	}
	r.pos++
	return true
}

// quoted reads a text in double quotes, escaped as appendQuoted does.
func (r *ownReader) quoted() bool {
	r.text = r.text[:0]
	for i := r.pos + 1; i < len(r.src); {
		switch c := r.src[i]; {
		case c == '"':
			r.pos = i + 1
			r.out = canon.AppendQuote(r.out, r.text)
			return true
		case c == '\\':
			char, width := unescaped(r.src[i:])
			if width == 0 {
				return false
			}
			r.text = utf8.AppendRune(r.text, char)
			i += width
		case ' ' <= c && c < 0x7F:
			end := i + 1
			for end < len(r.src) && isOrdinary[r.src[end]] {
				end++
			}
			r.text = append(r.text, r.src[i:end]...)
			i = end
		default:
			char, width := utf8.DecodeRune(r.src[i:])
			if char == utf8.RuneError && width <= 1 || hidden(char) {
				return false
			}
			r.text = append(r.text, r.src[i:i+width]...)
			i += width
		}
	}
	return false
}

// unescaped reads the escape that src begins with; the width is 0 for one that is not written here.
func unescaped(src []byte) (char rune, width int) {
	if len(src) < 2 {
		return 0, 0
	}
	digits := 0
	switch src[1] {
	case '"', '\\':
		return rune(src[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if digits == 0 || len(src) < 2+digits {
		return 0, 0
	}
	code, err := strconv.ParseUint(string(src[2:2+digits]), 16, 32)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return 0, 0
	}
	return rune(code), 2 + digits
}

// literal reads a literal block whose lines stand at column col.
func (r *ownReader) literal(head []byte, col int) bool {
	r.pos += len(head)
	if !r.lineEnds() {
		return false
	}
	r.text = r.text[:0]
	blank := 0 // lines at the end
	for r.pos < len(r.src) {
		if r.src[r.pos] == '\n' {
			r.pos, blank = r.pos+1, blank+1
			r.text = append(r.text, '\n')
			continue
		}
		if r.indent() < col {
			break
		}
		r.pos += col
		line := r.line()
		r.pos += len(line)
		r.text = append(append(r.text, line...), '\n')
		if blank = 0; len(line) == 0 || !r.lineEnds() {
			return false
		}
	}
	keeps := string(head) == "|+"
	if keeps != (blank > 0) || !keeps && string(head) != "|" && string(head) != "|-" {
		return false
	}
	if string(head) == "|-" {
		r.text = bytes.TrimSuffix(r.text, []byte{'\n'})
	}
	if !literalSafe(r.text) {
		return false
	}
	r.out = canon.AppendQuote(r.out, r.text)
	return true
}

// areDistinct reports that no two names are the same.
func (r *ownReader) areDistinct(names []span) bool {
	const few = 16
	if len(names) <= few {
		for i, name := range names {
			if slices.ContainsFunc(names[:i], func(other span) bool { return bytes.Equal(r.name(name), r.name(other)) }) {
				return false
			}
		}
		return true
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[string(r.name(name))] = true
	}
	return len(seen) == len(names)
}
