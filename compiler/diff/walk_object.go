package diff

import (
	"anvil/compiler/canon"
	"anvil/compiler/schema/subtype"
)

// object compares what two schemas say of the members of an object: those that both declare as schemas, those that came, went or were renamed one
// by one, together with whether they are required, and last what holds for all others.
func (v *visitor) object(p place, a, b *canon.Node) {
	o, ok := v.objectOf(p, a, b)
	if !ok {
		for _, lead := range []string{"properties", "required"} {
			v.malformed(p, lead, a, b)
		}
		return
	}
	for _, prop := range joined(o.a.properties, o.b.properties) {
		if prop.a != nil && prop.b != nil {
			below := p.member(prop.name)
			below.node = p.node + canon.Pointer("properties", prop.name)
			v.schema(below, prop.a, prop.b)
		}
	}
	renamed := o.renames()
	taken := map[string]bool{}
	for _, prop := range joined(o.a.properties, o.b.properties) {
		if prop.a != nil && prop.b != nil || renamed[prop.name] != "" && prop.a != nil {
			continue
		}
		taken[prop.name] = true
		o.memberMoved(v, prop, renamed)
	}
	for was := range renamed {
		taken[was] = true
	}
	for _, name := range o.requiredMoved() {
		if !taken[name] {
			o.requirednessMoved(v, name)
		}
	}
	o.rest(v)
}

// malformed compares keywords of an object that are not what they should be.
func (v *visitor) malformed(p place, keyword string, a, b *canon.Node) {
	m := both{keyword, a.Get(keyword), b.Get(keyword)}
	if !same(m.a, m.b) {
		v.report(p, Place{Keyword: keyword}, changeOf(p, []both{m}), subtype.Part{Way: p.way, Old: a, New: b})
		v.words(p, keyword, a, m.b)
	}
}

// object is an object schema on both sides.
type object struct {
	place
	a, b    objectSide
	blurred bool // patterns or unevaluatedProperties have a say in which members are declared
}

type objectSide struct {
	node                       *canon.Node
	properties, patterns, rest *canon.Node
	required                   map[string]bool
	names                      []string // required, in order
}

func (v *visitor) objectOf(p place, a, b *canon.Node) (object, bool) {
	o := object{place: p}
	for _, side := range []struct {
		of   *objectSide
		node *canon.Node
	}{{&o.a, a}, {&o.b, b}} {
		s := side.of
		*s = objectSide{node: side.node, properties: side.node.Get("properties"), patterns: side.node.Get("patternProperties"),
			rest: side.node.Get("additionalProperties"), required: map[string]bool{}}
		if !container(s.properties) || !container(s.patterns) {
			return o, false
		}
		for _, item := range elements(side.node.Get("required")) {
			name, ok := item.Str()
			if !ok {
				return o, false
			}
			s.required[name] = true
			s.names = append(s.names, name)
		}
		o.blurred = o.blurred || size(s.patterns) > 0 || side.node.Get("unevaluatedProperties") != nil
	}
	return o, true
}

// the schemas that say nothing, and that one member has to be there.
var anything = parsed([]byte("true"))

func requiring(name string, required bool) *canon.Node {
	if !required {
		return anything
	}
	return parsed([]byte(`{"required":[` + string(canon.Quote(name)) + `]}`))
}

// openness says what an object does with members that it does not declare.
func (s objectSide) openness() Openness {
	level := Open
	for _, rest := range []*canon.Node{s.rest, s.node.Get("unevaluatedProperties")} {
		switch {
		case rest.Is(canon.False):
			return Closed
		case rest.IsObject() && len(rest.Members) > 0:
			level = Typed
		}
	}
	return level
}

// says returns what one side says of a member that it may not declare.
func (s objectSide) says(declared *canon.Node) *canon.Node {
	switch {
	case declared != nil:
		return declared
	case s.rest != nil:
		return s.rest
	}
	return anything
}

// about starts the place of a change of one member.
func (o object) about(keyword, name string) Place {
	return Place{Keyword: keyword, Property: name, OldObject: o.a.openness(), NewObject: o.b.openness(), OldRequired: o.a.required[name], NewRequired: o.b.required[name]}
}

// member is the part that decides what a member's declaration means.
func (o object) member(name string, a, b *canon.Node) subtype.Part {
	if o.blurred {
		return subtype.Part{Way: o.way, Old: o.a.node, New: o.b.node}
	}
	return subtype.Part{Way: o.place.member(name).way, Old: o.a.says(a), New: o.b.says(b)}
}

