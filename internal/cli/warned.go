package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// warns reports a finding of the gate that lets the surface in, and that whoever lets it in has to know of: it concerns security, and nobody
// accepted it.
func warns(f diag.Finding) bool {
	_, ofGate := gate.Rules.Find(f.Rule)
	return ofGate && f.Security && f.Class == diag.Warning && f.Accepted == nil
}

// mostWarnings bounds how many warnings a command has a line for that is not about what the gate thinks; `inspect` has all of them.
const mostWarnings = 20

// inShort takes the warnings out of a report, for the text of a command that lets a surface in: a line each.
func inShort(r diag.Report) (rest diag.Report, lines []string) {
	var kept []diag.Finding
	for _, f := range r.Findings {
		if !warns(f) {
			kept = append(kept, f)
			continue
		}
		line := "warning  " + f.Rule + " [security]  "
		if f.Server != "" {
			line += brief(f.Server) + ": "
		}
		lines = append(lines, line+diag.Shorten(diag.Printable(f.Message), 200))
	}
	rest = diag.NewReport(r.Report, kept)
	rest.Servers = r.Servers
	return rest, lines
}

// writeWarnings writes what inShort took out, no more than so many lines, and where to read more.
func writeWarnings(w io.Writer, lines []string, look string) {
	for _, line := range lines[:min(mostWarnings, len(lines))] {
		fmt.Fprintln(w, line)
	}
	if more := len(lines) - mostWarnings; more > 0 {
		fmt.Fprintf(w, "and %s more that %s security\n", counted(more, "warning"), map[bool]string{true: "concerns", false: "concern"}[more == 1])
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "         -> read them before you approve anything: %s\n", look)
	}
}

// concerns are the rules with an open concern of security in each tool, by its name.
type concerns map[string][]string

func concernsOf(v gate.Verdict) concerns {
	open := concerns{}
	for subject, gists := range v.About {
		name, isTool := strings.CutPrefix(subject, string(surface.Tool)+"/")
		for _, g := range gists {
			if isTool && g.Open() && !slices.Contains(open[name], g.Rule) {
				open[name] = append(open[name], g.Rule)
			}
		}
	}
	return open
}

// concernsIn are those among findings.
func concernsIn(findings []diag.Finding) concerns {
	open := concerns{}
	for _, f := range findings {
		if name := toolOf(f); warns(f) && !slices.Contains(open[name], f.Rule) {
			open[name] = append(open[name], f.Rule)
		}
	}
	return open
}

// of tells what is found in the tool of an operation; "" for nothing.
func (c concerns) of(o air.Operation) string { return strings.Join(c[o.MCP.ToolName], ", ") }

const passedOver = "not approved"

// tell writes the operations that were approved in spite of what is found in their tools, and those that were passed over for it.
func (c concerns) tell(w io.Writer, chosen, skipped []air.Operation, dir string) {
	told, warned := 0, false
	list := func(operations []air.Operation, how string) {
		for _, o := range operations {
			why := "the gate warns of its security (" + c.of(o) + ")"
			switch {
			case c.of(o) != "":
				warned = true
			case o.Lapsed != nil && how == passedOver:
				why = "it has changed since it was approved; see what changed with `anvil mcp review " + diag.ShellPath(dir) + "`"
			default:
				continue
			}
			if told++; told <= mostWarnings {
				fmt.Fprintf(w, "%s %s: %s\n", how, brief(o.MCP.ToolName), why)
			}
		}
	}
	list(skipped, passedOver)
	list(chosen, "approved in spite of warnings")
	if more := told - mostWarnings; more > 0 {
		fmt.Fprintf(w, "and %s more\n", counted(more, "operation"))
	}
	var advice []string
	if warned {
		advice = append(advice, "read them with `anvil mcp inspect "+diag.ShellPath(dir)+"`")
	}
	if len(skipped) > 0 {
		advice = append(advice, "naming an operation approves it all the same")
	}
	if told > 0 {
		fmt.Fprintf(w, "         -> %s\n", strings.Join(advice, "; "))
	}
}
