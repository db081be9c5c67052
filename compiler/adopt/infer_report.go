package adopt

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// unverifiedNote tells a reviewer what approving a read means.
const unverifiedNote = "readOnlyHint is the server's word: unverified, so this counts as a read once a person approves it"

// doubts reports words of loss, or of money that moves, in the description of what is taken for a read. They change no field: often they speak of another tool.
func (in *inference) doubts(o air.Operation) bool {
	if o.Effect.Kind == air.Mutation {
		return false
	}
	for _, found := range in.dangers {
		in.note("the description says %q", found.phrase)
		in.findings = append(in.findings, itemFinding(descriptionMentionsDanger, in.tool, canon.Pointer("description"),
			fmt.Sprintf("the tool %s is said to read, and its description says %q", quoted(in.tool.Name), found.phrase), found.phrase))
	}
	return len(in.dangers) > 0
}

// report turns disagreements between the sources into findings, and tells a reviewer what rests on whose word.
func (in *inference) report(o air.Operation) {
	if in.readHint {
		in.reportReadHint(o)
	}
	destructive, given := in.hint("destructiveHint")
	_, readGiven := in.hint("readOnlyHint")
	worst, named := in.worstNamed()
	switch {
	case !named || in.readHint:
	case !given && !readGiven:
		in.findings = append(in.findings, itemFinding(verbDangerousUnannotated, in.tool, worst.SourceRef,
			fmt.Sprintf("the tool %s has no hint, and its name (%s) speaks of a %s change", quoted(in.tool.Name), worst.Method, risk(worst)),
			worst.Method))
	case given && !destructive && risk(worst) == air.RiskDestructive:
		// A common carelessness rather than a trap: cache_clear is called harmless with some right. Nothing depends on it.
		f := itemFinding(hintVerbMismatch, in.tool, canon.Pointer("annotations", "destructiveHint"),
			fmt.Sprintf("destructiveHint of the tool %s is false, and its name (%s) destroys", quoted(in.tool.Name), worst.Method), worst.Method)
		f.Class = diag.Info
		in.findings = append(in.findings, f)
	}
	if idempotent, _ := in.hint("idempotentHint"); idempotent && o.Effect.Kind == air.Mutation {
		in.note("idempotentHint is the server's word and allows no retry by itself")
	}
}

// reportReadHint names each source that contradicts readOnlyHint.
func (in *inference) reportReadHint(o air.Operation) {
	if o.Effect.Kind == air.Read {
		in.note(unverifiedNote)
		return
	}
	rules := map[air.ClaimKind]diag.Rule{
		air.FromHint: hintContradiction, air.FromName: hintVerbMismatch, air.FromDescriptionText: hintVerbMismatch, air.FromSchema: hintSchemaMismatch,
	}
	reported := map[string]bool{}
	for _, c := range in.claims {
		rule, ok := rules[c.Source]
		if !ok || c.Predicate != air.PredicateKind || !canon.Equal(c.Value, air.ValueOf(air.Mutation)) || reported[rule.ID+c.SourceRef] {
			continue
		}
		reported[rule.ID+c.SourceRef] = true
		in.findings = append(in.findings, itemFinding(rule, in.tool, c.SourceRef,
			fmt.Sprintf("readOnlyHint of the tool %s is true, and %s (%s) says that it changes something", quoted(in.tool.Name), c.SourceRef, diag.Printable(c.Method)),
			c.Method))
	}
	in.note("readOnlyHint is contradicted, so this is taken for a mutation")
}

// worstNamed returns the worst dangerous risk that the name claims.
func (in *inference) worstNamed() (worst air.Claim, found bool) {
	for _, c := range in.claims {
		if c.Source != air.FromName || c.Predicate != air.PredicateRisk || risk(c).Rank() < air.RiskFinancial.Rank() {
			continue
		}
		if !found || risk(c).Rank() > risk(worst).Rank() {
			worst, found = c, true
		}
	}
	return worst, found
}

// risk returns the value of a claim on effect.risk.
func risk(c air.Claim) air.Risk {
	n, err := canon.Parse(c.Value)
	if err != nil {
		return air.RiskDestructive
	}
	return air.Risk(n.Text())
}
