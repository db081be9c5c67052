package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// aliases are names that every client takes, by the tool's own name. They come from one table over all tools of a server, and say a tool of which
// server each is where there are several: "server: tool".
type aliases map[string]string

// budget is what a client takes of tools, and what it would be given.
type budget struct {
	Tools     int `json:"tools"`              // with the client's own
	Builtin   int `json:"builtin,omitzero"`   // of those
	MaxTools  int `json:"maxTools,omitzero"`  // 0 for no limit
	Tokens    int `json:"tokens,omitzero"`    // given where there is a limit
	MaxTokens int `json:"maxTokens,omitzero"` // 0 for no limit
}

// budgetOf is the client's budget, nil when it has none.
func budgetOf(p *profiles.Profile, tools, tokens int) *budget {
	count, counted := p.Limit("tool-budget")
	size, sized := p.Limit("token-budget")
	if !counted && !sized {
		return nil
	}
	b := &budget{Tools: tools + count.Builtin, Builtin: count.Builtin, MaxTools: count.Max}
	if sized {
		b.Tokens, b.MaxTokens = tokens, size.Max
	}
	return b
}

func (b *budget) String() string {
	var parts []string
	if b.MaxTools > 0 {
		text := fmt.Sprintf("%d of %d tools", b.Tools, b.MaxTools)
		if b.Builtin > 0 {
			text += fmt.Sprintf(", %d of them its own", b.Builtin)
		}
		parts = append(parts, text)
	}
	if b.MaxTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tokens", b.Tokens, b.MaxTokens))
	}
	return strings.Join(parts, "; ")
}

// aliasView is a row of the table of aliases.
type aliasView struct {
	Server  string   `json:"server,omitzero"` // where there are several
	Tool    string   `json:"tool"`
	Alias   string   `json:"alias"`
	Rules   []string `json:"rules"`   // that propose it
	Clients []string `json:"clients"` // for whose sake; none when it is for everyone's
}

// aliasesOf gathers the aliases that findings propose, by server and tool.
func aliasesOf(findings []diag.Finding) []aliasView {
	rows := []aliasView{}
	at := map[[2]string]int{}
	for _, f := range findings {
		if f.Fix == nil || f.Fix.Alias == "" {
			continue
		}
		key := [2]string{f.Server, f.Tool}
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key], rows = i, append(rows, aliasView{Server: f.Server, Tool: diag.ShortName(f.Tool), Alias: f.Fix.Alias, Rules: []string{}, Clients: []string{}})
		}
		row := &rows[i]
		if !slices.Contains(row.Rules, f.Rule) {
			row.Rules = append(row.Rules, f.Rule)
		}
		if client, of := strings.CutPrefix(f.Axis, profiles.ClientAxis); of && !slices.Contains(row.Clients, client) {
			row.Clients = append(row.Clients, client)
		}
	}
	for _, row := range rows {
		slices.Sort(row.Rules)
		slices.Sort(row.Clients)
	}
	slices.SortFunc(rows, func(a, b aliasView) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	return rows
}

// writeBudgets tells what of the tools each client with a budget would be given, those with one budget in one line.
func writeBudgets(w io.Writer, verdicts []clientVerdict) {
	var order []string
	of := map[string][]string{}
	for _, v := range verdicts {
		if v.Budget == nil {
			continue
		}
		text := v.Budget.String()
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], v.Client)
	}
	if len(order) > 0 {
		fmt.Fprintln(w, "budgets")
	}
	for _, text := range order {
		fmt.Fprintf(w, "  %-38s  %s\n", text, strings.Join(of[text], ", "))
	}
}