func (o object) requiredness(name string) subtype.Part {
	return subtype.Part{Way: o.way, Old: requiring(name, o.a.required[name]), New: requiring(name, o.b.required[name])}
}

// memberMoved reports a declared member that came or went, or, when it is the new name of another, was renamed.
func (o object) memberMoved(v *visitor, prop both, renamed map[string]string) {
	about := o.about("properties", prop.name)
	parts := []subtype.Part{o.member(prop.name, prop.a, prop.b)}
	if about.OldRequired != about.NewRequired {
		parts = append(parts, o.requiredness(prop.name))
	}
	for was, is := range renamed {
		if is == prop.name {
			about.From, prop.a = was, o.a.properties.Get(was)
			parts = append(parts, o.member(was, prop.a, nil))
			if o.a.required[was] {
				parts = append(parts, o.requiredness(was))
			}
		}
	}
	about.Sink = sinkOf(prop.name, prop.b)
	v.report(o.place, about, change(o.node+canon.Pointer("properties", prop.name), prop.a, prop.b), parts...)
}

// requiredMoved lists the names that one side alone requires.
func (o object) requiredMoved() []string {
	var moved []string
	for _, name := range append(append([]string(nil), o.a.names...), o.b.names...) {
		if o.a.required[name] != o.b.required[name] {
			moved = append(moved, name)
		}
	}
	return moved
}

func (o object) requirednessMoved(v *visitor, name string) {
	c := Change{Pointer: o.node + "/required"}
	if o.a.required[name] {
		c.Before = canon.Raw(canon.Quote(name))
	} else {
		c.After = canon.Raw(canon.Quote(name))
	}
	v.report(o.place, o.about("required", name), c, o.requiredness(name))
}

// rest compares what holds for members that are not declared. It goes into it where there are no declared ones.
func (o object) rest(v *visitor) {
	patterns, rest := both{"patternProperties", o.a.patterns, o.b.patterns}, both{"additionalProperties", o.a.rest, o.b.rest}
	other := both{"unevaluatedProperties", o.a.node.Get("unevaluatedProperties"), o.b.node.Get("unevaluatedProperties")}
	plain := size(o.a.properties)+size(o.b.properties) == 0 && !o.blurred
	if plain && rest.a.IsObject() && rest.b.IsObject() {
		v.schema(place{append(o.way[:len(o.way):len(o.way)], subtype.Step{Rest: true}), o.node + "/additionalProperties", o.label + "{}"}, rest.a, rest.b)
		return
	}
	undeclared := false
	for _, m := range []both{patterns, rest, other} {
		before := len(v.found)
		v.inside(o.place, m)
		v.words(o.place, m.name, o.a.node, m.b)
		if undeclared || same(m.a, m.b) && !v.differs(m) {
			continue
		}
		about := o.about(m.name, "")
		c := change(o.node+canon.Pointer(m.name), m.a, m.b)
		switch {
		case !v.differs(m) && len(v.found) > before: // it is told what stands inside
		case !v.differs(m) && m.name != "unevaluatedProperties":
			v.report(o.place, about, c)
		case m.name == "unevaluatedProperties" || other.a != nil || other.b != nil:
			v.report(o.place, about, c, subtype.Part{Way: o.way, Old: o.a.node, New: o.b.node})
		default:
			v.report(o.place, about, c, subtype.Part{Way: o.way, Old: o.undeclared(o.a), New: o.undeclared(o.b)})
			undeclared = true
		}
	}
}

// undeclared is what one side says of the members that neither declares.
func (o object) undeclared(s objectSide) *canon.Node {
	named := &canon.Node{Kind: canon.Object}
	for _, prop := range joined(o.a.properties, o.b.properties) {
		named.Members = append(named.Members, canon.Member{Name: prop.name, RawName: canon.Quote(prop.name), Value: anything})
	}
	n := &canon.Node{Kind: canon.Object, Members: []canon.Member{{Name: "properties", RawName: []byte(`"properties"`), Value: named}}}
	for name, value := range map[string]*canon.Node{"patternProperties": s.patterns, "additionalProperties": s.rest} {
		if value != nil {
			n.Members = append(n.Members, canon.Member{Name: name, RawName: canon.Quote(name), Value: value})
		}
	}
	return n
}
