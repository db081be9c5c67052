package emit_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

// decidedInputs has every kind of decision: an approval, an approval that lapsed, blocks by hand and of a file, an overlay that loosens and one that lapsed.
func decidedInputs(t *testing.T) emit.Inputs {
	in := facadeInputs(t)
	byTool := map[string]air.Operation{}
	for _, o := range adopt.Bridge(in.Snapshot).Operations {
		byTool[o.MCP.ToolName] = o
	}
	overlay := func(tool string, v air.Overlay) air.Overlay {
		v.Operation, v.SourceRef = byTool[tool].ID, "anvil.yaml#/annotations/refunds/"+tool
		return v
	}
	in.Decided.Overlays = []air.Overlay{
		overlay("set_refund_note", air.Overlay{Risk: air.RiskLow, By: "ada", Reason: "kept in history", Seen: byTool["set_refund_note"].SeenDigest()}),
		overlay("create_refund", air.Overlay{Risk: air.RiskLow, By: "ada", Reason: "small sums", Seen: canon.Digest(nil)}),
		overlay("notify_customer", air.Overlay{Deny: true}),
		overlay("list_refunds", air.Overlay{Tags: []string{"desk"}, Alias: "refunds", Description: "Lists."}),
	}
	in.Decided.Blocks = []air.Block{{Operation: byTool["cancel_refund"].ID, By: "ada", At: "2026-11-29T10:00:00Z", Reason: "by hand"}, {Operation: "refunds.gone", By: "ada", Reason: "was bad"}}
	older := changed(t)
	lapsed := air.Approval{Operation: byTool["delete_customer"].ID, By: "ada", At: "2026-11-29T10:00:00Z"}
	tool := older.Tools()[0] // stands for an earlier version: the digests are its own
	lapsed.ContractDigest, lapsed.TextDigest = tool.ContractDigest(), tool.TextDigest()
	in.Decided.Lapses = []air.Lapse{{Approval: lapsed, Tool: canon.Raw(tool.Node.Canonical())}}
	return in
}

func TestDecisionsFollowFromThePack(t *testing.T) {
	in := decidedInputs(t)
	want := build(t, in)
	p, findings, err := pack.Read(write(t, want))
	if err != nil || len(findings) > 0 {
		t.Fatalf("%v, %v", findings, err)
	}
	if findings, err := emit.Recheck(p); err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
	d := want.Document
	if len(d.Overlays()) != 4 || len(d.PersonsBlocks()) != 2 || len(d.Lapses()) != 1 || len(d.Approved().Operations) != 2 {
		t.Errorf("%d overlays, %d blocks, %d lapses, %d approved", len(d.Overlays()), len(d.PersonsBlocks()), len(d.Lapses()), len(d.Approved().Operations))
	}
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 3))
		shuffled := in
		shuffled.Decided.Overlays, shuffled.Decided.Blocks = slices.Clone(in.Decided.Overlays), slices.Clone(in.Decided.Blocks)
		r.Shuffle(4, func(i, j int) {
			o := shuffled.Decided.Overlays
			o[i], o[j] = o[j], o[i]
		})
		slices.Reverse(shuffled.Decided.Blocks)
		if diff := cmp.Diff(want.Files, build(t, shuffled).Files); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// A lapse that shows another tool than the one that was approved leaves no trace, so that a pack with one does not verify.
func TestForgedLapseIsDropped(t *testing.T) {
	in := decidedInputs(t)
	in.Decided.Lapses[0].Tool = canon.Raw(`{"name":"delete_customer","description":"As it always was."}`)
	if d := build(t, in).Document; len(d.Lapses()) != 0 {
		t.Error("a forged lapse is shown to reviewers")
	}
}

// LapsesOf gives back what was approved, as it was approved.
func TestLapsesOf(t *testing.T) {
	in := decidedInputs(t)
	p, err := pack.Open(write(t, build(t, in)))
	if err != nil {
		t.Fatal(err)
	}
	lapses, err := emit.LapsesOf(p)
	if err != nil || len(lapses) != 3 {
		t.Fatalf("%v, %v", lapses, err)
	}
	for _, l := range lapses[1:] {
		tool, err := canon.Parse(l.Tool)
		if err != nil || "refunds."+tool.Get("name").Text() != l.Approval.Operation {
			t.Errorf("%s is kept with %s", l.Approval.Operation, l.Tool)
		}
	}
}
