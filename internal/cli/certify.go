package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/internal/atomicfile"
)

func (sh *shell) certifyCommand() *cli.Command {
	return &cli.Command{
		Name: "certify", Usage: "check a pack, write down what came out, and sign it",
		ArgsUsage: "PACK",
		Description: `Runs the static checks and writes PACK/certification.json; with --key also a signed envelope, PACK/attestations/certification.dsse.json,
which ` + "`anvil pack verify PACK --trust FILE`" + ` holds the pack against. Neither is part of the pack's digest. What fails is certified as failed, never signed,
and exits 1. The gate is run by its settings in the configuration, which are the policy. A certificate never outlives an approval it rests on.`,
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "key", Usage: "sign with the private key in `FILE`, repeatable; make one with `anvil keys new`"},
			&cli.BoolFlag{Name: "add-signature", Usage: "check the pack again and add a signature to the certificate that is there, over the same bytes"},
			expiresFlag("the certificate holds", " (default: 90 days, or until the first approval ends)"),
			&cli.IntFlag{Name: "serial", Usage: "the serial `NUMBER` (default: one more than that of the certification that is replaced)"},
			&cli.StringFlag{Name: "at", Usage: "the `TIME` of issue in RFC 3339, to make a certification again (default: now)"},
			&cli.StringFlag{Name: "evidence", Usage: "how the snapshot was captured: the `FILE` that anvil mcp inspect --stable 3 --evidence wrote"},
			formatFlag("text", "json", "yaml", "markdown"), configFlag(),
		}, gateFlags()...),
		Action: sh.certify,
	}
}

// certifying is what a certify command was asked for.
type certifying struct {
	dir    string
	format string
	keys   []certify.PrivateKey
	inputs certify.Inputs
}

func (sh *shell) certify(c *cli.Context) error {
	asked, err := sh.certifying(c)
	if err != nil {
		return err
	}
	return sh.exclusively(asked.dir, func() error {
		p, findings, err := pack.Read(asked.dir)
		if err != nil {
			return err
		}
		if _, err := p.Document(); err != nil && pack.IsWhole(findings) {
			_, findings = rechecked(p, emit.Trusted)
		}
		if !pack.IsWhole(findings) { // nothing is sealed that a certificate could be about
			err := sh.show(c, sheet{Report: diag.NewReport("certify", findings), text: leading(p.Dir + " cannot be certified: it is not whole, or does not follow from its own inputs; nothing was written\n")}, asked.format)
			return cmp.Or(err, found(true))
		}
		asked.inputs.Pack = p
		defer sh.keepsWaiting("checking %s, for which it is built again from its own inputs\n", diag.Printable(p.Dir))()
		if c.Bool("add-signature") {
			return sh.addSignature(c, asked)
		}
		return sh.certifyAnew(c, asked)
	})
}

// certifying reads the line, and the keys first of all: nothing is written when one cannot be used.
func (sh *shell) certifying(c *cli.Context) (asked certifying, err error) {
	if asked.format, err = parseFormat(c, "text", "json", "yaml", "markdown"); err != nil {
		return asked, err
	}
	if err := sh.noArguments(c, 1); err != nil {
		return asked, err
	}
	if asked.dir = c.Args().First(); asked.dir == "" {
		return asked, usagef("say which pack: anvil mcp certify PACK")
	}
	for _, path := range c.StringSlice("key") {
		key, err := readPrivateKey(path)
		if err != nil {
			return asked, err
		}
		if slices.ContainsFunc(asked.keys, func(k certify.PrivateKey) bool { return k.Public().ID() == key.Public().ID() }) {
			return asked, usagef("--key %s: the key is given twice, and counts once", path)
		}
		asked.keys = append(asked.keys, key)
	}
	if c.Bool("add-signature") && (len(asked.keys) == 0 || c.IsSet("serial") || c.IsSet("at") || c.IsSet("expires")) {
		return asked, usagef("--add-signature signs the certificate as it is: run `anvil mcp certify %s --add-signature --key FILE`, without --serial, --at and --expires", diag.ShellPath(asked.dir))
	}
	if err := checkOutside(asked.dir); err != nil {
		return asked, err
	}
	if !pack.IsPack(asked.dir) {
		_, err := pack.Open(asked.dir)
		return asked, err
	}
	asked.inputs, err = sh.certifyInputs(c)
	return asked, err
}

func (sh *shell) certifyInputs(c *cli.Context) (in certify.Inputs, err error) {
	if in.Gate, err = sh.gateOptions(c); err != nil {
		return in, err
	}
	in.At, in.Version, in.Flags = sh.now(), version, reproducing(c)
	if text := c.String("at"); text != "" {
		if in.At, err = time.Parse(time.RFC3339, text); err != nil {
			return in, usagef("--at %q is no time: write it as 2027-01-31T12:00:00Z", text)
		}
		if in.At.After(sh.now().Add(time.Minute)) {
			return in, usagef("--at %s is in the future; a certificate is issued now, or made again as it was", text)
		}
	}
	if c.IsSet("expires") {
		if in.Expires, err = expiry(c.String("expires"), in.At); err != nil {
			return in, err
		}
	}
	if in.Serial = c.Int("serial"); c.IsSet("serial") && (in.Serial < 1 || in.Serial > maxSerial) {
		return in, usagef("--serial %d is not within 1 to %d", in.Serial, maxSerial)
	}
	in.Evidence, err = readEvidence(c.String("evidence"))
	return in, err
}

