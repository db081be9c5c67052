// Package emit builds a pack: it runs the bridge on a snapshot and every emitter on what comes out, and seals the result.
//
// It is the build path's last stage and the only place that knows all artifacts. Building is a pure function of [Inputs]: no clock, no file,
// no machine, so that the same inputs give the same bytes anywhere and a pack can be checked by building it again.
package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/capability"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/pack/emit/skill"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
)

// Inputs are everything a pack is made from.
type Inputs struct {
	Snapshot  *surface.McpSurfaceSnapshot
	Mode      pack.Mode
	Approvals []air.Approval
	Auth      air.Auth                    // as the configuration shows it, in every mode; the zero value is unknown
	Upstream  *pack.Upstream              // facade mode only
	Base      *surface.McpSurfaceSnapshot // to compare with; may be nil
	Earlier   *pack.Pack                  // without a base: keep the comparison that this pack holds; may be nil
}

// Built is a pack in memory.
type Built struct {
	Manifest pack.Manifest
	Files    map[string][]byte // the manifest's own included
	Document air.Document
	Findings []diag.Finding // of the bridge and of the approvals
	Changes  []diag.Finding // against the base
}

// Build makes the pack.
func Build(in Inputs) (Built, error) {
	bridged := adopt.Bridge(in.Snapshot)
	if in.Auth.Type != "" {
		bridged.Service.Auth = in.Auth
	}
	given, lapsed := bridged.WithApprovals(in.Approvals, evaluationTime(in.Approvals))
	// What did not bind leaves no trace in the pack, so that the pack follows from what is in it.
	binding := pack.Approvals(given)
	document, _ := bridged.WithApprovals(binding, evaluationTime(binding))
	b := Built{Document: document, Files: map[string][]byte{}, Findings: slices.Concat(lapsed, document.Diagnostics, air.Validate(document))}
	diag.Sort(b.Findings)
	if err := b.emitAll(in); err != nil {
		return Built{}, fmt.Errorf("build pack: %w", err)
	}
	m := pack.Manifest{ID: document.Service.ID, Version: document.Service.Version, Mode: in.Mode, Snapshot: in.Snapshot.Digest}
	m.Base = in.base()
	var err error
	if b.Manifest, err = pack.Seal(m, b.Files, kindOf, b.inputsOf(in)); err != nil {
		return Built{}, err
	}
	b.Files[pack.ManifestFile], err = canon.Encode(b.Manifest)
	return b, err
}

// base returns the digest of the snapshot that the pack's comparison is with, "" when it holds none.
func (in Inputs) base() string {
	switch {
	case in.Base != nil:
		return in.Base.Digest
	case in.Earlier != nil:
		return in.Earlier.Manifest.Base
	}
	return ""
}

// evaluationTime is the moment of the latest approval: every approval that held when the last one was given is in the pack. Whether one has
// expired since is asked by who serves, not by who builds.
func evaluationTime(approvals []air.Approval) time.Time {
	var latest time.Time
	for _, a := range approvals {
		if at, err := time.Parse(time.RFC3339, a.At); err == nil && at.After(latest) {
			latest = at
		}
	}
	return latest
}

func (b *Built) emitAll(in Inputs) error {
	view, err := metadata.Build(b.Document)
	if err != nil {
		return err
	}
	artifacts := map[string]func() ([]byte, error){
		pack.SnapshotFile:  in.Snapshot.Encode,
		pack.AIRFile:       b.airYAML,
		pack.SignatureFile: func() ([]byte, error) { return canon.Encode(b.Document.Signature()) },
		pack.MetadataJSON:  view.JSON,
		pack.MetadataYAML:  view.YAML,
	}
	if in.Mode == pack.Facade {
		if in.Upstream == nil {
			return fmt.Errorf("facade mode needs the server's command or URL, not a snapshot alone")
		}
		artifacts[pack.FacadeFile] = pack.NewFacadeSettings(*in.Upstream).Encode
	}
	if in.Base != nil {
		b.Changes = diff.Judge(diff.Compare(in.Base, in.Snapshot, diff.Options{}))
		artifacts[pack.ChangesJSON] = diff.Report(b.Changes).JSON
		artifacts[pack.ChangesText] = func() ([]byte, error) {
			return diff.Markdown(in.Base, in.Snapshot, b.Changes, diag.PageOptions{All: "`changes.json` beside it"}), nil
		}
	}
	if in.Base == nil && in.base() != "" {
		b.Files[pack.ChangesJSON], b.Files[pack.ChangesText] = in.Earlier.Files[pack.ChangesJSON], in.Earlier.Files[pack.ChangesText]
	}
	for path, emit := range artifacts {
		if b.Files[path], err = emit(); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	for _, build := range []func(air.Document) (map[string][]byte, error){capability.Build, skill.Build} {
		files, err := build(b.Document)
		if err != nil {
			return err
		}
		maps.Copy(b.Files, files)
	}
	return nil
}

func (b *Built) airYAML() ([]byte, error) {
	text, err := b.Document.Encode()
	if err != nil {
		return nil, err
	}
	return yaml.FromJSON(text)
}

var kinds = map[string]string{
	pack.SnapshotFile: "snapshot", pack.AIRFile: "air", pack.SignatureFile: "signature", pack.MetadataJSON: "tools-metadata",
	pack.MetadataYAML: "tools-metadata", pack.FacadeFile: "facade", pack.ChangesJSON: "diff", pack.ChangesText: "diff",
}

func kindOf(path string) string {
	switch {
	case strings.HasPrefix(path, "capabilities/"):
		return "capability"
	case strings.HasPrefix(path, "skill/"):
		return "skill"
	}
	return kinds[path]
}

// inputsOf tells from which digests each artifact follows.
func (b *Built) inputsOf(in Inputs) func(path string) []string {
	document := canon.Digest(b.Files[pack.AIRFile])
	return func(path string) []string {
		if kind := kindOf(path); kind == "capability" || kind == "skill" {
			return []string{document}
		}
		switch path {
		case pack.AIRFile:
			return []string{in.Snapshot.Digest}
		case pack.SignatureFile, pack.MetadataJSON, pack.MetadataYAML:
			return []string{document}
		case pack.ChangesJSON, pack.ChangesText:
			return []string{in.base(), in.Snapshot.Digest}
		}
		return []string{}
	}
}
