package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

// certifyReport is the report of certify: the checks that failed as findings, all of them, and what was written.
type certifyReport struct {
	diag.Report
	Certification certifiedView   `json:"certification,omitzero"` // absent when the pack is not whole
	Checks        []certify.Check `json:"checks,omitempty"`
	NonClaims     []string        `json:"nonClaims,omitempty"` // what the certification does not say
}

// certifiedView is a certification in short.
type certifiedView struct {
	Level    certify.Level    `json:"level"` // that it was issued with, or expired; whether it holds is told beside it
	Pack     string           `json:"pack"`  // the digest it is of
	Serial   int              `json:"serial"`
	IssuedAt string           `json:"issuedAt"`
	Expires  string           `json:"expires"`
	Policy   string           `json:"policy"`            // digest
	Envelope string           `json:"envelope,omitzero"` // the file with the signatures; absent when it is not signed
	KeyIDs   []string         `json:"keyids,omitempty"`  // that the envelope names; unproven
	Signers  []certify.Signer `json:"signers,omitempty"` // whose signatures were verified and count

	Uncounted []certify.Uncounted `json:"uncounted,omitempty"` // who signed, is trusted otherwise, and does not count
}

func certifiedViewOf(c certify.Certification, now time.Time) certifiedView {
	return certifiedView{Level: c.LevelAt(now), Pack: c.Subject.Pack, Serial: c.Serial, IssuedAt: c.IssuedAt, Expires: c.Expires, Policy: c.Policy.Digest}
}

// certifyAnew makes a certification in the place of the one that is there.
func (sh *shell) certifyAnew(c *cli.Context, asked certifying) error {
	p := asked.inputs.Pack
	given := c.IsSet("serial")
	last, err := earlierSerial(p)
	switch {
	case err != nil && !given:
		return err
	case !given && last >= maxSerial:
		return usagef("the pack was certified with the serial %d, and there is none above it; take %s away once every trust file that remembers it is changed", last, certify.File)
	case !given:
		asked.inputs.Serial = last + 1
	case asked.inputs.Serial < last:
		return usagef("--serial %d is below %d, which the pack was certified with already: an older certificate could take the place of a newer one; give %d or more",
			asked.inputs.Serial, last, last+1)
	}
	made, err := certify.Certify(sh.ctx, asked.inputs)
	if errors.Is(err, certify.ErrInputs) {
		return usage(err)
	} else if err != nil {
		return err
	}
	text, err := made.Encode()
	if err != nil {
		return err
	}
	if asked.inputs.Serial == last && !canon.Equal(text, p.Certificates[certify.File]) {
		return usagef("--serial %d is that of another certification of the pack; give %d or more", last, last+1)
	}
	envelope, err := sh.signed(asked, made)
	if err != nil {
		return err
	}
	var file []byte
	if envelope != nil {
		if file, err = envelope.Encode(); err != nil {
			return err
		}
	}
	if err := sh.writeCertificate(p, text, file); err != nil {
		return err
	}
	return sh.printCertified(c, asked, made, envelope)
}

// signed returns the envelope over a certification; nil when there is none. A signature of the same bytes that is there already is kept, and what
// failed is signed by nobody.
func (sh *shell) signed(asked certifying, made certify.Certification) (*certify.Envelope, error) {
	payload, err := certify.Payload(made, asked.inputs.Pack)
	if err != nil {
		return nil, err
	}
	earlier, _, err := earlierEnvelope(asked.inputs.Pack)
	same := err == nil && bytes.Equal(earlier.Payload(), payload)
	was := len(earlier.KeyIDs()) > 0
	switch {
	case made.Level != certify.StaticPassed:
		if len(asked.keys) > 0 || was {
			fmt.Fprintln(sh.err, "a certification that failed is signed by nobody; there is no signature now")
		}
		return nil, nil
	case same:
		var more []certify.PrivateKey
		for _, k := range asked.keys {
			if !earlier.SignedBy(k.Public()) {
				more = append(more, k)
			}
		}
		if len(more) == 0 {
			return &earlier, nil
		}
		e, err := earlier.With(sh.ctx, more...)
		return &e, err
	case len(asked.keys) == 0:
		if was {
			fmt.Fprintf(sh.err, "the certification before this one was signed, and this one is not: sign it with `anvil mcp certify %s --add-signature --key FILE`\n",
				diag.ShellPath(asked.dir))
		}
		return nil, nil
	}
	e, err := certify.Sign(sh.ctx, payload, asked.keys...)
	return &e, err
}

