package commands

import (
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Argument is an argument of a command, or a part of one that is given as JSON, as a reader is told of it. Names, values and the pattern are the
// server's.
type Argument struct {
	Path     string // of the place in the arguments: "lines[].amount.currency"; "*" is a member of any name
	Flag     string // that gives it, without "--"; of a part, that of the whole
	Part     bool   // of the argument before it
	Type     string // in words: "list of object, or null"
	Given    string // how the flag takes it, where that is not plainly: "as JSON", "once for each item"
	Required bool   // of a part: wherever the whole is given
	Enum     []canon.Raw
	Default  canon.Raw
	Format   string
	Bounds   []string // in words of ours: "1 to 50 items"
	Pattern  string
	Said     string // the server's words about it
	Deeper   bool   // it has parts that are not listed
}

// Bounds of the parts that are listed.
const (
	partDepth = 4  // below an argument
	maxParts  = 40 // of one argument
)

// Arguments returns the arguments of a command in the order of its flags, each with its parts behind it.
func Arguments(c Command) (all []Argument) {
	root, err := canon.Parse(c.Input)
	if err != nil {
		return nil
	}
	described := map[string]*canon.Node{}
	for _, p := range schema.Properties(root) {
		described[p.Name] = p.Schema
	}
	for _, p := range c.Params {
		n := described[p.Name]
		a := argumentOf(root, n, p.Name)
		a.Flag, a.Required, a.Enum, a.Default, a.Format, a.Said = p.Flag, p.Required, p.Enum, p.Default, p.Format, p.Description
		switch {
		case p.Repeated:
			a.Given = "once for each item"
		case p.Type == air.ParamJSON:
			a.Given = "as JSON"
		}
		l := parts{root: root, flag: p.Flag, left: maxParts}
		a.Deeper = !l.below(n, p.Name, 0)
		all = append(append(all, a), l.all...)
	}
	return all
}

// argumentOf reads what the schema of one place says.
func argumentOf(root, n *canon.Node, path string) Argument {
	p := air.ParamOf(root, schema.NamedMember{Name: path, Schema: n})
	return Argument{
		Path: path, Type: typeWords(root, n, 0), Enum: p.Enum, Default: p.Default, Format: p.Format, Said: p.Description,
		Bounds: boundsOf(root, n), Pattern: patternOf(root, n),
	}
}

// parts lists what is below an argument.
type parts struct {
	root *canon.Node
	flag string
	left int
	all  []Argument
}

// below adds the parts of n; whole tells that none is left out.
func (l *parts) below(n *canon.Node, path string, depth int) (whole bool) {
	for items := l.items(n); items != nil; items = l.items(n) {
		if n, path = items, path+"[]"; len(path) > maxPath {
			return false
		}
	}
	members := schema.PropertiesOf(l.root, n)
	if any := schema.Behind(l.root, n, func(n *canon.Node) *canon.Node { return objectNode(n.Get("additionalProperties")) }); any != nil {
		members = append(members, schema.NamedMember{Name: "*", Schema: any})
	}
	if len(members) == 0 {
		return true
	}
	if depth == partDepth || len(path) > maxPath {
		return false
	}
	whole = true
	for _, m := range members {
		if l.left--; l.left < 0 {
			return false
		}
		a := argumentOf(l.root, m.Schema, path+"."+m.Name)
		a.Flag, a.Part, a.Required = l.flag, true, m.Required
		at := len(l.all)
		l.all = append(l.all, a)
		l.all[at].Deeper = !l.below(m.Schema, a.Path, depth+1)
	}
	return whole
}

// items is what a list holds, nil for what is no list.
func (l *parts) items(n *canon.Node) *canon.Node {
	if !slices.Contains(schema.TypeNames(l.root, n), "array") {
		return nil
	}
	return schema.ItemsOf(l.root, n)
}

const maxPath = 200 // bytes of the path to a part that is looked into

func objectNode(n *canon.Node) *canon.Node {
	if n.IsObject() && len(n.Members) > 0 {
		return n
	}
	return nil
}

// typeWords says which types a value may have.
func typeWords(root, n *canon.Node, depth int) string {
	types := schema.TypeNames(root, n)
	null := slices.Contains(types, "null") && len(types) > 1
	types = slices.DeleteFunc(types, func(t string) bool { return t == "null" && null || t == "integer" && slices.Contains(types, "number") })
	for i, t := range types {
		if t == "array" {
			types[i] = "list"
			if items := schema.ItemsOf(root, n); items != nil && depth < partDepth {
				types[i] += " of " + typeWords(root, items, depth+1)
			}
		}
	}
	words := strings.Join(types, " or ")
	if words == "" {
		words = "any"
	}
	if null {
		words += ", or null"
	}
	return words
}

func patternOf(root, n *canon.Node) string {
	pattern := facet(root, n, "pattern").Text()
	if items := schema.ItemsOf(root, n); pattern == "" && items != nil {
		pattern = facet(root, items, "pattern").Text()
	}
	return pattern
}

// boundsOf says in words by what a value is bounded, and each item of a list.
func boundsOf(root, n *canon.Node) (bounds []string) {
	add := func(n *canon.Node, each string) {
		for _, r := range []struct{ least, most, unit string }{
			{"minLength", "maxLength", "character"}, {"minItems", "maxItems", "item"}, {"minProperties", "maxProperties", "member"}, {"minimum", "maximum", ""},
		} {
			if words := between(root, n, r.least, r.most, r.unit); words != "" {
				bounds = append(bounds, each+words)
			}
		}
		for _, single := range [][2]string{{"exclusiveMinimum", "more than "}, {"exclusiveMaximum", "less than "}, {"multipleOf", "a multiple of "}} {
			if words := numberText(facet(root, n, single[0])); words != "" {
				bounds = append(bounds, each+single[1]+words)
			}
		}
	}
	add(n, "")
	if facet(root, n, "uniqueItems").Is(canon.True) {
		bounds = append(bounds, "no item twice")
	}
	if items := schema.ItemsOf(root, n); items != nil && len(schema.PropertiesOf(root, items)) == 0 {
		add(items, "each ")
	}
	return bounds
}

// between words a range: "1 to 50 items", "at least 2". In the oldest dialect a word beside it says that an edge is left out.
func between(root, n *canon.Node, least, most, unit string) string {
	from, to := numberText(facet(root, n, least)), numberText(facet(root, n, most))
	if unit != "" && from == "0" {
		from = ""
	}
	words, few := "", to
	switch {
	case from == "" && to == "":
		return ""
	case from == to:
		words = from
	case to == "":
		words, few = "at least "+from, from
	case from == "":
		words = "at most " + to
	default:
		words = from + " to " + to
	}
	if unit != "" {
		words += " " + unit
		if few != "1" {
			words += "s"
		}
	}
	for _, edge := range [][2]string{{"exclusiveMinimum", "more than " + from}, {"exclusiveMaximum", "less than " + to}} {
		if unit == "" && facet(root, n, edge[0]).Is(canon.True) {
			words += ", " + edge[1]
		}
	}
	return words
}

const maxNumber = 30 // characters of a number that is told

// numberText is a number as the schema writes it; "" where it is none, or longer than anybody reads.
func numberText(n *canon.Node) string {
	if text := string(n.Canonical()); n.Is(canon.Number) && len(text) <= maxNumber {
		return text
	}
	return ""
}
