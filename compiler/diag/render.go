package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// JSON returns the report in its stable JSON form.
func (r Report) JSON() ([]byte, error) { return canon.Encode(r) }

// Line returns the summary in one line: "2 errors, 1 warning", or "no findings".
func (s Summary) Line() string {
	var parts []string
	for _, c := range []Class{Error, Breaking, Risky, Warning, Safe, Info} {
		if n := s.Counts[c]; n > 0 {
			parts = append(parts, counted(n, c))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	line := strings.Join(parts, ", ")
	var of []string
	if s.Security > 0 {
		of = append(of, fmt.Sprintf("%d concerning security", s.Security))
	}
	if s.Accepted > 0 {
		of = append(of, fmt.Sprintf("%d let pass", s.Accepted))
	}
	if of != nil {
		line += " (" + strings.Join(of, ", ") + ")"
	}
	return line
}

func counted(n int, c Class) string {
	word := string(c)
	if n > 1 && (c == Error || c == Warning) {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// WriteText writes the findings for a person, two lines each at most: class, rule, place and sentence, then what to do. Findings that differ in
// their axis alone are shown as one. A terminal sees no control character of a server's. It returns the first error of w.
func (r Report) WriteText(w io.Writer) error {
	ew := &errWriter{w: w}
	for _, group := range byAxis(r.Findings) {
		writeGroup(ew, group, plain)
	}
	return ew.err
}

// writeGroup writes the lines of one finding.
func writeGroup(ew *errWriter, group []Finding, p painter) {
	f := group[0]
	ew.printf("%s\n", headLine(f, Shorten(Printable(f.place()), placeWidth), p))
	ew.printf("         %s\n", Shorten(Printable(f.Message), messageWidth))
	for _, line := range []string{axesOf(group), f.acceptance()} {
		if line != "" {
			ew.printf("         %s\n", line)
		}
	}
	f.writeChange(ew)
	if line := f.proof(); line != "" {
		ew.printf("         %s\n", line)
	}
	f.writeAdvice(ew)
}

// headLine is the first line of a finding: its class, padded, its rule and its place.
func headLine(f Finding, place string, p painter) string {
	mark := ""
	if f.Security {
		mark = " " + p.security("[security]")
	}
	return p.class(f.Class, fmt.Sprintf("%-8s", f.Class)) + " " + f.Rule + mark + "  " + place
}

// writeAdvice writes what of a pack is touched, and what to do.
func (f Finding) writeAdvice(ew *errWriter) {
	if line := AffectsLine(f.Affects); line != "" {
		ew.printf("         affects: %s\n", line)
	}
	if f.Hint != "" {
		ew.printf("         -> %s\n", Printable(f.Hint))
	}
}

// byAxis gathers the findings that say the same of the same place on several axes, the worst first and otherwise in their order.
func byAxis(findings []Finding) [][]Finding {
	type same struct{ rule, class, server, subject, pointer, message, hint string }
	at := map[same]int{}
	var groups [][]Finding
	for _, f := range findings {
		key := same{f.Rule, string(f.Class), f.Server, f.Subject, f.Pointer, f.Message, f.Hint}
		i, there := at[key]
		if !there || f.Axis == "" {
			at[key] = len(groups)
			groups = append(groups, []Finding{f})
			continue
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []Finding) int { return b[0].Class.Rank() - a[0].Class.Rank() })
	return groups
}

// acceptance says who let a finding pass, which is whoever wrote the reason.
func (f Finding) acceptance() string {
	if f.Accepted == nil {
		return ""
	}
	return Printable("accepted until " + f.Accepted.Until + ": " + f.Accepted.Reason)
}

// radii say in words what a violation takes down.
var radii = map[string]string{"tool": "this tool", "server": "all tools of the server", "client": "every request of the client"}

// axesOf says on which axes a finding stands, what it takes down where it is refused, and how old the limit is.
func axesOf(group []Finding) string {
	var parts []string
	for _, f := range group {
		if f.Axis == "" {
			return ""
		}
		part := f.Axis
		if f.Radius != "" && f.Refuses {
			part += " (takes down " + radii[f.Radius] + ")"
		}
		parts = append(parts, part)
	}
	text := "on " + strings.Join(parts, ", ")
	if group[0].Confirmed != "" {
		text += "; as of " + group[0].Confirmed
	}
	return text
}

// Servers choose names, and names stand in places and messages: these are how many characters of each the text report shows.
const (
	placeWidth   = 300
	messageWidth = 1000
)

// writeChange shows what a difference was and is.
func (f Finding) writeChange(ew *errWriter) {
	for _, line := range f.sides(ew.whole) {
		ew.printf("         %s\n", line)
	}
}

// maxWitness is how many bytes of a witness the text report shows; half a call proves nothing.
const maxWitness = 4000

// proof is the line that shows a witness, with the call to try where it is one.
func (f Finding) proof() string {
	call, ok := f.Call()
	switch {
	case f.Witness == nil:
		return ""
	case len(f.Witness) > maxWitness:
		return fmt.Sprintf("(a witness of %d bytes is in the JSON report)", len(f.Witness))
	case !ok:
		return f.instance() + ": " + string(PrintableJSON(f.Witness))
	}
	return f.proven() + ": " + call
}

// differs reports a finding about a difference of two surfaces; any other is about one.
func (f Finding) differs() bool { return slices.Contains([]Class{Breaking, Risky, Safe}, f.Class) }

// instance says what a witness is that is no call.
func (f Finding) instance() string {
	if f.differs() {
		return "a result that could not be before"
	}
	return "found in"
}

// proven says what the call of a witness shows: that of the schemas, not of the server, whose ids and files the witness does not know.
func (f Finding) proven() string {
	text := "the schema allowed it before and refuses it now"
	if !f.ReadOnly {
		text += "; the call runs the tool"
	}
	return text
}

// Call returns the command that sends the witness of f, where it is a call: one for a shell, whatever the server's names are. Without a configured
// name the server is SERVER, to be filled in.
func (f Finding) Call() (command string, ok bool) {
	if !f.differs() || len(f.Witness) == 0 || f.Witness[0] != '{' || f.Tool == "" || strings.HasPrefix(f.Pointer, "/outputSchema") {
		return "", false
	}
	server := "SERVER"
	if f.Server != "" {
		server = ShellArg(Printable(f.Server), "SERVER")
	}
	tool := ShellWord(Printable(f.Tool))
	if strings.HasPrefix(f.Tool, "-") { // which would be a flag
		tool = "--tool=" + tool
	}
	return "anvil mcp call " + server + " " + tool + " --json " + quote(string(PrintableJSON(f.Witness))), true
}

// quote spells s in single quotes, for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// sides are the lines that show a difference: what was, behind a minus, and what is, behind a plus; then what of them is left out. Findings that are no
// difference have none.
func (f Finding) sides(whole bool) []string {
	if !f.differs() {
		return nil
	}
	before, after := Printable(string(f.Before)), Printable(string(f.After))
	var left leftOut
	switch {
	case whole:
	case f.Before == nil:
		after, left = alone(after, sideWidth)
	case f.After == nil:
		before, left = alone(before, shortText) // what is gone misleads nobody
	default:
		before, after, left = excerpts(before, after, sideWidth)
	}
	var lines []string
	if before != "" {
		lines = append(lines, "- "+before)
	}
	if after != "" {
		lines = append(lines, "+ "+after)
	}
	if line := left.line(wholeTexts); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// wholeTexts is where both sides of every difference are whole.
const wholeTexts = "--format json"

// Shorten cuts s to at most limit characters, marking the cut.
func Shorten(s string, limit int) string {
	n, cut := 0, 0
	for i := range s {
		if n++; n == limit {
			cut = i
		} else if n > limit {
			return s[:cut] + "…"
		}
	}
	return s
}

// place returns where a finding is: server, subject and pointer, as far as they are given.
func (f Finding) place() string {
	place := f.Subject
	if f.Server != "" {
		place = strings.TrimSuffix(f.Server+": "+f.Subject, ": ")
	}
	if f.Pointer != "" {
		place += " " + f.Pointer
	}
	return place
}

// errWriter keeps the first error, so that a renderer can write on and report it once.
type errWriter struct {
	w     io.Writer
	whole bool // both sides of a difference are written whole, however long
	err   error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
