package adopt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"anvil/compiler/adopt/grouping"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
	"anvil/internal/workers"
)

// Bridge lowers a snapshot to the intermediate representation: one operation per tool under the name the server gave it, and every other
// item kept whole. Any snapshot has a document, however broken its items are; doubts are in its Diagnostics, sorted. What cannot be
// called without doubt is blocked, what may change something waits for a review, and nothing is approved. The same snapshot gives the
// same document.
func Bridge(s *surface.McpSurfaceSnapshot) air.Document {
	meter := tokens.NewMeter(tokens.O200k)
	return BridgeCosted(s, func(_ string, tool surface.Item) air.Cost { return costOf(meter, tool) })
}

// BridgeCosted is [Bridge] for who knows what the tools cost a model, or need not know: counting takes longer than all else in a small surface. cost is
// asked for each tool in turn, with the id of its operation.
func BridgeCosted(s *surface.McpSurfaceSnapshot, cost func(id string, tool surface.Item) air.Cost) air.Document {
	d := air.Document{
		SchemaVersion: air.SchemaVersion,
		Service: air.Service{
			ID:      air.ServiceID(s.ServerName()),
			Name:    valid(s.ServerName()),
			Version: valid(s.ServerVersion()),
			Title:   valid(s.Server.Get("title").Text()),
			Source:  air.Source{Kind: air.SourceMCP, Snapshot: s.Digest},
			Auth:    air.Auth{Type: air.AuthUnknown, SecretSource: air.SecretUnknown},
		},
		Diagnostics: []diag.Finding{},
	}
	operations, findings := lowerTools(s.Tools(), d.Service.ID, cost)
	d.Operations, d.Diagnostics = append(d.Operations, operations...), append(d.Diagnostics, findings...)
	slices.SortFunc(d.Operations, func(a, b air.Operation) int { return strings.Compare(a.ID, b.ID) })
	linkJobs(d.Operations)
	d.Diagnostics = append(d.Diagnostics, nameFindings(s.Tools())...)
	d.Capabilities = grouping.Propose(d, wordsOf)
	d.Diagnostics = append(d.Diagnostics, carryItems(s, &d)...)
	diag.Sort(d.Diagnostics)
	return d
}

// lowerTools makes the operations of tools, in their order. Each follows from its tool alone, so they are made side by side, and what they cost is
// counted beside them, in order, since a meter has an end.
func lowerTools(tools []surface.Item, service string, cost func(string, surface.Item) air.Cost) (operations []air.Operation, findings []diag.Finding) {
	names, bearers := canonicalNames(tools), map[string]int{}
	for _, tool := range tools {
		bearers[tool.Name]++
	}
	costs, found := make([]air.Cost, len(tools)), make([][]diag.Finding, len(tools))
	operations = make([]air.Operation, len(tools))
	workers.Each(1+len(tools), func(n int) {
		if n == 0 {
			for i, tool := range tools {
				costs[i] = cost(operationID(service, names[i]), tool)
			}
			return
		}
		i := n - 1
		operations[i], found[i] = lower(tools[i], service, names[i])
		if bearers[tools[i].Name] > 1 {
			operations[i].State = air.StateBlocked
		}
	})
	for i := range operations {
		operations[i].DisclosureCost = costs[i]
		findings = append(findings, found[i]...)
	}
	return operations, findings
}

// costOf counts what a tool takes of a model's context. Of a surface that is too large to be counted whole, the rest goes by its length.
func costOf(meter *tokens.Meter, tool surface.Item) air.Cost {
	if !tool.Node.IsObject() {
		return air.Cost{}
	}
	c := air.Cost{ToolTokens: meter.Count(string(tool.ModelForm())), Estimator: meter.Estimator()}
	if meter.Partial() {
		c.Estimator += byLength
	}
	return c
}

// byLength marks the name of an estimator whose rate was applied to the length of the text.
const byLength = ", by length"

// carryItems keeps what is no tool.
func carryItems(s *surface.McpSurfaceSnapshot, d *air.Document) (findings []diag.Finding) {
	keep := func(it surface.Item) canon.Raw {
		raw, found := carry(it, it.Node, "")
		findings = append(findings, found...)
		return raw
	}
	for _, it := range s.Items[surface.Resource] {
		d.Resources = append(d.Resources, air.Resource{Name: valid(it.Node.Get("name").Text()), URI: valid(it.Name), Item: keep(it)})
	}
	for _, it := range s.Items[surface.ResourceTemplate] {
		d.ResourceTemplates = append(d.ResourceTemplates,
			air.ResourceTemplate{Name: valid(it.Node.Get("name").Text()), URITemplate: valid(it.Name), Item: keep(it)})
	}
	for _, it := range s.Items[surface.Prompt] {
		d.Prompts = append(d.Prompts, air.Prompt{Name: valid(it.Name), Item: keep(it)})
	}
	if s.Instructions != nil && !s.Instructions.Repeats() {
		d.Instructions = canon.Raw(s.Instructions.Canonical())
	}
	return findings
}

