package skill

import (
	"strings"
	"testing"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/commands"
)

// TestWhoseWordsADescriptionIs: what an annotation puts in the place of the server's text is not said to be the server's.
func TestWhoseWordsADescriptionIs(t *testing.T) {
	d, _ := adopt.Bridge(refunds(t)).WithOverlays([]air.Overlay{{Operation: "refunds.get_refund", SourceRef: "anvil.yaml#/x", Description: "Looks one up.", By: "ada"}})
	page := string(build(t, approvedOf(d))["skill/refunds/reference/all.md"])
	_, entry, _ := strings.Cut(page, "\n## get_refund\n")
	entry, rest, _ := strings.Cut(entry, "\n## ")
	if !strings.Contains(entry, "The configuration of the pack says, in place of the server, by `ada`:\n\n```text\n> Looks one up.\n") ||
		strings.Contains(strings.Replace(entry, "The server says of the arguments", "", 1), "The server says") {
		t.Errorf("the entry says\n%s", entry)
	}
	if !strings.Contains(rest, "The server says, quoted as data:\n\n```text\n> Lists refunds") {
		t.Error("what is the server's is not said to be")
	}
}

// approvedOf is d with everything approved that can be.
func approvedOf(d air.Document) air.Document {
	var approvals []air.Approval
	for _, o := range d.Operations {
		approvals = append(approvals, air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	d, _ = d.WithApprovals(approvals, approvedAt)
	return d
}

// TestEvidenceIsOfTheValueThatHolds: a claim that lost is no evidence of what won.
func TestEvidenceIsOfTheValueThatHolds(t *testing.T) {
	o := air.Operation{ID: "s.x", Effect: air.Effect{Kind: air.Mutation, Risk: air.RiskHigh}}
	claim := func(p air.Predicate, value canon.Raw, source air.ClaimKind, review air.ReviewMark) {
		o.Evidence = append(o.Evidence, air.Claim{Subject: o.ID, Predicate: p, Value: value, Source: source, Review: review})
	}
	claim(air.PredicateKind, air.ValueOf(air.Read), air.FromHint, air.Unreviewed)
	claim(air.PredicateKind, air.ValueOf(air.Mutation), air.FromDescriptionText, air.Unreviewed)
	claim(air.PredicateKind, air.ValueOf(air.Mutation), air.FromPostman, air.Superseded)
	claim(air.PredicateRisk, air.ValueOf(air.RiskLow), air.FromSchema, air.Unreviewed)
	claim(air.PredicateRisk, air.ValueOf(air.RiskHigh), air.FromName, air.Unreviewed)
	if got, want := evidence(o, air.PredicateKind, air.PredicateRisk), " (evidence: description text, name)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := evidence(o, air.PredicateConfirmation); got != "" {
		t.Errorf("nothing is claimed of the confirmation, and it is told: %q", got)
	}
}

// TestBlockedIsNotWaiting: an operation that somebody blocked is said to be blocked, in SKILL.md and on its page, and waits for nobody.
func TestBlockedIsNotWaiting(t *testing.T) {
	d := adopt.Bridge(refunds(t))
	for _, id := range []string{"refunds.delete_customer", "refunds.cancel_refund"} {
		d, _ = d.WithBlocks([]air.Block{{Operation: id, By: "ada", At: "2026-11-29T10:00:00Z", Reason: "never"}})
	}
	files := build(t, approvedOf(d))
	for _, path := range []string{"skill/refunds/SKILL.md", "skill/refunds/reference/all.md"} {
		if page := string(files[path]); !strings.Contains(page, "cannot be called whoever asks: blocked") || strings.Contains(page, "for want of an approval") {
			t.Errorf("%s says\n%.600s", path, page)
		}
	}
}

// TestPlaceholderIsSaidToBeOne: where no call is found that fits, none is shown.
func TestPlaceholderIsSaidToBeOne(t *testing.T) {
	files := hostileTool(t, `{"name":"get_item","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"(?<=a)b{1,9}c\\\\k"}},"not":{}}}`)
	for path, data := range files {
		if page := string(data); strings.Contains(page, "## get_item") {
			if !strings.Contains(page, "get-item --json OBJECT\n") || !strings.Contains(page, "No arguments that the schema takes were found") || strings.Contains(page, "By MCP, the") {
				t.Errorf("%s says\n%s", path, page)
			}
			return
		}
	}
	t.Error("the operation has no entry")
}

// TestNamesAreThoseOfTheCommandLine: a command whose name is taken is called by its id on every page.
func TestNamesAreThoseOfTheCommandLine(t *testing.T) {
	d := approve(refunds(t), all)
	for i := range d.Operations[:2] {
		d.Operations[i].CLI.Command = "same"
	}
	pages := ""
	for _, data := range build(t, d) {
		pages += string(data)
	}
	for _, c := range commands.Commands(d) {
		if !strings.Contains(pages, "anvil pack run PACK -- "+c.Name) {
			t.Errorf("no page calls %s", c.Name)
		}
	}
	if strings.Contains(pages, "`same`") || strings.Contains(pages, "-- same") {
		t.Error("a name is shown that calls nothing")
	}
}
