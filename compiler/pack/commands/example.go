package commands

import (
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// Example is a call of a command with made-up values.
type Example struct {
	Arguments canon.Raw // one JSON object that the schema of the operation takes
	Words     []string  // the same behind the command, each as a shell reads it
}

// ExampleOf makes a call with what is required and no more. The values are those that the schema lists, shows or takes by default, else plain
// placeholders; where those do not fit together, what the solver of schemas finds in bounded steps. found tells that the schema takes them: without
// it nothing is shown that may be refused.
func ExampleOf(c Command) (e Example, found bool) {
	if len(c.Input) == 0 {
		return Example{Arguments: canon.Raw("{}")}, true
	}
	root, err := canon.Parse(c.Input)
	if err != nil {
		return e, false
	}
	analysis := schema.Analyse(root)
	for _, words := range []bool{true, false} { // the server's own values, and without them
		m := sampler{root: root, words: words, left: maxSampled}
		if value := m.object(root, 0); value != nil && fits(analysis, value) {
			return exampleWith(c, value), true
		}
	}
	value := solved(root, analysis)
	if value == nil || len(value) > maxSolved || !fits(analysis, value) {
		return e, false
	}
	return exampleWith(c, value), true
}

// maxSolved bounds an example that the solver made, in bytes: nobody reads a longer one.
const maxSolved = 2000

func fits(a *schema.Analysis, value canon.Raw) bool {
	n, err := canon.Parse(value)
	if err != nil {
		return false
	}
	found, err := schema.Mismatches(a, n)
	return err == nil && len(found) == 0
}

// solved is a value that the schema takes, with the placeholders of members wherever the schema takes those in the place of what was found.
func solved(root *canon.Node, a *schema.Analysis) canon.Raw {
	value := witness(a)
	found, err := canon.Parse(value)
	validator, fault := schema.NewValidator(a)
	if err != nil || !found.IsObject() { // arguments are an object, whatever else the schema takes
		return nil
	}
	if fault != nil || len(found.Members) > maxTried {
		return value
	}
	named := map[string]*canon.Node{}
	for _, p := range schema.Properties(root) {
		named[p.Name] = p.Schema
	}
	members := slices.Clone(found.Members)
	for i, was := range members {
		m := sampler{root: root, words: true, left: maxSampled}
		nicer, err := canon.Parse(m.value(named[was.Name], was.Name, 0))
		if err != nil {
			continue
		}
		members[i].Value = nicer
		if takes, err := validator.Takes(objectOf(members)); !takes || err != nil {
			members[i] = was
		}
	}
	return objectOf(members)
}

// maxTried bounds the members for which another value is tried.
const maxTried = 40

// witness is a value that a schema takes, nil where none was found: what it allows and the schema that allows nothing does not.
func witness(a *schema.Analysis) canon.Raw {
	return subtype.Compare(a, schema.Analyse(never), subtype.Options{}).Lost
}

var never, _ = canon.Parse([]byte("false"))

func objectOf(members []canon.Member) canon.Raw {
	var b canon.Builder
	for _, m := range members {
		b.AddMember(m, m.Value.Canonical())
	}
	return b.Bytes()
}

// exampleWith types the arguments: each by its flag, or all of them by --json where one cannot be typed.
func exampleWith(c Command, arguments canon.Raw) Example {
	e := Example{Arguments: arguments}
	n, err := canon.Parse(arguments)
	if err != nil || len(n.Members) == 0 {
		return e
	}
	typed := map[string]bool{}
	for _, p := range c.Params {
		if value := n.Get(p.Name); value != nil {
			words, ok := flagWords(p, value)
			if !ok {
				break
			}
			e.Words, typed[p.Name] = append(e.Words, words...), true
		}
	}
	if len(typed) < len(n.Members) {
		e.Words = []string{"--json", diag.ShellWord(string(diag.PrintableJSON(n.Canonical())))}
	}
	return e
}

// flagWords types one argument.
func flagWords(p air.Param, value *canon.Node) (words []string, ok bool) {
	if !p.Repeated {
		return flagWord(p, value)
	}
	for _, item := range value.Elements() {
		w, ok := flagWord(p, item)
		if !ok {
			return nil, false
		}
		words = append(words, w...)
	}
	return words, len(words) > 0
}

func flagWord(p air.Param, value *canon.Node) (words []string, ok bool) {
	text := string(diag.PrintableJSON(value.Canonical()))
	switch {
	case p.Type == air.ParamString:
		if text, ok = value.Str(); !ok || diag.Printable(text) != text {
			return nil, false
		}
	case p.Type == air.ParamBoolean && value.Is(canon.True):
		return []string{"--" + p.Flag}, true
	case p.Type == air.ParamBoolean:
		return []string{"--" + p.Flag + "=" + text}, value.Is(canon.False)
	}
	if strings.HasPrefix(text, "-") {
		return []string{"--" + p.Flag + "=" + diag.ShellWord(text)}, true
	}
	return []string{"--" + p.Flag, diag.ShellWord(text)}, true
}
