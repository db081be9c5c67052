package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/schema"
	"anvil/internal/near"
)

// hold asks the rule of every tool as far as it can be told, and keeps what comes of it. A rule that can hold for none, or reads what none has, is an error.
func (c *rule) hold(tools map[string]*tool, parts map[*tool]*part, place string) error {
	if len(tools) == 0 {
		return nil
	}
	var missing [][]string // members that no tool has of those for which the rule is open
	had, holds, trouble := map[string]bool{}, false, ""
	for _, t := range sorted(tools) {
		m := newMoment(t, "", nil, nil)
		m.unknown = callerUnknown
		o, why, rest := c.askPart(m)
		m.done()
		switch o {
		case fails:
			trouble = cmp.Or(trouble, why)
		case open:
			for _, path := range rest.members {
				if t.has(path) {
					had[strings.Join(path, "\x00")] = true
				} else {
					missing = append(missing, path)
				}
			}
		}
		holds = holds || o == yes || o == open
		if parts[t].take(c, o, why, t) && o == open && rest.variables["arguments"] {
			t.arguments = true
		}
	}
	for _, path := range missing {
		if !had[strings.Join(path, "\x00")] {
			return fmt.Errorf("it reads arguments.%s, which no operation it could hold for has in its input schema", strings.Join(path, "."))
		}
	}
	switch {
	case !holds && c.mayHold(tools):
	case !holds && trouble != "":
		return fmt.Errorf("it can be decided for no operation of the pack: %s", trouble)
	case !holds:
		return c.never(tools, place)
	}
	return nil
}

// never says of a rule that holds for no operation why, and how to go on: perhaps the server had the tool once that it is about.
func (c *rule) never(tools map[string]*tool, place string) error {
	var gone, meant []string
	for _, name := range c.reads.tools {
		if tools[name] == nil {
			gone = append(gone, strconv.Quote(name))
			for _, like := range near.Names(name, slices.Sorted(maps.Keys(tools))) {
				meant = append(meant, strconv.Quote(like))
			}
		}
	}
	way := "take the rule out of " + place + ", and adopt again"
	if c.source.Sealed {
		way = "write the rules that are to stay into the section policy of the configuration (policy: {} for none), and adopt again"
	}
	if len(gone) == 0 {
		return errors.New("it can never be true for any operation of the pack: correct it, or " + way)
	}
	slices.Sort(gone)
	question := ""
	if len(meant) > 0 {
		question = near.Question(meant, "")
	}
	return fmt.Errorf("it is about tool %s, which the server does not have (any more), so it can never be true for any operation of the pack%s: %s",
		strings.Join(slices.Compact(gone), " and "), question, way)
}

// mayHold reports a rule that what will have been learned can make true: a pack begins without.
func (c *rule) mayHold(tools map[string]*tool) bool {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(c.reads.variables)), isLearned) {
		return false
	}
	for _, t := range tools {
		m := newMoment(t, "", nil, nil)
		m.unknown = learnedUnknown
		o, _, _ := c.askPart(m)
		m.done()
		if o == open {
			return true
		}
	}
	return false
}

func isLearned(variable string) bool { return strings.HasPrefix(variable, "learned.") }

func sorted(tools map[string]*tool) []*tool {
	list := make([]*tool, 0, len(tools))
	for _, t := range tools {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *tool) int { return cmp.Compare(a.operation.ID, b.operation.ID) })
	return list
}

// take keeps what a rule comes to for the tool; it reports whether calls hang on it.
func (p *part) take(c *rule, o outcome, why string, t *tool) bool {
	switch {
	case o == no:
	case c.result:
		t.results = append(t.results, c)
	case o == open:
		p.open = append(p.open, c)
		return true
	default:
		p.fixed = stricter(p.fixed, c.verdict(o, why))
	}
	return false
}

// verdict is what a rule says that holds, or cannot be decided.
func (c *rule) verdict(o outcome, why string) Verdict {
	v := Verdict{Action: c.Then, Rule: c.ID, Source: c.source.Name, Reason: c.Reason, Phase: pack.PolicyCall}
	if c.result {
		v.Phase = pack.PolicyResult
	}
	if o == fails {
		v.Action, v.Reason, v.Failed = pack.PolicyDeny, "it cannot be decided: "+why, true
	}
	return v
}

// stricter is what counts of two verdicts of one policy: a rule's before the default, and of rules the stricter, the first of equal ones.
func stricter(have, v Verdict) Verdict {
	if have.Rule == "" || severity[v.Action] > severity[have.Action] {
		return v
	}
	return have
}

// has reports whether the tool's input schema has a member; one that says nothing of its members has any.
func (t *tool) has(path []string) bool {
	n := t.root
	for _, name := range path {
		var found *canon.Node
		properties := schema.PropertiesOf(t.root, n)
		for _, p := range properties {
			if p.Name == name {
				found = p.Schema
			}
		}
		if found == nil {
			return !n.IsObject() || t.takesAny(n, len(properties))
		}
		n = found
	}
	return true
}

// takesAny reports a schema that takes members it does not name, and says so or names none.
func (t *tool) takesAny(n *canon.Node, named int) bool {
	says := schema.Behind(t.root, n, func(n *canon.Node) *canon.Node {
		if m := n.Get("additionalProperties"); m != nil {
			return m
		}
		if m := n.Get("unevaluatedProperties"); m != nil {
			return m
		}
		return n.Get("patternProperties")
	})
	if says != nil {
		return !says.Is(canon.False)
	}
	lists := schema.Behind(t.root, n, func(n *canon.Node) *canon.Node { return n.Get("properties") })
	return named == 0 && lists == nil
}
