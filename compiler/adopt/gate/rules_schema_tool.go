package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// toolSchema is one schema of a tool, read.
type toolSchema struct {
	surface.Item
	member string // inputSchema or outputSchema
	*schema.Analysis
}

// inputs are the input schemas of all tools that are objects; root-not-object speaks of the others.
func (v *survey) inputs() []toolSchema { return v.readSchemas("inputSchema") }

// allSchemas are the input and the output schemas.
func (v *survey) allSchemas() []toolSchema {
	return append(v.readSchemas("inputSchema"), v.readSchemas("outputSchema")...)
}

func (v *survey) readSchemas(member string) []toolSchema {
	if list, ok := v.schemas[member]; ok {
		return list
	}
	list := []toolSchema{}
	for _, it := range v.named() {
		if n := it.Node.Get(member); n.IsObject() {
			list = append(list, toolSchema{it, member, schema.Analyse(n)})
		}
	}
	if v.schemas == nil {
		v.schemas = map[string][]toolSchema{}
	}
	v.schemas[member] = list[:len(list):len(list)]
	return v.schemas[member]
}

// spoken names a schema in a sentence: property "tags", the item of property "tags", the root.
func spoken(s *schema.Schema) string {
	switch s.Role {
	case schema.Root:
		return "the root"
	case schema.Property, schema.Definition, schema.PatternProperty:
		return fmt.Sprintf("%s %q", s.Role, diag.Shorten(s.Name, 40))
	}
	around := s.Parent
	for around.Role != schema.Root && around.Role != schema.Property && around.Role != schema.Definition && around.Role != schema.PatternProperty {
		around = around.Parent
	}
	return fmt.Sprintf("the %s of %s", s.Role, spoken(around))
}

// quoted is a value as a message quotes it.
func quoted(n *canon.Node) string {
	return diag.Shorten(strings.ToValidUTF8(string(n.Raw[:min(len(n.Raw), maxValue)]), "\uFFFD"), 60)
}

// place is one place in a schema that a rule speaks of.
type place struct {
	at      *schema.Schema
	below   []string    // from at on
	value   *canon.Node // what stands there
	message string      // " of tool ..." follows
	hint    string
	class   diag.Class // the rule's when empty
	fact    string     // what tells the finding from others of the rule at the same place, where there can be any
}

func (p place) args() []string {
	if p.fact == "" {
		return nil
	}
	return []string{p.fact}
}

// pointer returns the place's pointer in the tool.
func (t toolSchema) pointer(p place) string {
	return canon.Pointer(t.member) + p.at.Pointer() + canon.Pointer(p.below...)
}

// Findings name each place, up to these bounds of one rule in one schema: a person reads no more of them, and a hostile schema writes no report
// that is many times its own size. The last finding tells how many places are left.
const (
	maxPlaces       = 100
	maxPlacesLength = 64 << 10 // bytes of all pointers together
)

// report makes a finding of each place, on each of the axes or, where the rule has none (axes is nil), of its own.
func (t toolSchema) report(rule diag.Rule, axes []axis, places []place) []diag.Finding {
	var findings []diag.Finding
	if axes != nil && len(axes) == 0 {
		return nil
	}
	length := 0
	for i, p := range places {
		pointer := t.pointer(p)
		length += len(pointer)
		f := about(rule, t.Item, pointer, fmt.Sprintf("%s of tool %q", p.message, diag.Shorten(t.Name, 80)), p.value)
		f.Hint = p.hint
		if p.class != "" {
			f.Class = p.class
		}
		left := len(places) - i - 1
		last := left > 0 && (i+1 == maxPlaces || length > maxPlacesLength)
		if last {
			f.Message += fmt.Sprintf("; so do %d more places that are not listed", left)
		}
		findings = append(findings, sealedOn(axes, f, p.args()...)...)
		if last {
			break
		}
	}
	return findings
}

// reportIllegal is report for a rule of what no revision allows: errors are findings on the axis of the revision, doubts stand for everyone.
func (v *survey) reportIllegal(t toolSchema, rule diag.Rule, places []place) []diag.Finding {
	var errors, doubts []place
	for _, p := range places {
		if p.class == "" || p.class == diag.Error {
			errors = append(errors, p)
		} else {
			doubts = append(doubts, p)
		}
	}
	return append(t.report(rule, v.under(rule), errors), t.report(rule, nil, doubts)...)
}

// sealedOn judges f on each axis; with no axes at all it stands for everyone.
func sealedOn(axes []axis, f diag.Finding, args ...string) []diag.Finding {
	if axes == nil {
		return []diag.Finding{f.Sealed(args...)}
	}
	var findings []diag.Finding
	for _, a := range axes {
		findings = append(findings, a.judge(f).Sealed(args...))
	}
	return findings
}

// onEach reports the places that find yields in every input schema, on the axes that have a limit for the rule.
func (v *survey) onEach(rule diag.Rule, find func(t toolSchema, s *schema.Schema) []place) []diag.Finding {
	axes := v.under(rule)
	if len(axes) == 0 {
		return nil
	}
	var findings []diag.Finding
	for _, t := range v.inputs() {
		var places []place
		for _, s := range t.Schemas {
			places = append(places, find(t, s)...)
		}
		findings = append(findings, t.report(rule, axes, places)...)
	}
	return findings
}