// addSignature checks the pack again, by the policy of who signs, and adds their signature to the bytes that others signed.
func (sh *shell) addSignature(c *cli.Context, asked certifying) error {
	p := asked.inputs.Pack
	beside, err := sh.signable(p)
	if err != nil {
		return err
	}
	again, err := sh.checkAgain(asked, beside)
	if err != nil {
		return err
	}
	if again.Level != certify.StaticPassed {
		return sh.printCertified(c, asked, again, nil)
	}
	envelope, err := sh.signed(asked, beside)
	if err != nil {
		return err
	}
	file, err := envelope.Encode()
	if err != nil {
		return err
	}
	if err := sh.writeCertificate(p, p.Certificates[certify.File], file); err != nil {
		return err
	}
	return sh.printCertified(c, asked, beside, envelope)
}

// signable returns the certification beside a pack, where it is of this pack, is what others signed, and passed.
func (sh *shell) signable(p *pack.Pack) (beside certify.Certification, err error) {
	earlier, was, err := earlierEnvelope(p)
	text, there := p.Certificates[certify.File]
	anew := "anvil mcp certify " + diag.ShellPath(p.Dir) + " --key FILE"
	switch {
	case err != nil:
		return beside, &exitError{exitFindings, fmt.Errorf("%s of %s cannot be signed: %w; certify the pack again with `%s`", certify.EnvelopeFile, p.Dir, err, anew)}
	case !there:
		return beside, usagef("%s is not certified yet: run `%s`", p.Dir, anew)
	}
	if beside, err = certify.Decode(text); err != nil {
		return beside, &exitError{exitFindings, fmt.Errorf("%w; certify the pack again with `%s`", err, anew)}
	}
	payload, err := certify.Payload(beside, p)
	switch {
	case err != nil:
		return beside, err
	case beside.Subject.Pack != p.Manifest.Digest:
		return beside, &exitError{exitFindings, fmt.Errorf("the certificate is of %s, and the pack is %s: certify it again with `%s`", beside.Subject.Pack, p.Manifest.Digest, anew)}
	case was != nil && !bytes.Equal(earlier.Payload(), payload):
		return beside, &exitError{exitFindings, fmt.Errorf("%s and %s of %s do not say the same of this pack: certify it again with `%s`", certify.File, certify.EnvelopeFile, p.Dir, anew)}
	case beside.LevelAt(sh.now()) != certify.StaticPassed:
		return beside, &exitError{exitFindings, fmt.Errorf("the certification is %s, and nobody signs that: certify the pack again with `%s`", beside.LevelAt(sh.now()), anew)}
	}
	return beside, nil
}

// checkAgain certifies the pack as whoever wants to sign would, and holds what is beside it against what this anvil makes of the pack under the policy, the
// times and the serial that it says. Of the same version that comes to the same bytes: anything else was written by nobody's check.
func (sh *shell) checkAgain(asked certifying, beside certify.Certification) (certify.Certification, error) {
	in := asked.inputs
	in.Serial = beside.Serial
	again, err := certify.Certify(sh.ctx, in) // as of now
	if err != nil || again.Level != certify.StaticPassed {
		return again, err
	}
	if refused := certify.Hold(beside, certify.Request{Pack: in.Pack, Version: version, Now: sh.now()}); refused != nil {
		return again, sh.unsignable(asked, beside, refused.Message)
	}
	then, err := madeThen(sh.ctx, in, beside)
	if err != nil {
		return again, err
	}
	mine := again.Policy.Digest == beside.Policy.Digest
	where, says, is := certify.Difference(beside, then)
	switch {
	case where == "" && mine:
		fmt.Fprintln(sh.err, "checked again here: it comes out the same, byte for byte")
		return again, nil
	case where != "" && beside.Builder.Version == version:
		problem := fmt.Sprintf("it says of %s: %s, and that is %s", where, says, is)
		if in.Evidence == nil && beside.Evidenced() {
			problem += "; if it was certified with evidence of the capture, give that too, with --evidence FILE"
		}
		return again, sh.unsignable(asked, beside, problem)
	}
	fmt.Fprintf(sh.err, "checked again here: every check passes; it was made by anvil %s with policy %s, here by %s with %s\n",
		diag.Printable(beside.Builder.Version), beside.Policy.Digest, version, again.Policy.Digest)
	if where != "" {
		fmt.Fprintf(sh.err, "what differs first between the two versions: it says of %s: %s, and here that is %s\n", where, says, is)
	}
	return again, nil
}

