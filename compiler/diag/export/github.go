package export

import (
	"bytes"
	"fmt"
	"strings"

	"anvil/compiler/diag"
)

// GitHub returns the report as workflow commands, one line for each finding and each server that could not be looked at: in a workflow's log they
// become annotations. What makes the command fail is an error, what somebody lets pass a notice, everything else a warning or a notice; the last line sums up. Nothing that a
// server says begins a line.
func GitHub(r diag.Report, t Tool) []byte {
	var b bytes.Buffer
	for _, s := range r.Servers {
		if t.broken(s) {
			t.annotate(&b, "error", s.Server, s.State, shown(s.Server)+": "+shown(s.Message))
		}
	}
	for _, group := range t.grouped(r.Findings) {
		f := group[0]
		where := place(f)
		if f.Server != "" {
			where = shown(f.Server) + ": " + where
		}
		t.annotate(&b, t.command(f), f.Server, f.Rule, where+": "+strings.Join(details(group), "\n"))
	}
	fmt.Fprintf(&b, "%s %s: %s\n", shown(t.Name), shown(r.Report), r.Line(t.unchecked))
	return b.Bytes()
}

// annotate writes one workflow command. text is fit to be shown.
func (t Tool) annotate(b *bytes.Buffer, command, server, title, text string) {
	fmt.Fprintf(b, "::%s file=%s,title=%s::%s\n", command, githubProperty(t.artifact(server)), githubProperty(t.Name+": "+title), githubText(text))
}

func (t Tool) command(f diag.Finding) string {
	switch {
	case t.fails(f):
		return "error"
	case level(f) == "note":
		return "notice"
	}
	return "warning"
}

var (
	githubEscapes         = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubPropertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubText(s string) string     { return githubEscapes.Replace(s) }
func githubProperty(s string) string { return githubPropertyEscapes.Replace(shown(s)) }
