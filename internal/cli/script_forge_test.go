package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/yaml"
)

// cmdForge replaces OLD by NEW in a file of a pack and seals the pack again, as a forger would who knows the format: forge PACK FILE OLD NEW
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: forge PACK FILE OLD NEW")
	}
	p, err := pack.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	if args[1] == pack.ManifestFile {
		p.Manifest.Version = args[3]
	} else {
		changed := strings.ReplaceAll(string(p.Files[args[1]]), args[2], args[3])
		if changed == string(p.Files[args[1]]) {
			ts.Fatalf("%s does not hold %q", args[1], args[2])
		}
		p.Files[args[1]] = []byte(changed)
	}
	reseal(ts, p)
}

// cmdTransplant puts what is said of an approved tool under the name of another, with that one's digests, and seals the pack again: what
// cannot be told from an honest document without the snapshot. transplant PACK APPROVED OTHER
func cmdTransplant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: transplant PACK APPROVED OTHER")
	}
	p, err := pack.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	d, err := p.Document()
	ts.Check(err)
	var approved, other *air.Operation
	for i := range d.Operations {
		switch d.Operations[i].MCP.ToolName {
		case args[1]:
			approved = &d.Operations[i]
		case args[2]:
			other = &d.Operations[i]
		}
	}
	forged, approval := *approved, *approved.Approval
	forged.ID, forged.MCP, forged.CLI, forged.ContractDigest, forged.TextDigest = other.ID, other.MCP, other.CLI, other.ContractDigest, other.TextDigest
	approval.Operation, approval.ContractDigest, approval.TextDigest = other.ID, other.ContractDigest, other.TextDigest
	forged.Approval, forged.Evidence = &approval, slices.Clone(forged.Evidence)
	for i := range forged.Evidence {
		forged.Evidence[i].Subject = other.ID
	}
	*other = forged
	for _, f := range air.Validate(d) {
		ts.Fatalf("the forgery shows by itself: %s", f.Message)
	}
	text, err := d.Encode()
	ts.Check(err)
	_, err = air.Decode(text)
	ts.Check(err)
	p.Files[pack.AIRFile], err = yaml.FromJSON(text)
	ts.Check(err)
	reseal(ts, p)
}

// reseal writes the files of a pack with a manifest over them.
func reseal(ts *testscript.TestScript, p *pack.Pack) {
	m, err := pack.Seal(p.Manifest, p.Files, p.Manifest.Nodes)
	ts.Check(err)
	data, err := canon.Encode(m)
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(p.Dir, pack.ManifestFile), data, 0o644))
	for path, content := range p.Files {
		ts.Check(os.WriteFile(filepath.Join(p.Dir, path), content, 0o644))
	}
}
