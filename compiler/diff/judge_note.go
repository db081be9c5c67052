package diff

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// note reports a keyword that explains and does not restrict. It means the same wherever it stands.
func (s *schemaJudge) note(c Change) bool {
	thing := " of " + s.thing(c.Schema)
	switch keyword := c.Schema.Keyword; keyword {
	case "description", "$comment":
		switch {
		case s.told[spot{s.pair.New.Subject(), c.Pointer}]:
		case slight(c) != "":
			s.add("description-changed", c, "the "+keyword+thing+" "+slight(c), diag.Safe, nil)
		default:
			s.add("description-changed", c, "the "+keyword+thing+" changed", "", nil)
		}
	case "title", "examples":
		word := keyword
		if keyword == "examples" {
			word = "list of examples"
		}
		s.add(keyword+"-changed", c, "the "+word+thing+turned(c), "", nil)
	case "example":
		s.add("examples-changed", c, "the example"+thing+turned(c), "", nil)
	case "deprecated":
		s.add("deprecated-changed", c, "the deprecation"+thing+turned(c), "", nil)
	case "readOnly", "writeOnly":
		s.add("access-changed", c, keyword+thing+turned(c), "", nil)
	case "default":
		s.defaults(c, thing)
	case "$schema":
		return s.dialect(c)
	default:
		return false
	}
	return true
}

// dialect reports another $schema at the root. It is harmless when nothing in the schemas is read differently, and no proof when a value is.
func (s *schemaJudge) dialect(c Change) bool {
	if !c.Schema.Root || s.delta == nil {
		return false
	}
	message := "the " + s.word() + " schema is written for " + shown(c.After) + " instead of " + shown(c.Before)
	class, witness := s.verdict(c.Schema.Relation)
	switch {
	case c.Schema.Moot:
		class, message = diag.Safe, message+", and uses nothing that differs between the two"
	case c.Schema.Relation.Verdict == subtype.Equal && !s.delta.Formats:
		message += ", and allows the same values by both"
	default:
		class, message = atLeast(class, diag.Risky), message+"; some of what it uses is not read alike by both"
	}
	s.add("dialect-changed", c, message, class, witness)
	return true
}

// format reports an annotation that some validators hold values to.
func (s *schemaJudge) format(c Change) {
	thing := s.thing(c.Schema)
	switch {
	case absent(c.Before):
		s.add("format-added", c, thing+" is described as "+shown(c.After)+" now", "", nil)
	case absent(c.After):
		s.add("format-removed", c, thing+" is no longer described as "+shown(c.Before), "", nil)
	default:
		s.add("format-changed", c, "the format of "+thing+turned(c), "", nil)
	}
}

func (s *schemaJudge) defaults(c Change, thing string) {
	switch {
	case s.side == Output:
		s.add("default-changed", c, "the default"+thing+turned(c), "", nil)
	case absent(c.Before):
		s.add("default-added", c, "the default"+thing+" is "+shown(c.After)+" now", "", nil)
	case absent(c.After):
		s.add("default-removed", c, "the default"+thing+", which was "+shown(c.Before)+", is no longer stated", "", nil)
	default:
		s.add("default-changed", c, "the default"+thing+turned(c), "", nil)
	}
}

// sizes are the bounds from which on the gate warns of a schema's size.
var sizes = []struct {
	what  string
	of    func(schema.Size) int
	limit int
}{
	{"schemas in each other", func(z schema.Size) int { return z.Depth }, 16},
	{"subschemas", func(z schema.Size) int { return z.Subschemas }, 1000},
	{"references", func(z schema.Size) int { return z.Refs }, 500},
	{"values in enumerations", func(z schema.Size) int { return z.EnumValues }, 1000},
}

// facts judges what a schema has now as a whole.
func (s *schemaJudge) facts() {
	d, side := s.delta, string(s.side)
	add := func(id, pointer, message string, after canon.Raw, class diag.Class, args ...string) {
		f := about(s.pair.New, message)
		f.pointer, f.after, f.class, f.args = pointer, after, class, args
		s.judge.add(id, f)
	}
	root := "/" + s.word() + "Schema"
	name := nameOf(s.pair.New)
	if d.Untyped {
		f := about(s.pair.New, "the "+s.word()+" schema of "+name+" no longer has the type \"object\" at its root")
		f.pointer, f.before = root+"/type", canon.Raw(`"object"`)
		if is := s.pair.New.Node.Get(s.word() + "Schema").Get("type"); is != nil {
			f.after = canon.Raw(is.Raw)
		}
		s.judge.add(side+"-root-type-dropped", f)
	}
	if len(d.Compositions) > 0 {
		add("in-root-composition-added", root, "the input schema of "+name+" has "+strings.Join(d.Compositions, " and ")+" at its root now", nil, "", s.contents(d.Compositions)...)
	}
	for _, r := range d.Remote {
		add(side+"-ref-remote-introduced", r.Pointer, "the "+s.word()+" schema of "+name+" refers to "+quoted(r.Text)+", which is another document", canon.Raw(canon.Quote(r.Text)), "")
	}
	if d.Recursive != "" {
		add(side+"-ref-recursive-introduced", d.Recursive, "the "+s.word()+" schema of "+name+" refers to itself now", nil, "")
	}
	for _, z := range sizes {
		if was, is := z.of(d.Old), z.of(d.New); is > z.limit && was <= z.limit {
			class := diag.Class("")
			if d.Whole.Verdict == subtype.Equal {
				class = diag.Risky
			}
			add(side+"-schema-complexity-exceeded", root, fmt.Sprintf("the %s schema of %s has %d %s, and had %d", s.word(), name, is, z.what, was), nil, class, z.what)
		}
	}
	for _, b := range d.Bindings {
		s.binding(b)
	}
}

// contents are the names of keywords at the root of the new schema, each with the digest of its value, and those of the schemas where that refers.
func (s *schemaJudge) contents(keywords []string) (args []string) {
	root := s.pair.New.Node.Get(s.word() + "Schema")
	refer := false
	for _, k := range keywords {
		value := root.Get(k)
		args = append(args, k, canon.Digest(value.Raw))
		refer = refer || refers(value.Raw)
	}
	if refer {
		args = append(args, s.wholes()...)
	}
	return args
}

func (s *schemaJudge) binding(b Binding) {
	f := about(s.pair.New, "")
	argument := "argument " + quoted(b.Path) + " of " + nameOf(s.pair.New)
	f.pointer, f.args, f.security = "/inputSchema", []string{b.Path}, b.Secret && b.New != ""
	if b.Old != "" {
		f.before = canon.Raw(canon.Quote(b.Old))
	}
	if b.New != "" {
		f.after = canon.Raw(canon.Quote(b.New))
	}
	id := "tool-header-binding-renamed"
	f.message = argument + " is sent in header " + quoted("Mcp-Param-"+b.New) + " instead of " + quoted("Mcp-Param-"+b.Old)
	switch {
	case b.Old == "":
		id, f.message = "tool-header-binding-added", argument+" is sent in header "+quoted("Mcp-Param-"+b.New)+" too"
	case b.New == "":
		id, f.message = "tool-header-binding-removed", argument+" is no longer sent in header "+quoted("Mcp-Param-"+b.Old)
	}
	s.judge.add(id, f)
}
