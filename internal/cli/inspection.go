package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// inspection is the report of inspect: the common shape, and the surface in short.
type inspection struct {
	diag.Report
	Surface surfaceView `json:"surface"`
	next    string
}

type surfaceView struct {
	Name            string         `json:"name"`
	Version         string         `json:"version"`
	Endpoint        string         `json:"endpoint"`
	Transport       string         `json:"transport"`
	Era             string         `json:"era"`
	ProtocolVersion string         `json:"protocolVersion"`
	ClientProfile   string         `json:"clientProfile"`
	Capabilities    []string       `json:"capabilities"`
	Instructions    int            `json:"instructions"` // characters
	Digest          string         `json:"digest"`
	Counts          map[string]int `json:"counts"` // items per list
	Tools           []toolView     `json:"tools"`
}

type toolView struct {
	Name      string   `json:"name"`
	Operation string   `json:"operation"` // the id to approve or call it by
	Effect    string   `json:"effect"`    // what is inferred, not what is claimed
	Risk      string   `json:"risk"`
	Arguments []string `json:"arguments"`      // required ones end in "*"
	Hints     []string `json:"hints"`          // as the server sent them
	State     string   `json:"state,omitzero"` // in a pack: approved, or why not
	Digest    string   `json:"digest"`
}

func newInspection(seen observed, v gate.Verdict, d air.Document) inspection {
	s := seen.snapshot
	view := inspection{
		Report: diag.NewReport("inspect", append(v.Findings, adopt.Doubts(d.Diagnostics)...)),
		Surface: surfaceView{
			Name: s.ServerName(), Version: s.ServerVersion(), Endpoint: s.Endpoint, Transport: s.Transport, Era: s.Era,
			ProtocolVersion: s.ProtocolVersion, ClientProfile: s.ClientProfile, Capabilities: memberNames(s.Capabilities),
			Instructions: len([]rune(s.Instructions.Text())), Digest: s.Digest, Counts: map[string]int{}, Tools: []toolView{},
		},
	}
	for _, kind := range surface.Kinds {
		view.Surface.Counts[kind.List()] = len(s.Items[kind])
	}
	for _, o := range d.Operations {
		if it, ok := s.Find(surface.Tool, o.MCP.ToolName); ok {
			view.Surface.Tools = append(view.Surface.Tools, newToolView(it, o))
			if seen.pack != nil {
				view.Surface.Tools[len(view.Surface.Tools)-1].State = string(o.State)
			}
		}
	}
	slices.SortStableFunc(view.Surface.Tools, func(a, b toolView) int { return strings.Compare(a.Name, b.Name) })
	return view
}

func newToolView(it surface.Item, o air.Operation) toolView {
	return toolView{
		Name: it.Name, Operation: o.ID, Effect: effectWords(o), Risk: string(o.Effect.Risk), Arguments: arguments(it.Node.Get("inputSchema")),
		Hints: hints(it.Node.Get("annotations")), Digest: it.Digest,
	}
}

// effectWords says in a word or two what a tool is taken to do.
func effectWords(o air.Operation) string {
	if o.Effect.Kind == air.Read {
		if o.State != air.StateApproved && o.Confirmation.Required {
			return "read, unverified"
		}
		return "read"
	}
	return string(o.Effect.Kind)
}

func memberNames(n *canon.Node) []string {
	names := []string{}
	if n != nil {
		for _, m := range n.Members {
			names = append(names, m.Name)
		}
	}
	return names
}

func arguments(root *canon.Node) []string {
	required := map[string]bool{}
	for _, r := range root.Get("required").Elements() {
		required[r.Text()] = true
	}
	names := memberNames(root.Get("properties"))
	for i, name := range names {
		if required[name] {
			names[i] = name + "*"
		}
	}
	return names
}

func hints(annotations *canon.Node) []string {
	out := []string{}
	if annotations == nil {
		return out
	}
	for _, m := range annotations.Members {
		if v, ok := m.Value.Bool(); ok {
			out = append(out, fmt.Sprintf("%s=%v", strings.TrimSuffix(m.Name, "Hint"), v))
		}
	}
	return out
}

func (v inspection) render(format string) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case "json", "yaml":
		return reportBytes(v, format)
	case "markdown":
		err := v.writeMarkdown(&b)
		return b.Bytes(), err
	}
	err := v.writeText(&b)
	return b.Bytes(), err
}

