package emit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
)

// InputsOf returns what a pack was built from, so that it can be built again, as it was or with other approvals.
func InputsOf(p *pack.Pack) (Inputs, air.Document, error) {
	document, err := p.Document()
	if err != nil {
		return Inputs{Mode: p.Manifest.Mode, Earlier: p}, air.Document{}, err
	}
	in, err := InputsFrom(p, document)
	return in, document, err
}

// InputsFrom is [InputsOf] for who has read the pack's document.
func InputsFrom(p *pack.Pack, document air.Document) (in Inputs, err error) {
	in = Inputs{Mode: p.Manifest.Mode, Earlier: p}
	if in.Snapshot, err = p.Snapshot(); err != nil {
		return in, err
	}
	if in.Learned, err = p.Learned(); err != nil {
		return in, err
	}
	in.Approvals, in.Decided, in.Auth = pack.Approvals(document), DecidedIn(document), document.Service.Auth
	if in.Mode == pack.Facade {
		settings, err := p.Settings()
		if err != nil {
			return in, err
		}
		in.Upstream, in.Serving = &settings.Upstream, settings.Serving
	}
	return in, nil
}

// TrustedDocument returns the document of a pack, once it is found to be what the pack's own inputs give. The findings are those of [Recheck] about the
// document alone, for who relies on nothing else in the pack; it takes a fraction of the time. What the operations cost a model is believed: nothing
// follows from it but what a report says, and counting would take longer than the call.
func TrustedDocument(p *pack.Pack) (air.Document, []diag.Finding, error) {
	in, document, err := InputsOf(p)
	if err != nil {
		return document, nil, err
	}
	costs := map[string]air.Cost{}
	for _, o := range document.Operations {
		costs[o.ID] = o.DisclosureCost
	}
	again, _ := in.decideOn(adopt.BridgeCosted(in.Snapshot, func(id string, _ surface.Item) air.Cost { return costs[id] }))
	data, err := encodeDocument(again)
	if err != nil {
		return document, nil, err
	}
	findings := air.Validate(document)
	if !bytes.Equal(data, p.Files[pack.AIRFile]) {
		findings = append(findings, notReproduced(p, pack.AIRFile, ""))
	}
	diag.Sort(findings)
	return document, findings, nil
}

func notReproduced(p *pack.Pack, path, why string) diag.Finding {
	f := pack.NotReproduced.Finding("file/"+path, fmt.Sprintf("file %q is not what the pack's own inputs give%s", path, why))
	f.Hint = p.Hint("build it anew beside this one with `anvil mcp adopt TARGET --mode MODE --out NEW`, and compare with `anvil pack diff PACK NEW`")
	return f.Sealed()
}

// Recheck builds the pack again from the inputs in it (the snapshot, what people decided, the upstream) and reports every file that comes out
// different: a pack can be forged file by file together with its digests, but not against its own inputs. The comparison with a base
// cannot be repeated without that base and stands on its digest alone.
func Recheck(p *pack.Pack) ([]diag.Finding, error) {
	_, findings, err := Trusted(p)
	return findings, err
}

// Trusted is [Recheck] that returns the pack's document too, which it has read.
func Trusted(p *pack.Pack) (air.Document, []diag.Finding, error) {
	in, document, err := InputsOf(p)
	if err != nil {
		return document, nil, err
	}
	findings, err := recheck(p, in, document)
	return document, findings, err
}

func recheck(p *pack.Pack, in Inputs, document air.Document) ([]diag.Finding, error) {
	in.anew = true
	again, err := Build(in)
	if err != nil {
		return nil, err
	}
	findings := air.Validate(document)
	for _, path := range p.Paths() {
		if !bytes.Equal(again.Files[path], p.Files[path]) {
			findings = append(findings, notReproduced(p, path, versions(p.Manifest, again.Manifest, path)))
		}
	}
	for path := range again.Files {
		if _, sealed := p.Files[path]; !sealed && path != pack.ManifestFile {
			f := pack.NotReproduced.Finding("file/"+path, fmt.Sprintf("file %q is missing from the manifest", path))
			findings = append(findings, f.Sealed())
		}
	}
	same, err := sameButVersions(p.Manifest, again)
	if err != nil {
		return nil, err
	}
	if len(findings) == 0 && !same {
		f := pack.NotReproduced.Finding("file/"+pack.ManifestFile, "the manifest is not what the pack's own inputs give")
		findings = append(findings, f.Sealed())
	}
	diag.Sort(findings)
	return findings, nil
}

// sameButVersions reports a manifest that is what is built again but for the versions of emitters: where all files come out the same, another version of
// one is no fault of the pack.
func sameButVersions(sealed pack.Manifest, again Built) (bool, error) {
	nodes := slices.Clone(again.Manifest.Nodes)
	for i, n := range nodes {
		if was, there := sealed.Node(n.ID); there {
			nodes[i].Implementation = was.Implementation
		}
	}
	files := maps.Clone(again.Files)
	delete(files, pack.ManifestFile)
	m, err := pack.Seal(again.Manifest, files, nodes)
	return m.Digest == sealed.Digest, err
}

// versions says that another version of the emitter made the file, where the manifest says so.
func versions(sealed, again pack.Manifest, path string) string {
	was, is := maker(sealed, path), maker(again, path)
	if was.ID != is.ID || was.Implementation == is.Implementation {
		return ""
	}
	return fmt.Sprintf(", by its own word since version %d of what makes it did, and this anvil has version %d", was.Implementation, is.Implementation)
}

func maker(m pack.Manifest, path string) pack.Node {
	for _, n := range m.Nodes {
		if slices.Contains(n.Outputs, path) {
			return n
		}
	}
	return pack.Node{}
}
