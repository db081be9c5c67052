package emit

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/internal/workers"
)

// graph runs the emitters of one build.
type graph struct {
	in      Inputs
	built   *Built
	digests map[string]string // of what emitters are made of, by name
	ahead   map[string]result // of emitters that were run before their turn, by id
}

type result struct {
	files files
	err   error
}

// run fills the files of the pack and returns its nodes, in the order of the table. Emitters that are made of what is there already run side by side.
func (g *graph) run() ([]pack.Node, error) {
	var nodes []pack.Node
	rest := slices.DeleteFunc(slices.Clone(emitters), func(e emitter) bool { return e.when != nil && !e.when(g.in) })
	if g.in.Earlier == nil || g.in.anew {
		g.runAhead(rest)
	}
	for len(rest) > 0 {
		wave := rest[:g.ready(rest)]
		rest = rest[len(wave):]
		made, err := g.wave(wave)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, made...)
	}
	slices.Sort(g.built.Ran)
	return nodes, nil
}

// runAhead runs emitters side by side where nothing can be kept: they write from the document, and wait for one another only to know whether an earlier
// pack has it already.
func (g *graph) runAhead(all []emitter) {
	results := make([]result, len(all))
	workers.Each(len(all), func(i int) {
		if all[i].id != diffNode || g.in.Base != nil {
			results[i].files, results[i].err = all[i].emit(g)
		}
	})
	g.ahead = map[string]result{}
	for i, e := range all {
		if e.id != diffNode || g.in.Base != nil {
			g.ahead[e.id] = results[i]
		}
	}
}

// ready counts the emitters at the head of rest of which none is made of another.
func (g *graph) ready(rest []emitter) int {
	for i, e := range rest {
		if slices.ContainsFunc(rest[:i], func(above emitter) bool { return slices.Contains(e.from, above.id) }) {
			return i
		}
	}
	return len(rest)
}

func (g *graph) wave(wave []emitter) ([]pack.Node, error) {
	nodes, made, faults := make([]pack.Node, len(wave)), make([]files, len(wave)), make([]error, len(wave))
	for i, e := range wave {
		var err error
		if nodes[i], err = g.node(e); err != nil {
			return nil, err
		}
		var kept bool
		if made[i], kept = g.kept(&nodes[i]); !kept {
			g.built.Ran = append(g.built.Ran, e.id)
		}
	}
	workers.Each(len(wave), func(i int) {
		if done, is := g.ahead[wave[i].id]; is {
			made[i], faults[i] = done.files, done.err
		} else if made[i] == nil {
			made[i], faults[i] = wave[i].emit(g)
		}
	})
	for i, e := range wave {
		if faults[i] != nil {
			return nil, fmt.Errorf("write %s: %w", e.id, faults[i])
		}
		for path, data := range made[i] {
			nodes[i].Outputs = append(nodes[i].Outputs, path)
			g.built.Files[path] = data
		}
		slices.Sort(nodes[i].Outputs)
		g.digests[e.id] = digestOfFiles(made[i], nodes[i].Outputs)
	}
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
		n.Configuration, err = canon.DigestValue(e.settings(g))
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
