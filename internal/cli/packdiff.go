package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack/compare"
)

var packDiffFormats = []string{"text", "json", "yaml", "markdown"}

func (sh *shell) packDiffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "compare two packs by what their differences mean", ArgsUsage: "OLD NEW",
		Description: `Tells what moved on the surface, the impact of every operation's change (compatible, additive, breaking, safety-sensitive), changes of
posture, state, blocks and approvals, of the facade's settings, which artifacts differ, and which tools behave otherwise, beyond chance, by
what each pack was built with (adopt --learn). Behaviour is no part of the impact.

` + packUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "fail-on", Value: string(compare.Breaking),
				Usage: "exit 1 at a difference of this `IMPACT` or a worse one: additive, breaking, safety-sensitive; or any"},
			formatFlag(packDiffFormats...),
		},
		Action: sh.packDiff,
	}
}

// packDiffReport is the report of pack diff: the findings are the differences of the two surfaces.
type packDiffReport struct {
	diag.Report
	compare.Comparison
}

func (sh *shell) packDiff(c *cli.Context) error {
	format, err := parseFormat(c, packDiffFormats...)
	if err != nil {
		return err
	}
	threshold := c.String("fail-on")
	if threshold != "any" && !slices.Contains(compare.Impacts[1:], compare.Impact(threshold)) {
		return usagef("--fail-on %q is not known: use additive, breaking, safety-sensitive or any", threshold)
	}
	sides, err := sh.twoPacks(c)
	if err != nil {
		return err
	}
	differences, err := compare.Packs(sides[0], sides[1])
	if err != nil {
		return err
	}
	report := diff.Report(differences.Findings)
	report.Report = "pack-diff"
	lead := packDiffText(differences)
	s := sheet{Report: report, value: packDiffReport{report, differences}, threshold: diag.FailOnRisky, text: leading(lead)}
	s.markdown = leading("```\n" + lead + "```\n\n")
	s.headline = packDiffHeadline(differences)
	fails := differences.Impact.Rank() >= compare.Impact(threshold).Rank()
	if threshold == "any" {
		fails = !differences.IsSame()
	}
	if fails {
		s.why = fmt.Sprintf("it fails: the difference is %s, and --fail-on is %s", differences.Impact, threshold)
	}
	if err := sh.show(c, s, format); err != nil {
		return err
	}
	return found(fails)
}

// packDiffHeadline sums up all that differs, of which the findings are a part: they are about the surfaces alone.
func packDiffHeadline(d compare.Comparison) string {
	if d.IsSame() {
		return "the packs are the same"
	}
	return fmt.Sprintf("%s: %s, %s, %s; of the surfaces: %s", d.Impact, counted(len(d.Operations), "operation"), counted(len(d.Settings), "setting"),
		counted(len(d.Artifacts), "artifact"), diag.NewReport("diff", d.Findings).Summary.Line())
}

// packDiffText says what differs, before the findings about the surface.
func packDiffText(d compare.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "old        %s  %s %s  %s\n", diag.Printable(d.Old.Folder), d.Old.ID, diag.Printable(d.Old.Version), d.Old.Digest)
	fmt.Fprintf(&b, "new        %s  %s %s  %s\n", diag.Printable(d.New.Folder), d.New.ID, diag.Printable(d.New.Version), d.New.Digest)
	if d.IsSame() {
		b.WriteString("the packs are the same\n")
		return b.String()
	}
	fmt.Fprintf(&b, "impact     %s\nsignature  %s\nsurface    %s\n", d.Impact, d.Signature, d.Surface)
	if d.Old.Mode != d.New.Mode {
		fmt.Fprintf(&b, "mode       %s -> %s\n", d.Old.Mode, d.New.Mode)
	}
	if len(d.Operations) > 0 {
		b.WriteString("\noperations:\n")
	}
	for _, o := range d.Operations {
		writeOperationChange(&b, o)
	}
	if len(d.Settings) > 0 {
		b.WriteString("\nsettings:\n")
	}
	for _, v := range d.Settings {
		fmt.Fprintf(&b, "  %s\n", valueLine(v))
	}
	if len(d.Artifacts) > 0 {
		b.WriteString("\nartifacts:\n")
	}
	for _, a := range d.Artifacts {
		fmt.Fprintf(&b, "  %-8s %s\n", a.Change, diag.Printable(a.Path))
	}
	if len(d.Behaviour) > 0 {
		b.WriteString("\nbehaviour:\n")
	}
	for _, v := range d.Behaviour {
		fmt.Fprintf(&b, "  %-5s  %s  %s: %s\n", betterOrWorse(v), diag.Printable(v.Tool), v.Measure, diag.Printable(v.Message))
	}
	if len(d.Findings) > 0 {
		fmt.Fprintf(&b, "\nsurface: %s\n", diag.NewReport("diff", d.Findings).Summary.Line())
	}
	return b.String()
}

// valueLine tells a value that differs: where, before and after.
func valueLine(v compare.ValueChange) string {
	return diag.Printable(fmt.Sprintf("%s  %s -> %s", v.Pointer, orNone(string(v.Before)), orNone(string(v.After))))
}

// topMembers names the members of an operation in which something differs.
func topMembers(changes []compare.ValueChange) []string {
	var names []string
	for _, c := range changes {
		names = append(names, canon.Tokens(c.Pointer)[0])
	}
	return slices.Compact(names)
}

func writeOperationChange(w io.Writer, o compare.OperationChange) {
	line := o.Change
	if named := append(slices.Clone(o.Fields), topMembers(o.Members)...); len(named) > 0 {
		line += ": " + strings.Join(named, ", ")
	}
	fmt.Fprintf(w, "  %-16s %s  %s\n", o.Impact, diag.Printable(cmp.Or(o.Tool, o.ID)), diag.Printable(line))
	for _, p := range o.Posture {
		loosened := ""
		if p.Looser {
			loosened = "  (looser)"
		}
		fmt.Fprintf(w, "%19s%s %s -> %s%s\n", "", p.Predicate, p.Before, p.After, loosened)
	}
	for _, m := range o.Members {
		fmt.Fprintf(w, "%19s%s\n", "", valueLine(m))
	}
	if o.Block != "" {
		fmt.Fprintf(w, "%19sblock %s\n", "", o.Block)
	}
	if o.State != nil {
		fmt.Fprintf(w, "%19sstate %s -> %s\n", "", o.State.Before, o.State.After)
	}
	if o.Approval != "" {
		fmt.Fprintf(w, "%19sapproval %s (%s)\n", "", o.Approval, diag.Printable(o.By))
	}
}
