package gate

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

func checkRootComposition(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(rootComposition) {
		for _, t := range v.inputs() {
			var there []string
			for _, keyword := range a.limit.Keywords {
				if t.Root().Node.Get(keyword) != nil {
					there = append(there, keyword)
				}
			}
			if len(there) == 0 {
				continue
			}
			findings = append(findings, t.report(rootComposition, []axis{a}, []place{{at: t.Root(), below: there[:1], value: t.Root().Node.Get(there[0]),
				message: quoteAll(there) + " at the root of the input schema", hint: "move the choice into a property, or list all properties and check the combination in the server"}})...)
		}
	}
	return findings
}

func checkNoPropertiesKey(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.inputs() {
		if root := t.Root(); isOf(root, "object") && root.Node.Get("properties") == nil {
			findings = append(findings, t.report(noPropertiesKey, v.axesFor(noPropertiesKey), []place{{at: root, value: root.Node,
				message: `no "properties" at the root of the input schema`, hint: `add "properties": {}`}})...)
		}
	}
	return findings
}

// checkPropertyKeys looks at the names of top-level properties, in order, each once per axis.
func checkPropertyKeys(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(propertyKeyCharset) {
		allowed := regexp.MustCompile(a.limit.Pattern)
		for _, t := range v.inputs() {
			var places []place
			properties := t.Root().Node.Get("properties")
			if !properties.IsObject() {
				continue
			}
			for _, m := range properties.Members {
				if fault, hint := keyFault(m.Name, allowed, a.limit.Max); fault != "" {
					places = append(places, place{at: t.Root(), below: []string{"properties", m.Name}, value: nameValue(m),
						message: fmt.Sprintf("property %s %s in the input schema", called(m.Name), fault), hint: hint})
				}
			}
			findings = append(findings, t.report(propertyKeyCharset, []axis{a}, places)...)
		}
	}
	return findings
}

func nameValue(m canon.Member) *canon.Node { return &canon.Node{Kind: canon.String, Raw: m.RawName} }

// keyFault returns what is wrong with a property's name, and what to do.
func keyFault(name string, allowed *regexp.Regexp, limit int) (fault, hint string) {
	length := utf8.RuneCountInString(name)
	if limit > 0 && length > limit {
		return fmt.Sprintf("has a name of %d characters, where %d are taken,", length, limit), fmt.Sprintf("shorten the name to %d characters", limit)
	}
	if allowed.MatchString(name) {
		return "", ""
	}
	if name == "" {
		return "has an empty name", "name the property"
	}
	var odd []string
	for _, r := range name {
		if one := string(r); !allowed.MatchString(one) && !strings.Contains(strings.Join(odd, ""), one) && len(odd) < 5 {
			odd = append(odd, one)
		}
	}
	if odd == nil {
		return "has a name that is not taken", "rename it with letters, digits, - and _ alone"
	}
	return "has " + quoteAll(odd) + " in its name", "rename it with letters, digits, - and _ alone"
}

func checkOutputNotObject(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.readSchemas("outputSchema") {
		kind := t.Root().Node.Get("type")
		if kind.Text() == "object" {
			continue
		}
		p := place{at: t.Root(), value: t.Root().Node, message: "no type at the root of the output schema", hint: `wrap the result: "type": "object" at the root, and the schema in a property`}
		if kind != nil {
			p.below, p.value, p.message = []string{"type"}, kind, fmt.Sprintf("type %s at the root of the output schema", quoted(kind))
		}
		findings = append(findings, t.report(outputNotObject, v.axesFor(outputNotObject), []place{p})...)
	}
	return findings
}

// axesFor is under, and never nil.
func (v *survey) axesFor(rule diag.Rule) []axis { return append([]axis{}, v.under(rule)...) }
