package cli

import (
	"fmt"
	"io"
	"strings"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/tokens"
)

// sheet is the inspection as it is printed.
func (v inspection) sheet(threshold diag.Threshold) sheet {
	return sheet{
		Report: v.Report, value: v, threshold: threshold, next: v.Next, markdown: v.Surface.writeMarkdown,
		text: func(w io.Writer) error {
			if err := v.Surface.writeText(w); err != nil {
				return err
			}
			return writeSummary(w, v.Report)
		},
	}
}

// writeSummary counts the findings that are shown.
func writeSummary(w io.Writer, r diag.Report) error {
	shown, _ := aside(r)
	_, err := fmt.Fprintf(w, "\n%s\n", shown.Summary.Line())
	return err
}

func (s surfaceView) writeText(w io.Writer) error {
	fmt.Fprintf(w, "%s %s\n", brief(orUnnamed(s.Name)), brief(s.Version))
	fmt.Fprintf(w, "  reached by    %s\n", diag.Printable(s.Endpoint))
	fmt.Fprintf(w, "  protocol      %s, %s era, over %s, asked as a %s client\n", diag.Printable(s.ProtocolVersion), diag.Printable(s.Era), diag.Printable(s.Transport), diag.Printable(s.ClientProfile))
	if compared := s.compared(); compared != "" {
		fmt.Fprintf(w, "  compared      %s\n", compared)
	}
	fmt.Fprintf(w, "  capabilities  %s\n", diag.Printable(orNone(strings.Join(s.Capabilities, ", "))))
	fmt.Fprintf(w, "  lists         %s\n", listCounts(s.Counts))
	if s.Instructions > 0 {
		fmt.Fprintf(w, "  instructions  %s\n", counted(s.Instructions, "character"))
	}
	fmt.Fprintf(w, "  digest        %s\n", s.Digest)
	fmt.Fprintf(w, "  tokens        %s\n", s.Tokens)
	if len(s.Tools) > 0 {
		fmt.Fprintln(w)
		if err := writeToolTable(w, s.Tools); err != nil {
			return err
		}
		writeBlocks(w, s.Tools)
		writeCosts(w, s.Costs)
	}
	fmt.Fprintln(w)
	writeClients(w, s.Spec, s.Clients)
	return nil
}

// String says how many tokens go where, and by whose count.
func (t tokenView) String() string {
	text := counted(t.Tools, "token") + " for tools"
	if t.Instructions > 0 {
		text += fmt.Sprintf(", %d for instructions", t.Instructions)
	}
	text += " (" + t.Estimator
	if t.Partial {
		text += fmt.Sprintf("; beyond %d MiB by length", tokens.Budget>>20)
	}
	return text + ")"
}

// compared says what captures the surface was compared with; the findings tell what differed.
func (s surfaceView) compared() string {
	var parts []string
	if s.Captures > 1 {
		parts = append(parts, fmt.Sprintf("%d captures", s.Captures))
	}
	if s.ComparedWith != "" {
		parts = append(parts, "with what a "+s.ComparedWith+" client is shown")
	}
	return strings.Join(parts, ", and ")
}

// listCounts says how many items each list of a surface has.
func listCounts(counts map[string]int) string {
	return fmt.Sprintf("%s, %s, %s, %s", counted(counts["tools"], "tool"), counted(counts["resources"], "resource"),
		counted(counts["resourceTemplates"], "template"), counted(counts["prompts"], "prompt"))
}

func writeToolTable(w io.Writer, tools []toolView) error {
	t := diag.NewTable(w)
	state := func(s string) string {
		if tools[0].State == "" {
			return ""
		}
		return s + "\t"
	}
	fmt.Fprintf(t, "TOOL\tEFFECT\tRISK\t%sTOKENS\tARGUMENTS\tHINTS\tFLAGS\n", state("STATE"))
	for _, tool := range tools {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%d\t%s\t%s\t%s\n", tool.cell(), tool.Effect, tool.Risk, state(tool.State), tool.Tokens,
			cellOf(tool.Arguments, maxCell), cellOf(tool.Hints, maxCell), cellOf(tool.Flags, maxCell))
	}
	return t.Flush()
}

