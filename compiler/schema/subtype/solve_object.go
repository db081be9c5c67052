package subtype

import (
	"maps"
	"slices"
)

// members is an object that is being made: which members it has to have, and what is asked of them.
type members struct {
	*branch
	shapes   []*shape   // every member is as each of them says
	unlike   []*formula // of opShape: and some member is not as each of these says
	names    []literal  // every member's name is as each of these says
	misnamed []literal  // and some member's name is not as each of these says
	required []string
	absent   map[string]bool

	known    []string             // every name that is mentioned
	patterns []literal            // every pattern of a shape, and every rule of misnamed: what tells names apart that nobody mentions
	chosen   map[string][]literal // what is asked of the members there are
	invented []string             // those of them that nobody mentions: any other name that is told apart from others alike would do as well
}

// anObject looks for an object.
func (b *branch) anObject() answer {
	o := &members{branch: b, absent: map[string]bool{}, chosen: map[string][]literal{}}
	for _, l := range b.assert {
		switch {
		case l.op == opShape && l.not:
			o.unlike = append(o.unlike, l.formula)
		case l.op == opShape:
			o.shapes = append(o.shapes, l.shape)
		case l.op == opNames && l.not:
			o.misnamed = append(o.misnamed, l.kids[0])
		case l.op == opNames:
			o.names = append(o.names, l.kids[0])
		case (l.op == opRequired) != l.not:
			o.required = append(o.required, l.text)
		default:
			o.absent[l.text] = true
		}
	}
	for _, name := range o.required {
		if o.absent[name] {
			return nothing
		}
	}
	if b.least > maxMembers {
		return answer{doubt: "minProperties", waits: free}
	}
	o.survey()
	return o.begin(0)
}

// maxMembers bounds the objects that are made here, beside what is required.
const maxMembers = 64

// survey collects the names and patterns that are mentioned.
func (o *members) survey() {
	mentioned := map[string]bool{}
	seen := map[int]bool{}
	add := func(s *shape) {
		for _, name := range s.names {
			mentioned[name] = true
		}
		for _, p := range s.patterns {
			if !seen[p.name.key()] {
				seen[p.name.key()] = true
				o.patterns = append(o.patterns, p.name)
			}
		}
	}
	for _, s := range o.shapes {
		add(s)
	}
	for _, f := range o.unlike {
		add(f.shape)
	}
	for _, rule := range o.misnamed {
		if !seen[rule.key()] {
			seen[rule.key()] = true
			o.patterns = append(o.patterns, rule)
		}
	}
	for _, name := range o.required {
		mentioned[name] = true
	}
	for name := range o.absent {
		mentioned[name] = true
	}
	o.known = slices.Sorted(maps.Keys(mentioned))
	o.spend(len(o.known)/4 + len(o.patterns))
}

// of returns what every member of that name is asked. sure is false when it is not known whether a pattern matches.
func (o *members) of(name string) (asked []literal, sure bool) {
	sure = true
	for _, s := range o.shapes {
		more, known := o.says(s, name)
		asked = append(asked, more...)
		sure = sure && known
	}
	return asked, sure
}

// says returns what one shape says of the member.
func (o *members) says(s *shape, name string) (asked []literal, sure bool) {
	sure = true
	value, covered := s.members[name]
	if covered {
		asked = append(asked, value)
	}
	for _, p := range s.patterns {
		switch o.matches(o.language(p.name.text), name) {
		case yes:
			asked = append(asked, p.value)
			covered = true
		case unsure:
			sure = false
		}
	}
	if !covered {
		asked = append(asked, s.rest)
	}
	return asked, sure
}

// begin takes in the required members, from the i-th on.
func (o *members) begin(i int) answer {
	doubt := ""
	for _, name := range o.required {
		if _, there := o.chosen[name]; there {
			continue
		}
		if o.spend(1) {
			return answer{doubt: StopSteps, waits: free}
		}
		found := o.enter(name)
		if found.none() {
			return found
		}
		if found.doubt != "" {
			doubt = found.doubt
		}
	}
	if o.most >= 0 && len(o.chosen) > o.most {
		return nothing
	}
	found := o.odd(i)
	if doubt != "" && !found.none() {
		found.doubt = doubt
	}
	return found
}