// unsignable is why nobody here signs what is beside a pack.
func (sh *shell) unsignable(asked certifying, beside certify.Certification, problem string) error {
	return &exitError{exitFindings, fmt.Errorf("%s of %s is not what anvil %s makes of this pack: %s; nothing was signed; see who changed it, and certify the pack again with `anvil mcp certify %s --key FILE`",
		certify.File, asked.dir, diag.Printable(beside.Builder.Version), diag.Printable(problem), diag.ShellPath(asked.dir))}
}

// madeThen is the certification of a pack as this anvil would have made what is beside it. Which version that says that made it is no difference.
func madeThen(ctx context.Context, in certify.Inputs, beside certify.Certification) (certify.Certification, error) {
	var err error
	if in.Gate, err = beside.Policy.Options(); err != nil {
		return beside, err
	}
	in.At, _ = time.Parse(time.RFC3339, beside.IssuedAt)
	in.Expires, _ = time.Parse(time.RFC3339, beside.Expires)
	in.Flags, in.Version = flagsBehind(beside), beside.Builder.Version
	return certify.Certify(ctx, in)
}

// flagsBehind are the flags of the command that made a certification, but for those of time and serial.
func flagsBehind(c certify.Certification) string {
	prefix := fmt.Sprintf("anvil mcp certify PACK --at %s --serial %d --expires %s", c.IssuedAt, c.Serial, c.Expires)
	return strings.TrimSpace(strings.TrimPrefix(c.Builder.Command, prefix))
}

// tellStale says that a certificate which stays beside a pack is of another one now.
func (sh *shell) tellStale(p *pack.Pack, digest string) {
	c, err := certify.Decode(p.Certificates[certify.File])
	if err == nil && c.Subject.Pack != digest {
		fmt.Fprintf(sh.err, "%s is of the pack as it was: certify it again with `%s`\n", certify.File, certifyAgain(p))
	}
}

// certifyAgain is the command that certifies a pack as it is certified now: signed, where it is signed.
func certifyAgain(p *pack.Pack) string {
	command := "anvil mcp certify " + p.Hint("PACK")
	if _, signed := p.Certificates[certify.EnvelopeFile]; signed {
		command += " --key FILE"
	}
	return command
}

// certifiedLine tells in one line how a pack is certified, without believing it; "" when it is not.
func certifiedLine(p *pack.Pack, now time.Time) string {
	data, there := p.Certificates[certify.File]
	if !there {
		return ""
	}
	c, err := certify.Decode(data)
	switch {
	case err != nil:
		return "certification: cannot be read: " + diag.Printable(err.Error())
	case c.Subject.Pack != p.Manifest.Digest:
		return p.Hint(fmt.Sprintf("certification: of another pack, %s: certify this one again with `%s`", c.Subject.Pack, certifyAgain(p)))
	}
	level := c.LevelAt(now)
	line := fmt.Sprintf("certification: %s, serial %d, until %s", level, c.Serial, c.Expires)
	if level == certify.Expired {
		line = fmt.Sprintf("certification: %s since %s, serial %d", level, c.Expires, c.Serial)
	}
	if _, signed := p.Certificates[certify.EnvelopeFile]; signed {
		return line + "; signatures are not looked at; do with `anvil pack verify " + diag.ShellPath(p.Dir) + " --trust FILE`"
	}
	return line + "; nobody signed it"
}