// writeBlocks tells who blocked which tool, and why.
func writeBlocks(w io.Writer, tools []toolView) {
	for _, t := range tools {
		if t.Block != "" {
			fmt.Fprintf(w, "blocked: %s %s\n", t.cell(), t.Block)
		}
	}
}

// mostCostly is how many tools the table of costs has; JSON has all of them.
const mostCostly = 5

// writeCosts tells what costs most, when there is more than a table of tools tells.
func writeCosts(w io.Writer, costs gate.Costs) {
	if len(costs.Tools) < 2 {
		return
	}
	fmt.Fprintf(w, "\nwhat costs most (%s)\n", costs.Estimator)
	for _, c := range costs.Tools[:min(mostCostly, len(costs.Tools))] {
		var parts []string
		for _, p := range c.Parts[:min(3, len(c.Parts))] {
			parts = append(parts, fmt.Sprintf("%s %d", p.Part, p.Tokens))
		}
		fmt.Fprintf(w, "  %5d  %4.1f %%  %s: %s\n", c.Tokens, 100*c.Share, brief(c.Tool), strings.Join(parts, ", "))
	}
	if costs.OutputSchemas > 0 {
		fmt.Fprintf(w, "  %5d  more for output schemas, where a client hands them to its model\n", costs.OutputSchemas)
	}
}

// maxCell bounds what a server chose in one cell of a table, in characters: every row is as wide as the widest.
const maxCell = 80

// cellOf is a list in a cell of a table.
func cellOf[T any](list []T, limit int) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return diag.Printable(orDash(diag.Shorten(strings.Join(words, " "), limit)))
}

func brief(text string) string {
	if text == "" {
		return ""
	}
	return orDash(diag.Shorten(diag.Printable(text), maxCell))
}

// cell is the tool's name in a table, and the id to give to a command where the name is not fit for one.
func (t toolView) cell() string {
	if diag.ShellArg(t.Name, t.Operation) == t.Name {
		return brief(t.Name)
	}
	return brief(t.Name) + " (" + t.Operation + ")"
}

func (s surfaceView) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# %s %s\n\n| | |\n|---|---|\n", diag.MarkdownText(brief(orUnnamed(s.Name))), diag.MarkdownText(brief(s.Version)))
	for _, fact := range [][2]string{
		{"reached by", s.Endpoint},
		{"protocol", fmt.Sprintf("%s, %s era, over %s, asked as a %s client", s.ProtocolVersion, s.Era, s.Transport, s.ClientProfile)},
		{"compared", orDash(s.compared())},
		{"capabilities", orNone(strings.Join(s.Capabilities, ", "))},
		{"lists", listCounts(s.Counts)},
		{"instructions", counted(s.Instructions, "character")},
		{"digest", s.Digest},
		{"tokens", s.Tokens.String()},
	} {
		fmt.Fprintf(w, "| %s | %s |\n", fact[0], diag.MarkdownText(fact[1]))
	}
	if len(s.Tools) > 0 {
		fmt.Fprintf(w, "\n| tool | effect | risk | state | tokens | arguments | hints | flags | digest |\n|---|---|---|---|--:|---|---|---|---|\n")
	}
	for _, t := range s.Tools {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %s | %s | %s | %s |\n", diag.MarkdownText(t.cell()), t.Effect, t.Risk, diag.MarkdownText(orDash(t.State)), t.Tokens,
			diag.MarkdownText(cellOf(t.Arguments, 4*maxCell)), diag.MarkdownText(cellOf(t.Hints, maxCell)), diag.MarkdownText(cellOf(t.Flags, maxCell)), t.Digest)
	}
	writeClientsMarkdown(w, s.Spec, s.Clients)
	_, err := fmt.Fprintln(w)
	return err
}
