package gate

import (
	"fmt"

	"anvil/compiler/diag"
	"anvil/compiler/schema"
)

// checkReferences judges every reference by all four rules that speak of references. Those into the middle of a schema come from a
// generator, in dozens, and are one finding.
func checkReferences(v *survey) []diag.Finding {
	remote := v.under(remoteRef)
	var findings []diag.Finding
	for _, t := range v.allSchemas() {
		places, outside := map[string][]place{}, &tally{name: "reference"}
		for _, r := range t.Refs {
			p := place{at: r.From, below: []string{r.Keyword}, value: r.From.Node.Get(r.Keyword)}
			say := func(rule diag.Rule, what, hint string) {
				p.message = fmt.Sprintf("%s %q %s, in the %s", r.Keyword, diag.Shorten(r.Text, 80), what, schemaWords[t.member])
				p.hint = hint
				places[rule.ID] = append(places[rule.ID], p)
			}
			switch {
			case r.Kind == schema.Remote:
				say(remoteRef, r.Why+", which is never read", "put the schema into $defs and refer to it there")
			case r.Kind == schema.Dangling:
				say(danglingRef, r.Why, "add the definition to this schema, or write its schema in place of the reference")
			case r.Cycle:
				say(refCycle, "leads back to itself and never to another value", "point it at the schema that was meant")
			case r.Outside:
				outside.add(t, p)
			}
		}
		findings = append(findings, v.reportIllegal(t, danglingRef, places[danglingRef.ID])...)
		findings = append(findings, t.report(refCycle, nil, places[refCycle.ID])...)
		if outside.count > 0 {
			findings = append(findings, t.summed(pointerRef, nil, "references into the middle of the "+schemaWords[t.member],
				"move what they point at to $defs and refer to it there", []*tally{outside})...)
		}
		findings = append(findings, t.report(remoteRef, remote, places[remoteRef.ID])...) // where no axis has a limit, it stands for everyone
	}
	return findings
}
