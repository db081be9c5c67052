package cli

import (
	"fmt"
	"slices"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
)

// budgets are the capabilities of a whole document that would be too much at once. None refuses anything: what is too much is not approved.
func budgets(d air.Document) []diag.Finding {
	findings := adopt.Budgets(d)
	for i := range findings {
		findings[i].Class = diag.Warning
	}
	return findings
}

// waivers are the acceptances that let pass what approving would otherwise be refused for.
func (sh *shell) waivers(c *cli.Context) ([]gate.Acceptance, error) {
	o, err := sh.gateOptions(c)
	return o.Accepted, err
}

// withinBudget refuses approvals by which a capability would hold more approved operations, or more of their texts, than may be approved together.
// Capabilities that stand as they are, too large or not, refuse nothing. What an acceptance is about passes.
func (sh *shell) withinBudget(d air.Document, given approving, waivers []gate.Acceptance) error {
	if len(given.chosen) == 0 {
		return nil
	}
	after, _ := d.WithApprovals(given.approvals, sh.now())
	grows := map[string]bool{}
	of := d.Memberships()
	for _, o := range given.chosen {
		if o.State != air.StateApproved {
			grows["capability/"+of[o.ID]] = true
		}
	}
	var over []diag.Finding
	for _, f := range adopt.Budgets(after.Approved()) {
		if f.Class == diag.Error && grows[f.Subject] && !sh.waived(f, waivers) {
			over = append(over, f)
		}
	}
	if len(over) == 0 {
		return nil
	}
	text := ""
	for _, f := range over {
		text += f.Message + "; "
	}
	waiver := gate.For(over[0])
	waiver.Reason, waiver.Until = "say why", sh.now().Add(renewal)
	return &exitError{exitFindings, fmt.Errorf("%snothing was approved; approve those of its operations that are needed, by name, or let it pass in gate.accept: %s",
		text, acceptEntry(waiver))}
}

// waived reports a finding about a capability that an acceptance in force lets pass. A pack knows no configured name, and the id of a capability begins
// with its service's, so that the server of an acceptance is whichever has it.
func (sh *shell) waived(f diag.Finding, waivers []gate.Acceptance) bool {
	return slices.ContainsFunc(waivers, func(a gate.Acceptance) bool {
		of := f
		if a.At == f.Pointer {
			of.Server = a.Server
		}
		return a.Covers(of) && a.Holds(sh.now())
	})
}
