package cli

import (
	"bytes"
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

// trustFlags are those of a verification that believes somebody.
func trustFlags() []cli.Flag {
	return targetFlags(
		&cli.StringFlag{Name: "trust", Usage: "hold the pack against its certificate, signed by keys of the trust `FILE`"},
		&cli.IntFlag{Name: "require", Value: 1, Usage: "how many different keys must have signed, as `NUMBER`"},
		&cli.BoolFlag{Name: "live", Usage: "ask the server too: it must show the certified surface; TARGET, or the upstream of a facade's pack"},
	)
}

// verifyReport is the report of pack verify: what is wrong, and with a trust file each step and why it came out like that.
type verifyReport struct {
	diag.Report
	Certificate   string               `json:"certificate,omitzero"`   // with a trust file: it holds, is refused, or is unknown when the server could not be asked
	Certification certifiedView        `json:"certification,omitzero"` // of the certificate that was looked at, whether it holds or not; absent without one
	Steps         []certify.VerifyStep `json:"steps,omitempty"`        // with a trust file
}

// checkTrustFlags refuses what goes with a trust file where there is none.
func (sh *shell) checkTrustFlags(c *cli.Context) error {
	trust := c.String("trust")
	switch {
	case !c.IsSet("trust") && (c.IsSet("require") || c.Bool("live")):
		return usagef("--require and --live are about a certificate: say whose signatures count, as in `anvil pack verify %s --trust FILE`", diag.ShellPath(c.Args().First()))
	case c.IsSet("trust") && trust == "":
		return usagef("--trust names no file, so nobody is trusted; give --trust FILE")
	case c.Int("require") < 1:
		return usagef("--require %d asks for nobody's signature: give 1 or more", c.Int("require"))
	case c.IsSet("trust") && !c.Bool("live") && (c.NArg() > 1 || sh.rest != nil):
		return usagef("unexpected argument %q; a server is asked with --live", firstOf(c.Args().Get(1), sh.rest))
	}
	return nil
}

func firstOf(word string, rest []string) string {
	if word == "" && len(rest) > 0 {
		return rest[0]
	}
	return word
}

// verifyTrusted holds a pack against its certificate.
func (sh *shell) verifyTrusted(c *cli.Context, p *pack.Pack, findings []diag.Finding, format string) error {
	trust, err := readTrust(c.String("trust"))
	if err != nil {
		return err
	}
	if part, keys := trust.Scarcest(); c.Int("require") > keys {
		return usagef("--require %d: %s has %s that may sign for %s (by the role %s, or %s), so that can never be; add keys, or require fewer", c.Int("require"),
			c.String("trust"), counted(keys, "key"), part, part, certify.RoleCertify)
	}
	request := certify.Request{Pack: p, Findings: findings, Trust: trust, Require: c.Int("require"), Now: sh.now(), Version: version}
	if c.Bool("live") {
		if request.Live, request.Target, err = sh.liveSurface(c, p); err != nil {
			return err
		}
	}
	v := certify.Verify(request)
	report := verifyReport{Report: diag.NewReport("verify", v.Findings), Certificate: heldAs(v), Steps: v.Steps}
	if v.Certification != nil {
		report.Certification = certifiedViewOf(*v.Certification, sh.now())
		report.Certification.Envelope, report.Certification.Signers = certify.EnvelopeFile, v.Signers
		report.Certification.Uncounted = v.Uncounted
	}
	lines := printableLines(sh.secret.mask(trustedLines(p, v)))
	if err := sh.show(c, sheet{Report: report.Report, value: report, text: leading(lines), markdown: leading("```\n" + lines + "```\n\n"), threshold: diag.FailOnError}, format); err != nil {
		return err
	}
	if serial := v.Newer(trust); serial > 0 && format == "text" {
		fmt.Fprintf(sh.out, "\nnext: have %s remember this certificate, so that no older one takes its place: serials: {%s: %d}\n", diag.Printable(c.String("trust")), p.Manifest.ID, serial)
	}
	if v.Err != nil {
		return v.Err
	}
	return found(!v.Holds())
}

// trustedLines tell each step, and what it comes to.
func trustedLines(p *pack.Pack, v certify.Verification) string {
	var b bytes.Buffer
	t := diag.NewTable(&b)
	for _, s := range v.Steps {
		message := s.Message
		if s.Reason != "" {
			message = s.Reason + ": " + message
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.Step, s.Outcome, diag.Printable(message))
	}
	_ = t.Flush() // into memory
	switch heldAs(v) {
	case certificateHolds:
		fmt.Fprintf(&b, "%s: the certificate holds; level %s\n", p.Dir, v.Level)
	case certificateUnknown:
		fmt.Fprintf(&b, "%s: the certificate is not held against the server, so it counts for nothing here\n", p.Dir)
	default:
		fmt.Fprintf(&b, "%s: the certificate is refused (%s), so nothing that it says counts\n", p.Dir, v.Findings[0].Rule)
	}
	return b.String()
}

// What a verification with a trust file comes to.
const (
	certificateHolds   = "holds"
	certificateRefused = "refused"
	certificateUnknown = "unknown" // the server could not be asked
)

func heldAs(v certify.Verification) string {
	switch {
	case v.Holds():
		return certificateHolds
	case len(v.Findings) == 0:
		return certificateUnknown
	}
	return certificateRefused
}

// liveSurface returns how to ask the server for its surface, as whoever captured the one in the pack asked, and the server as it is typed. What cannot be
// asked is said before anything is verified.
func (sh *shell) liveSurface(c *cli.Context, p *pack.Pack) (ask func() (*surface.McpSurfaceSnapshot, error), typed string, err error) {
	target, typed, err := sh.liveTarget(c, p)
	if err != nil {
		return nil, "", err
	}
	o, err := sh.probeOptions(c, target)
	if err != nil {
		return nil, "", err
	}
	return func() (*surface.McpSurfaceSnapshot, error) {
		captured, err := p.Snapshot()
		if err != nil {
			return nil, err
		}
		if captured.ClientProfile == probe.Bare.Name {
			o.Announce = probe.Bare
		}
		defer sh.announce(o)()
		seen, err := capture(sh.ctx, o, 1)
		return seen.snapshot, err
	}, typed, nil
}

// liveTarget is the server that the line names, or else the one that the pack's facade asks, and how it is typed.
func (sh *shell) liveTarget(c *cli.Context, p *pack.Pack) (server config.Server, typed string, err error) {
	if c.NArg() < 2 && sh.rest == nil {
		settings, err := p.Settings()
		if err != nil {
			return server, "", usagef("the pack does not say how its server is reached: name it, as in `anvil pack verify %s TARGET --live --trust %s`, or behind the flags as -- COMMAND ARG...",
				diag.ShellPath(p.Dir), diag.ShellPath(c.String("trust")))
		}
		u := settings.Upstream
		t := config.Target{Kind: config.KindURL, Server: config.Server{Command: u.Command, Args: u.Args, URL: u.URL, Headers: u.Headers}}
		if u.Command != "" {
			t.Kind = config.KindCommand
		}
		server, err = sh.upstreamServer(c, u)
		return server, shellTarget(t), err
	}
	target, err := sh.target(c, c.Args().Tail(), sh.rest)
	if err != nil {
		return server, "", err
	}
	if target.Path != "" {
		return server, "", usagef("--live asks a server, and %s is a %s; compare it with `anvil mcp diff %s %s`", target.Path, target.Kind, diag.ShellPath(p.Dir), diag.ShellPath(target.Path))
	}
	return target.Server, shellTarget(target), nil
}
