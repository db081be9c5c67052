package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/internal/atomicfile"
)

func (sh *shell) packArchiveCommand() *cli.Command {
	return &cli.Command{
		Name: "archive", Usage: "write a pack as one file", ArgsUsage: "PACK FILE",
		Description: `FILE is a tar that holds the files of the pack, certificates included, in order and without times and owners: the same bytes
wherever it is made. The pack is verified before. FILE can be - for the standard output.`,
		Flags: []cli.Flag{noRebuildFlag(), formatFlag("text", "json", "yaml")}, Action: sh.packArchive,
	}
}

func (sh *shell) packOpenCommand() *cli.Command {
	return &cli.Command{
		Name: "open", Usage: "write the folder of a pack from an archive of it", ArgsUsage: "FILE DIR",
		Description: `The archive is verified before anything is written: DIR appears whole or not at all. FILE can be - for the standard input. DIR is
not there before, or is empty, or holds just this pack.`,
		Flags: []cli.Flag{noRebuildFlag(), formatFlag("text", "json", "yaml")}, Action: sh.packOpen,
	}
}

// archiveView says what was written.
type archiveView struct {
	SchemaVersion int    `json:"schemaVersion"`
	Report        string `json:"report"`
	ID            string `json:"id"`
	Pack          string `json:"pack"`    // digest of the pack
	Archive       string `json:"archive"` // digest of the archive's bytes
	Written       string `json:"written"` // file or folder
	Files         int    `json:"files"`
}

// twoWords are the two arguments of a command.
func (sh *shell) twoWords(c *cli.Context, what string) (first, second string, err error) {
	if err := sh.noArguments(c, 2); err != nil {
		return "", "", err
	}
	if c.NArg() < 2 {
		return "", "", usagef("say %s: %s", what, c.Command.HelpName+" "+c.Command.ArgsUsage)
	}
	return c.Args().Get(0), c.Args().Get(1), nil
}

func (sh *shell) packArchive(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err != nil {
		return err
	}
	dir, file, err := sh.twoWords(c, "which pack, and where to")
	if err != nil {
		return err
	}
	if file == "-" && c.IsSet("format") {
		return usagef("--format is for what is told of an archive, and with - the output is the archive itself")
	}
	p, findings, err := sh.verified(dir, !c.Bool("no-rebuild"))
	if err != nil {
		return err
	}
	if !pack.IsWhole(findings) {
		return pack.NotWhole(dir, findings)
	}
	if within(dir, file) {
		return usagef("%s lies in the pack %s, which it would be smuggled into; name a file outside", file, dir)
	}
	v := archiveView{diag.SchemaVersion, "pack-archive", p.Manifest.ID, p.Manifest.Digest, "", file, len(p.Files)}
	write := func(w io.Writer) error {
		v.Archive, err = p.WriteArchive(w)
		return err
	}
	if file == "-" {
		if err := write(sh.out); err != nil {
			return err
		}
		fmt.Fprintf(sh.err, "archived %s: pack %s, archive %s\n", diag.Printable(dir), v.Pack, v.Archive)
		return nil
	}
	if err := atomicfile.WriteStream(file, 0o644, write); err != nil {
		return err
	}
	return sh.tellArchive(v, fmt.Sprintf("archived %s into %s", dir, file), "anvil pack open "+diag.ShellPath(file)+" DIR", format)
}

func (sh *shell) packOpen(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err != nil {
		return err
	}
	file, dir, err := sh.twoWords(c, "which archive, and where to")
	if err != nil {
		return err
	}
	p, findings, err := sh.packIn(file, !c.Bool("no-rebuild"))
	if err != nil {
		return err
	}
	if !pack.IsWhole(findings) {
		lead := fmt.Sprintf("%s was not opened, and nothing was written: %s\n", diag.Printable(file), counted(len(findings), "finding"))
		if err := sh.show(c, sheet{Report: diag.NewReport("verify", findings), text: leading(lead)}, format); err != nil {
			return err
		}
		return found(true)
	}
	content, err := p.Content()
	if err != nil {
		return err
	}
	if err := sh.writeOpened(dir, content); err != nil {
		return err
	}
	digest, err := p.WriteArchive(io.Discard)
	if err != nil {
		return err
	}
	return sh.tellArchive(archiveView{diag.SchemaVersion, "pack-open", p.Manifest.ID, p.Manifest.Digest, digest, dir, len(p.Files)}, fmt.Sprintf("opened %s into %s", file, dir),
		"anvil pack show "+diag.ShellPath(dir), format)
}

// packIn reads the pack of an archive, stdin for "-", and says what is wrong with it; with rebuild, also what does not follow from what is in it.
func (sh *shell) packIn(file string, rebuild bool) (*pack.Pack, []diag.Finding, error) {
	in := io.NopCloser(sh.in)
	if file != "-" {
		var err error
		if in, err = openArchive(file); err != nil {
			return nil, nil, err
		}
	}
	defer in.Close()
	p, findings, err := pack.ReadArchive(in, file)
	if err == nil && rebuild && pack.IsWhole(findings) {
		findings = append(findings, sh.recheck(p)...)
	}
	return p, findings, err
}

// writeOpened writes the folder of a pack where nothing else is.
func (sh *shell) writeOpened(dir string, content map[string][]byte) error {
	if err := makeParent(dir); err != nil {
		return err
	}
	err := atomicfile.WriteDir(sh.ctx, dir, content, false, atomicfile.Executable(pack.IsExecutable))
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s holds something else than this pack: nothing in it was touched; name a folder that is not there, or an empty one", dir)
	}
	return err
}

// openArchive opens a regular file: opening a pipe would wait.
func openArchive(file string) (io.ReadCloser, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, usagef("%w; make an archive with `anvil pack archive PACK %s`", err, diag.ShellPath(file))
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("%s is no file; name an archive that `anvil pack archive` made, or - to read one from the standard input", file)
	}
	return os.Open(file)
}

func (sh *shell) tellArchive(v archiveView, line, next, format string) error {
	if format != "text" {
		data, err := reportBytes(v, format)
		if err != nil {
			return err
		}
		return sh.writeResult("", data)
	}
	fmt.Fprintf(sh.out, "%s: %s\n  pack      %s\n  archive   %s\n\nnext: %s\n", diag.Printable(line), counted(v.Files, "file"), v.Pack, v.Archive, next)
	return nil
}

// within reports a file that lies, or would lie, below the folder.
func within(dir, file string) bool {
	folder, err := realPath(dir)
	if err != nil {
		return false
	}
	parent, err := realPath(filepath.Dir(file))
	if err != nil {
		return false
	}
	way, err := filepath.Rel(folder, parent)
	return err == nil && filepath.IsLocal(way)
}
