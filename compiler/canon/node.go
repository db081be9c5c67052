package canon

import (
	"math/big"
	"strconv"
)

// Kind is the first byte of a JSON value's text, with '0' standing for every number.
type Kind byte

// The kinds of a [Node].
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

// Node is one parsed JSON value. It aliases the source text, which must not change. All methods accept a nil Node and answer "absent",
// so that look-ups can be chained: n.Get("annotations").Get("title").Str().
type Node struct {
	Kind    Kind
	Raw     []byte   // the value's exact bytes
	Members []Member // of an object, in source order, duplicates kept
	Items   []*Node  // of an array
}

// Member is one name and value of an object.
type Member struct {
	Name    string // decoded
	RawName []byte // the literal, quotes included
	Value   *Node
}

// Parse reads the one JSON value in src. Errors match [ErrSyntax].
func Parse(src []byte) (*Node, error) {
	p := parser{src: src}
	if err := single(src, p.value); err != nil {
		return nil, err
	}
	return p.node, nil
}

// parser leaves the value it read last in node.
type parser struct {
	src   []byte
	node  *Node
	depth int
}

func (p *parser) value(i int) (end int, err error) {
	if i >= len(p.src) {
		return 0, syntaxError(i, "expected a value")
	}
	n := &Node{Kind: Kind(p.src[i])}
	switch c := p.src[i]; {
	case c == '"':
		end, _, err = lexString(p.src, i)
	case c == '-' || '0' <= c && c <= '9':
		n.Kind = Number
		end, err = lexNumber(p.src, i)
	case c == '{' || c == '[':
		end, err = p.container(n, i)
	default:
		end, err = lexLiteral(p.src, i)
	}
	if err != nil {
		return 0, err
	}
	n.Raw = p.src[i:end:end]
	p.node = n
	return end, nil
}

func (p *parser) container(n *Node, i int) (int, error) {
	if p.depth++; p.depth > MaxDepth {
		return 0, syntaxError(i, "nested too deep")
	}
	defer func() { p.depth-- }()
	return walk(p.src, i, func(nameStart, nameEnd, value int) (int, error) {
		end, err := p.value(value)
		lit := p.src[nameStart:nameEnd:nameEnd]
		n.Members = append(n.Members, Member{Name: decode(lit, false), RawName: lit, Value: p.node})
		return end, err
	}, func(value int) (int, error) {
		end, err := p.value(value)
		n.Items = append(n.Items, p.node)
		return end, err
	})
}

// Get returns the value of the member called name: the last one when it is given twice, nil when it is absent or n is no object.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Elements returns the items of an array, none for anything else.
func (n *Node) Elements() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// Is reports whether n is present and of the given kind.
func (n *Node) Is(kind Kind) bool { return n != nil && n.Kind == kind }

// IsObject reports whether n is an object.
func (n *Node) IsObject() bool { return n.Is(Object) }

// IsArray reports whether n is an array.
func (n *Node) IsArray() bool { return n.Is(Array) }

// Str returns the text of a string value.
func (n *Node) Str() (string, bool) {
	if !n.Is(String) {
		return "", false
	}
	return decode(n.Raw, false), true
}

// Text is [Node.Str] without the second result: "" when n is no string.
func (n *Node) Text() string {
	s, _ := n.Str()
	return s
}

// Bool returns the value of true or false; ok is false for every other kind.
func (n *Node) Bool() (value, ok bool) {
	return n.Is(True), n.Is(True) || n.Is(False)
}

// Int returns the value of a number that is a whole number within int64, however it is spelled.
func (n *Node) Int() (int64, bool) {
	if !n.Is(Number) {
		return 0, false
	}
	d, ok := parseDecimal(n.Raw)
	if !ok || d.point > 19 || len(d.digits) > max(d.point, 0) {
		return 0, false
	}
	v, err := strconv.ParseInt(string(d.append(nil)), 10, 64)
	return v, err == nil
}

// Rat returns the exact value of a number within the stated bounds.
func (n *Node) Rat() (*big.Rat, bool) {
	if !n.Is(Number) {
		return nil, false
	}
	if _, ok := parseDecimal(n.Raw); !ok {
		return nil, false
	}
	return new(big.Rat).SetString(string(n.Raw))
}

// Canonical returns the anvil-c14n/1 form of n; a nil Node has none.
func (n *Node) Canonical() []byte {
	if n == nil {
		return nil
	}
	return MustCanonical(n.Raw)
}
