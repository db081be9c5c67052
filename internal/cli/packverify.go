package cli

import (
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

func (sh *shell) packVerifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "recompute everything in a pack and refuse what is changed, missing or smuggled in",
		ArgsUsage: "PACK", Flags: []cli.Flag{formatFlag("text", "json", "yaml", "markdown")}, Action: sh.packVerify,
	}
}

func (sh *shell) packVerify(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err != nil {
		return err
	}
	if c.NArg() != 1 {
		return usagef("say which pack: anvil pack verify PACK")
	}
	p, findings, err := pack.Read(c.Args().First())
	if err != nil {
		return err
	}
	if len(findings) == 0 {
		if findings, err = emit.Recheck(p); err != nil {
			return &exitError{exitFindings, err}
		}
	}
	report := diag.NewReport("verify", findings)
	if err := sh.printReport(report, format, verdictLine(p, findings)); err != nil {
		return err
	}
	return found(len(findings) > 0)
}

func verdictLine(p *pack.Pack, findings []diag.Finding) string {
	if len(findings) > 0 {
		return fmt.Sprintf("%s does not verify: %d findings", p.Dir, len(findings))
	}
	return fmt.Sprintf("%s verifies: %d files, digest %s", p.Dir, len(p.Files), p.Manifest.Digest)
}

// printReport writes a report in the chosen format; the line leads the text form.
func (sh *shell) printReport(r diag.Report, format, line string) error {
	switch format {
	case "json", "yaml":
		data, err := reportBytes(r, format)
		if err != nil {
			return err
		}
		_, err = sh.out.Write(data)
		return err
	case "markdown":
		return r.WriteMarkdown(sh.out)
	}
	fmt.Fprintln(sh.out, line)
	return r.WriteText(sh.out)
}
