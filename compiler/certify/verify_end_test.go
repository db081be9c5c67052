package certify_test

import (
	"strings"
	"testing"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
)

// TestVerifyHoldsTheEnd has a trusted key sign a certificate of any version of anvil that is said to hold for longer than what it rests on.
func TestVerifyHoldsTheEnd(t *testing.T) {
	s := newScene(t)
	later := accepted(t, "tool-budget", "2027-01-31")
	later.Server = "nobody" // which lets nothing pass
	let := gate.Options{MaxTools: 3, Accepted: []gate.Acceptance{accepted(t, "tool-budget", "2026-12-31"), later, accepted(t, "duplicate-name", "2026-12-02")}}
	plain, resting := made(t, certify.Inputs{Pack: s.pack, Serial: 5}), made(t, certify.Inputs{Pack: s.pack, Serial: 5, Gate: let})
	until := func(end string) func(c *certify.Certification) {
		return func(c *certify.Certification) { c.Expires = end }
	}
	for _, tt := range []struct {
		name   string
		made   certify.Certification
		change func(c *certify.Certification)
		rules  bool // are others than those of this anvil
		says   string
	}{
		{"as it was made", resting, func(*certify.Certification) {}, false, ""},
		{"as it was made, with other rules", resting, func(*certify.Certification) {}, true, ""},
		{"longer than what let something pass", resting, until("2027-01-01T00:00:01Z"), false, "it is said to hold until 2027-01-01T00:00:01Z, and the acceptance of tool-budget ends at 2027-01-01T00:00:00Z"},
		{"longer than one that nobody here can tell of", resting, until("2027-02-01T00:00:00Z"), true, ""},
		{"longer than any, with other rules", resting, until("2027-02-01T00:00:01Z"), true, "the last acceptance of tool-budget ends at 2027-02-01T00:00:00Z"},
		{"accepted by nobody", resting, func(c *certify.Certification) { c.Policy.Accepted = []certify.Accepted{} }, true, "findings of tool-budget were accepted, and its policy accepts none"},
		{"as long as it may", plain, until("2036-11-28T12:00:00Z"), false, ""},
		{"longer than any", plain, until("2036-11-28T12:00:01Z"), false, "3650 days from its issue are over at 2036-11-28T12:00:00Z"},
		{"longer than any, with other rules", plain, until("2999-01-01T00:00:00Z"), true, "3650 days from its issue are over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.made
			c.Builder.Version = "0.0.9"
			tt.change(&c)
			if tt.rules {
				c.Policy.Rules = canon.Digest([]byte("other"))
			}
			c.Policy.Digest = ""
			digest, err := canon.DigestValue(c.Policy)
			if err != nil {
				t.Fatal(err)
			}
			c.Policy.Digest = digest
			c.Materials = []certify.Material{c.Materials[0], {Name: "policy", Digest: digest}, {Name: "rules", Digest: c.Policy.Rules}, c.Materials[3]}
			r := s.request
			r.Pack = certified(t, s.pack, c, s.ada)
			v := certify.Verify(r)
			if v.Holds() != (tt.says == "") || !v.Holds() && (codes(v)[0] != "certification-failed" || !strings.Contains(v.Findings[0].Message, tt.says)) {
				t.Errorf("%+v", v.Findings)
			}
			if refused := certify.Hold(c, r); (refused == nil) != (tt.says == "") {
				t.Errorf("unsigned: %v", refused)
			}
		})
	}
}
