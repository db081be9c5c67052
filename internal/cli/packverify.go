package cli

import (
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

func (sh *shell) packVerifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "recompute everything in a pack and refuse what is changed, missing or smuggled in",
		ArgsUsage: "PACK [TARGET]",
		Description: `Every digest is computed again, and every file is built again from the snapshot and the approvals in the pack. Exit 1 when
anything differs.

With --trust the pack is held against its certificate, in this order: signature; key and role; subject; validity and serial; policy; gate; with --live
the server's surface. The first that fails ends it. TARGET is for --live alone, and may be -- COMMAND ARG....`,
		Flags: append(trustFlags(), formatFlag("text", "json", "yaml", "markdown")), Action: sh.packVerify,
	}
}

func (sh *shell) packVerify(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil pack verify PACK")
	}
	if err := sh.checkTrustFlags(c); err != nil {
		return err
	}
	p, findings, err := pack.Read(c.Args().First())
	if err != nil {
		return err
	}
	if len(findings) == 0 {
		findings = recheck(p)
	}
	if c.IsSet("trust") {
		return sh.verifyTrusted(c, p, findings, format)
	}
	report := diag.NewReport("verify", findings)
	lines := verdictLine(p, findings) + "\n"
	value := verifyReport{Report: report}
	if line := certifiedLine(p, sh.now()); line != "" {
		lines += line + "\n"
	}
	if made, err := certify.Decode(p.Certificates[certify.File]); err == nil {
		value.Certification = viewOf(made, sh.now())
	}
	if err := sh.show(c, sheet{Report: report, value: value, text: leading(lines)}, format); err != nil {
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
