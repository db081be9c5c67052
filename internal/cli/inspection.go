package cli

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
)

// inspection is the report of inspect: the common shape, and the surface in short.
type inspection struct {
	diag.Report
	Surface surfaceView `json:"surface"`
	Next    []step      `json:"next"` // what to do now, the most likely first
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
	Tokens          tokenView      `json:"tokens"`
	Counts          map[string]int `json:"counts"` // items per list
	Tools           []toolView     `json:"tools"`
}

// tokenView is what a surface takes of a model's context.
type tokenView struct {
	Estimator    string `json:"estimator"`    // the vocabulary they are counted with
	Tools        int    `json:"tools"`        // names, descriptions and input schemas of all tools
	Instructions int    `json:"instructions"` //
	Total        int    `json:"total"`
}

func (t *tokenView) add(more tokenView) {
	t.Tools, t.Instructions, t.Total = t.Tools+more.Tools, t.Instructions+more.Instructions, t.Total+more.Total
	if strings.HasPrefix(more.Estimator, t.Estimator) {
		t.Estimator = more.Estimator
	}
}

type toolView struct {
	Name      string   `json:"name"`
	Operation string   `json:"operation"` // the id to approve or call it by
	Effect    string   `json:"effect"`    // what is inferred, not what is claimed
	Risk      string   `json:"risk"`
	Arguments []string `json:"arguments"`      // required ones end in "*"
	Tokens    int      `json:"tokens"`         // of its name, description and input schema
	Hints     []string `json:"hints"`          // as the server sent them
	Flags     []string `json:"flags"`          // what else sets it apart, and the rules that found something in it
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
	meter := tokens.NewMeter(tokens.O200k)
	for _, kind := range surface.Kinds {
		view.Surface.Counts[kind.List()] = len(s.Items[kind])
	}
	for _, o := range d.Operations {
		if it, ok := s.Find(surface.Tool, o.MCP.ToolName); ok {
			tool := newToolView(it, o, view.Findings)
			tool.Tokens = meter.Count(string(it.ModelForm()))
			view.Surface.Tokens.Tools += tool.Tokens
			if seen.pack != nil {
				tool.State = string(o.State)
			}
			view.Surface.Tools = append(view.Surface.Tools, tool)
		}
	}
	view.Surface.Tokens.Instructions = meter.Count(s.Instructions.Text())
	view.Surface.Tokens.Total = view.Surface.Tokens.Tools + view.Surface.Tokens.Instructions
	view.Surface.Tokens.Estimator = meter.Estimator()
	slices.SortStableFunc(view.Surface.Tools, func(a, b toolView) int { return strings.Compare(a.Name, b.Name) })
	return view
}

func newToolView(it surface.Item, o air.Operation, findings []diag.Finding) toolView {
	return toolView{
		Name: it.Name, Operation: o.ID, Effect: effectWords(o), Risk: string(o.Effect.Risk), Arguments: arguments(it.Node.Get("inputSchema")),
		Hints: hints(it.Node.Get("annotations")), Flags: flagsOf(it, findings), Digest: it.Digest,
	}
}

// flagsOf says what sets a tool apart beside its effect and hints: that it answers with structured content or as a task, and the rules that
// found something in it.
func flagsOf(it surface.Item, findings []diag.Finding) []string {
	flags := []string{}
	if it.Node.Get("outputSchema") != nil {
		flags = append(flags, "structured")
	}
	if task := it.Node.Get("execution").Get("taskSupport").Text(); task != "" && task != "forbidden" {
		flags = append(flags, "task-"+task)
	}
	for _, f := range findings {
		if f.Tool == it.Name && !slices.Contains(flags, f.Rule) {
			flags = append(flags, f.Rule)
		}
	}
	return flags
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
