package cli

import (
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// inspection is the report of inspect: the common shape, and the surface in short.
type inspection struct {
	diag.Report
	Surface surfaceView `json:"surface"`
	Next    []step      `json:"next"` // what to do now, the most likely first

	seen    observed
	covered []bool // by the acceptances
}

type surfaceView struct {
	Name            string          `json:"name"`
	Version         string          `json:"version"`
	Endpoint        string          `json:"endpoint"`
	Transport       string          `json:"transport"`
	Era             string          `json:"era"`
	ProtocolVersion string          `json:"protocolVersion"`
	ClientProfile   string          `json:"clientProfile"`            // what was announced: bare or full
	Captures        int             `json:"captures,omitzero"`        // how many were compared, with --stable
	ComparedWith    string          `json:"comparedProfile,omitzero"` // what was announced the other time, with --compare-profiles
	Capabilities    []string        `json:"capabilities"`
	Instructions    int             `json:"instructionCharacters"`
	Digest          string          `json:"digest"`
	Tokens          tokenView       `json:"tokens"`
	Counts          map[string]int  `json:"counts"` // items per list
	Tools           []toolView      `json:"tools"`
	Costs           gate.Costs      `json:"costs"`   // what takes how much of a model's context
	Spec            specVerdict     `json:"spec"`    // how legal it is for the negotiated revision
	Clients         []clientVerdict `json:"clients"` // how each known client takes the surface
	Aliases         []aliasView     `json:"aliases"` // a name that every client takes, for each tool whose own somebody does not
}

// tokenView is what a surface takes of a model's context.
type tokenView struct {
	Estimator    string `json:"estimator"`    // the vocabulary they are counted with
	Tools        int    `json:"tools"`        // names, descriptions and input schemas of all tools
	Instructions int    `json:"instructions"` // the server's instructions
	Total        int    `json:"total"`
	Partial      bool   `json:"partial,omitzero"` // the surface is so large that a part was reckoned by its length
}

func (t *tokenView) add(more tokenView) {
	t.Tools, t.Instructions, t.Total = t.Tools+more.Tools, t.Instructions+more.Instructions, t.Total+more.Total
	t.Partial = t.Partial || more.Partial
}

type toolView struct {
	Name      string         `json:"name"`
	Operation string         `json:"operation"` // the id to approve or call it by
	Effect    string         `json:"effect"`    // what is inferred, not what is claimed
	Risk      string         `json:"risk"`
	Arguments []argumentView `json:"arguments"`      // required ones first
	Tokens    int            `json:"tokens"`         // of its name, description and input schema
	Hints     []hintView     `json:"hints"`          // as the server sent them
	Flags     []string       `json:"flags"`          // what else sets it apart, and the rules that found something in it
	RefusedBy []string       `json:"refusedBy"`      // the clients that do not take it, or fall over it
	State     string         `json:"state,omitzero"` // in a pack: approved, or why not
	Block     string         `json:"block,omitzero"` // in a pack: who blocked it, when and why
	Digest    string         `json:"digest"`

	state  air.State
	reads  bool
	byKind bool // `approve --read-only` takes it
}

type argumentView struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
}

func (a argumentView) String() string {
	if a.Required {
		return a.Name + "*"
	}
	return a.Name
}

type hintView struct {
	Name  string `json:"name"` // without its ending "Hint"
	Value bool   `json:"value"`
}

func (h hintView) String() string { return fmt.Sprintf("%s=%v", h.Name, h.Value) }

func (sh *shell) newInspection(c *cli.Context, seen observed, v gate.Verdict, d air.Document) (inspection, error) {
	o, err := sh.gateOptions(c)
	s := seen.snapshot
	view := inspection{
		seen: seen, covered: v.Covered,
		Report: diag.NewReport("inspect", v.Findings),
		Surface: surfaceView{
			Name: s.ServerName(), Version: s.ServerVersion(), Endpoint: s.Endpoint, Transport: s.Transport, Era: s.Era,
			ProtocolVersion: s.ProtocolVersion, ClientProfile: s.ClientProfile, Captures: seen.captures, ComparedWith: seen.comparedWith, Capabilities: memberNames(s.Capabilities),
			Instructions: len([]rune(s.Instructions.Text())), Digest: s.Digest, Counts: map[string]int{}, Tools: []toolView{},
		},
	}
	for _, kind := range surface.Kinds {
		view.Surface.Counts[kind.List()] = len(s.Items[kind])
	}
	operations, about := newMatcher(d.Operations), v.About
	for _, it := range s.Tools() {
		if err := sh.ctx.Err(); err != nil {
			return view, err
		}
		tool := newToolView(it, operations.of(it), about[it.Subject()], seen.pack != nil)
		tool.Tokens = seen.costs.Tool(it)
		view.Surface.Tools = append(view.Surface.Tools, tool)
	}
	view.Surface.Costs = seen.costs.Costs()
	view.Surface.Tokens = tokensOf(seen.costs)
	view.Surface.Spec = specVerdictOf(view.Findings, s.ProtocolVersion)
	view.Surface.Clients = clientVerdicts(view.Findings, o.Clients, len(s.Tools()), view.Surface.Tokens.Tools)
	view.Surface.Aliases = aliasesOf(view.Findings)
	slices.SortStableFunc(view.Surface.Tools, func(a, b toolView) int { return strings.Compare(a.Name, b.Name) })
	return view, err
}

