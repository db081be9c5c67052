package diff

import (
	"bytes"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
	"anvil/compiler/surface"
)

// schemaJudge judges the changes of one of a tool's schemas.
type schemaJudge struct {
	*judge
	pair  Pair
	side  Side
	delta *SchemaDelta // nil when the schema came or went
	from  int          // of the findings: the first about this schema

	generated          map[string]bool // schemas that take integers only, and took other numbers
	digests            []string        // of both schemas, once they are asked for
	respelled, remarks []Change        // what means the same to a machine
}

// schema judges the changes of one schema: each by what it alone does to the values that are allowed, and all of them by what they do together.
func (j *judge) schema(p Pair, side Side, d *SchemaDelta, changes []Change) {
	if len(changes) == 0 {
		return
	}
	s := &schemaJudge{judge: j, pair: p, side: side, delta: d, from: len(j.found), generated: map[string]bool{}}
	for _, c := range changes {
		if class, _ := s.verdict(c.Schema.Relation); c.Schema.Keyword == "type" && class == diag.Breaking && string(c.After) == `"integer"` {
			s.generated[c.Schema.Node] = true
		}
	}
	for _, c := range withoutReplaced(changes) {
		s.change(c)
	}
	name := nameOf(p.New)
	j.group(string(side)+"-schema-respelled", p, "the "+s.word()+" schema of "+name+" says the same in another way", s.respelled)
	j.group(string(side)+"-annotation-changed", p, "remarks in the "+s.word()+" schema of "+name+" changed that no value is held to,", s.remarks)
	if d != nil {
		s.settle()
		s.facts()
	}
}

// withoutReplaced drops what changed in and below a schema whose type was replaced, since all of it follows from that; words stay. Of values that were
// respelled in another type it is the values that are told. Members that came are told too: they are what a model fills in now.
func withoutReplaced(changes []Change) []Change {
	var replaced []string
	retyped := map[string]bool{}
	for _, c := range changes {
		if c.Schema.Retyped {
			retyped[c.Schema.Node] = true
		}
	}
	for _, c := range changes {
		if c.Schema.Keyword == "type" && c.Schema.Replaced && c.Schema.Relation.Verdict == subtype.Incomparable && !retyped[c.Schema.Node] {
			replaced = append(replaced, c.Schema.Node)
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		node, keyword := c.Schema.Node, c.Schema.Keyword
		follows := slices.ContainsFunc(replaced, func(r string) bool { return strings.HasPrefix(node, r+"/") || node == r && keyword != "type" })
		came := keyword == "properties" && c.Schema.Property != "" && absent(c.Before)
		return !isNote(keyword) && !came && follows || keyword == "type" && retyped[node]
	})
}

func (s *schemaJudge) change(c Change) {
	p := c.Schema
	switch {
	case s.generated[p.Node] && safeInteger(c) != "": // told by the type, which is an integer now
	case p.Keyword == "" && (absent(c.Before) || absent(c.After)):
		s.wholeSchema(c)
	case s.note(c):
	case p.Keyword == "format":
		s.format(c)
	case isContent(p.Keyword):
		s.add("content-changed", c, "the "+p.Keyword+" of "+s.thing(p)+turned(c), "", nil)
	case s.isRootType(c): // told with the facts
	case p.Keyword == "$ref" && p.Same && absent(c.Before):
		s.add("ref-extracted", c, s.thing(p)+" is described by a definition now, which says the same", diag.Safe, nil)
	case p.Keyword == "$ref" && p.Same && absent(c.After):
		s.add("ref-inlined", c, s.thing(p)+" is described in place now, and not by a definition", diag.Safe, nil)
	case p.Keyword == schema.HeaderKeyword && s.delta != nil && len(s.delta.Bindings) > 0: // told with the bindings
	case p.Same && !validates(p.Keyword) && p.Keyword != "" && !isDefinitions(p.Keyword):
		s.remarks = append(s.remarks, c)
	case p.Same:
		s.respelled = append(s.respelled, c)
	case p.Property != "":
		s.member(c)
	case p.Relation.Verdict == subtype.Equal:
		s.respelled = append(s.respelled, c)
	case p.Relation.Verdict == subtype.Unknown:
		s.undecided(c)
	default:
		s.facet(c)
	}
}

// isRootType reports the change by which the root no longer says that it is an object.
func (s *schemaJudge) isRootType(c Change) bool {
	return s.delta != nil && s.delta.Untyped && c.Pointer == "/"+s.word()+"Schema/type" && c.Schema.Relation.Lost == nil
}

// verdict tells what a relation means on this side: what narrows the input or widens the output is breaking, the reverse is safe, and what is not decided
// is risky. This is the one place where variance is decided. The witness shows a breaking change.
func (s *schemaJudge) verdict(r subtype.Relation) (class diag.Class, witness canon.Raw) {
	bad := r.Lost
	if s.side == Output {
		bad = r.Gained
	}
	switch {
	case bad != nil:
		return diag.Breaking, bad
	case r.Verdict == subtype.Unknown:
		return diag.Risky, nil
	}
	return diag.Safe, nil
}

// atLeast returns the worse of two classes.
func atLeast(class, floor diag.Class) diag.Class {
	if class.Rank() < floor.Rank() {
		return floor
	}
	return class
}

func (s *schemaJudge) word() string {
	if s.side == Input {
		return "input"
	}
	return "output"
}

