package cli

import (
	"cmp"
	"errors"
	"io"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/internal/config"
)

// inspectFailed reports a capture that could not be made: the evidence, when it was asked for, and what was noticed until then. It is a result,
// so the formats for programs have a report of the common shape, without a surface. It returns the error that the command ends with.
func (sh *shell) inspectFailed(c *cli.Context, target config.Target, format string, threshold diag.Threshold, seen observed, err error) error {
	var failed *probe.Failure
	if !errors.As(err, &failed) {
		return err
	}
	report := diag.NewReport("inspect", seen.findings)
	report.Servers = []diag.Status{sh.failed(cmp.Or(target.Server.Name, target.Server.Redacted()), err).status}
	var written error
	if format != "text" || len(report.Findings) > 0 { // the reason is said on stderr
		written = sh.show(c, sheet{Report: report, threshold: threshold, text: leading("no surface; noticed until then: " + report.Summary.Line() + "\n"),
			markdown: func(w io.Writer) error { return writeStatusTable(w, report.Servers) }}, format)
	}
	written = errors.Join(written, sh.writeEvidence(c.String("evidence"), seen, failed))
	if written != nil {
		return errors.Join(err, written)
	}
	return err
}
