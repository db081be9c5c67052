package subtype

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// class tells schemas apart that recursion makes endless: two of one class say the same in the same words, however far they are followed.
type class [sha256.Size]byte

// classes sorts the schemas of several documents, by refining what they say themselves by what the schemas in them say, until that tells no more of
// them apart. It is worth its time where schemas are recursive; without recursion equal schemas are equal formulas anyway.
func classes(list ...*schema.Analysis) map[*canon.Node]class {
	r := refinement{at: map[*canon.Node]int{}}
	for _, a := range list {
		for _, s := range a.Schemas {
			r.at[s.Node] = len(r.nodes)
			r.nodes, r.now = append(r.nodes, s.Node), append(r.now, sha256.Sum256(itself(a.Draft, s.Node)))
		}
	}
	r.parts = make([][]part, len(r.nodes))
	for _, a := range list {
		for _, s := range a.Schemas {
			if s.Parent != nil && s.Role != schema.Definition && s.Role != schema.Referenced {
				r.add(s.Parent.Node, s.Pointer()[len(s.Parent.Pointer()):], s.Node)
			}
		}
		for _, ref := range a.Refs {
			if ref.Target != nil {
				r.add(ref.From.Node, ref.Keyword, ref.Target.Node)
			}
		}
	}
	for _, p := range r.parts {
		slices.SortFunc(p, func(a, b part) int { return strings.Compare(a.place, b.place) })
	}
	for count, done := r.count(), 0; ; done += len(r.nodes) {
		if done > maxRefined {
			return r.apart()
		}
		r.refine()
		more := r.count()
		if more == count {
			return r.classes()
		}
		count = more
	}
}

// refinement is schemas on the way to their classes.
type refinement struct {
	nodes []*canon.Node
	at    map[*canon.Node]int
	now   []class
	parts [][]part // what is in each schema, and what it refers to
}

type part struct {
	place string
	of    int
}

// maxRefined is how many schemas are looked at before that takes too long: there are as many rounds as the longest way through references has steps.
const maxRefined = 10_000

func (r *refinement) add(to *canon.Node, place string, node *canon.Node) {
	i := r.at[to]
	r.parts[i] = append(r.parts[i], part{place, r.at[node]})
}

// refine tells schemas apart by the classes of what is in them.
func (r *refinement) refine() {
	next := make([]class, len(r.now))
	var text []byte
	for i := range r.now {
		text = append(text[:0], r.now[i][:]...)
		for _, p := range r.parts[i] {
			text = append(append(append(text, p.place...), 0), r.now[p.of][:]...)
		}
		next[i] = sha256.Sum256(text)
	}
	r.now = next
}

func (r *refinement) count() int {
	seen := make(map[class]bool, len(r.now))
	for _, c := range r.now {
		seen[c] = true
	}
	return len(seen)
}

func (r *refinement) classes() map[*canon.Node]class {
	of := make(map[*canon.Node]class, len(r.nodes))
	for i, n := range r.nodes {
		of[n] = r.now[i]
	}
	return of
}

// apart is a class for each schema. Fewer equal schemas are seen as such, and no others.
func (r *refinement) apart() map[*canon.Node]class {
	for i := range r.now {
		r.now[i] = sha256.Sum256(binary.AppendUvarint(nil, uint64(i)))
	}
	return r.classes()
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
