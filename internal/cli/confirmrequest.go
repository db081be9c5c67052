package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// How a request is shown to whom is asked, in characters and lines.
const (
	maxAsked      = 20_000 // of a request, beyond which no person is asked
	maxGlanced    = 1000   // that a question shows where a flag would do for a yes
	maxGlancedAt  = 200    // of one argument of those
	askedWidth    = 100    // of a line
	askedPageSize = 20     // lines between two stops
)

// askedRequest is a call as it is shown before it is made. What its caller wrote decides neither what is seen first nor what is left out in silence.
type askedRequest struct {
	tool      string
	arguments []askedArgument // what is short first, then by name
}

// askedArgument is one argument: name and value are JSON that a terminal shows as it is.
type askedArgument struct {
	name, value string
}

func (a askedArgument) size() int {
	return utf8.RuneCountInString(a.name) + utf8.RuneCountInString(a.value)
}

// askedRequestOf reads the parameters of a call.
func askedRequestOf(params []byte) (askedRequest, error) {
	n, err := canon.Parse(params)
	if err != nil {
		return askedRequest{}, fmt.Errorf("read the call: %w", err)
	}
	r := askedRequest{tool: shownJSON(canon.Quote(n.Get("name").Text()))}
	if arguments := n.Get("arguments"); arguments.IsObject() {
		for _, m := range arguments.Members {
			r.arguments = append(r.arguments, askedArgument{shownJSON(canon.Quote(m.Name)), shownJSON(m.Value.Canonical())})
		}
	}
	slices.SortStableFunc(r.arguments, func(a, b askedArgument) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), strings.Compare(a.name, b.name))
	})
	return r, nil
}

func shownJSON(text []byte) string { return string(diag.PrintableJSON(text)) }

// size is that of all of it, in characters.
func (r askedRequest) size() int {
	size := utf8.RuneCountInString(r.tool)
	for _, a := range r.arguments {
		size += a.size()
	}
	return size
}

func (r askedRequest) head() string {
	if len(r.arguments) == 0 {
		return "call " + r.tool + " without arguments"
	}
	return fmt.Sprintf("call %s with %s, of %d characters in all", r.tool, counted(len(r.arguments), "argument"), r.size())
}

// whole are the lines of all of it. A line of a value that has several begins with a bar.
func (r askedRequest) whole() []string {
	lines := []string{r.head()}
	for _, a := range r.arguments {
		rest := []rune(a.name + ": " + a.value)
		for begin := "  "; len(rest) > 0; begin = "  | " {
			n := min(len(rest), askedWidth)
			lines, rest = append(lines, begin+string(rest[:n])), rest[n:]
		}
	}
	return lines
}

// glance are the lines of what is short, and how much is left out.
func (r askedRequest) glance() []string {
	lines := []string{r.head()}
	shown := 0
	for i, a := range r.arguments {
		if min(a.size(), maxGlancedAt)+shown > maxGlanced {
			left := askedRequest{arguments: r.arguments[i:]}
			return append(lines, fmt.Sprintf("  not shown: %s more, of %d characters", counted(len(left.arguments), "argument"), left.size()))
		}
		line := a.name + ": " + a.value
		if a.size() > maxGlancedAt {
			line = fmt.Sprintf("%s (the first %d of %d characters)", diag.Shorten(line, maxGlancedAt), maxGlancedAt, a.size())
		}
		lines, shown = append(lines, "  "+line), shown+min(a.size(), maxGlancedAt)
	}
	return lines
}
