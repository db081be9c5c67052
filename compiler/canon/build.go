package canon

import (
	"bytes"
	"slices"
)

// Builder collects the members of one object. Given canonical values, what Bytes returns is canonical. The zero Builder is an empty object.
type Builder struct {
	text    []byte
	members []span
}

// Add adds a member. A nil value adds none.
func (b *Builder) Add(name string, value []byte) {
	if value != nil {
		b.add([]byte(name), Quote(name), value)
	}
}

// AddText adds a member whose value is a string.
func (b *Builder) AddText(name, value string) { b.Add(name, Quote(value)) }

// AddNode adds a member whose value is n in canonical form; a nil n adds none.
func (b *Builder) AddNode(name string, n *Node) { b.Add(name, n.Canonical()) }

// AddMember adds a member under the name of m, spelled exactly, with another value.
func (b *Builder) AddMember(m Member, value []byte) {
	if value != nil {
		l := literal{text: m.RawName}
		b.add(l.decoded(), l.appendCanonical(nil), value)
	}
}

func (b *Builder) add(name, spelled, value []byte) {
	start := len(b.text)
	b.text = append(append(append(b.text, spelled...), ':'), value...)
	b.members = append(b.members, span{name, start, len(b.text)})
}

// Bytes returns the object. Members of one name keep the order in which they were added.
func (b *Builder) Bytes() []byte {
	byName := func(x, y span) int { return compareUTF16(x.name, y.name) }
	if !slices.IsSortedFunc(b.members, byName) {
		slices.SortStableFunc(b.members, byName)
	}
	out := append(make([]byte, 0, len(b.text)+len(b.members)+2), '{')
	for i, m := range b.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b.text[m.start:m.end]...)
	}
	return append(out, '}')
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
