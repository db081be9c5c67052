package adopt

import (
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Bounds of the walk over one input schema.
const (
	maxSchemaDepth = 5
	maxParameters  = 2_000
	maxVisits      = 20_000
)

// parameter is one property that a caller may fill.
type parameter struct {
	name    string
	words   []string
	pointer string
	schema  *canon.Node
}

// parameters lists the properties of an input schema, nested ones and those behind local references included, within stated bounds.
func parameters(root *canon.Node) (all []parameter) {
	visits := 0
	var walk func(n *canon.Node, pointer string, depth int)
	walk = func(n *canon.Node, pointer string, depth int) {
		if visits++; !n.IsObject() || depth > maxSchemaDepth || len(all) >= maxParameters || visits > maxVisits {
			return
		}
		if ref, ok := n.Get("$ref").Str(); ok {
			if target, at := resolve(root, ref); target != nil {
				walk(target, "/inputSchema"+at, depth+1)
			}
		}
		if properties := n.Get("properties"); properties.IsObject() {
			for _, m := range properties.Members {
				if len(all) >= maxParameters {
					return
				}
				p := parameter{m.Name, air.Words(m.Name), pointer + canon.Pointer("properties", m.Name), m.Value}
				all = append(all, p)
				walk(m.Value, p.pointer, depth+1)
			}
		}
		schema.Children(0, n, func(c schema.Child) {
			if fillable(c.Role) {
				walk(c.Node, pointer+c.Pointer(), depth+1)
			}
		})
	}
	walk(root, "/inputSchema", 0)
	return all
}

// fillable reports a schema, other than a property's, whose properties a caller may fill. What is ruled out, and a definition that nothing refers
// to, is not.
func fillable(r schema.Role) bool {
	switch r {
	case schema.Property, schema.Not, schema.PropertyName, schema.Content, schema.Definition:
		return false
	}
	return true
}

// resolve follows a reference into the same schema.
func resolve(root *canon.Node, ref string) (*canon.Node, string) {
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil, ""
	}
	n := root
	for token := range strings.SplitSeq(path, "/") {
		n = n.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return n, "/" + path
}

// freeText reports a parameter that takes any text: a string, or a list of them, without a list of choices.
func (p parameter) freeText() bool {
	s := p.schema
	if s.Get("items").IsObject() && s.Get("type").Text() == "array" {
		s = s.Get("items")
	}
	if s.Get("enum") != nil || s.Get("const") != nil {
		return false
	}
	kind := s.Get("type")
	if kind == nil {
		return true
	}
	return kind.Text() == "string" || slices.ContainsFunc(kind.Elements(), func(k *canon.Node) bool { return k.Text() == "string" })
}

// sink reports a parameter whose text somebody runs. Its name is one of the telling words, or ends in one without being the name, id or
// address of something ("init_script", not "script_id"); "code", "query" and "expression" need a word that tells programs apart.
func (p parameter) sink(about string) bool {
	if len(p.words) == 0 || !p.freeText() {
		return false
	}
	last := p.words[len(p.words)-1]
	if inSet(executionSinks, last) && (last != "statement" || len(p.words) == 1 || p.words[len(p.words)-2] == "sql") {
		return true
	}
	telling := codeWords
	switch {
	case len(p.words) > 1:
		return false
	case last == "query":
		telling = queryWords
	case last != "code" && last != "expression" && last != "function":
		return false
	}
	return slices.ContainsFunc(textWords(about+" "+p.schema.Get("description").Text()), func(w string) bool { return telling[w] })
}

// passthrough reports an argument whose program is what the tool is for: it is one of the arguments themselves, or of the only one, or of a list of
// programs, and named for the program alone. The build command of an application that is set up is run some day too, beside much else.
func (in *inference) passthrough(p parameter) bool {
	path := canon.Tokens(p.pointer) // inputSchema, properties, NAME, ...
	depth := strings.Count(p.pointer, "/properties/")
	if depth > 1 && (depth > 2 || len(in.top) != 1 && !inSet(executionSinks, path[2])) {
		return false
	}
	return !slices.ContainsFunc(p.words, func(w string) bool {
		return !inSet(executionSinks, w) && !inSet(codeWords, w) && !inSet(queryWords, w) && !programWords[w]
	})
}

// losing reports a switch under which something is lost besides.
func (p parameter) losing() bool {
	return len(p.words) > 1 && lossFlags[p.words[0]] && p.schema.Get("type").Text() == "boolean"
}

// override reports a flag that lifts a safeguard.
func (p parameter) override() bool { return overrideFlags[strings.Join(p.words, "")] }

// fromSchema records what the parameters say. A flag like "force" yields to a name that reads or checks: validators take the flags of
// what they validate. What a tool answers says nothing about safety, so outputSchema is not read.
func (in *inference) fromSchema(n nameReading) {
	about := strings.Join(n.words, " ")
	var reach []string
	for _, p := range parameters(in.tool.Node.Get("inputSchema")) {
		switch {
		case p.sink(about):
			in.claimMutation(air.FromSchema, p.pointer, "execution-sink", sureSink, air.RiskHigh)
			in.note("the text of parameter %q is run", p.name)
			if in.passthrough(p) {
				in.shape(air.FromSchema, p.pointer, "execution-sink", sureSink, air.ArchetypeQueryPassthrough)
				in.note("callers write programs that it runs and nothing checks: a person is asked at every call, unless somebody answers for `query: any`")
			}
		case p.losing() && !n.reads():
			in.worsen(func() {
				in.claim(air.FromSchema, p.pointer, "loss-flag", sureOverride, air.PredicateRisk, air.ValueOf(air.RiskDestructive))
			})
		case p.override() && n.class() != readVerb && n.class() != neutralVerb:
			in.claim(air.FromSchema, p.pointer, "override-flag", sureOverride, air.PredicateKind, air.ValueOf(air.Mutation))
		case p.freeText() && len(p.words) > 0 && inSet(reachParameters, p.words[len(p.words)-1]):
			reach = append(reach, p.name)
		}
	}
	if len(reach) > 0 {
		slices.Sort(reach)
		in.note("the caller chooses a place: %q", slices.Compact(reach))
	}
}
