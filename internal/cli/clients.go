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
	Minds     []string `json:"minds"`           // the rules of those
	Budget    *budget  `json:"budget,omitzero"` // absent when it has no limit on the number or the tokens of tools
	Aliases   aliases  `json:"aliases,omitzero"`
	Confirmed string   `json:"confirmed"` // the month in which its limits were last confirmed
}

// specVerdict is how legal a surface is for the revision that was negotiated, and what of it is wrong whatever the revision.
type specVerdict struct {
	Axis     string   `json:"axis"`
	Errors   int      `json:"errors"`
	Rules    []string `json:"rules"` // of the errors
	Everyone struct {
		Errors int      `json:"errors"` // on no axis
		Rules  []string `json:"rules"`
	} `json:"everyone"`
}

// specVerdictOf counts the errors of the gate that are no single client's.
func specVerdictOf(findings []diag.Finding, revision string) specVerdict {
	v := specVerdict{Axis: profiles.All().Spec(revision).Axis(), Rules: []string{}}
	v.Everyone.Rules = []string{}
	for _, f := range findings {
		if _, ofGate := gate.Rules.Find(f.Rule); f.Class != diag.Error || !ofGate || strings.HasPrefix(f.Axis, profiles.ClientAxis) {
			continue
		}
		count, rules := &v.Errors, &v.Rules
		if f.Axis == "" {
			count, rules = &v.Everyone.Errors, &v.Everyone.Rules
		}
		*count++
		if !slices.Contains(*rules, f.Rule) {
			*rules = append(*rules, f.Rule)
		}
	}
	return v
}

func (v specVerdict) String() string { return errorsOfRules(v.Errors, v.Rules) }

func errorsOfRules(errors int, rules []string) string {
	if errors == 0 {
		return "no errors"
	}
	return fmt.Sprintf("%s (%s)", counted(errors, "error"), strings.Join(rules, ", "))
}

// everyone is what is wrong for every client, whatever the revision says.
const everyone = "everyone"

// clientVerdicts tells for every client how it takes the surface, by the findings on its axis.
func clientVerdicts(findings []diag.Finding, counts []string, tools, tokens int) []clientVerdict {
	views := []clientVerdict{}
	for _, p := range profiles.All().Clients {
		v := clientVerdict{Client: p.ID, Title: p.Title, Counts: slices.Contains(counts, p.ID), Tools: []string{}, Rules: []string{}, Minds: []string{}, Confirmed: p.Confirmed()}
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
	tool := diag.ShortName(f.Tool)
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
		if !slices.Contains(v.Minds, f.Rule) {
			v.Minds = append(v.Minds, f.Rule)
		}
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

// radiusRank orders what is taken down. A client that drops all tools of the server has none of them in its requests, so that no request is refused.
func radiusRank(r profiles.Radius) int {
	return slices.Index([]profiles.Radius{"", profiles.RadiusTool, profiles.RadiusClient, profiles.RadiusServer}, r)
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
	if len(v.Minds) > 0 {
		return "takes it, with warnings"
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

// writeClients lists the clients that do not take the surface, those that mind something of it, and those that take it as it is.
func writeClients(w io.Writer, spec specVerdict, verdicts []clientVerdict) {
	fmt.Fprintf(w, "clients (their limits as of %s)\n  %-20s  %s\n", profiles.AsOf(profiles.All().Clients), spec.Axis, spec)
	if spec.Everyone.Errors > 0 {
		fmt.Fprintf(w, "  %-20s  %s\n", everyone, errorsOfRules(spec.Everyone.Errors, spec.Everyone.Rules))
	}
	writeTakers(w, verdicts)
}

func writeTakers(w io.Writer, verdicts []clientVerdict) {
	var takers, minding []string
	for _, v := range verdicts {
		switch {
		case v.Radius == "" && len(v.Minds) > 0:
			minding = append(minding, v.Client+" ("+strings.Join(v.Minds, ", ")+")")
			continue
		case v.Radius == "":
			takers = append(takers, v.Client)
			continue
		}
		fmt.Fprintf(w, "  %-20s  %s (%s\n", v.Client, v.effect(), strings.Join(v.Rules, ", ")+")"+v.tools())
	}
	if len(minding) > 0 {
		fmt.Fprintf(w, "  %-20s  %s\n", "taken, with warnings", strings.Join(minding, ", "))
	}
	if len(takers) > 0 {
		fmt.Fprintf(w, "  %-20s  %s\n", "taken by", strings.Join(takers, ", "))
	}
}

func writeClientsMarkdown(w io.Writer, spec specVerdict, verdicts []clientVerdict) {
	revision := profiles.All().Spec(strings.TrimPrefix(spec.Axis, profiles.SpecAxis))
	rows := []string{fmt.Sprintf("| %s | %s | | %s | |\n", spec.Axis, spec, revision.Confirmed())}
	if spec.Everyone.Errors > 0 {
		rows = append(rows, fmt.Sprintf("| %s | %s | | | |\n", everyone, errorsOfRules(spec.Everyone.Errors, spec.Everyone.Rules)))
	}
	writeVerdictTable(w, verdicts, rows...)
}

func writeVerdictTable(w io.Writer, verdicts []clientVerdict, rows ...string) {
	fmt.Fprintf(w, "\n| client | | rules | limits as of | budget |\n|---|---|---|---|---|\n%s", strings.Join(rows, ""))
	for _, v := range verdicts {
		budget := ""
		if v.Budget != nil {
			budget = v.Budget.String()
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", v.Title, diag.MarkdownText(v.effect()+v.tools()), strings.Join(append(v.Rules[:len(v.Rules):len(v.Rules)], v.Minds...), ", "), v.Confirmed, budget)
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
