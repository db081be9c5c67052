package subtype

import (
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

func (c *compiler) requires(v *canon.Node) []literal {
	var all []literal
	for _, item := range v.Elements() {
		if name, ok := item.Str(); ok {
			all = append(all, c.required(name))
		}
		if c.spent() {
			break
		}
	}
	return all
}

// dependencies are of drafts up to 7; later ones do not have the keyword.
func (c *compiler) dependencies(v *canon.Node) []literal {
	if c.draft > schema.Draft7 {
		return nil
	}
	var all []literal
	for _, m := range v.Members {
		needs := c.all(c.requires(m.Value)...)
		if !m.Value.IsArray() {
			needs = c.schema(m.Value)
		}
		if all = append(all, c.any(c.absent(m.Name), needs)); c.spent() {
			break
		}
	}
	return all
}

func (c *compiler) conditional(n, condition *canon.Node) []literal {
	var all []literal
	holds := c.schema(condition)
	if then := n.Get("then"); then != nil {
		all = append(all, c.any(holds.negated(), c.schema(then)))
	}
	if other := n.Get("else"); other != nil {
		all = append(all, c.any(holds, c.schema(other)))
	}
	return all
}

func (c *compiler) counted(n, v *canon.Node) literal {
	least, most := 1, -1
	if c.draft >= schema.Draft2019 {
		if m := n.Get("minContains"); m != nil {
			least = clamp(m)
		}
		if m := n.Get("maxContains"); m != nil {
			most = clamp(m)
		}
	}
	return c.contains(c.schema(v), least, most)
}

// shapeOf reads properties, patternProperties and additionalProperties; nil when there is none of them.
func (c *compiler) shapeOf(n *canon.Node) *shape {
	properties, patterns, rest := n.Get("properties"), n.Get("patternProperties"), n.Get("additionalProperties")
	if properties == nil && patterns == nil && rest == nil {
		return nil
	}
	s := &shape{members: map[string]literal{}, rest: c.always()}
	if rest != nil {
		s.rest = c.schema(rest)
	}
	if properties != nil {
		for _, m := range properties.Members {
			if s.members[m.Name] = c.schema(m.Value); c.spent() {
				break
			}
		}
	}
	if patterns != nil {
		for _, m := range patterns.Members {
			if s.patterns = append(s.patterns, patterned{c.pattern(m.Name), c.schema(m.Value)}); c.spent() {
				break
			}
		}
	}
	return s
}

// listOf reads prefixItems, items and additionalItems; nil when there is none of them.
func (c *compiler) listOf(n *canon.Node) *list {
	items, l := n.Get("items"), &list{rest: c.always()}
	switch {
	case c.draft >= schema.Draft2020:
		if prefix := n.Get("prefixItems"); prefix != nil {
			l.prefix = c.schemas(prefix)
		} else if items == nil {
			return nil
		}
		if items != nil {
			l.rest = c.schema(items)
		}
	case items.IsArray():
		l.prefix = c.schemas(items)
		if rest := n.Get("additionalItems"); rest != nil {
			l.rest = c.schema(rest)
		}
	case items != nil:
		l.rest = c.schema(items)
	default:
		return nil
	}
	return l
}
