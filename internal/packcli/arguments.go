package packcli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
)

// Source reads a file whole; the name "-" is stdin.
type Source func(name string) ([]byte, error)

// Arguments returns the arguments of the call as one JSON object: those of --json as they were written, and those of flags in their place or behind
// them. Every digit of a number is kept. Errors are *[UsageError], all problems in one.
func (c *CLI) Arguments(l Line, read Source) ([]byte, error) {
	a := arguments{cli: c, command: l.Command, read: read}
	members := a.whole(l.whole)
	for _, p := range l.Command.Params {
		if texts := l.given[p.Flag]; len(texts) > 0 {
			if value := a.value(p, texts); value != nil {
				members = replaced(members, p.Name, value)
			}
		}
	}
	if len(a.problems) > 0 {
		return nil, &UsageError{Code: air.ErrValidation, Problems: a.problems, See: c.helpLine(l.Command)}
	}
	object := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(append(object, m.RawName...), ':'), m.Value.Raw...)
	}
	return append(object, '}'), nil
}

// arguments collects the values of one line, and what is wrong with them.
type arguments struct {
	cli      *CLI
	command  *commands.Command
	read     Source
	stdin    string // the flag that took it
	problems []string
}

func (a *arguments) problem(format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...))
}

// replaced puts a member in the place of the one of its name, or behind all others.
func replaced(members []canon.Member, name string, value *canon.Node) []canon.Member {
	m := canon.Named(name)
	m.Value = value
	for i := range members {
		if members[i].Name == name {
			members[i] = m
			return members
		}
	}
	return append(members, m)
}

// whole reads the object of --json.
func (a *arguments) whole(text *string) []canon.Member {
	if text == nil {
		return nil
	}
	spelled := *text
	if spelled == "-" {
		spelled = "@-"
	}
	node := a.json("--json", spelled)
	if node == nil {
		return nil
	}
	if !node.IsObject() {
		a.problem(`--json must be one JSON object, such as '{"limit": 1}'`)
		return nil
	}
	return append([]canon.Member(nil), node.Members...)
}

// json reads JSON text, or that of a file behind @. It returns nil when there is a problem.
func (a *arguments) json(flag, text string) *canon.Node {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		if file == "-" && a.stdin != "" {
			a.problem("%s and %s cannot both read stdin", a.stdin, flag)
			return nil
		}
		if file == "-" {
			a.stdin = flag
		}
		data, err := a.read(file)
		if err != nil {
			a.problem("%s: %v", flag, err)
			return nil
		}
		text = string(bytes.TrimPrefix(data, []byte("\uFEFF")))
	}
	node, err := canon.Parse([]byte(text))
	if err != nil {
		hint := ""
		if flag != "--json" && utf8.ValidString(text) && len(text) < 200 {
			hint = "; a string is written with its quotes: " + flag + "=" + diag.ShellWord(string(canon.Quote(text)))
		}
		a.problem("%s is JSON text, or @FILE: %v%s", flag, err, hint)
		return nil
	}
	if flaws := node.Flaws(); len(flaws) > 0 {
		a.problem("%s may be read in two ways: %s at %s", flag, flaws[0].Kind, quoted(flaws[0].Pointer))
		return nil
	}
	return node
}

// value is what the words given for a parameter come to; nil when there is a problem.
func (a *arguments) value(p air.Param, texts []string) *canon.Node {
	if !p.Repeated {
		if len(texts) > 1 {
			a.problem("--%s is given %d times and takes one value", p.Flag, len(texts))
			return nil
		}
		return a.one(p, texts[0])
	}
	list := []byte{'['}
	for i, text := range texts {
		node := a.one(p, text)
		if node == nil {
			return nil
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, node.Raw...)
	}
	node, err := canon.Parse(append(list, ']'))
	if err != nil {
		a.problem("--%s: %v", p.Flag, err)
	}
	return node
}

// one is one value of a parameter.
func (a *arguments) one(p air.Param, text string) *canon.Node {
	if text == alone {
		text = "true"
	}
	var node *canon.Node
	switch p.Type {
	case air.ParamString:
		if !utf8.ValidString(text) {
			a.problem("--%s is no text: it is not UTF-8", p.Flag)
			return nil
		}
		node, _ = canon.Parse(canon.Quote(text))
	case air.ParamJSON:
		return a.json("--"+p.Flag, text)
	default:
		node = scalar(p, text)
	}
	if node == nil {
		a.problem("--%s: %s is no %s", p.Flag, quoted(text), p.Type)
		return nil
	}
	if len(p.Enum) > 0 && !node.Is(canon.Null) && !listed(p.Enum, node) {
		a.problem("--%s: %s is none of %s", p.Flag, quoted(text), choices(p.Enum))
		return nil
	}
	return node
}

// scalar reads a number, true or false, or null where that is taken.
func scalar(p air.Param, text string) *canon.Node {
	node, err := canon.Parse([]byte(text))
	if err != nil || len(node.Flaws()) > 0 {
		return nil
	}
	switch {
	case node.Is(canon.Null) && p.Nullable && !p.Repeated:
		return node
	case p.Type == air.ParamBoolean && (node.Is(canon.True) || node.Is(canon.False)):
		return node
	case p.Type == air.ParamNumber && node.Is(canon.Number):
		return node
	case p.Type == air.ParamInteger && node.Is(canon.Number):
		if r, ok := node.Rat(); ok && r.IsInt() {
			return node
		}
	}
	return nil
}

func listed(values []canon.Raw, node *canon.Node) bool {
	for _, v := range values {
		if bytes.Equal(v, node.Canonical()) {
			return true
		}
	}
	return false
}

// Bounds of the values that a line names: how many, and characters of one.
const (
	shownChoices = 20
	maxChoice    = 60
)

// choices lists values as they are typed.
func choices(values []canon.Raw) string {
	var words []string
	for _, v := range values[:min(len(values), shownChoices)] {
		words = append(words, shown(v, maxChoice))
	}
	text := strings.Join(words, ", ")
	if more := len(values) - len(words); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// typed is how a value is typed: a string without its quotes.
func typed(v canon.Raw) string {
	node, err := canon.Parse(v)
	if text, ok := node.Str(); err == nil && ok {
		return text
	}
	return string(v)
}

// shown is how a value is told: as it is typed, and the empty string as "".
func shown(v canon.Raw, limit int) string {
	if typed(v) == "" {
		return `""`
	}
	return diag.Printable(diag.Shorten(typed(v), limit))
}
