package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

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
	data, written := renderFailed(report, format)
	if isExported(format) {
		data, written = exported(c, report, format, threshold)
	}
	written = errors.Join(written, sh.writeEvidence(c.String("evidence"), seen, failed))
	if len(data) > 0 {
		written = errors.Join(written, sh.writeResult(c.String("out"), sh.secret.hide(data)))
	}
	if written != nil {
		return errors.Join(err, written)
	}
	return err
}

// renderFailed is the report in the given format. As text it is what was noticed, since the reason is said on stderr: nothing when that was
// nothing.
func renderFailed(report diag.Report, format string) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case "json", "yaml":
		return reportBytes(report, format)
	case "markdown":
		writeStatusTable(&b, report.Servers)
		err := report.WriteMarkdown(&b)
		return b.Bytes(), err
	}
	if len(report.Findings) == 0 {
		return nil, nil
	}
	fmt.Fprintf(&b, "no surface; noticed until then: %s\n", report.Summary.Line())
	err := report.WriteText(&b)
	return b.Bytes(), err
}
