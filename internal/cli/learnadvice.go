package cli

import (
	"cmp"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/learn"
	"anvil/learn/advise"
)

// adviceFlags are the flags of commands that draw recommendations.
func adviceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "pack", Usage: "take from the pack in the folder `PACK` what operations do: of them alone, what is approved and may be made twice is advised to be tried again; may be repeated"},
		budgetWindowFlag(),
	}
}

func budgetWindowFlag() cli.Flag {
	return &cli.StringFlag{Name: "budget-window", Value: string(advise.Always), Usage: "hold stated budgets against what was spent in the current `WINDOW`: hour, day, month; none is all calls ever"}
}

// advice is what recommendations are drawn with: what the packs of the line say of their operations, and the window of budgets.
func (sh *shell) advice(c *cli.Context) (advise.Options, error) {
	var documents []air.Document
	for _, dir := range c.StringSlice("pack") {
		_, d, err := openTrusted(dir)
		if err != nil {
			return advise.Options{}, err
		}
		documents = append(documents, d)
	}
	return adviceOf(c, documents...)
}

func adviceOf(c *cli.Context, documents ...air.Document) (o advise.Options, err error) {
	o = advise.Options{Window: cmp.Or(advise.Window(c.String("budget-window")), advise.Always), Safety: safetyOf(documents)}
	if !slices.Contains(advise.Windows, o.Window) {
		var known []string
		for _, w := range advise.Windows {
			known = append(known, string(w))
		}
		return o, usagef("--budget-window %q is not known here: use one of %s", o.Window, strings.Join(known, ", "))
	}
	return o, nil
}

// safetyOf is what packs say of their operations, under the contracts that they were judged with; nothing of any other. An operation may be made twice where the
// pack settled that a retry of it is safe, which takes its effect, its idempotency, and an approval.
func safetyOf(documents []air.Document) func(learn.Tool) advise.Safety {
	known := map[learn.Tool]advise.Safety{}
	for _, d := range documents {
		for _, o := range d.Operations {
			safe, reads := o.Retries.Mode == air.RetrySafe, o.Effect.Kind == air.Read
			known[learn.Tool{Server: d.Service.ID, Name: o.MCP.ToolName, Contract: o.ContractDigest}] = advise.Safety{
				ReadOnly: safe && reads, Idempotent: safe && !reads, Destructive: o.Effect.Risk == air.RiskDestructive, Confirms: o.Confirmation.Required}
		}
	}
	return func(t learn.Tool) advise.Safety { return known[t] }
}
