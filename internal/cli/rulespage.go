package cli

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/adopt/probe"
	"anvil/compiler/air"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/profiles"
	"anvil/facade/audit"
)

// classesByAxis tells the classes of a rule that depends on who takes the surface.
func classesByAxis(r diag.Rule) string {
	on := map[string][]string{}
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		if limit, ok := p.Limit(r.ID); ok {
			on[limit.Class] = append(on[limit.Class], p.ID)
		}
	}
	text := ""
	for _, class := range slices.Sorted(maps.Keys(on)) {
		text += fmt.Sprintf("<br>%s on %s", class, strings.Join(on[class], ", "))
	}
	return text
}

// rulesPage is docs/rules.md: every rule by the stage that has it, and the profiles.
func rulesPage() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Rules\n\nMade by `anvil rules --format markdown`; `anvil rules ID` explains one (`--format markdown` as a page), with an example it fires on.\n%s", withoutExample())
	for _, stage := range []struct {
		title string
		rules diag.Catalog
	}{
		{"Probe: how the server behaves", probe.Rules},
		{"Gate: what the surface is", diag.NewCatalog(slices.Concat(gate.Rules, gate.AcceptanceRules)...)},
		{"Bridge and AIR: what the tools do, and who approved them", diag.NewCatalog(slices.Concat(adopt.Rules, air.Rules)...)},
		{"Diff: what changed", diff.Rules},
		{"Certify: why a pack is not certified, or its certificate not believed", certify.Rules},
		{"Audit: what became of a log", audit.Rules},
		{"Pack and check", diag.NewCatalog(slices.Concat(pack.Rules, checkRules)...)},
	} {
		fmt.Fprintf(&b, "\n## %s\n", stage.title)
		if slices.ContainsFunc(stage.rules, failsForSecurity) {
			fmt.Fprintf(&b, "\n%s So a safe one may fail: `tool-added`, where the new tool does not rule out that it changes something.\n", securityFails)
		}
		fmt.Fprintf(&b, "\n| rule | class | what it means | why | what to do |\n|---|---|---|---|---|\n")
		for _, r := range stage.rules {
			doc := strings.Join(strings.Fields(r.Doc), " ")
			if r.Retired != "" {
				doc += " Retired: " + r.Retired
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.ID, classWords(r)+classesByAxis(r), diag.MarkdownText(r.Title), diag.MarkdownText(doc), diag.MarkdownText(r.Hint))
		}
	}
	b.WriteByte('\n')
	writeProfiles(&b)
	return b.Bytes()
}

// withoutExample is the sentence about the rules that have no example.
func withoutExample() string {
	var without []string
	for _, r := range allRules() {
		if _, ok := exampleOf(r.ID); !ok {
			without = append(without, "`"+r.ID+"`")
		}
	}
	if len(without) == 0 {
		return ""
	}
	return fmt.Sprintf("These have no example: %s.\n", strings.Join(without, ", "))
}

// rulePage is one rule as Markdown: all that `anvil rules ID` says.
func rulePage(r diag.Rule) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s (%s). %s\n", diag.MarkdownText(r.ID), diag.MarkdownText(r.Title), classWords(r), diag.MarkdownText(strings.Join(strings.Fields(r.Doc), " ")))
	if r.Hint != "" {
		fmt.Fprintf(&b, "\nWhat to do: %s\n", diag.MarkdownText(r.Hint))
	}
	if failsForSecurity(r) {
		fmt.Fprintf(&b, "\n%s\n", diag.MarkdownText(securityFails))
	}
	table := "\n| on | limit | sources |\n|---|---|---|\n"
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		if l, ok := p.Limit(r.ID); ok {
			fmt.Fprintf(&b, "%s| %s | %s | %s |\n", table, p.Axis(), diag.MarkdownText(l.String()), diag.MarkdownText(strings.Join(l.Sources, ", ")))
			table = ""
		}
	}
	if example, ok := exampleOf(r.ID); ok {
		for _, part := range []struct{ title, text string }{{"Fires on", example.Fires}, {"And says", example.Says}, {"Not on", example.Near}, {"Why", example.Why}} {
			if part.text != "" {
				fmt.Fprintf(&b, "\n## %s\n\n%s\n", part.title, asCode(part.text))
			}
		}
	}
	return b.Bytes()
}

// asCode is a text as a block of code, which nothing in it can end.
func asCode(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(shownExample(text)), "\n", "\n    ")
}

// writeProfiles writes what is known of every revision and client.
func writeProfiles(b *bytes.Buffer) {
	fmt.Fprintf(b, "## Profiles\n\nA profile is what is known of a revision or a client, here as of %s. A finding on the axis of a client counts once the client is named (`--profile`, `gate.clients`);\nuntil then it is information.\n", profiles.AsOf(slices.Concat(profiles.All().Specs, profiles.All().Clients)))
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		b.WriteByte('\n')
		writeProfile(b, p)
	}
}

func writeProfile(b *bytes.Buffer, p *profiles.Profile) {
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", p.Axis(), titleOf(p))
	for _, fact := range p.Facts() {
		fmt.Fprintf(b, "- %s: %s\n", diag.MarkdownText(fact[0]), diag.MarkdownText(fact[1]))
	}
	if len(p.Facts()) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("| rule | limit | sources |\n|---|---|---|\n")
	for _, l := range p.Limits {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", l.Rule, diag.MarkdownText(l.String()), diag.MarkdownText(strings.Join(l.Sources, ", ")))
	}
}
