package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	node := func(id, input string, version int, configuration string, outputs ...string) Node {
		return Node{ID: id, Kind: id, Inputs: []Input{{"air", input}, {"surface", "s"}}, Implementation: version, Configuration: configuration, Outputs: outputs}
	}
	old := Manifest{
		Nodes: []Node{
			node("cached", "1", 1, ""), node("configuration", "1", 1, "a", "f"), node("gone", "1", 1, "", "g"), node("implementation", "1", 1, ""),
			node("inputs", "1", 1, "a", "x", "y"),
		},
		Artifacts: []Artifact{{Path: "f", Digest: "1"}, {Path: "g", Digest: "1"}, {Path: "x", Digest: "1"}, {Path: "y", Digest: "1"}},
	}
	new := Manifest{
		Nodes: []Node{
			node("cached", "1", 1, ""), node("configuration", "1", 1, "b", "f"), node("implementation", "1", 2, ""),
			node("inputs", "2", 2, "b", "x", "y"), node("new", "1", 1, "", "n"),
		},
		Artifacts: []Artifact{{Path: "f", Digest: "1"}, {Path: "n", Digest: "1"}, {Path: "x", Digest: "1"}, {Path: "y", Digest: "2"}},
	}
	want := []NodeChange{
		{Node: "cached", Kind: "cached", Status: NodeCached},
		{Node: "configuration", Kind: "configuration", Status: NodeConfiguration, Outputs: []string{"f"}},
		{Node: "gone", Kind: "gone", Status: NodeGone, Outputs: []string{"g"}, Changed: []string{"g"}},
		{Node: "implementation", Kind: "implementation", Status: NodeImplementation, Implementation: &VersionTurn{1, 2}},
		{Node: "inputs", Kind: "inputs", Status: NodeInputs, Inputs: []string{"air"}, Implementation: &VersionTurn{1, 2}, Outputs: []string{"x", "y"}, Changed: []string{"y"}},
		{Node: "new", Kind: "new", Status: NodeNew, Outputs: []string{"n"}, Changed: []string{"n"}},
	}
	if diff := cmp.Diff(want, Explain(old, new)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
