package affect

import (
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// pair is the tool of an operation on both sides.
type pair struct {
	operation string
	old, new  *canon.Node // nil where the tool is not, or not alone
	findings  []int       // about it
}

// pairOf finds the tool that an operation of the pack was made of.
func (m *marker) pairOf(o air.Operation) pair {
	p := pair{operation: o.ID, findings: m.byTool[o.MCP.ToolName]}
	now := o.MCP.ToolName
	for name, was := range m.oldNames {
		if was == o.MCP.ToolName {
			now = name
		}
	}
	p.old, p.new = only(m.old, o.MCP.ToolName), only(m.new, now)
	return p
}

func only(s *surface.McpSurfaceSnapshot, name string) *canon.Node {
	var found *canon.Node
	for _, it := range s.Tools() {
		if it.Name != name {
			continue
		}
		if found != nil {
			return nil
		}
		found = it.Node
	}
	return found
}

// touch says whether a finding about a tool is behind an effect.
type touch func(p pair, f diag.Finding) bool

// mark adds what is touched to the findings behind it. What no finding about the tool is behind alone, all of them are; and where there is none, since
// the operation's id is another one though its tool is the same, it is those that say why.
func (m *marker) mark(p pair, behind touch, a diag.Affected) {
	var marked []int
	for _, i := range p.findings {
		if behind(p, m.findings[i]) {
			marked = append(marked, i)
		}
	}
	if marked == nil {
		marked = p.findings
	}
	if marked == nil {
		marked = m.elsewhere()
	}
	for _, i := range marked {
		m.findings[i].Affects = append(m.findings[i].Affects, a)
	}
}

// elsewhere are the findings that give operations other ids: the server's name, which all begin with, or a tool whose name folds to the same.
func (m *marker) elsewhere() []int {
	for _, is := range []func(diag.Finding) bool{
		func(f diag.Finding) bool {
			return m.before.Service.ID != m.after.Service.ID && f.Subject == "server" && f.Pointer == "/name"
		},
		func(f diag.Finding) bool {
			return m.before.Service.ID != m.after.Service.ID && strings.HasPrefix(f.Subject, "server")
		},
		func(f diag.Finding) bool { return f.Rule == "tool-canonical-collision" },
		func(f diag.Finding) bool { return f.Tool != "" && f.Pointer == "" },
	} {
		var found []int
		for i, f := range m.findings {
			if ofDiff(f) && is(f) {
				found = append(found, i)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// ofDiff reports a finding of the diff's rules.
func ofDiff(f diag.Finding) bool {
	_, known := diff.Rules.Find(f.Rule)
	return known
}

// byContract is behind what goes by the contract: the tool's name, its schemas as a machine reads them, its hints and how it is run.
func byContract(p pair, f diag.Finding) bool {
	if f.Pointer == "" || p.old == nil || p.new == nil {
		return f.Pointer == ""
	}
	return slices.ContainsFunc(pointersOf(f), func(pointer string) bool {
		tokens := canon.Tokens(pointer)
		switch member := tokens[0]; member {
		case "inputSchema", "outputSchema":
			return !same(place(contractOf(p.old, member), tokens[1:]), place(contractOf(p.new, member), tokens[1:]))
		case "annotations":
			return hintAt(p.old, tokens) != hintAt(p.new, tokens)
		case "execution":
			return true
		}
		return false
	})
}

// ending is behind what ends an approval: another contract, another text, or both.
func ending(was, is air.Operation) touch {
	contract, text := was.ContractDigest != is.ContractDigest, was.TextDigest != is.TextDigest
	if is.ID == "" || !text {
		return byContract
	}
	return func(p pair, f diag.Finding) bool { return contract && byContract(p, f) || byText(p, f) }
}

// byText is behind what goes by the text: any words of the tool.
func byText(_ pair, f diag.Finding) bool {
	return hasText(f.Before) || hasText(f.After)
}

// byMeaning is behind what is generated: the contract, and what the tool says of itself.
func byMeaning(p pair, f diag.Finding) bool {
	return byContract(p, f) || strings.HasPrefix(f.Pointer, "/description") || strings.HasPrefix(f.Pointer, "/annotations")
}

// pointersOf are the places that a finding is about: those it gathers, which its sides are objects of, or its own.
func pointersOf(f diag.Finding) []string {
	var pointers []string
	for _, side := range []canon.Raw{f.Before, f.After} {
		n, err := canon.Parse(side)
		if err != nil || !n.IsObject() {
			continue
		}
		for _, m := range n.Members {
			if !strings.HasPrefix(m.Name, f.Pointer+"/") {
				return []string{f.Pointer}
			}
			pointers = append(pointers, m.Name)
		}
	}
	if pointers == nil {
		return []string{f.Pointer}
	}
	return pointers
}

func contractOf(tool *canon.Node, member string) *canon.Node {
	n, err := canon.Parse(schema.Contract(tool.Get(member)))
	if err != nil {
		return nil // there is no schema
	}
	return n
}

// place is what stands at the place; a fixed value stands in a contract as an enumeration of one.
func place(n *canon.Node, tokens []string) *canon.Node {
	for i, token := range tokens {
		next := n.Get(token)
		if k, err := strconv.Atoi(token); err == nil && n.IsArray() && k >= 0 && k < len(n.Items) {
			next = n.Items[k]
		}
		if next == nil && token == "const" && i == len(tokens)-1 {
			next = n.Get("enum")
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

func same(a, b *canon.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return canon.Equal(a.Raw, b.Raw)
}

// hintAt is what a client must assume of one hint, or of all of them.
func hintAt(tool *canon.Node, tokens []string) surface.Hints {
	all := surface.HintsOf(tool)
	if len(tokens) < 2 {
		return all
	}
	switch tokens[1] {
	case "readOnlyHint":
		return surface.Hints{ReadOnly: all.ReadOnly}
	case "destructiveHint":
		return surface.Hints{Destructive: all.Destructive}
	case "idempotentHint":
		return surface.Hints{Idempotent: all.Idempotent}
	case "openWorldHint":
		return surface.Hints{OpenWorld: all.OpenWorld}
	}
	return surface.Hints{}
}

func hasText(raw canon.Raw) bool {
	n, err := canon.Parse(raw)
	return err == nil && anyText(n)
}

func anyText(n *canon.Node) bool {
	if _, ok := n.Str(); ok {
		return true
	}
	return slices.ContainsFunc(n.Items, anyText) || slices.ContainsFunc(n.Members, func(m canon.Member) bool { return anyText(m.Value) })
}