// carry returns the canonical text of n, a part of it at pointer, or nothing and a finding when it names a member twice.
func carry(it surface.Item, n *canon.Node, pointer string) (canon.Raw, []diag.Finding) {
	if n == nil {
		return nil, nil
	}
	if n.Repeats() {
		return nil, []diag.Finding{itemFinding(itemAmbiguous, it, pointer, "the text of "+quoted(it.Subject())+" names a member twice")}
	}
	return canon.Raw(n.Canonical()), nil
}

func operationID(service, canonical string) string { return service + "." + canonical }

// lower makes the operation of one tool.
func lower(tool surface.Item, service, canonical string) (air.Operation, []diag.Finding) {
	n := tool.Node
	o := air.Operation{
		ID:             operationID(service, canonical),
		CanonicalName:  canonical,
		DisplayName:    valid(firstOf(n.Get("title").Text(), n.Get("annotations").Get("title").Text(), tool.Name, canonical)),
		Description:    valid(n.Get("description").Text()),
		MCP:            air.MCP{ToolName: valid(tool.Name)},
		CLI:            air.CLI{Command: strings.ReplaceAll(canonical, "_", "-")},
		Idempotency:    air.Idempotency{Mechanism: air.MechanismNone, KeyDerivation: air.KeyNone},
		ContractDigest: tool.ContractDigest(),
		TextDigest:     tool.TextDigest(),
	}
	var findings, found []diag.Finding
	o.Input.Schema, findings = carry(tool, n.Get("inputSchema"), "/inputSchema")
	o.Input.Params = air.Params(o.Input.Schema)
	o.Output.Schema, found = carry(tool, n.Get("outputSchema"), "/outputSchema")
	findings = append(findings, found...)
	ambiguous := len(findings) > 0 || n.Repeats()
	if ambiguous && len(findings) == 0 {
		findings = append(findings, itemFinding(itemAmbiguous, tool, "", "the text of "+quoted(tool.Subject())+" names a member twice"))
	}
	o, found = infer(o, tool)
	findings = append(findings, found...)
	if ambiguous || !callable(tool) {
		o.State = air.StateBlocked
	}
	return o, findings
}

// callable reports a tool that a call can name.
func callable(tool surface.Item) bool {
	return tool.Node.IsObject() && tool.Name != "" && utf8.ValidString(tool.Name)
}

// valid returns s as text that every format can carry; what is not Unicode becomes U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

func quoted(s string) string { return `"` + diag.Printable(s) + `"` }

// itemFinding starts a finding about one item, with the place in it that is meant, and seals it.
func itemFinding(rule diag.Rule, it surface.Item, pointer, message string, args ...string) diag.Finding {
	f := rule.Finding(valid(it.Subject()), message)
	f.Pointer = pointer
	if it.Kind == surface.Tool {
		f.Tool = valid(it.Name)
	}
	f.Hint = hints[rule.ID]
	return f.Sealed(args...)
}

// hints says per rule what to do next.
var hints = map[string]string{
	descriptionMentionsDanger.ID: "read the description; approve the operation only if the words speak of something else",
	hintContradiction.ID:         "ask the server's owner which hint is meant; until then approve it, as a mutation, by name with `anvil mcp approve`",
	hintSchemaMismatch.ID:        "find out what the tool runs; approve it by name with `anvil mcp approve` only if that effect is wanted",
	hintVerbMismatch.ID:          "find out what the tool does; approve it by name with `anvil mcp approve` only if that effect is wanted",
	itemAmbiguous.ID:             "have the server write each member once, then take a new snapshot",
	operationIDCollision.ID:      "have the server rename one of the tools",
	operationNameAmbiguous.ID:    "have the server give each tool a name of its own, then take a new snapshot",
	operationUncallable.ID:       "have the server give the tool a name, then take a new snapshot",
	verbDangerousUnannotated.ID:  "have the server set destructiveHint",
	readSeenToChange.ID:          "find out what it changes; approve it as a change, or state `effect: read` for it in the configuration, with by and reason",
}
