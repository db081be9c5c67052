package canon

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FlawKind names a way in which a text is JSON but not safely interchangeable.
type FlawKind string

// The flaws that [Flaws] reports.
const (
	DuplicateName  FlawKind = "duplicate-name"
	LoneSurrogate  FlawKind = "lone-surrogate"
	InvalidUTF8    FlawKind = "invalid-utf8"
	NumberTooLarge FlawKind = "number-too-large"
)

// Flaw is one such place: what is wrong and the RFC 6901 pointer to it.
type Flaw struct {
	Kind    FlawKind
	Pointer string
}

// Flaws lists the flaws of n and everything below it, in source order.
func (n *Node) Flaws() []Flaw {
	var found []Flaw
	n.flaws("", &found)
	return found
}

func (n *Node) flaws(at string, found *[]Flaw) {
	if n == nil {
		return
	}
	report := func(kind FlawKind, at string) { *found = append(*found, Flaw{kind, at}) }
	switch n.Kind {
	case String:
		textFlaws(n.Raw, func(kind FlawKind) { report(kind, at) })
	case Number:
		if _, ok := parseDecimal(n.Raw); !ok {
			report(NumberTooLarge, at)
		}
	case Array:
		for i, item := range n.Items {
			item.flaws(at+"/"+strconv.Itoa(i), found)
		}
	case Object:
		seen := make(map[string]bool, len(n.Members))
		for _, m := range n.Members {
			below := at + Pointer(m.Name)
			if seen[m.Name] {
				report(DuplicateName, below)
			}
			seen[m.Name] = true
			textFlaws(m.RawName, func(kind FlawKind) { report(kind, below) })
			m.Value.flaws(below, found)
		}
	}
}

// Repeats reports an object, n or below it, that gives a member name twice: which of the two counts is for each reader to choose.
func (n *Node) Repeats() bool {
	if n == nil {
		return false
	}
	var seen map[string]bool
	for i, m := range n.Members {
		if len(n.Members) > 16 {
			if seen == nil {
				seen = make(map[string]bool, len(n.Members))
			}
			if seen[m.Name] {
				return true
			}
			seen[m.Name] = true
		} else if slices.ContainsFunc(n.Members[:i], func(other Member) bool { return other.Name == m.Name }) {
			return true
		}
		if m.Value.Repeats() {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, (*Node).Repeats)
}

func textFlaws(lit []byte, report func(FlawKind)) {
	if !utf8.Valid(lit) {
		report(InvalidUTF8)
	}
	for i := 0; i < len(lit); i++ {
		if lit[i] != '\\' {
			continue
		}
		r, width := unescape(lit, i)
		if isSurrogate(r) {
			report(LoneSurrogate)
			return
		}
		i += width - 1
	}
}

// Pointer joins reference tokens to an RFC 6901 JSON pointer: Pointer("a", "b/c") is "/a/b~1c", Pointer() is "", the whole value.
func Pointer(tokens ...string) string {
	var room [64]byte
	pointer := room[:0]
	for _, t := range tokens {
		pointer = AppendPointer(pointer, t)
	}
	return string(pointer)
}

// AppendPointer appends one reference token to a pointer.
func AppendPointer(pointer []byte, token string) []byte {
	pointer = append(pointer, '/')
	if strings.IndexByte(token, '~') < 0 && strings.IndexByte(token, '/') < 0 {
		return append(pointer, token...)
	}
	return append(pointer, pointerEscapes.Replace(token)...)
}

// Tokens splits a JSON pointer into its reference tokens: the reverse of [Pointer].
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = pointerUnescapes.Replace(t)
	}
	return tokens
}

var (
	pointerEscapes   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")
)
