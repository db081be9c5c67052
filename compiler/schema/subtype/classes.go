package subtype

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// class tells schemas apart that recursion makes endless: two of one class say the same in the same words, however far they are followed.
type class [sha256.Size]byte

// classes sorts the schemas of several documents, by refining what they say themselves by what the schemas in them say, until that tells no more of
// them apart. It is worth its time where schemas are recursive; without recursion equal schemas are equal formulas anyway.
func classes(list ...*schema.Analysis) map[*canon.Node]class {
	var all []*schema.Schema
	parts := map[*canon.Node][]part{}
	now := map[*canon.Node]class{}
	for _, a := range list {
		all = append(all, a.Schemas...)
		for _, s := range a.Schemas {
			now[s.Node] = sha256.Sum256(itself(a.Draft, s.Node))
			if s.Parent != nil && s.Role != schema.Definition && s.Role != schema.Referenced {
				parts[s.Parent.Node] = append(parts[s.Parent.Node], part{place: s.Pointer()[len(s.Parent.Pointer()):], node: s.Node})
			}
		}
		for _, r := range a.Refs {
			if r.Target != nil {
				parts[r.From.Node] = append(parts[r.From.Node], part{place: r.Keyword, node: r.Target.Node})
			}
		}
	}
	for _, p := range parts {
		slices.SortFunc(p, func(a, b part) int { return bytes.Compare([]byte(a.place), []byte(b.place)) })
	}
	for count := distinctClasses(now); ; {
		next := make(map[*canon.Node]class, len(now))
		for _, s := range all {
			own := now[s.Node]
			text := slices.Clone(own[:])
			for _, p := range parts[s.Node] {
				inner := now[p.node]
				text = append(append(append(text, p.place...), 0), inner[:]...)
			}
			next[s.Node] = sha256.Sum256(text)
		}
		now = next
		more := distinctClasses(now)
		if more == count {
			return now
		}
		count = more
	}
}

type part struct {
	place string
	node  *canon.Node
}

func distinctClasses(of map[*canon.Node]class) int {
	seen := make(map[class]bool, len(of))
	for _, c := range of {
		seen[c] = true
	}
	return len(seen)
}

// itself is what a schema says but for the schemas in it and for readers.
func itself(d schema.Draft, n *canon.Node) []byte {
	text := append([]byte(d.String()), byte(n.Kind))
	if !n.IsObject() {
		return text
	}
	var lines [][]byte
	for _, m := range n.Members {
		if !d.Asserts(m.Name) || m.Name == "$id" || m.Name == "id" || m.Name == "$anchor" || schema.Lookup(m.Name).Form.Schemas() && m.Name != "dependencies" {
			continue
		}
		lines = append(lines, append(append([]byte(m.Name), 0), m.Value.Canonical()...))
	}
	slices.SortFunc(lines, bytes.Compare)
	return append(text, bytes.Join(lines, []byte{0})...)
}
