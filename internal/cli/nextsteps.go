package cli

import (
	"fmt"
	"io"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/internal/config"
)

// step is something to do next, and the command for it. Words in capitals are for the user to fill in.
type step struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// nextSteps are what a user would do after an inspection, the most likely first.
func nextSteps(c *cli.Context, t config.Target, seen observed, v inspection) []step {
	steps := []step{}
	if rule := firstError(v.Report); rule != "" { // what the gate refuses can be neither adopted nor committed
		return append(steps, nextForError(rule))
	}
	switch t.Kind {
	case config.KindPack:
		return append(steps, nextForPack(diag.ShellPath(t.Path), seen.pack.Manifest.Mode, v.Surface.Tools)...)
	case config.KindSnapshot:
		return append(steps, step{"write a pack from it", "anvil mcp adopt --mode adopt --out DIR " + diag.ShellPath(t.Path)})
	}
	adopt, commit := "anvil mcp adopt --mode facade --out DIR", "anvil mcp snapshot --name NAME"
	switch {
	case t.Kind != config.KindName:
	case len(t.Server.HeaderFlags()) > 0: // which check does not take
		adopt, commit = adopt+configWords(c), "anvil mcp snapshot --name "+diag.ShellArg(t.Server.Name, "NAME")+configWords(c)
	default:
		adopt, commit = adopt+configWords(c), "anvil mcp check --update"+configWords(c)
	}
	return append(steps,
		step{"run it behind anvil, approved tools only", adopt + " " + shellTarget(t)},
		step{"commit its surface, so that CI sees it drift", commit + " " + shellTarget(t)})
}

// configWords repeat the configuration that was named, with a blank before them.
func configWords(c *cli.Context) string {
	if path := c.String("config"); path != "" {
		return " --config " + diag.ShellPath(path)
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

// nextForPack says how to approve what is not, and to serve what is.
func nextForPack(path string, mode pack.Mode, tools []toolView) []step {
	var steps []step
	approved, reads, open := false, false, ""
	for _, t := range tools {
		switch {
		case t.State == string(air.StateApproved):
			approved = true
		case t.Effect == "read, unverified":
			reads = true
		case open == "":
			open = t.Operation
		}
	}
	if reads {
		steps = append(steps, step{"approve the tools that only read", "anvil mcp approve " + path + " --read-only"})
	}
	if open != "" {
		steps = append(steps, step{"approve a tool that may change something", "anvil mcp approve " + path + " " + diag.ShellArg(open, "OPERATION")})
	}
	if approved && mode == pack.Facade {
		steps = append(steps, step{"give the facade to your agent host", "anvil mcp serve " + path})
	}
	return steps
}

func writeNext(w io.Writer, steps []step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnext:\n")
	for _, s := range steps {
		fmt.Fprintf(w, "  %s  # %s\n", s.Command, s.What)
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
