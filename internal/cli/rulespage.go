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
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/profiles"
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
	b.WriteString("# Rules\n\nMade by `anvil rules --format markdown`; `anvil rules ID` explains one, with an example it fires on.\n")
	for _, stage := range []struct {
		title string
		rules diag.Catalog
	}{
		{"Probe: how the server behaves", probe.Rules},
		{"Gate: what the surface is", diag.NewCatalog(slices.Concat(gate.Rules, gate.AcceptanceRules)...)},
		{"Bridge and AIR: what the tools do, and who approved them", diag.NewCatalog(slices.Concat(adopt.Rules, air.Rules)...)},
		{"Diff: what changed", diff.Rules},
		{"Pack and check", diag.NewCatalog(slices.Concat(pack.Rules, checkRules)...)},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | class | what it means | why | what to do |\n|---|---|---|---|---|\n", stage.title)
		for _, r := range stage.rules {
			doc := strings.Join(strings.Fields(r.Doc), " ")
			if r.Retired != "" {
				doc += " Retired: " + r.Retired
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.ID, classWords(r)+classesByAxis(r), diag.MarkdownText(r.Title), diag.MarkdownText(doc), diag.MarkdownText(r.Hint))
		}
	}
	fmt.Fprintf(&b, "\n## Profiles\n\nLimits of revisions and clients, as of %s. A finding on the axis of a client counts once the client is named (`--profile`, `gate.clients`);\nuntil then it is information.\n", profiles.All().Confirmed)
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		fmt.Fprintf(&b, "\n### %s\n\n| rule | limit | sources |\n|---|---|---|\n", p.Axis())
		for _, l := range p.Limits {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.Rule, diag.MarkdownText(l.String()), diag.MarkdownText(strings.Join(l.Sources, ", ")))
		}
	}
	return b.Bytes()
}