// enter makes name one of the members, and returns a value that it may have.
func (o *members) enter(name string, more ...literal) answer {
	if o.absent[name] {
		return nothing
	}
	doubt := ""
	for _, l := range o.names {
		switch o.holds(l, textNode(name)) {
		case no:
			return nothing
		case unsure:
			doubt = "propertyNames"
		}
	}
	asked, sure := o.of(name)
	if !sure {
		doubt = "patternProperties"
	}
	asked = append(append(asked, o.chosen[name]...), more...)
	found := o.meet(asked...)
	if found.none() {
		return found
	}
	o.chosen[name] = asked
	if doubt != "" {
		found.doubt = doubt
	}
	return found
}

// try makes a member, goes on, and takes it back.
func (o *members) try(name string, more []literal, then func() answer) answer {
	old, there := o.chosen[name]
	if o.spend(2 + len(o.shapes)/4) {
		return answer{doubt: StopSteps, waits: free}
	}
	if !there && o.most >= 0 && len(o.chosen) >= o.most {
		return nothing
	}
	found := o.enter(name, more...)
	if !found.none() {
		doubt := found.doubt
		if found = then(); doubt != "" && !found.none() {
			found.doubt = doubt
		}
	}
	delete(o.chosen, name)
	if there {
		o.chosen[name] = old
	}
	return found
}

// odd finds, for each shape from the i-th on that must not hold, a member that is not as it says.
func (o *members) odd(i int) answer {
	if i == len(o.unlike) {
		return o.odder(0)
	}
	f := o.unlike[i]
	then := func() answer { return o.odd(i + 1) }
	result := nothing
	for _, name := range o.candidates() {
		asked, sure := o.says(f.shape, name)
		if _, named := f.shape.members[name]; named && o.unclaimed && f.second && o.isUnclaimed(name) {
			continue // what it says of every other member counts, as it does for a name that is made up
		}
		for _, l := range asked {
			if l.always() {
				continue
			}
			found := o.try(name, []literal{l.negated()}, then)
			if !sure && !found.none() {
				found.doubt = "patternProperties"
			}
			if result = result.or(found); result.met() {
				return result
			}
		}
		if !sure && !result.met() {
			result = result.or(answer{doubt: "patternProperties", waits: free})
		}
	}
	return result.or(o.fresh(func(matched []bool) []literal { return o.told(f.shape, matched) }, then))
}

// candidates are the names that a member may be asked something more by: a name that was invented for one reason can serve for another, and where there
// may be few members, has to.
func (o *members) candidates() []string { return slices.Concat(o.known, o.invented) }

// isUnclaimed reports a member that nobody required and that all shapes leave to whoever sends it.
func (o *members) isUnclaimed(name string) bool {
	if slices.Contains(o.required, name) {
		return false
	}
	for _, s := range o.shapes {
		if _, named := s.members[name]; named || !s.rest.always() {
			return false
		}
		for _, p := range s.patterns {
			if o.matches(o.language(p.name.text), name) != no {
				return false
			}
		}
	}
	return true
}

// odder finds a member for each rule on names, from the i-th on, that must not hold.
func (o *members) odder(i int) answer {
	if i == len(o.misnamed) {
		return o.pad()
	}
	rule := o.misnamed[i]
	then := func() answer { return o.odder(i + 1) }
	result := nothing
	for _, name := range o.candidates() {
		verdict := o.holds(rule, textNode(name))
		if verdict == yes {
			continue
		}
		found := o.try(name, nil, then)
		if verdict == unsure && !found.none() {
			found.doubt = "propertyNames"
		}
		if result = result.or(found); result.met() {
			return result
		}
	}
	at := slices.IndexFunc(o.patterns, func(l literal) bool { return l.key() == rule.key() })
	return result.or(o.fresh(func(matched []bool) []literal {
		if matched[at] {
			return nil
		}
		return []literal{o.never()}
	}, then))
}
