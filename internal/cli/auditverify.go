package cli

import (
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/facade/audit"
)

func (sh *shell) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "examine the logs of calls that serve --audit keeps", Action: sh.noCommand,
		Subcommands: []*cli.Command{{
			Name: "verify", Usage: "find what was changed, removed, put in, moved or cut off in an audit log", ArgsUsage: "FILE...",
			Description: `Each record holds the hash of the one before it. Give all files of a log, in any order: FILE and the full ones, FILE.000001 and so on. The
first line that is not right is named. Exit 1 for what is found.

The head that is printed is the hash of the last record. Keep it where who writes the log cannot write: whoever holds the files alone can write
all of them anew, and can cut off their end, and nothing but a head that was kept tells. --head says whether the log still holds it.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "head", Usage: "the log has to hold the record of this `DIGEST`, the head of an earlier verification"},
				&cli.StringFlag{Name: "fail-on", Value: string(diag.FailOnWarning), Usage: "exit 1 at findings of this `CLASS`: error or warning; a record that a crash tore is a warning"},
				formatFlag(reportFormats...),
			},
			Action: sh.auditVerify,
		}},
	}
}

// auditReport is what audit verify found.
type auditReport struct {
	diag.Report
	Log audit.Verified `json:"log"`
}

func (sh *shell) auditVerify(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	threshold, err := diag.ParseThreshold(c.String("fail-on"), diag.FailOnError, diag.FailOnWarning)
	if err != nil {
		return usage(fmt.Errorf("--fail-on: %w", err))
	}
	if c.NArg() == 0 {
		return usagef("say which log: anvil audit verify FILE...")
	}
	head := c.String("head")
	if c.IsSet("head") && !canon.IsDigest(head) {
		return usagef("--head %q is no digest: give sha256:... as an earlier `anvil audit verify` printed it", diag.Printable(head))
	}
	seen, err := audit.Verify(c.Args().Slice(), head)
	if err != nil {
		return err
	}
	report := diag.NewReport("audit", seen.Findings)
	s := sheet{Report: report, value: auditReport{report, seen}, text: leading(auditText(seen, head)), threshold: threshold}
	if err := sh.show(c, s, format); err != nil {
		return err
	}
	return found(len(report.Failing(threshold)) > 0)
}

func auditText(v audit.Verified, head string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, %s\n", counted(v.Records, "record"), counted(len(v.Files), "file"), counted(v.Calls, "call"))
	if v.FirstBad != "" {
		fmt.Fprintf(&b, "the first line that is not right: %s\n", v.FirstBad)
	}
	if v.Head != "" {
		fmt.Fprintf(&b, "head %s\n", v.Head)
	}
	if head != "" && v.Held {
		fmt.Fprintf(&b, "the log holds the head that was kept, and %s behind it\n", counted(v.Behind, "record"))
	}
	return b.String()
}
