package compare

import (
	"bytes"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

type snapshot = *surface.McpSurfaceSnapshot

// operationChange is what differs of one operation; its Change is empty when nothing does. signature is the impact of what it takes, answers and does: what may
// be called is no part of that.
func operationChange(id string, before, after content, findings []diag.Finding) (o OperationChange, signature Impact) {
	was, had := before.document.Find(id)
	is, has := after.document.Find(id)
	o = OperationChange{ID: id, Tool: is.MCP.ToolName, Fields: []string{}}
	c := change{Added: !had && has, Removed: had && !has, Findings: about(findings, was, is)}
	o.Block = blockChange(id, before.document, after.document)
	switch {
	case !had && !has && o.Block != "":
		o.Change = "changed"
	case !had && !has: // a block that both have
	case !has:
		o.Tool, o.Change = was.MCP.ToolName, "removed"
	case !had:
		o.Change = "added"
	}
	o.Approval, o.By = approvalChange(was.Approval, is.Approval)
	if had && has {
		o.Fields = fields(before.signature[id], after.signature[id])
		c.Contract = before.signature[id].ContractDigest != after.signature[id].ContractDigest
		c.Effect = before.signature[id].EffectDigest != after.signature[id].EffectDigest
		bareWas, _ := before.bare.Find(id)
		bareIs, _ := after.bare.Find(id)
		o.Posture = posture(bareWas, bareIs)
		if was.Approval != nil && is.Approval != nil { // what was approved may be guarded otherwise by what people state of it
			o.Posture = withMore(o.Posture, posture(was, is))
			c.Effect = c.Effect || len(o.Posture) > 0
		}
		for _, p := range o.Posture {
			c.Moved = append(c.Moved, air.Predicate(p.Predicate))
			if p.Looser {
				c.Looser = append(c.Looser, air.Predicate(p.Predicate))
			}
		}
		if was.State != is.State {
			o.State = &Turn{string(was.State), string(is.State)}
		}
		o.Members = otherMembers(was, is)
		if len(o.Fields)+len(o.Posture)+len(o.Members)+len(c.Findings) > 0 || o.State != nil || o.Approval+o.Block != "" {
			o.Change = "changed"
		}
	}
	signature = classify(c)
	o.Impact = worse(signature, decisionOn(was, is, o).classify())
	return o, signature
}

// decisionOn is what people decided otherwise of an operation, by what was found to differ of it.
func decisionOn(was, is air.Operation, o OperationChange) decision {
	return decision{
		Given:     o.Approval == "given" || o.Approval == "renewed" && longer(*was.Approval, *is.Approval),
		Grave:     is.Confirmation.HumanApproval || is.Effect.Kind == air.Mutation && is.Effect.Risk.Rank() >= air.RiskFinancial.Rank(),
		Withdrawn: o.Approval == "withdrawn", Lifted: o.Block == lifted,
		Policy: was.ID == is.ID && policyOf(was) != policyOf(is),
	}
}

// lifted is a block that is gone.
const lifted = "lifted"

// blockChange says what became of the block of an operation, whoever stated it and whether the operation is there or not.
func blockChange(id string, before, after air.Document) string {
	was, is := blocks(before, id), blocks(after, id)
	switch {
	case was && !is:
		return lifted
	case is && !was:
		return "given"
	}
	return ""
}

func blocks(d air.Document, id string) bool {
	o, _ := d.Find(id)
	return o.Block != nil || slices.ContainsFunc(d.Blocks, func(b air.Block) bool { return b.Operation == id })
}

// longer reports an approval that holds beyond the end of the one before.
func longer(was, is air.Approval) bool {
	before, err := air.ParseEnd(was.Expires)
	after, err2 := air.ParseEnd(is.Expires)
	return err == nil && (err2 != nil || after.After(before)) // without an end it holds until the operation changes
}

func policyOf(o air.Operation) air.QueryAllowance {
	if o.QueryPolicy == nil {
		return ""
	}
	return o.QueryPolicy.Allow
}

// about are the findings about the tool of an operation, by its name on either side.
func about(findings []diag.Finding, was, is air.Operation) []diag.Finding {
	var found []diag.Finding
	for _, f := range findings {
		if f.Tool != "" && (f.Tool == was.MCP.ToolName || f.Tool == is.MCP.ToolName) {
			found = append(found, f)
		}
	}
	return found
}

// fields names what differs between two signatures of one operation.
func fields(was, is air.OperationSignature) []string {
	differing := []string{}
	for _, f := range []struct{ name, was, is string }{
		{"publicName", was.PublicName, is.PublicName}, {"input", was.InputSchemaDigest, is.InputSchemaDigest},
		{"output", was.OutputSchemaDigest, is.OutputSchemaDigest}, {"effect", was.EffectDigest, is.EffectDigest},
		{"contract", was.ContractDigest, is.ContractDigest}, {"text", was.TextDigest, is.TextDigest},
	} {
		if f.was != f.is {
			differing = append(differing, f.name)
		}
	}
	return differing
}

// posture lists the safety predicates that differ.
func posture(was, is air.Operation) []PostureChange {
	looser := is.LooserThan(was)
	var changes []PostureChange
	before, after := was.SafetyValues(), is.SafetyValues()
	for _, p := range air.SafetyPredicates {
		if !bytes.Equal(before[p], after[p]) {
			changes = append(changes, PostureChange{string(p), before[p], after[p], slices.Contains(looser, p)})
		}
	}
	return changes
}

// withMore returns changes with those of more about other predicates.
func withMore(changes, more []PostureChange) []PostureChange {
	for _, m := range more {
		if !slices.ContainsFunc(changes, func(c PostureChange) bool { return c.Predicate == m.Predicate }) {
			changes = append(changes, m)
		}
	}
	return changes
}

// approvalChange says what became of an approval, and who gave it.
func approvalChange(was, is *air.Approval) (turn, by string) {
	switch {
	case was == nil && is == nil || was != nil && is != nil && *was == *is:
		return "", ""
	case was == nil:
		return "given", is.By
	case is == nil:
		return "withdrawn", was.By
	}
	return "renewed", is.By
}

// told are the members of an operation of which a comparison says more than that they differ, or that only explain others.
var told = []string{
	"id", "effect", "idempotency", "retries", "confirmation", "input", "output", "mcp", "state", "contractDigest", "textDigest", "evidence", "approval", "disclosureCost",
}

// otherMembers lists what differs in an operation, leaf by leaf, without the members of which more is told.
func otherMembers(was, is air.Operation) []ValueChange {
	return append([]ValueChange(nil), valueChanges(members(was), members(is))...) // nil where nothing differs
}

// members are the leaves of an operation by their pointers, without those that are told otherwise.
func members(o air.Operation) map[string]canon.Raw {
	found := map[string]canon.Raw{}
	text, err := canon.EncodeCompact(o)
	if err != nil {
		return found
	}
	n, err := canon.Parse(text)
	if err != nil {
		return found
	}
	for _, m := range n.Members {
		if !slices.Contains(told, m.Name) {
			collect(m.Value, canon.Pointer(m.Name), found)
		}
	}
	return found
}
