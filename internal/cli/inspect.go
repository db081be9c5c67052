package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/tokens"
	"anvil/internal/config"
)

func (sh *shell) inspectCommand() *cli.Command {
	return &cli.Command{
		Name: "inspect", Usage: "show a server's surface and what the gate thinks of it",
		ArgsUsage: "TARGET | --all",
		Description: `Captures the server, or reads the snapshot of a file or a pack, and writes nothing but the report. A pack's report
tells which tools are approved.

` + targetUsage,
		Flags: targetFlags(append(gateFlags(),
			formatFlag(reportFormats...),
			&cli.StringFlag{Name: "fail-on", Value: string(diag.FailOnError), Usage: "exit 1 at findings of this `CLASS`: error or warning"},
			&cli.BoolFlag{Name: "all", Usage: "inspect every server of the configuration"}, jobsFlag(),
			&cli.IntFlag{Name: "stable", Usage: "capture `N` times, each in a process of its own, and report what differs"},
			&cli.BoolFlag{Name: "compare-profiles", Usage: "capture as a client that announces nothing (bare) and as one that announces everything (full), and report what depends on it"},
			&cli.StringFlag{Name: "out", Usage: "write the report to `FILE` instead of stdout"},
			&cli.StringFlag{Name: "evidence", Usage: "write how the capture went (timings, pages, noise) to `FILE`"},
		)...),
		Action: sh.inspect,
	}
}

func (sh *shell) inspect(c *cli.Context) error {
	threshold, err := diag.ParseThreshold(c.String("fail-on"), diag.FailOnError, diag.FailOnWarning)
	if err != nil {
		return usage(fmt.Errorf("--fail-on: %w", err))
	}
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	if err := sh.checkGate(c); err != nil {
		return err
	}
	tokens.Prepare() // while the server starts
	if c.Bool("all") {
		return sh.inspectAll(c, threshold, format)
	}
	target, err := sh.target(c, c.Args().Slice(), sh.rest)
	if err != nil {
		return err
	}
	if target.Path != "" && (c.IsSet("stable") || c.Bool("compare-profiles")) {
		return usagef("--stable and --compare-profiles ask a server again, and %s is a %s; give the server itself", target.Path, target.Kind)
	}
	if err := checkOutputs(c, target); err != nil {
		return err
	}
	seen, err := sh.observe(c, target)
	if err != nil {
		return sh.inspectFailed(c, target, format, threshold, seen, err)
	}
	if _, client, err := askedAs(c); client != nil || err != nil {
		return errors.Join(err, sh.printClientView(c, client, seen, format))
	}
	return sh.showInspection(c, target, seen, threshold, format)
}

// showInspection tells what was seen of one server, and fails where that reaches the threshold.
func (sh *shell) showInspection(c *cli.Context, target config.Target, seen observed, threshold diag.Threshold, format string) error {
	view, err := sh.inspection(c, seen)
	if err != nil {
		return err
	}
	view.Next = nextSteps(c, target, seen, view)
	if err := sh.writeEvidence(c.String("evidence"), seen, nil); err != nil {
		return err
	}
	if err := sh.show(c, view.sheet(threshold), format); err != nil {
		return err
	}
	return found(len(view.Failing(threshold)) > 0)
}

// inspection runs the gate and the bridge. A pack shows its own document, with the approvals that hold now.
func (sh *shell) inspection(c *cli.Context, seen observed) (inspection, error) {
	var document air.Document
	var lapsed []diag.Finding
	if seen.pack == nil {
		document = adopt.Bridge(seen.snapshot)
	} else {
		var err error
		if document, err = trustedDocument(seen.pack, emit.Trusted); err != nil {
			return inspection{}, err
		}
		document, lapsed = document.WithApprovals(pack.Approvals(document), sh.now())
	}
	more := slices.Concat(adopt.Doubts(document.Diagnostics), budgets(document), lapsed)
	if !c.Bool("all") {
		verdict, err := sh.verdict(c, seen, more...)
		if err != nil {
			return inspection{}, err
		}
		return sh.newInspection(c, seen, verdict, document)
	}
	o, err := sh.gateOptions(c)
	if err != nil {
		return inspection{}, err
	}
	verdict, err := sh.judge(c, seen, o, more...) // what is left of the acceptances tells all servers together
	if err != nil {
		return inspection{}, err
	}
	return sh.newInspection(c, seen, verdict, document)
}

func formatFlag(formats ...string) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: formats[0], Usage: "print as `FORMAT`: " + strings.Join(formats, ", ")}
}

func parseFormat(c *cli.Context, allowed ...string) (string, error) {
	format := c.String("format")
	for _, f := range allowed {
		if f == format {
			_, err := fileReports(c)
			return f, err
		}
	}
	return "", usagef("--format %q is not known here: use one of %s", format, strings.Join(allowed, ", "))
}
