package diff

import (
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// schemaJudge judges the changes of one of a tool's schemas.
type schemaJudge struct {
	*judge
	pair Pair
	side Side
	told map[string]bool // properties that have their finding: pointer of the object and name
	// what no rule decides: the same to a machine, and not
	respelled, unknown []Change
}

// schema judges the changes of one schema. A property that comes or goes together with its requiredness is one finding, the worse one.
func (j *judge) schema(p Pair, changes []Change) {
	if len(changes) == 0 {
		return
	}
	s := &schemaJudge{judge: j, pair: p, side: changes[0].Schema.Side, told: map[string]bool{}}
	var required, properties []Change
	for _, c := range withoutReplaced(changes) {
		switch k := c.Schema; {
		case k.Keyword == "required" && decided(c) && isNames(c):
			required = append(required, c)
		case k.Property != "" && decided(c) && k.Plain:
			properties = append(properties, c)
		default:
			s.keyword(c)
		}
	}
	for _, c := range required {
		s.requiredWorse(c, properties)
	}
	for _, c := range properties {
		s.property(c)
	}
	for _, c := range required {
		s.requiredBetter(c)
	}
	j.group(string(s.side)+"-schema-respelled", p, "the "+s.word()+" schema of "+nameOf(p.New)+" says the same in another way", s.respelled)
	j.group(string(s.side)+"-schema-changed", p, "the "+s.word()+" schema of "+nameOf(p.New)+" changed, undecided whether compatibly,", s.unknown)
}

// decided reports a change whose effect on the whole follows from its place.
func decided(c Change) bool { return c.Schema.Exact && !c.Schema.Same }

// withoutReplaced drops what changed in and below a schema whose type was replaced: all of it follows from that. Words stay.
func withoutReplaced(changes []Change) []Change {
	var replaced []string
	for _, c := range changes {
		if c.Schema.Keyword == "type" && decided(c) && c.Schema.Types == Disjoint {
			replaced = append(replaced, c.Schema.Node)
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		node := c.Schema.Node
		follows := slices.ContainsFunc(replaced, func(r string) bool { return strings.HasPrefix(node, r+"/") || node == r && c.Schema.Keyword != "type" })
		return follows && !isNote(c.Schema.Keyword)
	})
}

func isNote(keyword string) bool {
	switch keyword {
	case "description", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly", "default":
		return true
	}
	return false
}

// isNames reports a change of `required` that is made of names on both sides.
func isNames(c Change) bool {
	list := func(raw canon.Raw) bool { return absent(raw) || raw[0] == '[' }
	noName := func(raw canon.Raw) bool { _, ok := textOf(raw); return !ok }
	return list(c.Before) && list(c.After) && !slices.ContainsFunc(c.Added, noName) && !slices.ContainsFunc(c.Removed, noName)
}

func (s *schemaJudge) word() string {
	if s.side == Input {
		return "input"
	}
	return "output"
}

// add reports change c by the rule of this side.
func (s *schemaJudge) add(stem string, c Change, message string) {
	s.judge.add(string(s.side)+"-"+stem, s.pair.at(c, message))
}

func (s *schemaJudge) propertyOf(p *Place, name string) string {
	return s.word() + " property " + quoted(labelOf(p.Label, name))
}

// thing names what a schema describes.
func (s *schemaJudge) thing(p *Place) string {
	if p.Label == "" {
		return "the " + s.word()
	}
	return s.word() + " property " + quoted(p.Label)
}

// requiredWorse reports names that the input requires now, or that the output no longer promises; properties are those that came or went.
func (s *schemaJudge) requiredWorse(c Change, properties []Change) {
	names, stem, message := c.Added, "required-added", " became required"
	if s.side == Output {
		names, stem, message = c.Removed, "required-removed", " may be missing now"
	}
	for _, raw := range names {
		name, _ := textOf(raw)
		s.told[c.Schema.Node+"\x00"+name] = true
		property := s.propertyOf(c.Schema, name)
		i := slices.IndexFunc(properties, func(p Change) bool { return p.Schema.Node == c.Schema.Node && p.Schema.Property == name })
		switch {
		case i < 0:
			s.add(stem, s.requiredName(c, raw), property+message)
		case s.side == Input:
			s.add(stem, properties[i], property+" was added and is required")
		default:
			s.add(stem, properties[i], property+", which was always there, was removed")
		}
	}
}

// requiredName narrows a change of `required` down to one name.
func (s *schemaJudge) requiredName(c Change, name canon.Raw) Change {
	if slices.ContainsFunc(c.Added, func(added canon.Raw) bool { return string(added) == string(name) }) {
		c.Before, c.After = nil, name
	} else {
		c.Before, c.After = name, nil
	}
	return c
}

// requiredBetter reports the reverse, unless the property itself came or went.
func (s *schemaJudge) requiredBetter(c Change) {
	names, stem, message := c.Removed, "required-removed", " became optional"
	if s.side == Output {
		names, stem, message = c.Added, "required-added", " is always there now"
	}
	for _, raw := range names {
		name, _ := textOf(raw)
		if !s.told[c.Schema.Node+"\x00"+name] {
			s.add(stem, s.requiredName(c, raw), s.propertyOf(c.Schema, name)+message)
		}
	}
}

// property reports a declared property that came or went.
func (s *schemaJudge) property(c Change) {
	p := c.Schema
	key := p.Node + "\x00" + p.Property
	if s.told[key] {
		return
	}
	object, stem, message := p.OldObject, "prop-added", " was added"
	if absent(c.After) {
		object, stem, message = p.NewObject, "prop-removed", " was removed"
	}
	switch {
	case object == Typed || string(c.Before) == "false" || string(c.After) == "false": // false forbids the property
		s.unknown = append(s.unknown, c)
		return
	case object == Closed:
		stem += "-closed"
	case stem == "prop-added":
		stem += "-optional"
	default:
		stem += "-open"
		if s.side == Input {
			message += "; a call that sends it is still accepted, and the value means nothing"
		}
	}
	s.told[key] = true
	s.add(stem, c, s.propertyOf(p, p.Property)+message)
}

// keyword reports a change of any other keyword.
func (s *schemaJudge) keyword(c Change) {
	switch p := c.Schema; {
	case s.whole(c), s.note(c):
	case p.Same, p.Keyword == "type" && p.Exact && p.Types == Equal:
		s.respelled = append(s.respelled, c)
	case !p.Exact || !s.exact(c):
		s.unknown = append(s.unknown, c)
	}
}

// whole reports an output schema that came or went.
func (s *schemaJudge) whole(c Change) bool {
	if s.side != Output || c.Pointer != "/outputSchema" || !absent(c.Before) && !absent(c.After) {
		return false
	}
	if absent(c.Before) {
		s.add("schema-added", c, nameOf(s.pair.New)+" has an output schema now")
	} else {
		s.add("schema-removed", c, nameOf(s.pair.New)+" has no output schema any more")
	}
	return true
}

// note reports a keyword that explains and does not restrict. It means the same wherever it stands.
func (s *schemaJudge) note(c Change) bool {
	thing := " of " + s.thing(c.Schema)
	switch keyword := c.Schema.Keyword; keyword {
	case "description", "$comment":
		f := s.pair.at(c, "the "+keyword+thing+" changed")
		if spacingOnly(c) {
			f.class, f.message = diag.Safe, "the "+keyword+thing+" is spaced differently"
		}
		s.judge.add(string(s.side)+"-description-changed", f)
	case "title", "examples":
		s.add(keyword+"-changed", c, "the "+keyword+thing+" changed from "+shown(c.Before)+" to "+shown(c.After))
	case "deprecated":
		s.add("deprecated-changed", c, "the deprecation"+thing+" changed from "+shown(c.Before)+" to "+shown(c.After))
	case "readOnly", "writeOnly":
		s.add("access-changed", c, keyword+thing+" changed from "+shown(c.Before)+" to "+shown(c.After))
	case "default":
		s.defaults(c, thing)
	case "$schema":
		if c.Schema.Label != "" || !c.Schema.Exact {
			return false
		}
		f := s.pair.at(c, "the "+s.word()+" schema is written for "+shown(c.After)+" instead of "+shown(c.Before))
		if c.Schema.Moot {
			f.class = diag.Safe
			f.message += ", and uses nothing that differs between the two"
		}
		s.judge.add(string(s.side)+"-dialect-changed", f)
	default:
		return false
	}
	return true
}

func (s *schemaJudge) defaults(c Change, thing string) {
	turned := "the default" + thing + " changed from " + shown(c.Before) + " to " + shown(c.After)
	switch {
	case s.side == Output:
		s.add("default-changed", c, turned)
	case absent(c.Before):
		s.add("default-added", c, "the default"+thing+" is "+shown(c.After)+" now")
	case absent(c.After):
		s.add("default-removed", c, "the default"+thing+", which was "+shown(c.Before)+", is no longer stated")
	default:
		s.add("default-changed", c, turned)
	}
}

// exact reports a restriction whose effect follows from its two values; false when it does not.
func (s *schemaJudge) exact(c Change) bool {
	p := c.Schema
	thing := s.thing(p)
	turned := " changed from " + shown(c.Before) + " to " + shown(c.After)
	switch {
	case p.Keyword == "type":
		stem := map[Relation]string{Narrower: "type-narrowed", Wider: "type-widened", Overlapping: "type-replaced", Disjoint: "type-replaced"}[p.Types]
		if stem == "" {
			return false
		}
		s.add(stem, c, "the type of "+thing+turned)
	case p.Keyword == "const" && !absent(c.Before) && !absent(c.After):
		s.add("const-changed", c, "the fixed value of "+thing+turned)
	case p.Keyword == "enum" && bothLists(c):
		s.enum(c, thing)
	case isRest(p.Keyword) && p.OldObject == Open && p.NewObject == Closed:
		s.add("object-closed", c, thing+" takes no undeclared members any more")
	case isRest(p.Keyword) && p.OldObject == Closed && p.NewObject == Open:
		s.add("object-opened", c, thing+" takes undeclared members now")
	default:
		return false
	}
	return true
}

func isRest(keyword string) bool {
	return keyword == "additionalProperties" || keyword == "unevaluatedProperties"
}

func bothLists(c Change) bool {
	return !absent(c.Before) && !absent(c.After) && c.Before[0] == '[' && c.After[0] == '['
}

func (s *schemaJudge) enum(c Change, thing string) {
	if len(c.Added) > 0 {
		f := s.pair.at(c, thing+" has new values: "+listed(c.Added))
		f.security = s.side == Input && slices.ContainsFunc(c.Added, isPower)
		s.judge.add(string(s.side)+"-enum-value-added", f)
	}
	if len(c.Removed) > 0 {
		s.add("enum-value-removed", c, thing+" lost values: "+listed(c.Removed))
	}
}

// powers are words in a new choice that make an approved tool able to do harm.
var powers = []string{"delete", "destroy", "drop", "erase", "exec", "force", "kill", "overwrite", "purge", "remove", "reset", "shell", "truncate", "wipe", "write"}

func isPower(raw canon.Raw) bool {
	value, _ := textOf(raw)
	return slices.ContainsFunc(powers, func(word string) bool { return strings.Contains(strings.ToLower(value), word) })
}
