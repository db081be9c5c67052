package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// clientVerdict is how one client takes a surface.
type clientVerdict struct {
	Client    string   `json:"client"`
	Title     string   `json:"title"`
	Counts    bool     `json:"counts"`          // it has to take the surface: its errors refuse
	Radius    string   `json:"radius,omitzero"` // the most that a violation takes down: tool, server or client; absent when it takes everything
	Tools     []string `json:"tools"`           // that it does not take, or that take others down
	Rules     []string `json:"rules"`           // of those violations
	Warnings  int      `json:"warnings"`        // findings on it that refuse nothing
	Budget    *budget  `json:"budget,omitzero"` // absent when it has no limit on the number or the tokens of tools
	Aliases   aliases  `json:"aliases,omitzero"`
	Confirmed string   `json:"confirmed"` // the month in which its limits were last confirmed
}

// specVerdict is how legal a surface is for the revision that was negotiated.
type specVerdict struct {
	Axis   string   `json:"axis"`
	Errors int      `json:"errors"`
	Rules  []string `json:"rules"` // of the errors
}

// specVerdictOf counts the errors of the gate that are true for every client.
func specVerdictOf(findings []diag.Finding, revision string) specVerdict {
	v := specVerdict{Axis: profiles.All().Spec(revision).Axis(), Rules: []string{}}
	for _, f := range findings {
		if _, ofGate := gate.Rules.Find(f.Rule); f.Class != diag.Error || !ofGate || strings.HasPrefix(f.Axis, profiles.ClientAxis) {
			continue
		}
		v.Errors++
		if !slices.Contains(v.Rules, f.Rule) {
			v.Rules = append(v.Rules, f.Rule)
		}
	}
	return v
}

func (v specVerdict) String() string {
	if v.Errors == 0 {
		return "no errors"
	}
	return fmt.Sprintf("%s (%s)", counted(v.Errors, "error"), strings.Join(v.Rules, ", "))
}

// clientVerdicts tells for every client how it takes the surface, by the findings on its axis.
func clientVerdicts(findings []diag.Finding, counts []string, tools, tokens int) []clientVerdict {
	views := []clientVerdict{}
	for _, p := range profiles.All().Clients {
		v := clientVerdict{Client: p.ID, Title: p.Title, Counts: slices.Contains(counts, p.ID), Tools: []string{}, Rules: []string{}, Confirmed: p.Confirmed()}
		v.Budget = budgetOf(p, tools, tokens)
		for _, f := range findings {
			if f.Axis == p.Axis() {
				v.add(f)
			}
		}
		slices.Sort(v.Tools)
		v.Tools = slices.Compact(v.Tools)
		views = append(views, v)
	}
	return views
}

func (v *clientVerdict) add(f diag.Finding) {
	tool := f.Tool
	if f.Server != "" && tool != "" {
		tool = f.Server + ": " + tool
	}
	if f.Fix != nil && f.Fix.Alias != "" {
		if v.Aliases == nil {
			v.Aliases = aliases{}
		}
		v.Aliases[tool] = f.Fix.Alias
	}
	if !f.Refuses {
		v.Warnings++
		return
	}
	if tool != "" {
		v.Tools = append(v.Tools, tool)
	}
	if !slices.Contains(v.Rules, f.Rule) {
		v.Rules = append(v.Rules, f.Rule)
	}
	if radius := profiles.Radius(f.Radius); radiusRank(radius) > radiusRank(profiles.Radius(v.Radius)) {
		v.Radius = f.Radius
	}
}

func radiusRank(r profiles.Radius) int {
	return slices.Index([]profiles.Radius{"", profiles.RadiusTool, profiles.RadiusServer, profiles.RadiusClient}, r)
}

