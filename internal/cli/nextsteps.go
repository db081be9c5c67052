package cli

import (
	"fmt"
	"io"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

// step is something to do next, and the command for it. Words in capitals are for the user to fill in.
type step struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// nextSteps are what a user would do after an inspection, the most likely first.
func nextSteps(c *cli.Context, t config.Target, seen observed, v inspection) []step {
	if rule := firstError(v.Report); rule != "" { // what the gate refuses can be neither adopted nor committed
		return []step{nextForError(rule)}
	}
	switch t.Kind {
	case config.KindPack:
		return nextForPack(diag.ShellPath(t.Path), seen.pack.Manifest.Mode, v.Surface.Tools)
	case config.KindSnapshot:
		return []step{{"write a pack from it", "anvil mcp adopt --mode adopt --out DIR " + diag.ShellPath(t.Path)}}
	}
	asked := repeated(c, "as") + repeated(c, "transport")
	adopt := "anvil mcp adopt --mode facade --out DIR" + asked
	commit, what := "anvil mcp snapshot --name NAME"+asked, "commit its surface; name it in anvil.yaml too, so that CI sees it drift"
	if t.Kind == config.KindName {
		adopt += repeated(c, "config")
		commit, what = "anvil mcp snapshot"+asked+repeated(c, "config"), "commit its surface, so that CI sees it drift"
		if surface.CheckName(t.Server.Name) != nil {
			commit += " --name NAME"
		}
	}
	if t.Kind == config.KindName && isCommitted(t.Server.Name) {
		commit, what = "anvil mcp check"+repeated(c, "as")+repeated(c, "config"), "compare it with the snapshot that is committed"
	}
	return []step{{"run it behind anvil, approved tools only", adopt + " " + shellTarget(t)}, {what, commit + " " + shellTarget(t)}}
}

// repeated is a flag as it was given, with a blank before it; "" when it was not.
func repeated(c *cli.Context, flag string) string {
	if value := c.String(flag); c.IsSet(flag) && value != "" {
		return " --" + flag + " " + diag.ShellPath(value)
	}
	return ""
}

func nextForError(rule string) step {
	return step{"read what is wrong and how it is fixed", "anvil rules " + diag.ShellArg(rule, "ID")}
}

func firstError(r diag.Report) string {
	for _, f := range r.Findings {
		if f.Class == diag.Error {
			return f.Rule
		}
	}
	return ""
}

// standings are what nextForPack looks at of the operations of a document.
func standings(d air.Document, c concerns) []toolView {
	var tools []toolView
	for _, o := range d.Operations {
		tools = append(tools, toolView{Operation: o.ID, state: o.State, reads: o.Effect.Kind == air.Read, byKind: byKind(o, c.of(o) != "")})
	}
	return tools
}

// byKind reports an operation that `approve --read-only` takes.
func byKind(o air.Operation, concern bool) bool {
	return o.Effect.Kind == air.Read && o.Reads() && o.Lapsed == nil && !concern
}

// nextForPack says how to decide what nobody has decided on, and to serve and certify what is approved.
func nextForPack(path string, mode pack.Mode, tools []toolView) []step {
	steps := []step{}
	approved, reads, looked, open := false, false, false, ""
	for _, t := range tools {
		switch {
		case t.state == air.StateApproved:
			approved = true
		case t.state != air.StateGenerated && t.state != air.StateReviewRequired: // blocked
		case t.byKind:
			reads = true
		case t.reads: // it is passed over, for a reason that review tells
			looked = true
		case open == "":
			open = t.Operation
		}
	}
	if approved && mode == pack.Facade {
		steps = append(steps, step{"give the facade to your agent host", "anvil mcp serve " + path})
	}
	if reads || looked || open != "" {
		steps = append(steps, step{"look at each tool and decide", "anvil mcp review " + path})
	}
	if reads {
		steps = append(steps, step{"approve the tools that only read", "anvil mcp approve " + path + " --read-only"})
	}
	if open != "" {
		steps = append(steps, step{"approve a tool that may change something", "anvil mcp approve " + path + " " + diag.ShellArg(open, "OPERATION")})
	}
	if approved {
		steps = append(steps, step{"write down what was checked of it, and sign it with --key FILE", "anvil mcp certify " + path})
	}
	return steps
}

func writeNext(w io.Writer, steps []step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnext:\n")
	for _, s := range steps {
		fmt.Fprintf(w, "  %s  # %s\n", diag.Printable(s.Command), s.What)
	}
}

func writeNextMarkdown(w io.Writer, steps []step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Next\n\n")
	for _, s := range steps {
		fmt.Fprintf(w, "%s:\n\n    %s\n\n", s.What, diag.Printable(s.Command))
	}
}
