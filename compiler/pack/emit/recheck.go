package emit

import (
	"bytes"
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

// InputsOf returns what a pack was built from, so that it can be built again, as it was or with other approvals.
func InputsOf(p *pack.Pack) (Inputs, air.Document, error) {
	in := Inputs{Mode: p.Manifest.Mode, Earlier: p}
	var err error
	if in.Snapshot, err = p.Snapshot(); err != nil {
		return in, air.Document{}, err
	}
	document, err := p.Document()
	if err != nil {
		return in, document, err
	}
	in.Approvals, in.Decided, in.Auth = pack.Approvals(document), DecidedIn(document), document.Service.Auth
	if in.Mode == pack.Facade {
		settings, err := p.Settings()
		if err != nil {
			return in, document, err
		}
		in.Upstream = &settings.Upstream
	}
	return in, document, nil
}

// Recheck builds the pack again from the inputs in it (the snapshot, what people decided, the upstream) and reports every file that comes out
// different: a pack can be forged file by file together with its digests, but not against its own inputs. The comparison with a base
// cannot be repeated without that base and stands on its digest alone.
func Recheck(p *pack.Pack) ([]diag.Finding, error) {
	in, document, err := InputsOf(p)
	if err != nil {
		return nil, err
	}
	in.anew = true
	again, err := Build(in)
	if err != nil {
		return nil, err
	}
	findings := air.Validate(document)
	for _, path := range p.Paths() {
		if !bytes.Equal(again.Files[path], p.Files[path]) {
			f := pack.NotReproduced.Finding("file/"+path, fmt.Sprintf("file %q is not what the pack's own inputs give", path))
			f.Hint = "build the pack again with `anvil mcp adopt`, and compare"
			findings = append(findings, f.Sealed())
		}
	}
	for path := range again.Files {
		if _, sealed := p.Files[path]; !sealed && path != pack.ManifestFile {
			f := pack.NotReproduced.Finding("file/"+path, fmt.Sprintf("file %q is missing from the manifest", path))
			findings = append(findings, f.Sealed())
		}
	}
	if len(findings) == 0 && again.Manifest.Digest != p.Manifest.Digest {
		f := pack.NotReproduced.Finding("file/"+pack.ManifestFile, "the manifest is not what the pack's own inputs give")
		findings = append(findings, f.Sealed())
	}
	diag.Sort(findings)
	return findings, nil
}
