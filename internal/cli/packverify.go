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
		ArgsUsage: "PACK",
		Description: `Every digest is computed again, and every file is built again from the snapshot and the approvals in the pack. Exit 1 when
anything differs.`,
		Flags: []cli.Flag{formatFlag("text", "json", "yaml", "markdown")}, Action: sh.packVerify,
	}
}

func (sh *shell) packVerify(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err != nil {
		return err
	}
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil pack verify PACK")
	}
	p, findings, err := pack.Read(c.Args().First())
	if err != nil {
		return err
	}
	if len(findings) == 0 {
		findings = recheck(p)
	}
	report := diag.NewReport("verify", findings)
	if err := sh.show(c, sheet{Report: report, text: leading(verdictLine(p, findings) + "\n")}, format); err != nil {
		return err
	}
	return found(len(findings) > 0)
}

// recheck builds the pack again. That its own inputs cannot be read, though sealed, is a finding like any other.
func recheck(p *pack.Pack) []diag.Finding {
	findings, err := emit.Recheck(p)
	if err != nil {
		f := pack.NotReproduced.Finding("file/"+pack.ManifestFile, "the pack cannot be built again from its inputs: "+err.Error())
		f.Hint = "build the pack again with `anvil mcp adopt`"
		return []diag.Finding{f.Sealed()}
	}
	return findings
}

func verdictLine(p *pack.Pack, findings []diag.Finding) string {
	if len(findings) > 0 {
		return fmt.Sprintf("%s does not verify: %s", p.Dir, counted(len(findings), "finding"))
	}
	return fmt.Sprintf("%s verifies: %s, digest %s", p.Dir, counted(len(p.Files), "file"), p.Manifest.Digest)
}
