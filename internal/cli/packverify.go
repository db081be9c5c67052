package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

const packUsage = "PACK is a pack's folder, or an archive of it as `anvil pack archive` writes it."

func (sh *shell) packVerifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "recompute everything in a pack and refuse what is changed, missing or smuggled in",
		ArgsUsage: "PACK... | PACK [TARGET]",
		Description: `Two steps: every digest is computed again, and every file is built again from the snapshot and the approvals in the pack, which
finds what was forged together with its digest. The second takes as long as building the pack did, minutes for thousands of tools;
--no-rebuild leaves it out. Exit 1 when anything differs. Several packs are verified together: no two may have one id.

With --trust one pack is held against its certificate, in this order: signature; key and role; subject; validity and serial; policy; gate; with
--live the server's surface. The first that fails ends it. TARGET is for --live alone, and may be -- COMMAND ARG....

` + packUsage,
		Flags: append(trustFlags(), noRebuildFlag(), formatFlag(reportFormats...)), Action: sh.packVerify,
	}
}

func noRebuildFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-rebuild", Usage: "do not build the files again to see whether they follow from the pack's inputs: digests alone, as fast as they can be read"}
}

func (sh *shell) packVerify(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil pack verify PACK")
	}
	if err := sh.checkTrustFlags(c); err != nil {
		return err
	}
	if c.IsSet("trust") && c.Bool("no-rebuild") {
		return usagef("--no-rebuild leaves out what --trust relies on; leave it out")
	}
	if c.IsSet("trust") {
		p, findings, err := sh.verified(c.Args().First(), true)
		if err != nil {
			return err
		}
		return sh.verifyTrusted(c, p, findings, format)
	}
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	return sh.verifyAlone(c, format)
}

// verifyAlone verifies packs by themselves, whoever certified them.
func (sh *shell) verifyAlone(c *cli.Context, format string) error {
	var packs []*pack.Pack
	var all []diag.Finding
	var lines strings.Builder
	for _, path := range c.Args().Slice() {
		p, findings, err := sh.verified(path, !c.Bool("no-rebuild"))
		if err != nil {
			return err
		}
		if c.NArg() > 1 {
			for i := range findings {
				findings[i].Server = path
			}
		}
		packs, all = append(packs, p), append(all, findings...)
		fmt.Fprintln(&lines, verdictLine(p, findings, !c.Bool("no-rebuild")))
		if line := certifiedLine(p, sh.now()); line != "" {
			fmt.Fprintln(&lines, line)
		}
	}
	all = append(all, pack.SameIDs(packs)...)
	report := diag.NewReport("verify", all)
	value := verifyReport{Report: report}
	if made, err := certify.Decode(packs[0].Certificates[certify.File]); err == nil && len(packs) == 1 {
		value.Certification = certifiedViewOf(made, sh.now())
	}
	s := sheet{Report: report, value: value, text: leading(lines.String()), threshold: diag.FailOnError}
	if err := sh.show(c, s, format); err != nil {
		return err
	}
	return found(!pack.IsWhole(all))
}

// verified reads a pack and says what is wrong with it; with rebuild, also what does not follow from what is in it. A pack of which not even the manifest
// is to be read comes back without an id.
func (sh *shell) verified(path string, rebuild bool) (*pack.Pack, []diag.Finding, error) {
	p, findings, err := readPack(path)
	var notWhole *pack.NotWholeError
	if errors.As(err, &notWhole) {
		return &pack.Pack{Dir: path}, notWhole.Findings, nil
	}
	if err == nil && rebuild && pack.IsWhole(findings) {
		findings = append(findings, sh.recheck(p)...)
	}
	return p, findings, err
}

// readPack reads a pack's folder or archive.
func readPack(path string) (*pack.Pack, []diag.Finding, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return pack.Read(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return pack.ReadArchive(f, path)
}

// openPack is [readPack] for who needs a whole pack.
func openPack(path string) (*pack.Pack, error) {
	p, findings, err := readPack(path)
	if err == nil && !pack.IsWhole(findings) {
		err = pack.NotWhole(path, findings)
	}
	return p, err
}

// recheck builds the pack again.
func (sh *shell) recheck(p *pack.Pack) []diag.Finding {
	defer sh.keepsWaiting("building %s again from its own inputs, to see whether all of it follows from them; --no-rebuild leaves that out\n", diag.Printable(p.Dir))()
	_, findings := rechecked(p, emit.Trusted)
	return findings
}

// rechecked runs check. That the pack's own inputs cannot be read, though sealed, is a finding like any other.
func rechecked(p *pack.Pack, check func(*pack.Pack) (air.Document, []diag.Finding, error)) (air.Document, []diag.Finding) {
	d, findings, err := check(p)
	if err != nil {
		f := pack.NotReproduced.Finding("file/"+pack.ManifestFile, "the pack cannot be built again from its inputs: "+err.Error())
		f.Hint = p.Hint("remove PACK, and build it again with `anvil mcp adopt TARGET --mode MODE --out PACK`")
		return d, []diag.Finding{f.Sealed()}
	}
	return d, findings
}

func verdictLine(p *pack.Pack, findings []diag.Finding, rebuilt bool) string {
	name := diag.Printable(p.Dir)
	if wrong := diag.NewReport("verify", findings).Summary.Counts[diag.Error]; wrong > 0 {
		return fmt.Sprintf("%s does not verify: %s", name, counted(wrong, "finding"))
	}
	line := fmt.Sprintf("%s verifies: %s, digest %s", name, counted(len(p.Files), "file"), p.Manifest.Digest)
	if !rebuilt {
		line += "; it was not built again"
	}
	return line
}
