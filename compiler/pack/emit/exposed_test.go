package emit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/internal/corpus"
)

// TestContractsListWhatTheSignatureLists: over all capabilities of a pack, the contracts hold exactly the operations of the approved part's signature,
// each once, and tools-metadata says approved of exactly those.
func TestContractsListWhatTheSignatureLists(t *testing.T) {
	corpus.EachOnce(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		var approvals []air.Approval
		for i, o := range adopt.Bridge(s).Operations {
			if i%3 != 0 {
				approvals = append(approvals, air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
			}
		}
		b := build(t, emit.Inputs{Snapshot: s, Mode: pack.Adopt, Approvals: approvals})
		var want, tools []string
		for _, o := range b.Document.Approved().Signature().Operations {
			want, tools = append(want, o.ID), append(tools, o.PublicName)
		}
		var got []string
		for _, path := range slices.Sorted(maps.Keys(b.Files)) {
			if !strings.HasPrefix(path, "capabilities/") {
				continue
			}
			text, _, err := yaml.ToJSON(b.Files[path])
			if err != nil {
				t.Fatal(err)
			}
			var c air.CapabilityContract
			if err := canon.Decode(text, &c); err != nil {
				t.Fatal(err)
			}
			if len(c.OperationIDs) == 0 || path != pack.CapabilityFile(c.ID) {
				t.Errorf("%s is the contract of %q, with %d operations", path, c.ID, len(c.OperationIDs))
			}
			got = append(got, c.OperationIDs...)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("contracts (-want +got)\n%s", diff)
		}
		view, err := canon.Parse(b.Files[pack.MetadataJSON])
		if err != nil {
			t.Fatal(err)
		}
		var approved []string
		for _, tool := range view.Get("tools").Elements() {
			if tool.Get("state").Text() == "approved" {
				approved = append(approved, tool.Get("name").Text())
			}
		}
		slices.Sort(tools)
		slices.Sort(approved)
		if diff := cmp.Diff(tools, approved); diff != "" {
			t.Errorf("tools-metadata (-want +got)\n%s", diff)
		}
	})
}
