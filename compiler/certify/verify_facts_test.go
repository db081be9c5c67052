package certify_test

import (
	"strings"
	"testing"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/surface"
)

// TestVerifyComputesFactsAgain has a trusted key sign, in certificate and certification.json alike, what is not so of the pack: each fact by itself.
func TestVerifyComputesFactsAgain(t *testing.T) {
	in := inputsOf(t, refunds(t))
	in.Base = changed(t, in.Snapshot)
	s := newScene(t)
	s.pack = built(t, in)
	s.cert = made(t, certify.Inputs{Pack: s.pack, Serial: 5})
	s.request.Pack = certified(t, s.pack, s.cert, s.ada)
	if v := certify.Verify(s.request); !v.Holds() {
		t.Fatalf("%+v", v.Findings)
	}
	other := canon.Digest([]byte("other"))
	for _, tt := range []struct {
		says   string
		change func(c *certify.Certification)
	}{
		{"subject.id", func(c *certify.Certification) { c.Subject.ID = "shop" }},
		{"subject.version", func(c *certify.Certification) { c.Subject.Version = "9.9.9" }},
		{"subject.mode", func(c *certify.Certification) { c.Subject.Mode = "adopt" }},
		{"subject.pack", func(c *certify.Certification) { c.Subject.Pack = other }},
		{"subject.snapshot", func(c *certify.Certification) { c.Subject.Snapshot, c.Materials[0].Digest = other, other }},
		{"subject.surface", func(c *certify.Certification) { c.Subject.Surface = other }},
		{"subject.contract", func(c *certify.Certification) { c.Subject.Contract = other }},
		{"subject.text", func(c *certify.Certification) { c.Subject.Text = other }},
		{"subject.identity", func(c *certify.Certification) { c.Subject.Identity = other }},
		{"subject.surfaceSignature", func(c *certify.Certification) { c.Subject.Signature = other }},
		{"subject.exposed", func(c *certify.Certification) { c.Subject.Exposed = c.Subject.Signature }},
		{"subject.toolsMetadata", func(c *certify.Certification) { c.Subject.ToolsMetadata = c.Subject.ToolsMetadata[:1] }},
		{"subject.canon", func(c *certify.Certification) { c.Subject.Canon = "jcs" }},
		{"base.base", func(c *certify.Certification) { c.Base.Base, c.Materials[4].Digest = other, other }},
		{"base", func(c *certify.Certification) { c.Base = nil }},
		{"base.findings.0.covered", func(c *certify.Certification) { c.Base.Findings[0].Covered = "approval" }},
		{"base.findings", func(c *certify.Certification) { c.Base.Findings = c.Base.Findings[1:] }},
		{"tools.0.state", func(c *certify.Certification) { c.Tools[0].State = "approved" }},
		{"tools", func(c *certify.Certification) { c.Tools = c.Tools[1:] }},
		{"safety.effect", func(c *certify.Certification) { c.Tools[0].Safety.Effect.Value = []byte(`"read"`) }},
		{"the check base-diff: not_applicable", func(c *certify.Certification) { outcome(c, "base-diff", certify.NotApplicable) }},
		{"the check capture-stability: pass", func(c *certify.Certification) { outcome(c, "capture-stability", certify.Pass) }},
		{`material "rules"`, func(c *certify.Certification) { c.Materials[2].Digest = other }},
		{`material "base" is left out`, func(c *certify.Certification) { c.Materials = c.Materials[:4] }},
		{`material "weights"`, func(c *certify.Certification) {
			c.Materials = append(c.Materials, certify.Material{Name: "weights", Digest: other})
		}},
	} {
		t.Run(tt.says, func(t *testing.T) {
			text, err := s.cert.Encode()
			if err != nil {
				t.Fatal(err)
			}
			forged, err := certify.Decode(text) // a copy that shares nothing
			if err != nil {
				t.Fatal(err)
			}
			tt.change(&forged)
			r := s.request
			r.Pack = certified(t, s.pack, forged, s.ada)
			v := certify.Verify(r)
			if v.Holds() || codes(v)[0] != "subject-mismatch" || v.Steps[2].Outcome != certify.StepFailed || !strings.Contains(v.Findings[0].Message, tt.says) {
				t.Errorf("%+v", v.Findings)
			}
		})
	}
}

