package pack

import (
	"slices"
	"strings"
)

// Node is one step of the build: an emitter, what it was given and what it made. Two nodes of one id that are equal but for their outputs
// have equal outputs, byte for byte, so that a rebuild can take them from an earlier pack.
type Node struct {
	ID             string   `json:"id"`
	Kind           string   `json:"kind"`                   // of what it makes
	Inputs         []Input  `json:"inputs"`                 // by name
	Implementation int      `json:"implementation"`         // version of the emitter, raised by hand when it makes other bytes of the same
	Configuration  string   `json:"configuration,omitzero"` // digest of what else it follows from; absent where there is nothing
	Outputs        []string `json:"outputs"`                // paths of artifacts, sorted
}

// Input is something that a node is made of. A name is that of an input of the build (surface, approvals, base), or the id of another node, for
// all that one makes.
type Input struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// SameStep reports whether two nodes make the same bytes: all but their outputs is equal.
func (n Node) SameStep(o Node) bool {
	return n.ID == o.ID && n.Kind == o.Kind && n.Implementation == o.Implementation && n.Configuration == o.Configuration && slices.Equal(n.Inputs, o.Inputs)
}

// Node returns the node of that id.
func (m Manifest) Node(id string) (Node, bool) {
	for _, n := range m.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Node{}, false
}

// Follows reports whether the artifact at a path is made of an input of the build or of what a node makes, by way of other nodes or not.
func (m Manifest) Follows(path, from string) bool {
	makers := map[string]Node{}
	for _, n := range m.Nodes {
		makers[n.ID] = n
	}
	seen := map[string]bool{}
	var leads func(n Node) bool
	leads = func(n Node) bool {
		if seen[n.ID] {
			return false
		}
		seen[n.ID] = true
		return slices.ContainsFunc(n.Inputs, func(in Input) bool {
			other, isNode := makers[in.Name]
			return in.Name == from || isNode && leads(other)
		})
	}
	return slices.ContainsFunc(m.Nodes, func(n Node) bool { return slices.Contains(n.Outputs, path) && leads(n) })
}

// ordered returns n with inputs and outputs in order, and none of them null.
func (n Node) ordered() Node {
	n.Inputs, n.Outputs = append([]Input{}, n.Inputs...), append([]string{}, n.Outputs...)
	slices.SortFunc(n.Inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(n.Outputs)
	return n
}

// digests are those of the inputs.
func (n Node) digests() []string {
	digests := []string{}
	for _, in := range n.Inputs {
		digests = append(digests, in.Digest)
	}
	return digests
}
