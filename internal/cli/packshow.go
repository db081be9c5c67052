package cli

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

func (sh *shell) packShowCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "say what is in a pack", ArgsUsage: "PACK",
		Description: packUsage + " It is refused when it does not verify by its digests.",
		Flags:       []cli.Flag{formatFlag("text", "json", "yaml")}, Action: sh.packShow,
	}
}

// shownPack is what show prints.
type shownPack struct {
	SchemaVersion int               `json:"schemaVersion"`
	Report        string            `json:"report"`
	Folder        string            `json:"folder"`
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Mode          pack.Mode         `json:"mode"`
	Digest        string            `json:"digest"`
	Snapshot      string            `json:"snapshot"`
	Base          string            `json:"base,omitzero"`
	Changes       map[string]int    `json:"changes,omitempty"` // against the base, by class
	Signature     string            `json:"signature"`
	Operations    int               `json:"operations"`
	States        map[string]int    `json:"states"`
	Effects       map[string]int    `json:"effects"`
	Capabilities  []shownCapability `json:"capabilities"`
	Certificates  []string          `json:"certificates"`           // paths; not verified here
	Certification string            `json:"certification,omitzero"` // the level that certification.json states; not verified here
	Artifacts     []shownArtifact   `json:"artifacts"`
}

type shownCapability struct {
	ID         string `json:"id"`
	Operations int    `json:"operations"`
	Approved   int    `json:"approved"`
}

type shownArtifact struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Size   int    `json:"size"` // bytes
	Digest string `json:"digest"`
	Node   string `json:"node"` // of the build graph
}

func (sh *shell) packShow(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err != nil {
		return err
	}
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil pack show PACK")
	}
	p, err := openPack(c.Args().First())
	if err != nil {
		return err
	}
	v, err := showPack(p)
	if err != nil {
		return err
	}
	if format == "text" {
		return sh.writeResult("", v.text())
	}
	data, err := reportBytes(v, format)
	if err != nil {
		return err
	}
	return sh.writeResult("", data)
}

func showPack(p *pack.Pack) (shownPack, error) {
	m := p.Manifest
	v := shownPack{
		SchemaVersion: diag.SchemaVersion, Report: "pack-show", Folder: p.Dir, ID: m.ID, Version: m.Version, Mode: m.Mode, Digest: m.Digest, Snapshot: m.Snapshot, Base: m.Base,
		States: map[string]int{}, Effects: map[string]int{}, Capabilities: []shownCapability{}, Certificates: []string{}, Artifacts: []shownArtifact{},
	}
	d, err := p.Document()
	if err != nil {
		return v, err
	}
	var s air.Signature
	if err := canon.Decode(p.Files[pack.SignatureFile], &s); err != nil {
		return v, fmt.Errorf("read %s of pack %s: %w", pack.SignatureFile, p.Dir, err)
	}
	v.Name, v.Signature, v.Operations = d.Service.Name, s.Digest, len(d.Operations)
	approved := map[string]bool{}
	for _, o := range d.Operations {
		v.States[string(o.State)]++
		v.Effects[string(o.Effect.Kind)+", "+string(o.Effect.Risk)+" risk"]++
		approved[o.ID] = o.State == air.StateApproved
	}
	for _, c := range d.Capabilities {
		shown := shownCapability{ID: c.ID, Operations: len(c.OperationIDs)}
		for _, id := range c.OperationIDs {
			if approved[id] {
				shown.Approved++
			}
		}
		v.Capabilities = append(v.Capabilities, shown)
	}
	v.files(p)
	return v, v.changes(p)
}

func (v *shownPack) files(p *pack.Pack) {
	makers := map[string]string{}
	for _, n := range p.Manifest.Nodes {
		for _, path := range n.Outputs {
			makers[path] = n.ID
		}
	}
	for _, a := range p.Manifest.Artifacts {
		v.Artifacts = append(v.Artifacts, shownArtifact{a.Path, a.Kind, len(p.Files[a.Path]), a.Digest, makers[a.Path]})
	}
	v.Certificates = slices.AppendSeq(v.Certificates, maps.Keys(p.Certificates))
	slices.Sort(v.Certificates)
	if n, err := canon.Parse(p.Certificates[pack.CertificationFile]); err == nil {
		v.Certification = n.Get("level").Text()
	}
}

func (v *shownPack) changes(p *pack.Pack) error {
	if p.Manifest.Base == "" {
		return nil
	}
	changes, err := pack.Changes(p.Files)
	if err != nil {
		return err
	}
	v.Changes = map[string]int{}
	for _, f := range changes.Findings {
		v.Changes[string(f.Class)]++
	}
	return nil
}

func (v shownPack) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s, %s mode\n", diag.Printable(orUnnamed(v.Name)), diag.Printable(v.Version), v.Mode)
	w := diag.NewTable(&b)
	line := func(name, value string) { fmt.Fprintf(w, "  %s\t%s\n", name, diag.Printable(value)) }
	line("id", v.ID)
	line("pack", v.Digest)
	line("snapshot", v.Snapshot)
	if v.Base != "" {
		line("base", v.Base+" ("+orNone(counts(v.Changes))+")")
	}
	line("signature", v.Signature)
	line("operations", fmt.Sprintf("%d: %s", v.Operations, orNone(counts(v.States))))
	line("effects", orNone(counts(v.Effects)))
	for _, c := range v.Capabilities {
		line("capability", fmt.Sprintf("%s: %s, %d approved", c.ID, counted(c.Operations, "operation"), c.Approved))
	}
	line("certificates", orNone(strings.Join(v.Certificates, ", "))+certifiedAs(v.Certification))
	_ = w.Flush()
	fmt.Fprintln(&b)
	w = diag.NewTable(&b)
	for _, a := range v.Artifacts {
		fmt.Fprintf(w, "  %s\t%s\t%d bytes\t%s\n", diag.Printable(a.Path), a.Kind, a.Size, a.Digest)
	}
	_ = w.Flush()
	return b.Bytes()
}

func certifiedAs(level string) string {
	if level == "" {
		return ""
	}
	return " (" + level + ", by its own word)"
}

// counts lists what was counted, by name.
func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%d %s", of[name], name))
	}
	return strings.Join(parts, "; ")
}
