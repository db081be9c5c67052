package subtype

import (
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// unevaluatedProperties and unevaluatedItems speak of what no other keyword has looked at, and which those are depends on the parts that a value
// satisfies. A schema that has them is rewritten as a choice of cases: each decides every such part, and says what is looked at then.

// maxCases bounds how many cases one schema is taken apart into.
const maxCases = 64

// looked is one case: what holds in it, and what is looked at.
type looked struct {
	holds    []literal
	names    map[string]bool
	patterns []literal
	every    bool // every member

	first      int // the first items
	everyItem  bool
	containing []literal // items that are as one of them says
}

func (c *compiler) unevaluated(n *canon.Node, base literal) literal {
	cases, ok := c.cases(n, map[*canon.Node]bool{}, true)
	if !ok {
		keyword := "unevaluatedProperties"
		if n.Get(keyword) == nil {
			keyword = "unevaluatedItems"
		}
		return c.all(base, c.opaque(keyword))
	}
	var any []literal
	for _, k := range cases {
		all := append([]literal{base}, k.holds...)
		if rest := n.Get("unevaluatedProperties"); rest != nil && !k.every {
			s := &shape{members: map[string]literal{}, rest: c.schema(rest)}
			for name := range k.names {
				s.members[name] = c.always()
			}
			for _, p := range k.patterns {
				s.patterns = append(s.patterns, patterned{p, c.always()})
			}
			all = append(all, c.shaped(s))
		}
		if rest := n.Get("unevaluatedItems"); rest != nil && !k.everyItem {
			l := &list{rest: c.any(append([]literal{c.schema(rest)}, k.containing...)...)}
			for range k.first {
				l.prefix = append(l.prefix, c.always())
			}
			all = append(all, c.list(l))
		}
		any = append(any, c.all(all...))
	}
	return c.any(any...)
}

// cases takes the schema n apart. own says that its own unevaluated keywords do not count, since they are being asked about.
func (c *compiler) cases(n *canon.Node, around map[*canon.Node]bool, own bool) ([]looked, bool) {
	if !n.IsObject() {
		return []looked{{}}, true
	}
	if around[n] {
		return nil, false
	}
	around[n] = true
	defer delete(around, n)

	all := []looked{c.plainly(n, own)}
	ok := true
	cross := func(more []looked, good bool) {
		if ok = ok && good && len(all)*len(more) <= maxCases; ok {
			all = c.product(all, more)
		}
	}
	for _, m := range n.Members {
		if !ok || c.spent() {
			return nil, false
		}
		switch m.Name {
		case "$ref", "$dynamicRef", "$recursiveRef":
			if r := c.refs[n][m.Name]; r != nil {
				if r.Target == nil || r.Cycle || m.Name != "$ref" && !c.fixed(r) {
					return nil, false
				}
				cross(c.cases(r.Target.Node, around, false))
			}
		case "allOf":
			for _, part := range m.Value.Items {
				if cross(c.cases(part, around, false)); !ok {
					break
				}
			}
		case "anyOf", "oneOf":
			cross(c.choice(m.Value.Items, around))
		case "if":
			cross(c.branches(n, m.Value, around))
		case "dependentSchemas":
			for _, d := range m.Value.Members {
				without := looked{holds: []literal{c.absent(d.Name)}}
				with, good := c.cases(d.Value, around, false)
				cross(append(holding(with, c.absent(d.Name).negated()), without), good)
			}
		}
	}
	return all, ok
}

// plainly is what the keywords of n that are not schemas for the same value look at.
func (c *compiler) plainly(n *canon.Node, own bool) looked {
	k := looked{names: map[string]bool{}}
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			k.names[m.Name] = true
		}
	}
	if patterns := n.Get("patternProperties"); patterns != nil {
		for _, m := range patterns.Members {
			k.patterns = append(k.patterns, c.pattern(m.Name))
		}
	}
	k.every = n.Get("additionalProperties") != nil || !own && n.Get("unevaluatedProperties") != nil
	if l := c.listOf(n); l != nil {
		k.first = c.firstItems(n)
		k.everyItem = n.Get("items") != nil && (c.draft >= schema.Draft2020 || !n.Get("items").IsArray() || n.Get("additionalItems") != nil)
	}
	k.everyItem = k.everyItem || !own && n.Get("unevaluatedItems") != nil
	if contained := n.Get("contains"); contained != nil && c.draft >= schema.Draft2020 {
		k.containing = []literal{c.schema(contained)}
	}
	return k
}

func (c *compiler) firstItems(n *canon.Node) int {
	if c.draft >= schema.Draft2020 {
		return len(n.Get("prefixItems").Elements())
	}
	return len(n.Get("items").Elements())
}

// choice is every way in which each of the parts holds or does not.
func (c *compiler) choice(parts []*canon.Node, around map[*canon.Node]bool) ([]looked, bool) {
	all := []looked{{}}
	for _, part := range parts {
		with, ok := c.cases(part, around, false)
		holds := c.schema(part)
		more := append(holding(with, holds), looked{holds: []literal{holds.negated()}})
		if !ok || len(all)*len(more) > maxCases || c.spent() {
			return nil, false
		}
		all = c.product(all, more)
	}
	return all, true
}

func (c *compiler) branches(n, condition *canon.Node, around map[*canon.Node]bool) ([]looked, bool) {
	holds := c.schema(condition)
	yes, ok := c.cases(condition, around, false)
	no := []looked{{}}
	for i, branch := range []*[]looked{&yes, &no} {
		part := n.Get([]string{"then", "else"}[i])
		if part == nil {
			continue
		}
		more, good := c.cases(part, around, false)
		if ok = ok && good && len(*branch)*len(more) <= maxCases; !ok {
			return nil, false
		}
		*branch = c.product(*branch, more)
	}
	return append(holding(yes, holds), holding(no, holds.negated())...), ok
}

func holding(cases []looked, l literal) []looked {
	for i := range cases {
		cases[i].holds = append(cases[i].holds[:len(cases[i].holds):len(cases[i].holds)], l)
	}
	return cases
}

func (c *compiler) product(a, b []looked) []looked {
	var all []looked
	for _, x := range a {
		for _, y := range b {
			c.spend(1 + (x.size()+y.size())/perStep)
			all = append(all, x.with(y))
		}
	}
	return all
}

func (k looked) size() int { return len(k.holds) + len(k.names) + len(k.patterns) + len(k.containing) }

func (k looked) with(m looked) looked {
	both := looked{every: k.every || m.every, everyItem: k.everyItem || m.everyItem, first: max(k.first, m.first), names: map[string]bool{}}
	both.holds = append(append([]literal{}, k.holds...), m.holds...)
	both.patterns = append(append([]literal{}, k.patterns...), m.patterns...)
	both.containing = append(append([]literal{}, k.containing...), m.containing...)
	for name := range k.names {
		both.names[name] = true
	}
	for name := range m.names {
		both.names[name] = true
	}
	return both
}
