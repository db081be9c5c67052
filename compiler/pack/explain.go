package pack

import (
	"maps"
	"slices"
)

// What a rebuild does with a node.
const (
	NodeNew            = "new"
	NodeInputs         = "inputs-changed"
	NodeImplementation = "implementation-changed"
	NodeConfiguration  = "configuration-changed"
	NodeCached         = "cached" // the earlier pack's files are taken
	NodeGone           = "gone"   // its files are there no more
)

// NodeChange says what a rebuild from an earlier pack regenerates of one node, and why.
type NodeChange struct {
	Node           string       `json:"node"`
	Kind           string       `json:"kind"`
	Status         string       `json:"status"`            // new, inputs-changed, implementation-changed, configuration-changed, cached or gone; the first that holds
	Inputs         []string     `json:"inputs,omitempty"`  // that are others
	Implementation *VersionTurn `json:"version,omitempty"` // of the emitter, when it is another
	Outputs        []string     `json:"outputs"`           // paths
	Changed        []string     `json:"changed,omitempty"` // outputs whose bytes are others, those that came or went included
}

// VersionTurn is a version with two values.
type VersionTurn struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Explain says for every node of either manifest what a rebuild that turns the old pack into the new one regenerates, by id.
func Explain(old, new Manifest) []NodeChange {
	before, after := byID(old), byID(new)
	digests := [2]map[string]string{digestsOf(old), digestsOf(new)}
	steps := []NodeChange{}
	ids := maps.Clone(before)
	maps.Copy(ids, after)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		was, had := before[id]
		is, has := after[id]
		step := NodeChange{Node: id, Kind: is.Kind, Status: NodeCached, Outputs: is.Outputs}
		switch {
		case !has:
			step.Kind, step.Status, step.Outputs = was.Kind, NodeGone, was.Outputs
		case !had:
			step.Status = NodeNew
		default:
			step.compare(was, is)
		}
		for _, p := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(was.Outputs, is.Outputs)))) {
			if digests[0][p] != digests[1][p] {
				step.Changed = append(step.Changed, p)
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// compare says why a node that both packs have is run.
func (s *NodeChange) compare(was, is Node) {
	if was.Configuration != is.Configuration {
		s.Status = NodeConfiguration
	}
	if was.Implementation != is.Implementation || was.Kind != is.Kind {
		s.Status, s.Implementation = NodeImplementation, &VersionTurn{was.Implementation, is.Implementation}
	}
	had := map[string]string{}
	for _, in := range was.Inputs {
		had[in.Name] = in.Digest
	}
	for _, in := range is.Inputs {
		if digest, there := had[in.Name]; !there || digest != in.Digest {
			s.Inputs = append(s.Inputs, in.Name)
		}
		delete(had, in.Name)
	}
	s.Inputs = append(s.Inputs, slices.Sorted(maps.Keys(had))...)
	if slices.Sort(s.Inputs); len(s.Inputs) > 0 {
		s.Status = NodeInputs
	}
}

func byID(m Manifest) map[string]Node {
	nodes := map[string]Node{}
	for _, n := range m.Nodes {
		nodes[n.ID] = n
	}
	return nodes
}

func digestsOf(m Manifest) map[string]string {
	digests := map[string]string{}
	for _, a := range m.Artifacts {
		digests[a.Path] = a.Digest
	}
	return digests
}