// effect says in words what the client does with the surface.
func (v clientVerdict) effect() string {
	of := counted(len(v.Tools), "tool")
	if len(v.Tools) == 0 {
		of = "the server as a whole"
		if slices.Equal(v.Rules, []string{"tool-budget"}) {
			of = "the number of tools"
		}
	}
	switch profiles.Radius(v.Radius) {
	case profiles.RadiusClient:
		return "refuses every request, for " + of
	case profiles.RadiusServer:
		return "drops all tools of the server, for " + of
	case profiles.RadiusTool:
		const beyond = "what is beyond its number of tools"
		switch over := slices.Contains(v.Rules, "tool-budget"); {
		case over && len(v.Tools) > 0:
			return "drops " + of + ", and " + beyond
		case over:
			return "drops " + beyond
		}
		return "drops " + of
	}
	return "takes it"
}

// namedTools is how many tools a line about a client names.
const namedTools = 3

// tools names the first of the tools that a client does not take, with a blank before them.
func (v clientVerdict) tools() string {
	if len(v.Tools) == 0 {
		return ""
	}
	names := make([]string, 0, namedTools)
	for _, name := range v.Tools[:min(namedTools, len(v.Tools))] {
		names = append(names, brief(name))
	}
	text := ": " + strings.Join(names, ", ")
	if more := len(v.Tools) - namedTools; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// writeClients lists the clients that do not take the surface, then those that do.
func writeClients(w io.Writer, spec specVerdict, verdicts []clientVerdict) {
	fmt.Fprintf(w, "clients (their limits as of %s)\n  %-20s  %s\n", profiles.AsOf(profiles.All().Clients), spec.Axis, spec)
	writeTakers(w, verdicts)
}

func writeTakers(w io.Writer, verdicts []clientVerdict) {
	var takers []string
	for _, v := range verdicts {
		if v.Radius == "" {
			takers = append(takers, v.Client)
			continue
		}
		fmt.Fprintf(w, "  %-20s  %s (%s\n", v.Client, v.effect(), strings.Join(v.Rules, ", ")+")"+v.tools())
	}
	if len(takers) > 0 {
		fmt.Fprintf(w, "  %-20s  %s\n", "taken by", strings.Join(takers, ", "))
	}
}

func writeClientsMarkdown(w io.Writer, spec specVerdict, verdicts []clientVerdict) {
	revision := profiles.All().Spec(strings.TrimPrefix(spec.Axis, profiles.SpecAxis))
	writeVerdictTable(w, verdicts, fmt.Sprintf("| %s | %s | | %s | |\n", spec.Axis, spec, revision.Confirmed()))
}

func writeVerdictTable(w io.Writer, verdicts []clientVerdict, rows ...string) {
	fmt.Fprintf(w, "\n| client | | rules | limits as of | budget |\n|---|---|---|---|---|\n%s", strings.Join(rows, ""))
	for _, v := range verdicts {
		budget := ""
		if v.Budget != nil {
			budget = v.Budget.String()
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", v.Title, diag.MarkdownText(v.effect()+v.tools()), strings.Join(v.Rules, ", "), v.Confirmed, budget)
	}
}

// aside parts the findings into those a person is shown, and the number of those about clients that nobody named.
func aside(r diag.Report) (shown diag.Report, hidden int) {
	var kept []diag.Finding
	for _, f := range r.Findings {
		if isAside(f) {
			hidden++
			continue
		}
		kept = append(kept, f)
	}
	shown = diag.NewReport(r.Report, kept)
	shown.Servers = r.Servers
	return shown, hidden
}

// isAside reports a finding about a client that nobody named.
func isAside(f diag.Finding) bool {
	return strings.HasPrefix(f.Axis, profiles.ClientAxis) && f.Class == diag.Info && f.Accepted == nil
}

// hiddenLine tells of findings that are not shown; "" when there are none.
func hiddenLine(hidden int) string {
	if hidden == 0 {
		return ""
	}
	return fmt.Sprintf("and %s about clients that were not named: see them with --profile CLIENT, or --format json", counted(hidden, "finding"))
}
