package gate

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/wording"
)

func checkNotStrict(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(notStrict) {
		for _, t := range v.inputs() {
			if tallies := t.strictFaults(a.limit.Max); len(tallies) > 0 {
				findings = append(findings, t.summed(notStrict, []axis{a}, "what strict mode does not take in the input schema",
					`add "additionalProperties": false to every object and list every property in "required", optional ones with null among their types; or leave strict mode off`, tallies)...)
			}
		}
	}
	return findings
}

// strictFaults looks at every object: is it closed, are all its properties required, and how many objects stand around it.
func (t toolSchema) strictFaults(levels int) []*tally {
	open, optional, deep := &tally{name: "an object without additionalProperties: false"}, &tally{name: "a property that is not required"},
		&tally{name: fmt.Sprintf("an object more than %d deep", levels)}
	level := make([]int, len(t.Schemas))
	for i, s := range t.Schemas {
		if s.Parent != nil {
			level[i] = level[s.Parent.Index]
		}
		properties := s.Node.Get("properties")
		if !isOf(s, "object") && !properties.IsObject() {
			continue
		}
		level[i]++
		if level[i] > levels && levels > 0 {
			deep.add(t, place{at: s, value: s.Node})
		}
		if !s.Node.Get("additionalProperties").Is(canon.False) {
			open.add(t, place{at: s, value: s.Node})
		}
		if !properties.IsObject() {
			continue
		}
		required := map[string]bool{}
		for _, name := range s.Node.Get("required").Elements() {
			required[name.Text()] = true
		}
		for _, m := range properties.Members {
			if !required[m.Name] {
				optional.add(t, place{at: s, below: []string{"properties", m.Name}, value: m.Value})
			}
		}
	}
	return slices.DeleteFunc([]*tally{open, optional, deep}, func(c *tally) bool { return c.count == 0 })
}

func checkHeaderBindings(v *survey) []diag.Finding {
	axes := v.axesFor(headerBindingInvalid)
	var findings []diag.Finding
	for _, t := range v.inputs() {
		bound, faults := t.Bindings()
		var places []place
		for _, f := range faults {
			places = append(places, place{at: f.At, below: []string{schema.HeaderKeyword}, value: f.Value, message: fmt.Sprintf("%s on %s %s, in the input schema",
				schema.HeaderKeyword, spoken(f.At), f.Message),
				hint: "correct the binding, or take it away: clients drop the tool"})
		}
		findings = append(findings, t.report(headerBindingInvalid, axes, places)...)
		findings = append(findings, t.secretHeaders(axes, bound)...)
	}
	return findings
}

// secretHeaders speaks of valid bindings that would put a secret where proxies and logs see it.
func (t toolSchema) secretHeaders(axes []axis, bound []schema.Binding) []diag.Finding {
	var places []place
	for _, b := range bound {
		if wording.NamesSecret(b.Header) || wording.NamesSecret(b.Property.Name) {
			places = append(places, place{at: b.Property, below: []string{schema.HeaderKeyword}, value: b.Property.Node.Get(schema.HeaderKeyword),
				message: fmt.Sprintf("header %s carries %s, which sounds like a secret, where proxies and logs see it, in the input schema", quotedText(b.Header, maxName),
					spoken(b.Property)), hint: "take the binding away, and the secret out of the arguments"})
		}
	}
	findings := t.report(headerBindingInvalid, axes, places)
	for i := range findings {
		findings[i].Class, findings[i].Radius, findings[i].Security = diag.Warning, "", true // no client drops the tool for it
	}
	return findings
}
