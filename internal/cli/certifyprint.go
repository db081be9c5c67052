package cli

import (
	"bytes"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/certify"
	"anvil/compiler/diag"
)

// printCertified prints what came out; a check that failed fails the command.
func (sh *shell) printCertified(c *cli.Context, asked certifying, made certify.Certification, envelope *certify.Envelope) error {
	dir := asked.inputs.Pack.Dir
	var findings []diag.Finding
	for _, check := range made.Failing() {
		findings = append(findings, certify.FailedCheck(check, asked.inputs.Pack))
	}
	view := certifiedViewOf(made, sh.now())
	if envelope != nil {
		view.Envelope, view.KeyIDs = certify.EnvelopeFile, envelope.KeyIDs()
	}
	report := certifyReport{diag.NewReport("certify", findings), view, made.Checks, made.NonClaims}
	lines := certifiedLines(dir, made, view)
	err := sh.show(c, sheet{
		Report: report.Report, value: report, text: leading(printableLines(lines)), markdown: leading("```\n" + printableLines(lines) + "```\n\n"),
		threshold: diag.FailOnError,
	}, asked.format)
	if err != nil {
		return err
	}
	if asked.format == "text" && len(findings) == 0 {
		fmt.Fprintf(sh.out, "next: %s\n", nextAfterCertify(dir, envelope))
	}
	return found(len(findings) > 0)
}

func nextAfterCertify(dir string, envelope *certify.Envelope) string {
	if envelope == nil {
		return "anvil mcp certify " + diag.ShellPath(dir) + " --add-signature --key FILE"
	}
	return "anvil pack verify " + diag.ShellPath(dir) + " --trust FILE"
}

// certifiedLines tell of a certification: the checks, by whom and until when, and what it does not say.
func certifiedLines(dir string, made certify.Certification, view certifiedView) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s, serial %d, until %s (%s)\n", dir, made.Level, made.Serial, made.Expires, made.ExpiresWhy)
	t := diag.NewTable(&b)
	for _, check := range made.Checks {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", check.Outcome, check.ID, diag.Printable(check.Detail))
	}
	_ = t.Flush() // into memory
	fmt.Fprintf(&b, "  policy  %s, %s\n", made.Policy.ID, made.Policy.Digest)
	if view.Envelope == "" {
		fmt.Fprintln(&b, "  signed  by nobody")
	}
	for _, id := range view.KeyIDs {
		fmt.Fprintf(&b, "  signed  by the key %s\n", diag.Printable(id))
	}
	fmt.Fprintf(&b, "it does not claim more than that:\n  - %s\n\n", strings.Join(made.NonClaims, "\n  - "))
	return b.String()
}
