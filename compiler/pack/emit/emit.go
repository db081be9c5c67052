// Package emit builds a pack: it runs the bridge on a snapshot and every emitter on what comes out, and seals the result.
//
// It is the build path's last stage and the only place that knows all artifacts: the table of emitters lists them. Building is a pure function
// of [Inputs]: no clock, no file, no machine, so that the same inputs give the same bytes anywhere and a pack can be checked by building it
// again. What an earlier pack made of the same is taken from there.
package emit

import (
	"fmt"
	"slices"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/learn/profile"
)

// Inputs are everything a pack is made from.
type Inputs struct {
	Snapshot  *surface.McpSurfaceSnapshot
	Mode      pack.Mode
	Approvals []air.Approval
	Auth      air.Auth                    // as the configuration shows it, in every mode; the zero value is unknown
	Decided   Decided                     // what people decided beside approvals
	Upstream  *pack.Upstream              // facade mode only
	Serving   pack.Serving                // facade mode only; the zero value is the defaults
	Learned   profile.Document            // what was observed of calls; profiles of other servers and contracts count for nothing
	Base      *surface.McpSurfaceSnapshot // to compare with; may be nil

	// Earlier is a pack that was opened and that [Recheck] found nothing in, or nil. What it made by the same steps is taken from it, and, without
	// a base, so is the comparison that it holds of the same snapshot.
	Earlier *pack.Pack

	anew bool // run every emitter that can be run
}

// Built is a pack in memory.
type Built struct {
	Manifest pack.Manifest
	Files    map[string][]byte // the manifest's own included
	Document air.Document
	Findings []diag.Finding // of the bridge and of what people decided
	Unfit    []diag.Finding // of them, those for which [TrustedDocument] refuses a pack of the document for good: it must not be written
	Changes  []diag.Finding // against the base
	Ran      []string       // ids of the nodes whose emitter was run, sorted; the other nodes' files are the earlier pack's
}

// Build makes the pack.
func Build(in Inputs) (Built, error) {
	document, decided := in.decide()
	in.Learned = relevant(in.Learned, document)
	b := Built{Document: document, Files: map[string][]byte{}, Unfit: air.Validate(document)}
	b.Findings = slices.Concat(decided, document.Diagnostics, b.Unfit)
	diag.Sort(b.Findings)
	if in.Base != nil {
		b.Changes = diff.Judge(diff.Compare(in.Base, in.Snapshot, diff.Options{}))
	}
	g := graph{in: in, built: &b, digests: map[string]string{}}
	nodes, err := g.run()
	if err != nil {
		return Built{}, fmt.Errorf("build pack: %w", err)
	}
	if in.Base == nil && in.base() != "" {
		earlier, err := pack.Changes(b.Files)
		if err != nil {
			return Built{}, fmt.Errorf("build pack: %w", err)
		}
		b.Changes = earlier.Findings
	}
	m := pack.Manifest{ID: document.Service.ID, Version: document.Service.Version, Mode: in.Mode, Snapshot: in.Snapshot.Digest, Base: in.base()}
	if b.Manifest, err = pack.Seal(m, b.Files, nodes); err != nil {
		return Built{}, err
	}
	b.Files[pack.ManifestFile], err = canon.Encode(b.Manifest)
	return b, err
}

// relevant keeps the profiles of what the document has: the pack holds no others. Of an operation that the document does not hold for harmless it keeps no
// recommendation to ask nobody: whoever drew it knew less.
func relevant(learned profile.Document, d air.Document) profile.Document {
	of := map[profile.Key]air.Operation{}
	for _, o := range d.Operations {
		of[profile.Key{Name: o.MCP.ToolName, Contract: o.ContractDigest}] = o
	}
	kept := []profile.Profile{}
	for _, p := range learned.Tools {
		o, has := of[profile.Key{Name: p.Name, Contract: p.Contract}]
		if p.Server != d.Service.ID || !has {
			continue
		}
		if o.Effect.Kind != air.Read || o.Confirmation.Required || p.Disturbs != nil {
			p = p.WithoutAllowance()
		}
		kept = append(kept, p)
	}
	learned.Tools = kept
	return learned
}

// base returns the digest of the snapshot that the pack's comparison is with, "" when it holds none.
func (in Inputs) base() string {
	switch {
	case in.Base != nil:
		return in.Base.Digest
	case in.Earlier != nil && in.Earlier.Manifest.Snapshot == in.Snapshot.Digest:
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
