package canon

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
	"sync"
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
func Parse(src []byte) (*Node, error) { return parse(src, MaxDepth) }

// Outline is [Parse] that makes no nodes of what stands in more than depth containers: the innermost have neither members nor items, only text.
func Outline(src []byte, depth int) (*Node, error) { return parse(src, depth) }

func parse(src []byte, open int) (*Node, error) {
	p := parsers.Get().(*parser)
	p.src, p.open = src, open
	if err := single(src, p.value); err != nil {
		return nil, err
	}
	return p.done(), nil
}

// parser leaves the value it read last in node. Nodes are made in blocks, elements of open containers wait on stacks, and names that recur
// are kept once, so that a tree costs few allocations.
type parser struct {
	src     []byte
	dst     []byte // canonical text, of [ParseCanonical]
	node    *Node
	depth   int
	open    int // in how many containers a value stands at most that becomes a node
	block   []Node
	members []Member
	items   []*Node
	names   [256]string
}

// parsers are kept for their names and stacks, which hold nothing between two texts.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// done returns the node that was read and makes p fit for another text.
func (p *parser) done() *Node {
	n := p.node
	p.src, p.dst, p.node, p.block = nil, nil, nil, nil
	parsers.Put(p)
	return n
}

const (
	blockSize = 64 // nodes made at once
	nameLimit = 48 // bytes of a name that is kept
)

func (p *parser) newNode() *Node {
	if len(p.block) == 0 {
		p.block = make([]Node, min(blockSize, 1+len(p.src)/16))
	}
	n := &p.block[0]
	p.block = p.block[1:]
	return n
}

func (p *parser) name(l literal) string {
	text := l.decoded()
	if len(text) == 0 || len(text) > nameLimit {
		return string(text)
	}
	slot := 31*len(text) + 7*int(text[0]) + 131*int(text[len(text)-1]) + int(text[len(text)/2])
	known := &p.names[slot%len(p.names)]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}

func (p *parser) value(i int) (end int, err error) {
	if i >= len(p.src) {
		return 0, syntaxError(i, "expected a value")
	}
	n := p.newNode()
	n.Kind = Kind(p.src[i])
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
	if p.depth > p.open {
		return walk(p.src, i, func(_ literal, value int) (int, error) { return p.pass(value) }, p.pass)
	}
	firstMember, firstItem := len(p.members), len(p.items)
	end, err := walk(p.src, i, func(name literal, value int) (int, error) {
		end, err := p.value(value)
		p.members = append(p.members, Member{Name: p.name(name), RawName: name.text, Value: p.node})
		return end, err
	}, func(value int) (int, error) {
		end, err := p.value(value)
		p.items = append(p.items, p.node)
		return end, err
	})
	p.fill(n, firstMember, firstItem)
	return end, err
}

// fill gives n what waits on the stacks from the given places on.
func (p *parser) fill(n *Node, firstMember, firstItem int) {
	if made := p.members[firstMember:]; len(made) > 0 {
		n.Members = slices.Clone(made)
		clear(made)
	}
	if made := p.items[firstItem:]; len(made) > 0 {
		n.Items = slices.Clone(made)
		clear(made)
	}
	p.members, p.items = p.members[:firstMember], p.items[:firstItem]
}

// pass reads a value that becomes no node.
func (p *parser) pass(i int) (int, error) {
	if i < len(p.src) && (p.src[i] == '{' || p.src[i] == '[') {
		return p.container(nil, i)
	}
	return skip(p.src, i)
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
	return string(literal{text: n.Raw}.decoded()), true
}

// Text is [Node.Str] without the second result: "" when n is no string.
func (n *Node) Text() string {
	s, _ := n.Str()
	return s
}

// appendQuoted appends Quote(n.Text()), which is the canonical form but where half of a surrogate pair is spelled.
func (n *Node) appendQuoted(dst []byte) []byte {
	if bytes.IndexByte(n.Raw, 0xED) >= 0 || bytes.Contains(n.Raw, []byte(`\ud`)) || bytes.Contains(n.Raw, []byte(`\uD`)) {
		return AppendQuote(dst, n.Text())
	}
	return literal{text: n.Raw}.appendCanonical(dst)
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
	var digits [24]byte
	v, err := strconv.ParseInt(string(d.append(digits[:0])), 10, 64)
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

// Canonical returns the anvil-c14n/1 form of n; a nil Node has none. The result may alias the source.
func (n *Node) Canonical() []byte {
	switch {
	case n == nil:
		return nil
	case n.Kind == True, n.Kind == False, n.Kind == Null:
		return n.Raw
	case n.Kind == Number && isShortInteger(n.Raw):
		return n.Raw
	case n.Kind == String && bytes.IndexByte(n.Raw, '\\') < 0:
		return n.Raw
	}
	return MustCanonical(n.Raw)
}