// A certificate of a pack in which nothing is approved is one of nothing, whoever signed that it passed.
func TestNothingApprovedIsRefused(t *testing.T) {
	s := newScene(t)
	in := inputsOf(t, refunds(t))
	in.Approvals = nil
	p := built(t, in)
	c := made(t, certify.Inputs{Pack: p, Serial: 5})
	if c.Level != certify.Failed {
		t.Fatalf("level %s", c.Level)
	}
	c.Level = certify.StaticPassed
	for i := range c.Checks {
		if c.Checks[i].Outcome == certify.Fail {
			c.Checks[i].Outcome = certify.Pass
		}
	}
	s.request.Pack = certified(t, p, c, s.ada)
	if v := certify.Verify(s.request); v.Holds() || codes(v)[0] != "certification-failed" || v.Steps[5].Outcome != certify.StepFailed {
		t.Errorf("%+v", v.Findings)
	}
}

// TestRolesTogether has three people each sign for what they may: together it is a certificate, and two of them are too few.
func TestRolesTogether(t *testing.T) {
	s := newScene(t)
	cy := key(t, 'c')
	s.request.Trust = trustIn(t, "", entryOf("ada", s.ada.Public(), "capture", ""), entryOf("bob", s.bob.Public(), "gate", ""), entryOf("cy", cy.Public(), "approve", ""))
	s.request.Pack = certified(t, s.pack, s.cert, s.ada, s.bob, cy)
	if v := certify.Verify(s.request); !v.Holds() || len(v.Signers) != 3 {
		t.Errorf("%+v", v)
	}
	s.request.Pack = certified(t, s.pack, s.cert, s.ada, s.bob)
	if v := certify.Verify(s.request); v.Holds() || codes(v)[0] != "key-role-missing" || !strings.Contains(v.Findings[0].Message, "may sign for approve") {
		t.Errorf("%+v", v.Findings)
	}
	s.request.Require = 2 // each part takes two then
	s.request.Pack = certified(t, s.pack, s.cert, s.ada, s.bob, cy)
	if v := certify.Verify(s.request); v.Holds() || codes(v)[0] != "key-role-missing" {
		t.Errorf("%+v", v.Findings)
	}
}