// reproducing are the flags that decide what a certification says, beside those of time and serial. Files stand under names of no machine.
func reproducing(c *cli.Context) string {
	var b bytes.Buffer
	for _, name := range []string{"profile", "accept"} {
		for _, value := range c.StringSlice(name) {
			fmt.Fprintf(&b, " --%s %s", name, diag.ShellWord(value))
		}
	}
	if c.String("plugin") != "" {
		fmt.Fprintf(&b, " --plugin %s", diag.ShellWord(c.String("plugin")))
	}
	for _, name := range []string{"evidence", "config"} {
		if c.String(name) != "" {
			fmt.Fprintf(&b, " --%s %s_FILE", name, bytes.ToUpper([]byte(name)))
		}
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// Bounds of what a certificate says of itself: serials that every reader of JSON keeps exactly, and days.
const (
	maxSerial   = 1 << 53
	maxValidity = certify.MaxValidity
)

// expiresFlag is --expires of every command that has one; what is what holds until then.
func expiresFlag(what, unless string) cli.Flag {
	return &cli.StringFlag{Name: "expires", Usage: "until when " + what + ": a number of days from now, the last `DATE` (2027-01-31, in UTC), or a time in RFC 3339" + unless}
}

// expiry reads --expires: days from at, a last day, or a moment, none of them more than maxValidity days ahead. It returns the first moment at which it
// holds no more.
func expiry(text string, at time.Time) (time.Time, error) {
	moment, err := readExpiry(text, at)
	if err == nil && moment.After(at.AddDate(0, 0, maxValidity+1)) {
		err = usagef("--expires %s is more than %d days ahead; give an earlier date", text, maxValidity)
	}
	return moment, err
}

func readExpiry(text string, at time.Time) (time.Time, error) {
	if days, err := strconv.Atoi(text); err == nil {
		if days < 1 || days > maxValidity {
			return time.Time{}, usagef("--expires %d: give 1 to %d days, or a date", days, maxValidity)
		}
		return at.AddDate(0, 0, days), nil
	}
	moment, err := air.ParseEnd(text)
	if err != nil {
		return moment, usagef("--expires %q is neither a number of days, a date such as 2027-01-31, nor a time such as 2027-01-31T12:00:00Z", text)
	}
	return moment, nil
}

// readEvidence reads what inspect wrote of a capture; nil when no file is named.
func readEvidence(path string) (*certify.CaptureEvidence, error) {
	if path == "" {
		return nil, nil
	}
	data, err := atomicfile.ReadFile(path, 64<<20)
	if err != nil {
		return nil, usage(err)
	}
	var file evidenceFile
	if err := canon.Decode(data, &file); err != nil {
		return nil, usagef("--evidence %s is not what `anvil mcp inspect --evidence FILE` writes: %w", path, err)
	}
	if file.SchemaVersion != 1 {
		return nil, usagef("--evidence %s has schemaVersion %d, and this version of anvil reads 1; capture again with this one", path, file.SchemaVersion)
	}
	if file.Snapshot == "" {
		return nil, usagef("--evidence %s is of a capture that failed; capture again", path)
	}
	return &certify.CaptureEvidence{
		Snapshot: file.Snapshot, Digest: canon.Digest(data), Captures: file.Captures, Differing: file.Differing, Pages: file.Evidence.Pages,
	}, nil
}

// earlierSerial is the highest serial that a pack was certified with; 0 when it never was. Where one of two files cannot be read the error says so, and
// the serial is that of the other.
func earlierSerial(p *pack.Pack) (serial int, err error) {
	if _, c, err := earlierEnvelope(p); err == nil && c != nil {
		serial = c.Serial
	}
	if data, there := p.Certificates[certify.File]; there {
		c, err := certify.Decode(data)
		if err != nil {
			return serial, usagef("%s of %s cannot be read, so nobody knows which serial comes next: %w; restore it from version control, or give a higher one than any before, as in `anvil mcp certify %s --serial %d`",
				certify.File, p.Dir, err, diag.ShellPath(p.Dir), serial+1)
		}
		serial = max(serial, c.Serial)
	}
	return serial, nil
}

// earlierEnvelope is the envelope beside a pack, and what it says; nothing of it is proven.
func earlierEnvelope(p *pack.Pack) (certify.Envelope, *certify.Certification, error) {
	data, there := p.Certificates[certify.EnvelopeFile]
	if !there {
		return certify.Envelope{}, nil, nil
	}
	e, refused := certify.DecodeEnvelope(data)
	if refused != nil {
		return e, nil, refused
	}
	c, refused := certify.Certified(e)
	if refused != nil {
		return e, nil, refused
	}
	return e, &c, nil
}

// writeCertificate puts the pack in place again with these certificates beside it; those that are nil go.
func (sh *shell) writeCertificate(p *pack.Pack, certification, envelope []byte) error {
	files := maps.Clone(p.Files)
	manifest, err := canon.Encode(p.Manifest)
	if err != nil {
		return err
	}
	files[pack.ManifestFile] = manifest
	maps.Copy(files, p.Certificates)
	for path, data := range map[string][]byte{certify.File: certification, certify.EnvelopeFile: envelope} {
		if delete(files, path); data != nil {
			files[path] = data
		}
	}
	return atomicfile.WriteDir(sh.ctx, p.Dir, files, true, atomicfile.Executable(pack.IsExecutable))
}
