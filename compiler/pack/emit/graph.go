package emit

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
)

// graph runs the emitters of one build.
type graph struct {
	in      Inputs
	built   *Built
	digests map[string]string // of what emitters are made of, by name
}

// run fills the files of the pack and returns its nodes.
func (g *graph) run() ([]pack.Node, error) {
	var nodes []pack.Node
	for _, e := range emitters {
		if e.when != nil && !e.when(g.in) {
			continue
		}
		node, err := g.node(e)
		if err != nil {
			return nil, err
		}
		made, ok := g.kept(&node)
		if !ok {
			g.built.Ran = append(g.built.Ran, e.id)
			if made, err = e.emit(g); err != nil {
				return nil, fmt.Errorf("write %s: %w", e.id, err)
			}
		}
		for path, data := range made {
			node.Outputs = append(node.Outputs, path)
			g.built.Files[path] = data
		}
		slices.Sort(node.Outputs)
		g.digests[e.id] = digestOfFiles(made, node.Outputs)
		nodes = append(nodes, node)
	}
	slices.Sort(g.built.Ran)
	return nodes, nil
}

// node is the node of an emitter that has made nothing yet.
func (g *graph) node(e emitter) (pack.Node, error) {
	n := pack.Node{ID: e.id, Kind: e.kind, Implementation: e.version, Inputs: []pack.Input{}}
	for _, name := range slices.Sorted(slices.Values(e.from)) {
		digest, err := g.digest(name)
		if err != nil {
			return n, fmt.Errorf("digest %s, of which %s is made: %w", name, e.id, err)
		}
		n.Inputs = append(n.Inputs, pack.Input{Name: name, Digest: digest})
	}
	var err error
	if e.settings != nil {
		n.Configuration, err = digestOf(e.settings(g))
	}
	return n, err
}

func (g *graph) digest(name string) (string, error) {
	if digest, known := g.digests[name]; known {
		return digest, nil
	}
	source, known := sources[name]
	if !known {
		return "", fmt.Errorf("no input and no emitter before it has this name")
	}
	digest, err := source(g)
	g.digests[name] = digest
	return digest, err
}

// kept returns the files that the earlier pack's node made of the same. A comparison without its base is kept as it is, whatever version made
// it: it stands on its digest alone.
func (g *graph) kept(n *pack.Node) (files, bool) {
	if g.in.Earlier == nil {
		return nil, false
	}
	earlier, there := g.in.Earlier.Manifest.Node(n.ID)
	if carried := n.ID == diffNode && g.in.Base == nil; carried && there && slices.Equal(n.Inputs, earlier.Inputs) {
		n.Implementation = earlier.Implementation
	} else if !there || g.in.anew || !n.SameStep(earlier) {
		return nil, false
	}
	made := files{}
	for _, path := range earlier.Outputs {
		data, there := g.in.Earlier.Files[path]
		if !there {
			return nil, false
		}
		made[path] = data
	}
	return made, true
}

// digestOfFiles is the digest of the one file, or of the digests of several under their paths.
func digestOfFiles(made files, paths []string) string {
	if len(paths) == 1 {
		return canon.Digest(made[paths[0]])
	}
	var parts [][]byte
	for _, path := range paths {
		parts = append(parts, []byte(path+"\x00"+canon.Digest(made[path])+"\x00"))
	}
	return canon.Digest(parts...)
}

// digestOf digests a value by its canonical JSON.
func digestOf(v any) (string, error) {
	text, err := canon.EncodeCompact(v)
	if err != nil {
		return "", err
	}
	return canon.DigestOf(text)
}
