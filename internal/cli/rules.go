package cli

import (
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
)

// allRules lists the rules of every stage, by id. The panic of a rule id that two stages use is the catalogue's.
func allRules() diag.Catalog {
	return diag.NewCatalog(slices.Concat(probe.Rules, gate.Rules, adopt.Rules, air.Rules, diff.Rules, pack.Rules, checkRules)...)
}

func (sh *shell) rulesCommand() *cli.Command {
	return &cli.Command{Name: "rules", Usage: "list the rules, or explain one", ArgsUsage: "[ID]", Action: func(c *cli.Context) error {
		if err := sh.noArguments(c, 1); err != nil {
			return err
		}
		rules := allRules()
		if id := c.Args().First(); id != "" {
			r, ok := rules.Find(id)
			if !ok {
				return usagef("no rule %q; list them with `anvil rules`", id)
			}
			_, err := fmt.Fprintf(sh.out, "%s (%s)\n%s\n\n%s\n", r.ID, classWords(r), r.Title, strings.TrimSpace(strings.ReplaceAll(r.Doc, "\n", " ")+" "+r.Hint))
			return err
		}
		t := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
		for _, r := range rules {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.ID, classWords(r), r.Title)
		}
		return t.Flush()
	}}
}

func classWords(r diag.Rule) string {
	if r.Security {
		return string(r.Class) + ", security"
	}
	return string(r.Class)
}
