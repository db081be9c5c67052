package gate

import (
	"fmt"
	"strings"
	"unicode"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// verdictOn is what is wrong with one description; "" is nothing.
type verdictOn string

const (
	missing     verdictOn = "missing"
	thin        verdictOn = "thin"
	tautologous verdictOn = "tautologous"
)

// faults of descriptions: their rule, what a message says of a tool's description, and of those of parameters.
var descriptionFaults = []struct {
	is                     verdictOn
	rule                   diag.Rule
	ofTool, ofParameters   string
	toolHint, argumentHint string
}{
	{missing, descriptionMissing, "has no description", "without a description",
		"have the server say what the tool does and when to use it", "have the server say what each means and how it is written"},
	{thin, descriptionThin, "has a description of a word or two", "with a description of one word",
		"have the server say what the tool does, when to use it, and what comes back", "have the server say what each means and how it is written"},
	{tautologous, descriptionTautological, "has a description that repeats its name", "with a description that repeats the name",
		"have the server say when to use the tool, and what comes back", "have the server say what each means and how it is written, or what happens without it"},
}

// checkDescriptions reports descriptions of tools that are missing or say nothing, and of all parameters of a tool in one finding per rule.
func checkDescriptions(v *survey) []diag.Finding {
	var findings []diag.Finding
	server := nameWords(v.ServerName())
	targets := v.refTargets()
	for _, it := range v.named() {
		node := it.Node.Get("description")
		of := judgeDescription(node.Text(), nameWords(it.Name), server, false)
		if node != nil && !node.Is(canon.String) && !node.Is(canon.Null) {
			of = "" // wrong-type-member
		}
		parameters := parametersBy(it.Node.Get("inputSchema"), targets)
		for _, fault := range descriptionFaults {
			if of == fault.is {
				f := about(fault.rule, it, canon.Pointer("description"), fmt.Sprintf("%s %s", shownName(it), fault.ofTool), node)
				f.Hint = fault.toolHint
				findings = append(findings, f.Sealed())
				for _, a := range v.under(fault.rule) {
					if fault.is == missing && node.Text() == "" { // white space counts as a text there
						findings = append(findings, a.judge(f).Sealed())
					}
				}
			}
			if names := parameters[fault.is]; len(names) > 0 {
				f := about(fault.rule, it, canon.Pointer("inputSchema", "properties"),
					fmt.Sprintf("%s of %s %s: %s", counted(len(names)), shownName(it), fault.ofParameters, listSome(names)), nil)
				f.Hint = fault.argumentHint
				findings = append(findings, f.Sealed(names...))
			}
		}
	}
	return findings
}

// parametersBy groups the names of the parameters by what is wrong with their descriptions.
func parametersBy(root *canon.Node, targets refTargets) map[verdictOn][]string {
	by := map[verdictOn][]string{}
	properties := root.Get("properties")
	if !properties.IsObject() {
		return by
	}
	for _, m := range properties.Members {
		of := judgeDescription(targets.description(m.Value), nameWords(m.Name), nil, true)
		if of == thin && selfEvident(m.Value) {
			continue
		}
		by[of] = append(by[of], m.Name)
	}
	return by
}

// refTargets are what the references of the input schemas lead to, by the schema that has the reference.
type refTargets map[*canon.Node]*canon.Node

func (v *survey) refTargets() refTargets {
	targets := refTargets{}
	for _, t := range v.inputs() {
		for _, r := range t.Refs {
			if r.Kind == schema.Local && r.Keyword == "$ref" {
				targets[r.From.Node] = r.Target.Node
			}
		}
	}
	return targets
}

// description is the description of a parameter, or what stands for it: that of the definition it refers to, of its elements, or of one of its
// alternatives.
func (t refTargets) description(parameter *canon.Node) string {
	if text := t.said(parameter); text != "" {
		return text
	}
	if text := parameter.Get("items").Get("description").Text(); text != "" {
		return text
	}
	first := ""
	schema.Children(0, parameter, func(c schema.Child) {
		if c.Role.Composed() && first == "" {
			first = t.said(c.Node)
		}
	})
	return first
}

// said is the description of a schema itself, or else of the first that it refers to.
func (t refTargets) said(n *canon.Node) string {
	const most = 8 // references in a row; some lead in a circle
	for range most {
		if text := n.Get("description").Text(); text != "" || n == nil {
			return text
		}
		n = t[n]
	}
	return ""
}

// selfEvident reports a schema whose values say what the description leaves out.
func selfEvident(parameter *canon.Node) bool {
	for _, keyword := range []string{"enum", "const", "examples", "format", "pattern"} {
		if parameter.Get(keyword) != nil {
			return true
		}
	}
	return false
}

// judgeDescription says what is wrong with a description of what is called by the words of name.
func judgeDescription(text string, name, context map[string]bool, parameter bool) verdictOn {
	const judged = 400 // characters: what is longer says something
	text = strings.TrimSpace(text)
	if text == "" {
		return missing
	}
	if len(text) > judged {
		return ""
	}
	words, repeated, wide := 0, 0, 0
	for _, w := range textWords(text) {
		words++
		switch stem := stemOf(w); {
		case fillerWords[w]:
		case name[stem] || context[stem]:
			repeated++
		default:
			for _, r := range w {
				if r > 0x2E7F {
					wide++ // one character of these is about a word
				}
			}
			repeated = -judged
		}
	}
	switch {
	case repeated > 0:
		return tautologous
	case wide > 3, wide > 1 && parameter:
		return ""
	case parameter && words < 2 && len([]rune(text)) < 12, !parameter && words < 3:
		return thin
	}
	return ""
}

// fillerWords add nothing to a name: articles, prepositions, what every tool and parameter is, and the types.
var fillerWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a an the of for to in on at by with from and or is are be this that it its these which
		tool function method endpoint api operation command parameter param argument value field property input
		use used uses using allows lets you your user will can does given specified specific current particular optional required
		string number integer boolean array object`) {
		set[w] = true
	}
	return set
}()

func textWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// nameWords returns the stems of the words of a name.
func nameWords(name string) map[string]bool {
	set := map[string]bool{}
	var b strings.Builder
	before := rune(0)
	for _, r := range name {
		if unicode.IsUpper(r) && !unicode.IsUpper(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	words := textWords(b.String())
	for i, w := range words {
		set[stemOf(w)] = true
		if i > 0 {
			set[stemOf(words[i-1]+w)] = true
		}
	}
	return set
}

// stemOf takes the ending of a plural or of a third person off.
func stemOf(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3:
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// counted counts parameters.
func counted(n int) string {
	if n == 1 {
		return "1 parameter"
	}
	return fmt.Sprintf("%d parameters", n)
}

// listSome names the first of many, shortened.
func listSome(names []string) string {
	const most = 8
	var quoted []string
	for i, n := range names {
		if i == most {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d others", len(names)-most)
		}
		quoted = append(quoted, quotedText(n, 40))
	}
	return strings.Join(quoted, ", ")
}

// maxParameterText bounds the description of one parameter, in characters; it is paid for on every turn.
const maxParameterText = 1000

// checkLongDescriptions reports what a client cuts off, and descriptions of parameters that are longer than one is read.
func checkLongDescriptions(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(descriptionTooLong) {
		for _, it := range v.named() {
			if text := it.Node.Get("description").Text(); len(text) > a.limit.Max {
				f := about(descriptionTooLong, it, canon.Pointer("description"), "the description of "+shownName(it)+" has"+tooLong(text, a.limit.Max), nil)
				f.Hint = "put what matters first, and shorten the rest"
				findings = append(findings, a.judge(f).Sealed(fmt.Sprint(len(text))))
			}
		}
		if text := v.Instructions.Text(); len(text) > a.limit.Max {
			f := descriptionTooLong.Finding("server", "the server's instructions have"+tooLong(text, a.limit.Max))
			f.Pointer, f.Hint = canon.Pointer("instructions"), "put what matters first, and shorten the rest"
			findings = append(findings, a.judge(f).Sealed(fmt.Sprint(len(text))))
		}
	}
	for _, it := range v.named() {
		if f, ok := longParameters(it); ok {
			findings = append(findings, f)
		}
	}
	return findings
}

func tooLong(text string, limit int) string {
	return fmt.Sprintf(" %d bytes, and what is behind byte %d is cut off", len(text), limit)
}

func longParameters(it surface.Item) (diag.Finding, bool) {
	var names []string
	if properties := it.Node.Get("inputSchema").Get("properties"); properties.IsObject() {
		for _, m := range properties.Members {
			if text := m.Value.Get("description").Text(); len(text) > maxParameterText && len([]rune(text)) > maxParameterText {
				names = append(names, m.Name)
			}
		}
	}
	f := about(descriptionTooLong, it, canon.Pointer("inputSchema", "properties"),
		fmt.Sprintf("%s of %s: the description has more than %d characters: %s", counted(len(names)), shownName(it), maxParameterText, listSome(names)), nil)
	f.Hint = "say what it means and how it is written; the rest belongs into the tool's description or a resource"
	return f.Sealed(names...), len(names) > 0
}
