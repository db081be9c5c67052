package schema

import (
	"errors"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// The library holds a value against a schema once for each way that leads there, and references make ways multiply: twenty definitions that refer to the
// next one twice are a million. Without references there is one way to each subschema. So what it will do is counted before it is asked.
const (
	maxEvaluations = 1 << 13 // of subschemas for one value
	perPlace       = 16      // more for each subschema and each part of the value that meet: a long value of a plain schema is none that is feared
)

// Why a value is not held against a schema, for what references do.
var (
	ErrWays = errors.New("its references lead to the same subschemas in more ways than are gone through")
	ErrLoop = errors.New("a reference in it leads to itself")
)

// evaluations are the steps from schemas to schemas that a validator takes. They are made once a schema, and counted for each value.
type evaluations struct {
	schema  *Analysis
	inPlace [][]int     // by schema: those that speak of the same value
	parts   [][]*Schema // by schema: those that speak of its parts
}

// counting counts the evaluations of one value.
type counting struct {
	*evaluations
	ways  map[visit]int // -1 while they are counted
	fault error
}

type visit struct {
	schema int
	value  *canon.Node // nil for a member's name
}

// evaluations returns nil for a schema without references, of which nothing has to be counted.
func (a *Analysis) evaluations() *evaluations {
	if len(a.Refs) == 0 {
		return nil
	}
	e := &evaluations{schema: a, inPlace: make([][]int, len(a.Schemas)), parts: make([][]*Schema, len(a.Schemas))}
	for _, s := range a.Schemas {
		switch {
		case s.Parent == nil || s.Role == Definition || s.Role == Referenced || s.Role == Content:
		case s.Role.InPlace():
			e.inPlace[s.Parent.Index] = append(e.inPlace[s.Parent.Index], s.Index)
		default:
			e.parts[s.Parent.Index] = append(e.parts[s.Parent.Index], s)
		}
	}
	for _, r := range a.Refs {
		if r.Target == nil {
			continue
		}
		e.inPlace[r.From.Index] = append(e.inPlace[r.From.Index], r.Target.Index)
		if r.Keyword != "$ref" {
			e.inPlace[r.From.Index] = append(e.inPlace[r.From.Index], a.dynamic(r)...)
		}
	}
	return e
}

// dynamic are the other schemas that a dynamic reference may lead to.
func (a *Analysis) dynamic(r *Ref) (others []int) {
	_, fragment, _ := strings.Cut(r.Text, "#")
	for _, s := range a.Schemas {
		name, named := s.Node.Get("$dynamicAnchor").Str()
		if s != r.Target && (named && name == fragment && r.Keyword == "$dynamicRef" || r.Keyword == "$recursiveRef" && s.Node.Get("$recursiveAnchor").Is(canon.True)) {
			others = append(others, s.Index)
		}
	}
	return others
}

// bearable says why the library is not to be asked about a value, if it is not.
func (e *evaluations) bearable(value *canon.Node) error {
	if e == nil {
		return nil
	}
	c := &counting{evaluations: e, ways: map[visit]int{}}
	c.count(0, value)
	return c.fault
}

// count returns how many schemas a value is held against on all ways from one on, that one included. It never counts fewer.
func (c *counting) count(s int, value *canon.Node) int {
	at := visit{s, value}
	if known, ok := c.ways[at]; ok {
		if known < 0 {
			c.fault = ErrLoop // the library takes it for a refusal
		}
		return known
	}
	c.ways[at] = -1
	total := 1
	if value != nil && c.refusesKind(c.schema.Schemas[s].Node, value) {
		c.ways[at] = total
		return total
	}
	for _, next := range c.inPlace[s] {
		if c.fault == nil {
			total += c.count(next, value)
		}
	}
	for _, part := range c.parts[s] {
		if c.fault == nil && value != nil {
			total += c.part(part, value)
		}
	}
	if total > maxEvaluations+perPlace*len(c.ways) && c.fault == nil {
		c.fault = ErrWays
	}
	c.ways[at] = total
	return total
}

// refusesKind reports a schema that is done with a value by its `type`, which the library looks at first.
func (c *counting) refusesKind(n, value *canon.Node) bool {
	return !fits(typesOf(n), value) && !ignored(c.schema.Draft, &Schema{Node: n})
}

// part counts what parts of a value, of which a schema says something, are held against.
func (c *counting) part(s *Schema, value *canon.Node) (total int) {
	around := s.Parent.Node
	switch s.Role {
	case Property:
		if member := value.Get(s.Name); member != nil {
			return c.count(s.Index, member)
		}
	case PropertyName:
		return len(value.Members) * c.count(s.Index, nil)
	case PatternProperty:
		return c.each(s, membersOf(value, nil))
	case AdditionalProperty:
		return c.each(s, membersOf(value, around.Get("properties")))
	case TupleItem:
		if i := slices.IndexFunc(c.tuple(around), func(n *canon.Node) bool { return n == s.Node }); i >= 0 && i < len(value.Items) {
			return c.count(s.Index, value.Items[i])
		}
	case ContainedItem:
		return c.each(s, value.Items)
	default:
		return c.each(s, value.Items[min(len(value.Items), len(c.tuple(around))):])
	}
	return 0
}

func (c *counting) each(s *Schema, values []*canon.Node) (total int) {
	for _, v := range values {
		if c.fault == nil {
			total += c.count(s.Index, v)
		}
	}
	return total
}

// tuple are the schemas of the first items.
func (e *evaluations) tuple(n *canon.Node) []*canon.Node {
	if e.schema.Draft >= Draft2020 {
		return items(n.Get("prefixItems"))
	}
	return items(n.Get("items"))
}

// membersOf are the values of the members that are not named.
func membersOf(value, named *canon.Node) []*canon.Node {
	var all []*canon.Node
	for _, m := range value.Members {
		if named.Get(m.Name) == nil {
			all = append(all, m.Value)
		}
	}
	return all
}