func (v inspection) writeText(w io.Writer) error {
	if err := v.Surface.writeText(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", v.Summary.Line())
	if err := v.WriteText(w); err != nil {
		return err
	}
	if v.next != "" {
		fmt.Fprintf(w, "\nnext: %s\n", v.next)
	}
	return nil
}

func (s surfaceView) writeText(w io.Writer) error {
	fmt.Fprintf(w, "%s %s\n", brief(orUnnamed(s.Name)), brief(s.Version))
	fmt.Fprintf(w, "  reached by    %s\n", diag.Printable(s.Endpoint))
	fmt.Fprintf(w, "  protocol      %s, %s era, over %s, asked as a %s client\n", diag.Printable(s.ProtocolVersion), s.Era, s.Transport, s.ClientProfile)
	fmt.Fprintf(w, "  capabilities  %s\n", diag.Printable(orNone(strings.Join(s.Capabilities, ", "))))
	fmt.Fprintf(w, "  lists         %s\n", listCounts(s.Counts))
	if s.Instructions > 0 {
		fmt.Fprintf(w, "  instructions  %s\n", counted(s.Instructions, "character"))
	}
	fmt.Fprintf(w, "  digest        %s\n", s.Digest)
	if len(s.Tools) > 0 {
		fmt.Fprintln(w)
		return writeToolTable(w, s.Tools)
	}
	return nil
}

// listCounts says how many items each list of a surface has.
func listCounts(counts map[string]int) string {
	return fmt.Sprintf("%s, %s, %s, %s", counted(counts["tools"], "tool"), counted(counts["resources"], "resource"),
		counted(counts["resourceTemplates"], "template"), counted(counts["prompts"], "prompt"))
}

func writeToolTable(w io.Writer, tools []toolView) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	state := func(s string) string {
		if tools[0].State == "" {
			return ""
		}
		return s + "\t"
	}
	fmt.Fprintf(t, "TOOL\tEFFECT\tRISK\t%sARGUMENTS\tHINTS\n", state("STATE"))
	for _, tool := range tools {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s\t%s\n", tool.cell(), tool.Effect, tool.Risk, state(tool.State),
			diag.Printable(shorten(strings.Join(tool.Arguments, " "), 60)), diag.Printable(shorten(strings.Join(tool.Hints, " "), maxCell)))
	}
	return t.Flush()
}

// maxCell bounds what a server chose in one cell of a table, in characters: every row is as wide as the widest.
const maxCell = 80

func brief(text string) string {
	if text == "" {
		return ""
	}
	return shorten(diag.Printable(text), maxCell)
}

// cell is the tool's name in a table, and the id to give to a command where the name is not fit for one.
func (t toolView) cell() string {
	if diag.ShellArg(t.Name, t.Operation) == t.Name {
		return brief(t.Name)
	}
	return brief(t.Name) + " (" + t.Operation + ")"
}

func (v inspection) writeMarkdown(w io.Writer) error {
	if err := v.Surface.writeMarkdown(w); err != nil {
		return err
	}
	return v.WriteMarkdown(w)
}

func (s surfaceView) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# %s %s\n\n| | |\n|---|---|\n", diag.MarkdownText(brief(orUnnamed(s.Name))), diag.MarkdownText(brief(s.Version)))
	for _, fact := range [][2]string{
		{"reached by", s.Endpoint},
		{"protocol", fmt.Sprintf("%s, %s era, over %s, asked as a %s client", s.ProtocolVersion, s.Era, s.Transport, s.ClientProfile)},
		{"capabilities", orNone(strings.Join(s.Capabilities, ", "))},
		{"lists", listCounts(s.Counts)},
		{"instructions", counted(s.Instructions, "character")},
		{"digest", s.Digest},
	} {
		fmt.Fprintf(w, "| %s | %s |\n", fact[0], diag.MarkdownText(fact[1]))
	}
	if len(s.Tools) > 0 {
		fmt.Fprintf(w, "\n| tool | effect | risk | state | arguments | hints | digest |\n|---|---|---|---|---|---|---|\n")
	}
	for _, t := range s.Tools {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", diag.MarkdownText(t.cell()), t.Effect, t.Risk, diag.MarkdownText(orDash(t.State)),
			diag.MarkdownText(shorten(strings.Join(t.Arguments, " "), 4*maxCell)), diag.MarkdownText(shorten(strings.Join(t.Hints, " "), maxCell)), t.Digest)
	}
	_, err := fmt.Fprintln(w)
	return err
}
