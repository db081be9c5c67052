package subtype

import (
	"slices"

	"anvil/compiler/canon"
)

// told is what a shape says of a name that nobody mentions, when it matches these patterns of o.
func (o *members) told(s *shape, matched []bool) []literal {
	var asked []literal
	for _, p := range s.patterns {
		if at := slices.IndexFunc(o.patterns, func(l literal) bool { return l.key() == p.name.key() }); matched[at] {
			asked = append(asked, p.value)
		}
	}
	if asked == nil {
		asked = append(asked, s.rest)
	}
	return asked
}

// maxPatterns bounds how many patterns are taken apart at once.
const maxPatterns = 6

// fresh tries members whose names nobody mentions: for each set of patterns that a name can match, one name. unlike says of such a name what a member
// is asked of which something must not hold; when it is nil, any will do.
func (o *members) fresh(unlike func(matched []bool) []literal, then func() answer) answer {
	if len(o.patterns) > maxPatterns {
		return answer{doubt: "patternProperties", waits: free}
	}
	result := nothing
	matched := make([]bool, len(o.patterns))
	for set := range 1 << len(o.patterns) {
		for i := range matched {
			matched[i] = set>>i&1 == 1
		}
		faults := [][]literal{nil}
		if unlike != nil {
			faults = faults[:0]
			for _, l := range unlike(matched) {
				if !l.always() {
					faults = append(faults, []literal{l.negated()})
				}
			}
		}
		if len(faults) == 0 {
			continue
		}
		name, found := o.name(matched)
		if found.value == nil {
			result = result.or(found)
			continue
		}
		for _, fault := range faults {
			o.invented = append(o.invented, name)
			tried := o.try(name, fault, then)
			o.invented = o.invented[:len(o.invented)-1]
			if found.doubt != "" && !tried.none() {
				tried.doubt = found.doubt
			}
			if result = result.or(tried); result.met() {
				return result
			}
		}
	}
	return result
}

// name finds a name that nobody mentions and no member has, and that matches just these patterns.
func (o *members) name(matched []bool) (string, answer) {
	asked := append([]literal{o.ofTypes(aString)}, o.names...)
	for i, p := range o.patterns {
		if matched[i] {
			asked = append(asked, p)
		} else {
			asked = append(asked, p.negated())
		}
	}
	var taken []*canon.Node
	o.spend((len(o.known) + len(o.chosen)) / 2)
	for _, name := range o.known {
		taken = append(taken, textNode(name))
	}
	for name := range o.chosen {
		taken = append(taken, textNode(name))
	}
	if len(taken) > 0 {
		asked = append(asked, o.ofValues(taken...).negated())
	}
	if len(o.names)+len(o.patterns) == 0 {
		asked = append(asked, o.atLeast(aString, 1)) // a name that reads well; there are enough
	}
	found := o.meet(asked...)
	if found.value == nil {
		return "", found
	}
	n, err := canon.Parse(found.value)
	if err != nil {
		return "", answer{doubt: "propertyNames", waits: free}
	}
	return n.Text(), found
}
