package cli

import (
	"fmt"
	"unicode/utf8"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

var diffThresholds = []diag.Threshold{diag.FailOnBreaking, diag.FailOnRisky, diag.FailOnSecurity, diag.FailOnAny}

func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on", Usage: "exit 1 at differences of this `CLASS`: breaking, risky, security or any (default: risky, or diff.failOn of the configuration); risky and security fail for what concerns security whatever its class, so for a \"safe [security]\" tool that was added"}
}

func strictOpenFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict-open", Usage: "count what callers may send in members that an open object does not declare: a new optional argument can then break a call, and a new member of a result its reader; it is given to check and diff alike, since what it judges otherwise has another fingerprint"}
}

// failOn returns the threshold of --fail-on, of the configuration, or the default.
func failOn(c *cli.Context, file *config.File) (diag.Threshold, error) {
	word := c.String("fail-on")
	if word == "" && file != nil {
		word = file.Diff.FailOn
	}
	if word == "" {
		return diag.FailOnRisky, nil
	}
	t, err := diag.ParseThreshold(word, diffThresholds...)
	if err != nil {
		return "", usage(fmt.Errorf("--fail-on: %w", err))
	}
	return t, nil
}

func (sh *shell) diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "compare two surfaces", ArgsUsage: "OLD NEW",
		Description: "OLD and NEW are each a TARGET; a command behind -- is the new one.\n\n" + targetUsage,
		Flags:       targetFlags(formatFlag(reportFormats...), failOnFlag(), strictOpenFlag(), fullFlag(), affectedFlag(" (default: OLD, if that is a pack)")),
		Action:      sh.diff,
	}
}

func (sh *shell) diff(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return err
	}
	threshold, err := failOn(c, file)
	if err != nil {
		return err
	}
	differences, err := sh.differences(c)
	if err != nil {
		return err
	}
	d, err := sh.comparing(c, file, differences)
	if err != nil {
		return err
	}
	view := sheet{Report: d.report, threshold: threshold, changes: sh.changesFor(c), text: leading(changeLine(d.sides[0], d.sides[1], d.report))}
	view.why = whyFailed(d.report, threshold)
	view.remedy = differences.remedy(d.report.Failing(threshold))
	if format == "markdown" {
		view.document = func(page diag.PageOptions) []byte {
			behind := leftoverSection(d.ranOut)
			page.Used += utf8.RuneCount(behind)
			return append(diff.Markdown(d.sides[0], d.sides[1], d.changes, page), behind...)
		}
	}
	if err := sh.show(c, view, format); err != nil {
		return err
	}
	sh.tellRemedy(view, format)
	return found(len(d.report.Failing(threshold)) > 0)
}

// comparison is two surfaces, and what differs between them.
type comparison struct {
	sides           [2]*surface.McpSurfaceSnapshot
	changes, ranOut []diag.Finding // differences; acceptances of them that ran out
	report          diag.Report    // of both
}

// comparing gets both surfaces that the line names, and judges what differs.
func (sh *shell) comparing(c *cli.Context, file *config.File, differences differences) (d comparison, err error) {
	targets, err := sh.twoTargets(c, file)
	if err != nil {
		return d, err
	}
	sides, touched, err := sh.bothSides(c, targets)
	if err != nil {
		return d, err
	}
	delta := diff.Compare(sides[0], sides[1], differences.Options)
	findings, err := sh.mark(touched, sides[0], sides[1], delta, diff.Judge(delta))
	if err != nil {
		return d, err
	}
	named := targets[1].Server.Name
	if named == "" && sh.rest == nil {
		named = targetName(c)
	}
	d.sides = sides
	d.changes, d.ranOut = differences.judged(findings, named)
	if targets[1].Kind == config.KindName { // told as the check of that server tells them
		d.changes = serverFindings(named, d.changes)
	}
	d.report = withLeftovers(diff.Report(d.changes), d.ranOut)
	return d, nil
}

// bothSides returns the two surfaces, and the pack of which it is told what their differences touch. A pack that does not fit is refused before the new
// side is asked.
func (sh *shell) bothSides(c *cli.Context, targets [2]config.Target) (sides [2]*surface.McpSurfaceSnapshot, t *touched, err error) {
	if _, err = touchedPack(c, nil); err != nil {
		return sides, nil, err
	}
	if targets[0].Kind == config.KindSnapshot && targets[1].Kind == config.KindSnapshot { // what the files have in common is read once
		both, err := surface.ReadFiles(targets[0].Path, targets[1].Path)
		if err != nil {
			return sides, nil, err
		}
		if t, err = touchedPack(c, nil); err != nil {
			return sides, nil, err
		}
		return [2]*surface.McpSurfaceSnapshot(both), t, t.of(both[0])
	}
	for i, target := range targets {
		seen, err := sh.observe(c, target)
		if err != nil {
			return sides, nil, err
		}
		sides[i] = seen.snapshot
		if i > 0 {
			continue
		}
		if t, err = touchedPack(c, seen.pack); err != nil {
			return sides, nil, err
		}
		if err = t.of(seen.snapshot); err != nil {
			return sides, nil, err
		}
	}
	return sides, t, nil
}

func (sh *shell) twoTargets(c *cli.Context, file *config.File) (targets [2]config.Target, err error) {
	headers, err := sh.headers(c)
	if err != nil {
		return targets, err
	}
	args := c.Args().Slice()
	if want := 2; sh.rest != nil {
		want = 1
		if len(args) != want {
			return targets, usagef("diff compares two surfaces: anvil mcp diff OLD -- COMMAND ARG...")
		}
	} else if len(args) != want {
		return targets, usagef("diff compares two surfaces: anvil mcp diff OLD NEW")
	}
	if targets[0], err = sh.side(c, file, args[:1], nil); err != nil {
		return targets, err
	}
	if targets[1], err = sh.side(c, file, args[1:], sh.rest); err != nil {
		return targets, err
	}
	return withHeadersOfOne(targets, headers)
}

// side reads one of the two targets; --transport is for those that are servers.
func (sh *shell) side(c *cli.Context, file *config.File, args, rest []string) (config.Target, error) {
	t, err := config.ParseTarget(args, rest, file, "")
	if err == nil && t.Path == "" {
		t, err = config.ParseTarget(args, rest, file, c.String("transport"))
	}
	return t, usage(err)
}

func changeLine(old, now *surface.McpSurfaceSnapshot, r diag.Report) string {
	if len(r.Findings) == 0 {
		return "no difference\n"
	}
	step := ""
	if r.Summary.Bump != "" {
		step = "; suggested version step: " + r.Summary.Bump
	}
	return fmt.Sprintf("%s %s -> %s %s: %s%s\n\n", diag.Printable(orUnnamed(old.ServerName())), diag.Printable(old.ServerVersion()),
		diag.Printable(orUnnamed(now.ServerName())), diag.Printable(now.ServerVersion()), r.Summary.Line(), step)
}
