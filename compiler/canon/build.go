package canon

import (
	"bytes"
	"slices"
)

// Builder writes one object, member by member. Given canonical values, what Bytes returns is canonical. The zero Builder starts an empty text.
type Builder struct {
	text    []byte
	body    int // where the members begin; 0 before the first
	members []span
}

// Within returns a Builder that writes its object behind dst, so that objects nest without being copied.
func Within(dst []byte) *Builder { return &Builder{text: append(dst, '{'), body: len(dst) + 1} }

// Add adds a member. A nil value adds none.
func (b *Builder) Add(name string, value []byte) {
	if value != nil {
		b.add([]byte(name), Quote(name), func(dst []byte) []byte { return append(dst, value...) })
	}
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
	l := literal{text: m.RawName}
	b.add(l.decoded(), l.appendCanonical(nil), write)
}

func (b *Builder) add(name, spelled []byte, write func(dst []byte) []byte) {
	if b.body == 0 {
		b.text, b.body = append(b.text, '{'), 1
	}
	start := len(b.text)
	text := write(append(append(b.text, spelled...), ':'))
	if text == nil {
		return
	}
	b.members = append(b.members, span{name, start, len(text)})
	b.text = append(text, ',')
}

// Bytes ends the object and returns the whole text. Members of one name keep the order in which they were added.
func (b *Builder) Bytes() []byte {
	if b.body == 0 {
		b.text, b.body = append(b.text, '{'), 1
	}
	b.text = sortMembers(b.text, b.body, b.members, nil)
	if len(b.members) > 0 {
		b.text = b.text[:len(b.text)-1]
	}
	return append(b.text, '}')
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