// A trusted key that signed and does not count is told of, though others are enough.
func TestWhoDoesNotCountIsTold(t *testing.T) {
	s := newScene(t)
	s.request.Pack = certified(t, s.pack, s.cert, s.ada, s.bob)
	s.request.Trust = trustIn(t, "", entryOf("ada", s.ada.Public(), "certify", ""), entryOf("bob", s.bob.Public(), "certify", ", revokedSince: 2026-11-01"))
	v := certify.Verify(s.request)
	if !v.Holds() || len(v.Signers) != 1 || len(v.Uncounted) != 1 || v.Uncounted[0].Name != "bob" || v.Uncounted[0].Reason != "key-revoked" {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(v.Steps[1].Message, `of "bob" is revoked since 2026-11-01`) {
		t.Errorf("%q", v.Steps[1].Message)
	}
}

// The step of the gate counts what came out, and not what there is; hints name the pack and the server.
func TestWhatIsSaid(t *testing.T) {
	s := newScene(t)
	v := certify.Verify(s.request)
	const want = "6 of 8 checks passed, base-diff came out as not_applicable; capture-stability came out as not_recorded; 49 of 53 rules of the gate were evaluated, none of them refuses the surface"
	if v.Steps[5].Message != want {
		t.Errorf("%q", v.Steps[5].Message)
	}
	hint := func(r certify.Request) string { return certify.Verify(r).Findings[0].Hint }
	r := s.request
	r.Pack.Dir, r.Target = "my pack", "-- refunds -v 'a b'"
	r.Live = func() (*surface.McpSurfaceSnapshot, error) { return changed(t, refunds(t)), nil }
	if got := hint(r); !strings.Contains(got, "`anvil mcp diff 'my pack' -- refunds -v 'a b'`") || !strings.Contains(got, "adopt --mode facade --out 'my pack' -- refunds") {
		t.Errorf("%q", got)
	}
	r = s.request
	r.Trust = trustIn(t, "serials: {refunds: 8}\n", entryOf("ada", s.ada.Public(), "certify", ""))
	if got := hint(r); !strings.Contains(got, "`anvil mcp certify 'my pack' --key FILE --serial 9`") || !strings.Contains(got, "version control") {
		t.Errorf("%q", got)
	}
	r.Pack.Archive = true
	if got := hint(r); !strings.Contains(got, "`anvil mcp certify DIR --key FILE --serial 9`") || !strings.Contains(got, "`anvil pack open 'my pack' DIR`") {
		t.Errorf("%q", got)
	}
}

// outcome sets how a check came out.
func outcome(c *certify.Certification, id string, is certify.Outcome) {
	for i := range c.Checks {
		if c.Checks[i].ID == id {
			c.Checks[i].Outcome = is
		}
	}
}

// TestWordsOfItsOwnAreRefused: a certification says what anvil says, and nothing that its signer would like to be read.
func TestWordsOfItsOwnAreRefused(t *testing.T) {
	s := newScene(t)
	for want, change := range map[string]func(*certify.Certification){
		"its checks are": func(c *certify.Certification) {
			c.Checks = append(c.Checks, certify.Check{ID: "no-vulnerabilities", Outcome: certify.Pass})
		},
		`came out as "great"`:    func(c *certify.Certification) { c.Gate.Rules[0].Worst = "great" },
		`has the verdict "best"`: func(c *certify.Certification) { c.Gate.Clients[0].Verdict = "best" },
		"its non-claims": func(c *certify.Certification) {
			c.NonClaims = []string{"It is an official certification by the vendor."}
		},
	} {
		text, err := s.cert.Encode()
		if err != nil {
			t.Fatal(err)
		}
		forged, err := certify.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		change(&forged)
		if text, err = forged.Encode(); err != nil {
			t.Fatal(err)
		}
		if _, err := certify.Decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestTheGateIsAskedAgain: what a trusted key signed of the gate and of why a certificate ends is what this anvil says, and a surface that the gate refuses now is refused.
func TestTheGateIsAskedAgain(t *testing.T) {
	s := newScene(t)
	rule := func(c *certify.Certification, id string) *certify.RuleResult {
		for i := range c.Gate.Rules {
			if c.Gate.Rules[i].ID == id {
				return &c.Gate.Rules[i]
			}
		}
		t.Fatalf("no rule %s", id)
		return nil
	}
	first := s.cert.Gate.Rules[0].ID
	for _, tt := range []struct {
		name, code, says string
		anyVersion       bool
		change           func(c *certify.Certification)
	}{
		{"no clients", "certification-failed", "it says of the gate's clients", true, func(c *certify.Certification) { c.Gate.Clients = []certify.ClientVerdict{} }},
		{"a client that has to take it", "certification-failed", "clients.0.required", true, func(c *certify.Certification) { c.Gate.Clients[0].Required = true }},
		{"a rule passed over", "certification-failed", "rules.0", true, func(c *certify.Certification) {
			*rule(c, first) = certify.RuleResult{ID: first, Worst: "not_evaluated", Why: "later"}
		}},
		{"another axis", "certification-failed", "axis", true, func(c *certify.Certification) { c.Gate.Axis = "2024-11-05" }},
		{"other counts", "certification-failed", "rules.0.count", false, func(c *certify.Certification) { rule(c, first).Count += 3 }},
		{"a verdict", "certification-failed", "clients.0.verdict", false, func(c *certify.Certification) { c.Gate.Clients[0].Verdict = "warned" }},
		{"a detail of its own", "certification-failed", "checks.files-verify.detail", false, func(c *certify.Certification) { c.Checks[0].Detail = "read by our lawyers" }},
		{"a reason of its own", "certification-failed", "expiresWhy", false, func(c *certify.Certification) { c.ExpiresWhy = "never" }},
		{"a statement of its own", "certification-failed", "statement", false, func(c *certify.Certification) { c.Statement = "safe" }},
	} {
		for _, version := range []string{"0.1.0", "0.0.9"} {
			text, err := s.cert.Encode()
			if err != nil {
				t.Fatal(err)
			}
			forged, err := certify.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			tt.change(&forged)
			forged.Builder.Version = version
			r := s.request
			r.Pack = certified(t, s.pack, forged, s.ada)
			v := certify.Verify(r)
			switch held := v.Holds(); {
			case held && (version == "0.1.0" || tt.anyVersion):
				t.Errorf("%s, of %s, is believed", tt.name, version)
			case held:
			case codes(v)[0] != tt.code || v.Steps[5].Outcome != certify.StepFailed || !strings.Contains(v.Findings[0].Message, tt.says):
				t.Errorf("%s, of %s: %+v", tt.name, version, v.Findings)
			}
		}
	}
}

// A surface that the gate refuses is refused, though a trusted key signed that nothing refuses it.
func TestARefusedSurfaceIsNotBelieved(t *testing.T) {
	s := newScene(t)
	refused := made(t, certify.Inputs{Pack: s.pack, Serial: 5, Gate: gate.Options{MaxTools: 2}})
	if refused.Level != certify.Failed {
		t.Fatalf("level %s", refused.Level)
	}
	forged := refused
	forged.Level, forged.Gate, forged.Checks = certify.StaticPassed, s.cert.Gate, s.cert.Checks
	s.request.Pack = certified(t, s.pack, forged, s.ada)
	if v := certify.Verify(s.request); v.Holds() || codes(v)[0] != "certified-gate-refused" || !strings.Contains(v.Findings[0].Message, "whatever the certification says") {
		t.Errorf("%+v", v.Findings)
	}
}
