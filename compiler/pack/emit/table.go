package emit

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/capability"
	"anvil/compiler/pack/emit/command"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/pack/emit/skill"
	"anvil/compiler/yaml"
)

// emitter makes the files of one node of the build graph.
type emitter struct {
	id, kind string
	version  int      // raised by hand when it makes other bytes of the same inputs; TestImplementations holds it to that
	from     []string // names of what it is made of: inputs of the build (sources), or nodes above it
	emit     func(*graph) (files, error)

	when     func(Inputs) bool // nil: always
	settings func(*graph) any  // what else it follows from, which is digested; nil: nothing
}

// files are what an emitter makes, by path.
type files map[string][]byte

// emitters lists every artifact of a pack, each behind those it is made of. A new one adds its line: id, kind, version, inputs, emitter.
var emitters = []emitter{
	{id: "snapshot", kind: pack.KindSnapshot, version: 1, from: []string{"surface"}, emit: one(pack.SnapshotFile, (*graph).snapshot)},
	{id: "learned", kind: pack.KindLearned, version: 1, from: []string{"learning"}, emit: one(pack.LearnedFile, (*graph).learned), when: isLearned},
	{id: "air", kind: pack.KindAIR, version: 1, from: []string{"surface", "auth", "approvals", "decided", "learning"}, emit: one(pack.AIRFile, (*graph).air)},
	{id: "signature", kind: pack.KindSignature, version: 1, from: []string{"air"}, emit: one(pack.SignatureFile, (*graph).signature)},
	{id: "tools-metadata", kind: pack.KindMetadata, version: 1, from: []string{"air", "learning"}, emit: (*graph).metadata},
	{id: "capabilities", kind: pack.KindCapability, version: 1, from: []string{"air"}, emit: ofDocument(capability.Build)},
	{id: "skill", kind: pack.KindSkill, version: 1, from: []string{"air"}, emit: ofDocument(skill.Build)},
	{id: "command-line", kind: pack.KindCommandLine, version: 1, from: []string{"air"}, emit: ofDocument(command.Files)},
	{id: "facade", kind: pack.KindFacade, version: 1, emit: one(pack.FacadeFile, (*graph).facade), when: isFacade, settings: serving},
	{id: diffNode, kind: pack.KindDiff, version: 1, from: []string{"base", "surface"}, emit: (*graph).diff, when: isCompared},
}

// sources are the inputs of the build, with how each is digested.
var sources = map[string]func(*graph) (string, error){
	"surface":   func(g *graph) (string, error) { return g.in.Snapshot.Digest, nil },
	"base":      func(g *graph) (string, error) { return g.in.base(), nil },
	"auth":      func(g *graph) (string, error) { return canon.DigestValue(g.built.Document.Service.Auth) },
	"approvals": func(g *graph) (string, error) { return canon.DigestValue(pack.Approvals(g.built.Document)) },
	"decided":   func(g *graph) (string, error) { return canon.DigestValue(DecidedIn(g.built.Document)) },
	"learning":  func(g *graph) (string, error) { return canon.DigestValue(g.in.Learned.Tools) },
}

// diffNode is the id of the comparison with a base, which cannot be made again without it.
const diffNode = "diff"

// one is an emitter of one file.
func one(path string, emit func(*graph) ([]byte, error)) func(*graph) (files, error) {
	return func(g *graph) (files, error) {
		data, err := emit(g)
		return files{path: data}, err
	}
}

// ofDocument is an emitter of what follows from the document alone.
func ofDocument(build func(air.Document) (map[string][]byte, error)) func(*graph) (files, error) {
	return func(g *graph) (files, error) { return build(g.built.Document) }
}

func isLearned(in Inputs) bool  { return len(in.Learned.Tools) > 0 }
func isFacade(in Inputs) bool   { return in.Mode == pack.Facade }
func isCompared(in Inputs) bool { return in.base() != "" }

func (g *graph) snapshot() ([]byte, error) { return g.in.Snapshot.Encode() }

func (g *graph) air() ([]byte, error) { return encodeDocument(g.built.Document) }

// encodeDocument returns a document as it stands in a pack.
func encodeDocument(d air.Document) ([]byte, error) {
	text, err := d.EncodeCompact()
	if err != nil {
		return nil, err
	}
	return yaml.FromJSON(text)
}

func (g *graph) learned() ([]byte, error) { return g.in.Learned.Encode() }

func (g *graph) signature() ([]byte, error) { return canon.Encode(g.built.Document.Signature()) }

func (g *graph) metadata() (files, error) {
	view, err := metadata.Build(g.built.Document, g.in.Learned)
	if err != nil {
		return nil, err
	}
	made := files{}
	made[pack.MetadataJSON], made[pack.MetadataYAML], err = view.Encode()
	return made, err
}

func serving(g *graph) any {
	return struct {
		Upstream *pack.Upstream `json:"upstream"`
		Serving  pack.Serving   `json:"serving"`
	}{g.in.Upstream, g.in.Serving.WithDefaults()}
}

func (g *graph) facade() ([]byte, error) {
	if g.in.Upstream == nil {
		return nil, fmt.Errorf("facade mode needs the server's command or URL, not a snapshot alone")
	}
	return pack.NewFacadeSettings(*g.in.Upstream, g.in.Serving).Encode()
}

func (g *graph) diff() (files, error) {
	if g.in.Base == nil {
		return nil, fmt.Errorf("the comparison with %s cannot be made again without that snapshot", g.in.base())
	}
	report, err := diff.Report(g.built.Changes).JSON()
	return files{
		pack.ChangesJSON: report,
		pack.ChangesText: diff.Markdown(g.in.Base, g.in.Snapshot, g.built.Changes, diag.PageOptions{All: "`changes.json` beside it"}),
	}, err
}
