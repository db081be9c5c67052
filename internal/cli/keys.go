package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
	"anvil/internal/atomicfile"
)

// maxKey bounds the file of a key, in bytes.
const maxKey = 64 << 10

func (sh *shell) keysNewCommand() *cli.Command {
	return &cli.Command{
		Name: "new", Usage: "make a key to certify packs with",
		Description: `Writes the private key (PKCS#8, readable by you alone) and the public one beside it, and prints what a trust file needs. Nothing is
overwritten. Keep the private key out of version control; the public one belongs in it.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Value: "anvil-key.pem", Usage: "write the private key to `FILE`, and the public one to FILE.pub"},
			&cli.StringFlag{Name: "name", Usage: "whose key it is, as trust files call it (default: the name of the file)"},
		},
		Action: sh.keysNew,
	}
}

func (sh *shell) keysShowCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "print the id of a key, and what a trust file needs to trust it", ArgsUsage: "FILE",
		Description: "FILE is a private key or a public one; of either only the public half is printed. The id is the SHA-256 of the public key's SPKI bytes.",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "name", Usage: "whose key it is, as trust files call it (default: the name of the file)"}},
		Action:      sh.keysShow,
	}
}

func (sh *shell) keysNew(c *cli.Context) error {
	if err := sh.noArguments(c, 0); err != nil {
		return err
	}
	out := c.String("out")
	if out == "" || out == "-" {
		return usagef("say where the private key goes: --out FILE")
	}
	if c.IsSet("name") && !diag.Legible(c.String("name")) {
		return usagef("--name says nothing that somebody could read: say whose key it is")
	}
	if c.IsSet("name") && !diag.Plain(c.String("name")) {
		return usagef("--name \"%s\" does not show as it is, and could pass for another name: leave out what is an escape here, and blanks at the ends", diag.Printable(c.String("name")))
	}
	key, err := certify.NewKey(rand.Reader)
	if err != nil {
		return err
	}
	private, err := key.PEM()
	if err != nil {
		return err
	}
	public := out + ".pub"
	if _, err := os.Lstat(public); err == nil {
		return usagef("%s is there already and is not overwritten; choose another name with --out", public)
	}
	if err := writeNew(out, private, 0o600); err != nil {
		return err
	}
	if err := writeNew(public, key.Public().PEM(), 0o644); err != nil {
		return errors.Join(err, os.Remove(out))
	}
	fmt.Fprintf(sh.out, "private key  %s  (yours alone; keep it out of version control)\npublic key   %s\n", diag.Printable(out), diag.Printable(public))
	return sh.printKey(c, out, key.Public())
}

// writeNew makes a file that is not there yet, with exactly the mode.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s is there already and is not overwritten; choose another name with --out", path)
	} else if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

func (sh *shell) keysShow(c *cli.Context) error {
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which key: anvil keys show FILE")
	}
	path := c.Args().First()
	text, err := atomicfile.ReadFile(path, maxKey)
	if err != nil {
		return usage(err)
	}
	if certify.IsPrivate(text) {
		key, err := readPrivateKey(path)
		if err != nil {
			return err
		}
		return sh.printKey(c, path, key.Public())
	}
	key, err := certify.ParsePublicKey(text)
	if err != nil {
		return usagef("%s: %w", path, err)
	}
	return sh.printKey(c, path, key)
}

// printKey prints the id of a key, the key, and the entry of a trust file.
func (sh *shell) printKey(c *cli.Context, file string, key certify.PublicKey) error {
	name := c.String("name")
	if name == "" {
		name, _, _ = strings.Cut(filepath.Base(file), ".")
	}
	fmt.Fprintf(sh.out, "keyid        %s\n\n%s\nfor the trust file, below keys:\n", key.ID(), key.PEM())
	fmt.Fprintf(sh.out, "  - name: %s\n    keyid: %s\n    roles: [%s]\n    public: |\n", canon.Quote(diag.Printable(name)), key.ID(), certify.RoleCertify)
	for line := range strings.Lines(string(key.PEM())) {
		fmt.Fprintf(sh.out, "      %s", line)
	}
	return sh.out.err
}

// readPrivateKey reads a key to sign with, and refuses one that others can read: it is no longer the signer's alone.
func readPrivateKey(path string) (certify.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return certify.PrivateKey{}, usage(err)
	}
	text, err := atomicfile.ReadFile(path, maxKey)
	if err != nil {
		return certify.PrivateKey{}, usage(err)
	}
	if !certify.IsPrivate(text) {
		return certify.PrivateKey{}, usagef("%s holds no private key; --key takes the file that `anvil keys new` wrote, and not its .pub", path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && info.Mode().IsRegular() && mode&0o077 != 0 {
		return certify.PrivateKey{}, usagef("the private key %s can be read or changed by others (mode %04o): run `chmod 600 %s`, and make a new key if somebody may have read it",
			path, mode, diag.ShellPath(path))
	}
	key, err := certify.ParsePrivateKey(text)
	if err != nil {
		return key, usagef("%s: %w", path, err)
	}
	return key, nil
}

// readTrust reads a trust file and the keys that it names by path, which do not leave its folder.
func readTrust(path string) (certify.Trust, error) {
	data, err := atomicfile.ReadFile(path, 1<<20)
	if err != nil {
		return certify.Trust{}, usagef("the trust file cannot be read, so nobody is trusted: %w", err)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return certify.Trust{}, usagef("the trust file %s: %w", path, err)
	}
	defer root.Close()
	trust, err := certify.DecodeTrust(data, func(name string) ([]byte, error) {
		return atomicfile.ReadIn(root, filepath.FromSlash(name), maxKey)
	})
	var at *yaml.Error
	if errors.As(err, &at) && at.Line > 0 {
		return trust, usagef("the trust file %s:%d: %s", path, at.Line, at.Msg)
	} else if err != nil {
		return trust, usagef("the trust file %s: %w", path, err)
	}
	return trust, nil
}
