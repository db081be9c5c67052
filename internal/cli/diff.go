package cli

import (
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

var diffThresholds = []diag.Threshold{diag.FailOnBreaking, diag.FailOnRisky, diag.FailOnSecurity, diag.FailOnAny}

func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on", Usage: "exit 1 at differences of this `CLASS`: breaking, risky, security or any (default: risky, or diff.failOn of the configuration)"}
}

func strictOpenFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict-open", Usage: "count what callers may send in members that an open object does not declare: a new optional argument can then break a call"}
}

func diffOptions(c *cli.Context) diff.Options { return diff.Options{StrictOpen: c.Bool("strict-open")} }

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
		Flags:       targetFlags(formatFlag(reportFormats...), failOnFlag(), strictOpenFlag()),
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
	targets, err := sh.twoTargets(c, file)
	if err != nil {
		return err
	}
	sides, err := sh.bothSides(c, targets)
	if err != nil {
		return err
	}
	delta := diff.Compare(sides[0], sides[1], diffOptions(c))
	report := diff.Report(diff.Judge(delta))
	view := sheet{Report: report, threshold: threshold, text: leading(changeLine(sides[0], sides[1], report) + "\n")}
	if format == "markdown" {
		view.document = diff.Markdown(sides[0], sides[1], delta, report.Findings)
	}
	if err := sh.show(c, view, format); err != nil {
		return err
	}
	return found(len(report.Failing(threshold)) > 0)
}

// bothSides returns the two surfaces. What two snapshot files have in common is read once.
func (sh *shell) bothSides(c *cli.Context, targets [2]config.Target) ([]*surface.McpSurfaceSnapshot, error) {
	if targets[0].Kind == config.KindSnapshot && targets[1].Kind == config.KindSnapshot {
		return surface.ReadFiles(targets[0].Path, targets[1].Path)
	}
	var sides []*surface.McpSurfaceSnapshot
	for _, t := range targets {
		seen, err := sh.observe(c, t)
		if err != nil {
			return nil, err
		}
		sides = append(sides, seen.snapshot)
	}
	return sides, nil
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
		return "no difference"
	}
	step := ""
	if r.Summary.Bump != "" {
		step = "; suggested version step: " + r.Summary.Bump
	}
	return fmt.Sprintf("%s %s -> %s %s: %s%s", diag.Printable(orUnnamed(old.ServerName())), diag.Printable(old.ServerVersion()),
		diag.Printable(orUnnamed(now.ServerName())), diag.Printable(now.ServerVersion()), r.Summary.Line(), step)
}