func (s *schemaJudge) add(stem string, c Change, message string, class diag.Class, witness canon.Raw) {
	f := s.pair.at(c, message)
	f.class, f.witness, f.args = class, witness, s.bound(c)
	id := string(s.side) + "-" + stem
	switch rule := record(id); {
	case class == diag.Safe && rule.Class != diag.Safe:
		f.hint = nothing // what the rule says is for when it breaks
	case class.Rank() > diag.Safe.Rank() && rule.Hint == nothing:
		f.hint = map[Side]string{Input: rejectHint, Output: surpHint}[s.side] // and the reverse
	}
	s.judge.add(id, f)
}

// bound are the digests of both schemas for a change that refers to other places of them, which say what it is: the same reference to another definition
// is another change. A change that refers to nothing says itself what it is, or has the digests of the schemas it stands for.
func (s *schemaJudge) bound(c Change) []string {
	if c.Schema.Keyword != "$ref" && !c.Schema.Refers && !refers(c.Before) && !refers(c.After) && !bytes.Equal(c.Before, c.After) {
		return c.Schema.Digests
	}
	return append(slices.Clip(c.Schema.Digests), s.wholes()...)
}

// wholes are the digests of both schemas.
func (s *schemaJudge) wholes() []string {
	if s.digests == nil {
		for _, it := range []surface.Item{s.pair.Old, s.pair.New} {
			var raw []byte
			if whole := it.Node.Get(s.word() + "Schema"); whole != nil {
				raw = whole.Raw
			}
			s.digests = append(s.digests, canon.Digest(raw))
		}
	}
	return s.digests
}

// refers reports a value that holds a reference.
func refers(raw canon.Raw) bool {
	return bytes.Contains(raw, []byte(`"$ref"`)) || bytes.Contains(raw, []byte(`"$dynamicRef"`)) || bytes.Contains(raw, []byte(`"$recursiveRef"`))
}

// proven adds a finding whose class its relation decides, but is not better than floor.
func (s *schemaJudge) proven(stem string, c Change, message string, floor diag.Class) {
	class, witness := s.verdict(c.Schema.Relation)
	s.add(stem, c, message, atLeast(class, floor), witness)
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

// wholeSchema reports a schema that came or went.
func (s *schemaJudge) wholeSchema(c Change) {
	name := nameOf(s.pair.New)
	switch {
	case s.side == Input && absent(c.Before):
		s.add("schema-changed", c, name+" has an input schema now, where it had none", diag.Risky, nil)
	case s.side == Input:
		s.add("schema-changed", c, name+" has no input schema any more; the protocol asks for one, and clients refuse the list of tools without it", diag.Breaking, nil)
	case absent(c.Before):
		s.add("schema-added", c, name+" has an output schema now", "", nil)
	default:
		s.add("schema-removed", c, name+" has no output schema any more", "", nil)
	}
}

// undecided reports a change of which nothing is proven, by its own rule where there is one for it.
func (s *schemaJudge) undecided(c Change) {
	p := c.Schema
	if s.isRemote(c) {
		return // told as a reference to another document
	}
	why := "; what it does is not decided, since " + s.stopped(p.Relation)
	what, stem := "the "+p.Keyword+" of "+s.thing(p), "schema-changed"
	switch {
	case p.Keyword == "":
		what = s.thing(p)
	case p.Keyword == "pattern" && !absent(c.Before) && !absent(c.After):
		stem = "pattern-changed"
	case p.Keyword == "if":
		stem, what = "cond-changed", "the condition on "+s.thing(p)
	}
	s.add(stem, c, what+turned(c)+why, diag.Risky, nil)
}

// isRemote reports a change to a new reference to another document and to nothing else.
func (s *schemaJudge) isRemote(c Change) bool {
	return slices.ContainsFunc(s.delta.Remote, func(r Reference) bool {
		text := string(canon.Quote(r.Text))
		return r.Pointer == c.Pointer && string(c.After) == text || r.Pointer == c.Pointer+"/$ref" && string(c.After) == `{"$ref":`+text+`}`
	})
}

// stopped says why nothing is proven.
func (s *schemaJudge) stopped(r subtype.Relation) string {
	if r.Stopped == subtype.StopSchema && s.delta.Repeated {
		return "one of the two gives a member name twice"
	}
	if why, ok := stops[r.Stopped]; ok {
		return why
	}
	return "the proof stops at " + quoted(r.Stopped)
}

// turned says from what to what a keyword went, to stand behind it.
func turned(c Change) string {
	switch {
	case absent(c.Before):
		return " is " + shown(c.After) + " now, and was not set"
	case absent(c.After):
		return " is no longer set, and was " + shown(c.Before)
	}
	return " changed from " + shown(c.Before) + " to " + shown(c.After)
}

// settle holds the findings against what the whole schema does: a break that no single change has shown is told by the whole, with its witness.
func (s *schemaJudge) settle() {
	class, witness := s.verdict(s.delta.Whole)
	if class != diag.Breaking || slices.ContainsFunc(s.found[s.from:], func(f diag.Finding) bool { return f.Witness != nil }) {
		return
	}
	at := "/" + s.word() + "Schema"
	f := about(s.pair.New, "the "+s.word()+" schema of "+nameOf(s.pair.New)+s.broken())
	f.pointer, f.class, f.witness, f.args = at, diag.Breaking, witness, []string{s.pair.Old.Digest, s.pair.New.Digest}
	s.judge.add(string(s.side)+"-schema-changed", f)
}

func (s *schemaJudge) broken() string {
	if s.side == Input {
		return " refuses calls that it took, by several changes together"
	}
	return " allows results that it did not, by several changes together"
}
