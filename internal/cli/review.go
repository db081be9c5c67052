package cli

import (
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
)

func (sh *shell) reviewCommand() *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "walk through the operations of a pack that nobody has decided on, and approve or block each",
		ArgsUsage: "PACK",
		Description: `On a terminal, one operation at a time: what it does and on whose word, its arguments, its text as a model reads it, what is found in
it, and what changed since it was approved. Keys: a approve, b block, s skip, k back, q quit and write, ? help. What was decided is written
once, at the end; Ctrl-C writes nothing. Without a terminal, or with --format, all of it is printed, and nothing is decided: decide with
` + "`anvil mcp approve`" + ` and ` + "`anvil mcp block`" + `.`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "all-states", Usage: "every operation, decided or not"},
			formatFlag("text", "json", "markdown"),
			&cli.StringFlag{Name: "by", Usage: "`WHO` decides (default: the variable USER)"},
			expiresFlag("the approvals of this review hold", " (default: until the operation changes)"),
			configFlag(),
		}, gateFlags()...),
		Action: sh.review,
	}
}

// reviewReport is the report of review: everything a person decides by.
type reviewReport struct {
	diag.Report
	Pack       string              `json:"pack"` // its digest
	Operations []reviewedOperation `json:"operations"`
}

func (sh *shell) review(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "markdown")
	if err != nil {
		return err
	}
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	dir := c.Args().First()
	if dir == "" {
		return usagef("say which pack: anvil mcp review PACK")
	}
	p, d, err := openTrusted(dir)
	if err != nil {
		return err
	}
	d, lapsed := d.WithApprovals(pack.Approvals(d), sh.now())
	r, err := sh.reviewOf(c, p, d, lapsed)
	if err != nil {
		return err
	}
	if isTerminal(sh.in) && isTerminal(sh.out.w) && !c.IsSet("format") {
		return sh.walk(c, dir, d, r)
	}
	return sh.printReview(c, dir, r, format)
}

// printReview prints every screen of a review.
func (sh *shell) printReview(c *cli.Context, dir string, r reviewReport, format string) error {
	write := reviewedOperation.writeText
	switch {
	case format == "json":
		return sh.show(c, sheet{Report: r.Report, value: r}, format)
	case format == "markdown":
		write = reviewedOperation.writeMarkdown
	case len(r.Operations) == 0:
		fmt.Fprintf(sh.out, "nothing to review: every operation of %s is decided; see all of them with --all-states\n", dir)
		return nil
	}
	for i, o := range r.Operations {
		if i > 0 {
			fmt.Fprintln(sh.out)
		}
		write(o, sh.out, r.about(o))
	}
	if format == "text" {
		writeNext(sh.out, []step{{"approve what may be called", "anvil mcp approve " + diag.ShellPath(dir) + " OPERATION..."},
			{"block what must not", "anvil mcp block " + diag.ShellPath(dir) + " OPERATION... --reason TEXT"}})
	}
	return nil
}

// undecided reports an operation that waits for a person: one that nobody approved or blocked, or whose text is not the one that was approved.
func undecided(o air.Operation) bool {
	switch o.State {
	case air.StateGenerated, air.StateReviewRequired:
		return true
	case air.StateApproved:
		return o.Approval.TextDigest != o.TextDigest
	}
	return false
}

// reviewOf gathers what is known of the operations to review, with everything that is found in them.
func (sh *shell) reviewOf(c *cli.Context, p *pack.Pack, d air.Document, lapsed []diag.Finding) (reviewReport, error) {
	r := reviewReport{Pack: p.Manifest.Digest, Operations: []reviewedOperation{}}
	s, err := p.Snapshot()
	if err != nil {
		return r, err
	}
	o, err := sh.gateOptions(c)
	if err != nil {
		return r, err
	}
	_, stated := emit.DecidedIn(d).Lower(s)
	verdict, err := gate.CheckContext(sh.ctx, s, o, slices.Concat(adopt.Doubts(d.Diagnostics), lapsed, stated)...)
	if err != nil {
		return r, err
	}
	operations, tools := newMatcher(d.Operations), map[string]bool{}
	for _, it := range s.Tools() {
		of := operations.of(it)
		if of == nil || !c.Bool("all-states") && !undecided(*of) {
			continue
		}
		view, err := newReviewed(*of, it)
		if err != nil {
			return r, err
		}
		tools[it.Name] = true
		r.Operations = append(r.Operations, view)
	}
	slices.SortFunc(r.Operations, func(a, b reviewedOperation) int { return strings.Compare(a.Operation, b.Operation) })
	var about []diag.Finding
	for _, f := range verdict.Findings {
		if !isAside(f) && tools[toolOf(f)] {
			about = append(about, f)
		}
	}
	r.Report = diag.NewReport("review", about)
	return r, nil
}

// toolOf is the tool that a finding is about; "" for none.
func toolOf(f diag.Finding) string {
	if f.Tool != "" {
		return f.Tool
	}
	name, isTool := strings.CutPrefix(f.Subject, string(surface.Tool)+"/")
	if !isTool {
		return ""
	}
	return name
}

// about returns the findings in the tool of an operation.
func (r reviewReport) about(o reviewedOperation) (about []diag.Finding) {
	for _, f := range r.Findings {
		if toolOf(f) == o.Tool {
			about = append(about, f)
		}
	}
	return about
}