func tokensOf(costs *gate.Counter) tokenView {
	t := tokenView{Estimator: costs.Estimator(), Tools: costs.Tools(), Instructions: costs.Instructions()}
	t.Total, t.Partial = t.Tools+t.Instructions, costs.Partial()
	return t
}

// matcher finds the operation that was made of a tool. Names do not tell: two tools may share one, and AIR repairs those that are no text.
type matcher map[[2]string][]air.Operation

func newMatcher(operations []air.Operation) matcher {
	m := matcher{}
	for _, o := range operations {
		key := [2]string{o.ContractDigest, o.TextDigest}
		m[key] = append(m[key], o)
	}
	return m
}

// of returns the tool's operation, nil when there is none. Of equal tools each gets one of its own.
func (m matcher) of(it surface.Item) *air.Operation {
	key := [2]string{it.ContractDigest(), it.TextDigest()}
	if len(m[key]) == 0 {
		return nil
	}
	o := m[key][0]
	if len(m[key]) > 1 {
		m[key] = m[key][1:]
	}
	return &o
}

func newToolView(it surface.Item, o *air.Operation, findings []gate.Gist, inPack bool) toolView {
	t := toolView{
		Name: it.Name, Arguments: arguments(it.Node.Get("inputSchema")), Hints: hints(it.Node.Get("annotations")), Flags: flagsOf(it, findings),
		RefusedBy: refusedBy(findings), Digest: it.Digest,
	}
	if o != nil {
		t.Operation, t.Effect, t.Risk, t.state = o.ID, effectWords(*o), string(o.Effect.Risk), o.State
		t.reads = o.Effect.Kind == air.Read
		t.byKind = byKind(*o, slices.ContainsFunc(findings, gate.Gist.Open))
	}
	if inPack {
		t.State = string(t.state)
		if o != nil && o.Block != nil {
			t.Block = blockWords(*o.Block)
		}
	}
	return t
}

// flagsOf says what sets a tool apart beside its effect and hints: that it answers with structured content or as a task, and the rules that
// found something in it.
func flagsOf(it surface.Item, findings []gate.Gist) []string {
	flags := []string{}
	if it.Node.Get("outputSchema") != nil {
		flags = append(flags, "structured")
	}
	if task := it.Node.Get("execution").Get("taskSupport").Text(); task != "" && task != "forbidden" {
		flags = append(flags, "task-"+task)
	}
	for _, f := range findings {
		ofOthers := !f.Accepted && isAside(diag.Finding{Axis: f.Axis, Class: f.Class})
		if !ofOthers && !slices.Contains(flags, f.Rule) {
			flags = append(flags, f.Rule)
		}
	}
	return flags
}

// refusedBy lists the clients that refuse something for this tool.
func refusedBy(findings []gate.Gist) []string {
	clients := []string{}
	for _, p := range profiles.All().Clients {
		if slices.ContainsFunc(findings, func(f gate.Gist) bool { return f.Axis == p.Axis() && f.Refuses }) {
			clients = append(clients, p.ID)
		}
	}
	return clients
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

// arguments lists the properties of an input schema, the required ones first.
func arguments(root *canon.Node) []argumentView {
	required := map[string]bool{}
	for _, r := range root.Get("required").Elements() {
		required[r.Text()] = true
	}
	views := []argumentView{}
	for _, name := range memberNames(root.Get("properties")) {
		views = append(views, argumentView{name, required[name]})
	}
	slices.SortStableFunc(views, func(a, b argumentView) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return views
}

func hints(annotations *canon.Node) []hintView {
	views := []hintView{}
	if annotations == nil {
		return views
	}
	for _, m := range annotations.Members {
		if v, ok := m.Value.Bool(); ok {
			views = append(views, hintView{strings.TrimSuffix(m.Name, "Hint"), v})
		}
	}
	return views
}
