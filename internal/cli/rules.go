package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

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
	"anvil/internal/near"
)

// allRules lists the rules of every stage, by id. The panic of a rule id that two stages use is the catalogue's.
func allRules() diag.Catalog {
	return diag.NewCatalog(slices.Concat(probe.Rules, gate.Rules, gate.AcceptanceRules, adopt.Rules, air.Rules, diff.Rules, pack.Rules, certify.Rules, audit.Rules, checkRules)...)
}

func (sh *shell) rulesCommand() *cli.Command {
	return &cli.Command{Name: "rules", Usage: "list the rules, or explain one, or a code of an error", ArgsUsage: "[ID]", Flags: []cli.Flag{
		&cli.BoolFlag{Name: "profiles", Usage: "list the revisions and clients that a surface is judged by; with the id of one, everything that is known of it: names, cuts, limits, sources and months"},
		formatFlag("text", "markdown"),
	}, Action: func(c *cli.Context) error {
		if err := sh.noArguments(c, 1); err != nil {
			return err
		}
		format, err := parseFormat(c, "text", "markdown")
		if err != nil {
			return err
		}
		id, markdown := c.Args().First(), format == "markdown"
		switch {
		case c.Bool("profiles"):
			return sh.printProfiles(id, markdown)
		case id != "":
			return sh.explainRule(id, markdown)
		case markdown:
			return sh.writePage(rulesPage())
		}
		t := diag.NewTable(sh.out)
		for _, r := range allRules() {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.ID, classWords(r), r.Title)
		}
		return t.Flush()
	}}
}

// securityFails is what the class of a difference does not tell.
const securityFails = "A finding that concerns security, which the report marks, fails `--fail-on risky` (the default) and `security` whatever its class."

// failsForSecurity reports a rule of differences that does not fail the check by its class, and may by what a finding concerns.
func failsForSecurity(r diag.Rule) bool {
	_, ofDiff := diff.Rules.Find(r.ID)
	return (ofDiff || r.ID == surfaceRefused.ID) && r.Class.Rank() < diag.Risky.Rank()
}

func (sh *shell) writePage(page []byte) error {
	_, err := sh.out.Write(page)
	return err
}

// explainRule prints one rule, as text or as a page.
func (sh *shell) explainRule(id string, markdown bool) error {
	r, ok := allRules().Find(id)
	if e, is := errorCode(id); !ok && is {
		return sh.explainCode(e, markdown)
	}
	if !ok {
		return unknownRule(id, allRules())
	}
	if markdown {
		return sh.writePage(rulePage(r))
	}
	return sh.explain(r)
}

// errorCode finds a code of errors.
func errorCode(id string) (air.ErrorAbout, bool) {
	for _, e := range air.Errors {
		if string(e.Code) == id {
			return e, true
		}
	}
	return air.ErrorAbout{}, false
}

// explainCode prints what a code of an error means, and what its reader does next.
func (sh *shell) explainCode(e air.ErrorAbout, markdown bool) error {
	form := "%s (code of an error)\n%s\n-> %s\n"
	if markdown {
		form = "# %s\n\nA code of an error. %s\n\n%s\n"
	}
	fmt.Fprintf(sh.out, form, e.Code, e.Means, e.Does)
	return sh.out.err
}

// explain prints a rule: what it means, what to do, on which axes it counts, and the fixture it fires on.
func (sh *shell) explain(r diag.Rule) error {
	fmt.Fprintf(sh.out, "%s (%s)\n%s\n\n%s\n", r.ID, classWords(r), r.Title, strings.ReplaceAll(r.Doc, "\n", " "))
	if r.Retired != "" {
		fmt.Fprintf(sh.out, "retired: %s\n", r.Retired)
	}
	if r.Hint != "" {
		fmt.Fprintf(sh.out, "-> %s\n", r.Hint)
	}
	if failsForSecurity(r) {
		fmt.Fprintf(sh.out, "%s\n", securityFails)
	}
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		if limit, ok := p.Limit(r.ID); ok {
			fmt.Fprintf(sh.out, "on %s: %s\n", p.Axis(), limit)
		}
	}
	if example, ok := exampleOf(r.ID); ok {
		fmt.Fprintf(sh.out, "\nfires on:\n%s\nand says:\n%s\nnot on:\n%s\n", asBlock(example.Fires), asBlock(example.Says), asBlock(example.Near))
		if example.Why != "" {
			fmt.Fprintf(sh.out, "why:\n%s\n", asBlock(example.Why))
		}
	}
	return sh.out.err
}

// exampleOf returns the fixture of a rule, whichever stage has it.
func exampleOf(rule string) (diag.Fixture, bool) {
	for _, of := range []func(string) (diag.Fixture, bool){gate.Example, probe.Example, adopt.Example, diff.Example} {
		if example, ok := of(rule); ok {
			return example, true
		}
	}
	return diag.Fixture{}, false
}

func unknownRule(id string, rules diag.Catalog) error {
	hint := "list them with `anvil rules`"
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	for _, e := range air.Errors {
		ids = append(ids, string(e.Code))
	}
	if like := near.Names(id, ids); len(like) > 0 {
		hint = "the nearest are " + strings.Join(like, ", ") + "; " + hint
	}
	return usagef("no rule %q; %s", id, hint)
}

// exampleWidth is how many characters of an example are shown; a few rules need very large ones.
const exampleWidth = 3000

func shownExample(text string) string { return diag.Shorten(printableLines(text), exampleWidth) }

func asBlock(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(shownExample(text)), "\n", "\n  ")
}

// printProfiles lists the axes, one of them in full when an id is given; as a page all are in full.
func (sh *shell) printProfiles(id string, markdown bool) error {
	var page bytes.Buffer
	if id != "" {
		p := profiles.All().Spec(id)
		if p.ID != id {
			var err error
			if p, err = profiles.All().Client(id); err != nil {
				return usage(err)
			}
		}
		if markdown {
			writeProfile(&page, p)
			return sh.writePage(page.Bytes())
		}
		fmt.Fprintf(sh.out, "%s\n%s\n", p.Axis(), titleOf(p))
		for _, fact := range p.Facts() {
			fmt.Fprintf(sh.out, "  %s: %s\n", fact[0], fact[1])
		}
		for _, l := range p.Limits {
			fmt.Fprintf(sh.out, "  %s: %s\n    sources: %s\n", l.Rule, l, strings.Join(l.Sources, ", "))
		}
		return sh.out.err
	}
	if markdown {
		writeProfiles(&page)
		return sh.writePage(page.Bytes())
	}
	t := diag.NewTable(sh.out)
	all := slices.Concat(profiles.All().Specs, profiles.All().Clients)
	for _, p := range all {
		shown := ""
		if p.Naming.Prefix != "" {
			shown = ", shows tools as " + p.Naming.Prefix + "{tool}"
		}
		fmt.Fprintf(t, "%s\t%s\t%s%s\n", p.Axis(), titleOf(p), counted(len(p.Limits), "limit"), shown)
	}
	fmt.Fprintf(t, "\t\tas of %s; `anvil rules --profiles ID` shows everything of one, with its sources\n", profiles.AsOf(all))
	return t.Flush()
}

func titleOf(p *profiles.Profile) string { return cmp.Or(p.Title, "MCP, revision "+p.ID) }

func classWords(r diag.Rule) string {
	if r.Retired != "" {
		return "retired"
	}
	if r.Security {
		return string(r.Class) + ", security"
	}
	return string(r.Class)
}
