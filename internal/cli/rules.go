package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/adopt/probe"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/profiles"
)

// allRules lists the rules of every stage, by id. The panic of a rule id that two stages use is the catalogue's.
func allRules() diag.Catalog {
	return diag.NewCatalog(slices.Concat(probe.Rules, gate.Rules, gate.AcceptanceRules, adopt.Rules, air.Rules, diff.Rules, pack.Rules, checkRules)...)
}

func (sh *shell) rulesCommand() *cli.Command {
	return &cli.Command{Name: "rules", Usage: "list the rules, or explain one", ArgsUsage: "[ID]", Flags: []cli.Flag{
		&cli.BoolFlag{Name: "profiles", Usage: "list the revisions and clients that a surface is judged by; with the id of one, its limits with sources and months"},
		formatFlag("text", "markdown"),
	}, Action: func(c *cli.Context) error {
		if err := sh.noArguments(c, 1); err != nil {
			return err
		}
		if c.Bool("profiles") {
			return sh.printProfiles(c.Args().First())
		}
		rules := allRules()
		format, err := parseFormat(c, "text", "markdown")
		if err != nil {
			return err
		}
		if format == "markdown" {
			_, err := sh.out.Write(rulesPage())
			return err
		}
		if id := c.Args().First(); id != "" {
			r, ok := rules.Find(id)
			if !ok {
				return unknownRule(id, rules)
			}
			return sh.explain(r)
		}
		t := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
		for _, r := range rules {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.ID, classWords(r), r.Title)
		}
		return t.Flush()
	}}
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
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		if limit, ok := p.Limit(r.ID); ok {
			fmt.Fprintf(sh.out, "on %s: %s\n", p.Axis(), limit)
		}
	}
	if example, ok := gate.Example(r.ID); ok {
		fmt.Fprintf(sh.out, "\nfires on:\n%s\nand says:\n%s\nnot on:\n%s\n", asBlock(example.Fires), asBlock(example.Says), asBlock(example.Near))
		if example.Why != "" {
			fmt.Fprintf(sh.out, "why:\n%s\n", asBlock(example.Why))
		}
	}
	if example, ok := diff.Example(r.ID); ok {
		fmt.Fprintf(sh.out, "\nof a server that showed:\n%s\nfires on:\n%s\nnot on:\n%s\nsays, of the first (rev) and of the second (near):\n%s\n",
			asBlock(example.Base), asBlock(example.Fires), asBlock(example.Near), asBlock(example.Says))
	}
	return sh.out.err
}

func unknownRule(id string, rules diag.Catalog) error {
	hint := "list them with `anvil rules`"
	if like := nearest(id, rules); len(like) > 0 {
		hint = "the nearest are " + strings.Join(like, ", ") + "; " + hint
	}
	return usagef("no rule %q; %s", id, hint)
}

// nearestRules is how many rules are proposed for an id that is none.
const nearestRules = 3

// nearest are the ids that are most like one that is not known, the most like first.
func nearest(id string, rules diag.Catalog) []string {
	var flags []cli.Flag // the library knows how to compare their names
	for _, r := range rules {
		flags = append(flags, &cli.BoolFlag{Name: r.ID})
	}
	var ids []string
	for range nearestRules {
		best := strings.TrimPrefix(cli.SuggestFlag(flags, id, true), "--")
		if best == "" { // nothing is like it at all
			break
		}
		flags = slices.DeleteFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == best })
		ids = append(ids, best)
	}
	return ids
}

// exampleWidth is how many characters of an example are shown; a few rules need very large ones.
const exampleWidth = 3000

func asBlock(text string) string {
	text = diag.Shorten(printableLines(text), exampleWidth)
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// printProfiles lists the axes, one of them in full when an id is given.
func (sh *shell) printProfiles(id string) error {
	if id != "" {
		p := profiles.All().Spec(id)
		if p.ID != id {
			var err error
			if p, err = profiles.All().Client(id); err != nil {
				return usage(err)
			}
		}
		fmt.Fprintf(sh.out, "%s\n%s\n", p.Axis(), p.Title)
		for _, l := range p.Limits {
			fmt.Fprintf(sh.out, "  %s: %s\n    sources: %s\n", l.Rule, l, strings.Join(l.Sources, ", "))
		}
		return sh.out.err
	}
	t := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", p.Axis(), cmp.Or(p.Title, "MCP, revision "+p.ID), counted(len(p.Limits), "limit"))
	}
	fmt.Fprintf(t, "\t\tas of %s; `anvil rules --profiles ID` shows the limits of one with their sources\n", profiles.All().Confirmed)
	return t.Flush()
}

func classWords(r diag.Rule) string {
	if r.Retired != "" {
		return "retired"
	}
	if r.Security {
		return string(r.Class) + ", security"
	}
	return string(r.Class)
}
