package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

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
	Effect    string   `json:"effect"` // what is inferred, not what is claimed
	Risk      string   `json:"risk"`
	Arguments []string `json:"arguments"` // required ones end in "*"
	Hints     []string `json:"hints"`     // as the server sent them
	Digest    string   `json:"digest"`
}

func newInspection(seen observed, v gate.Verdict, d air.Document) inspection {
	s := seen.snapshot
	view := inspection{
		Report: diag.NewReport("inspect", append(v.Findings, d.Diagnostics...)),
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
		}
	}
	slices.SortStableFunc(view.Surface.Tools, func(a, b toolView) int { return strings.Compare(a.Name, b.Name) })
	return view
}

func newToolView(it surface.Item, o air.Operation) toolView {
	return toolView{
		Name: it.Name, Effect: effectWords(o), Risk: string(o.Effect.Risk), Arguments: arguments(it.Node.Get("inputSchema")),
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
	s := v.Surface
	fmt.Fprintf(w, "%s %s\n", diag.Printable(orUnnamed(s.Name)), diag.Printable(s.Version))
	fmt.Fprintf(w, "  reached by    %s\n", diag.Printable(s.Endpoint))
	fmt.Fprintf(w, "  protocol      %s, %s era, over %s, asked as a %s client\n", diag.Printable(s.ProtocolVersion), s.Era, s.Transport, s.ClientProfile)
	fmt.Fprintf(w, "  capabilities  %s\n", diag.Printable(orNone(strings.Join(s.Capabilities, ", "))))
	fmt.Fprintf(w, "  lists         %d tools, %d resources, %d templates, %d prompts\n", s.Counts["tools"], s.Counts["resources"], s.Counts["resourceTemplates"], s.Counts["prompts"])
	if s.Instructions > 0 {
		fmt.Fprintf(w, "  instructions  %d characters\n", s.Instructions)
	}
	fmt.Fprintf(w, "  digest        %s\n", s.Digest)
	if len(s.Tools) > 0 {
		fmt.Fprintln(w)
		if err := writeToolTable(w, s.Tools); err != nil {
			return err
		}
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

func orUnnamed(name string) string {
	if name == "" {
		return "(a server without a name)"
	}
	return name
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func writeToolTable(w io.Writer, tools []toolView) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "TOOL\tEFFECT\tRISK\tARGUMENTS\tHINTS")
	for _, tool := range tools {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", diag.Printable(tool.Name), tool.Effect, tool.Risk,
			diag.Printable(shorten(strings.Join(tool.Arguments, " "), 60)), diag.Printable(orDash(strings.Join(tool.Hints, " "))))
	}
	return t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// shorten cuts s to at most limit characters, marking the cut.
func shorten(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return orDash(s)
	}
	return string(runes[:limit-1]) + "…"
}

func (v inspection) writeMarkdown(w io.Writer) error {
	s := v.Surface
	fmt.Fprintf(w, "# %s %s\n\n", diag.MarkdownText(orUnnamed(s.Name)), diag.MarkdownText(s.Version))
	fmt.Fprintf(w, "Protocol %s (%s era), over %s, asked as a %s client. %d tools, %d resources, %d templates, %d prompts.\n\nDigest `%s`\n\n",
		diag.MarkdownText(s.ProtocolVersion), s.Era, s.Transport, s.ClientProfile,
		s.Counts["tools"], s.Counts["resources"], s.Counts["resourceTemplates"], s.Counts["prompts"], s.Digest)
	if len(s.Tools) > 0 {
		fmt.Fprintf(w, "| tool | effect | risk | arguments | hints |\n|---|---|---|---|---|\n")
	}
	for _, t := range s.Tools {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", diag.MarkdownText(t.Name), t.Effect, t.Risk,
			diag.MarkdownText(strings.Join(t.Arguments, " ")), diag.MarkdownText(strings.Join(t.Hints, " ")))
	}
	fmt.Fprintln(w)
	return v.WriteMarkdown(w)
}
