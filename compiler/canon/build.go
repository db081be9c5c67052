package canon

import (
	"bytes"
	"slices"
)

// Builder writes one object, member by member. Given canonical values, what Bytes returns is canonical. The zero Builder starts an empty text.
type Builder struct {
	text   []byte
	body   int    // where the members begin; 0 before the first
	last   []byte // the name of the member written last
	behind bool   // some member came after one that it sorts before
}

// Within returns a Builder that writes its object behind dst, so that objects nest without being copied.
func Within(dst []byte) *Builder { return &Builder{text: append(dst, '{'), body: len(dst) + 1} }

// Add adds a member. A nil value adds none.
func (b *Builder) Add(name string, value []byte) {
	if value == nil {
		return
	}
	start := b.begin()
	b.text = append(AppendQuote(b.text, name), ':')
	spelled := literal{text: b.text[start : len(b.text)-1]}
	b.text = append(b.text, value...)
	b.end(spelled.decoded())
}

// AddString adds a member whose value is the text of n, a string, as [Quote] spells it.
func (b *Builder) AddString(name []byte, n *Node) {
	start := b.begin()
	b.text = append(AppendQuote(b.text, name), ':')
	spelled := literal{text: b.text[start : len(b.text)-1]}
	b.text = n.appendQuoted(b.text)
	b.end(spelled.decoded())
}

// AddText adds a member whose value is a string.
func (b *Builder) AddText(name, value string) { b.Add(name, Quote(value)) }

// AddNode adds a member whose value is n in canonical form; a nil n adds none.
func (b *Builder) AddNode(name string, n *Node) { b.Add(name, n.Canonical()) }

// AddMember adds a member under the name of m, spelled exactly, with another value. A nil value adds none.
func (b *Builder) AddMember(m Member, value []byte) {
	if value != nil {
		b.Append(m, func(dst []byte) []byte { return append(dst, value...) })
	}
}

// Append adds a member under the name of m whose value is what write appends to dst. When write returns nil, nothing is added.
func (b *Builder) Append(m Member, write func(dst []byte) []byte) {
	start := b.begin()
	name := literal{text: m.RawName}
	text := write(append(name.appendCanonical(b.text), ':'))
	if text == nil {
		b.text = b.text[:start]
		return
	}
	b.text = text
	b.end(name.decoded())
}

// Named is a member called name that has no value, for [Builder.Append].
func Named(name string) Member { return Member{Name: name, RawName: Quote(name)} }

// begin returns where the next member begins.
func (b *Builder) begin() int {
	if b.body == 0 {
		b.text, b.body = append(b.text, '{'), 1
	}
	return len(b.text)
}

// end ends the member that was written last. name may alias the text, of which what is written is not written again before it is brought in order.
func (b *Builder) end(name []byte) {
	b.text = append(b.text, ',')
	b.behind = b.behind || b.last != nil && compareUTF16(b.last, name) > 0
	b.last = name
}

// Bytes ends the object and returns the whole text. Members of one name keep the order in which they were added.
func (b *Builder) Bytes() []byte {
	b.begin()
	if b.last != nil {
		b.text = b.text[:len(b.text)-1]
	}
	b.text = append(b.text, '}')
	if b.behind {
		b.text = inOrder(b.text, b.body-1)
	}
	return b.text
}

// inOrder puts the members of the object that is the end of text, from offset i on, in order.
func inOrder(text []byte, i int) []byte {
	var members []span
	source := slices.Clone(text[i:])
	_, err := walk(source, 0, func(name literal, value int) (int, error) {
		end, err := skip(source, value)
		members = append(members, span{name.decoded(), value - len(name.text) - 1, end})
		return end, err
	}, nil)
	if err != nil {
		panic("canon: own JSON is malformed: " + err.Error())
	}
	slices.SortStableFunc(members, byName)
	text = append(text[:i], '{')
	for _, m := range members {
		text = append(append(text, source[m.start:m.end]...), ',')
	}
	text[len(text)-1] = '}'
	return text
}

// List returns an array of the given values, in their order.
func List(items ...[]byte) []byte {
	out := append([]byte{'['}, bytes.Join(items, []byte{','})...)
	return append(out, ']')
}

// Set returns an array of the given values in order of their text, without repetition.
func Set(items ...[]byte) []byte {
	sorted := slices.Clone(items)
	slices.SortFunc(sorted, bytes.Compare)
	return List(slices.CompactFunc(sorted, bytes.Equal)...)
}
