package certify_test

import (
	"strings"
	"testing"
	"time"

	"anvil/compiler/certify"
)

// TestVerifyHoldsApprovalsToTheirTime has a trusted key sign certificates that approvals of the pack do not bear, and verifies them at a time.
func TestVerifyHoldsApprovalsToTheirTime(t *testing.T) {
	s := newScene(t)
	in := inputsOf(t, refunds(t))
	in.Approvals[0] = approve(t, in.Snapshot, "get_refund", "2026-12-10")
	s.pack = built(t, in)
	honest := made(t, certify.Inputs{Pack: s.pack, Serial: 5})
	const later = "2027-02-01T00:00:00Z"
	for _, tt := range []struct {
		name   string
		now    string
		change func(c *certify.Certification)
		code   string
		step   int
		says   string
	}{
		{"as it was made", "2026-12-10T23:59:59Z", func(*certify.Certification) {}, "", 0, ""},
		{"as it was made, and its time is over", "2026-12-11T00:00:00Z", func(*certify.Certification) {}, "certificate-expired", 3, "2026-12-11T00:00:00Z"},
		{"said to hold longer than an approval", "2026-12-01T00:00:00Z", func(c *certify.Certification) { c.Expires = later }, "certified-approval-over", 3,
			`the approval of "refunds.get_refund" by "ada" that it rests on ends before, at 2026-12-11T00:00:00Z`},
		{"a second longer", "2026-12-01T00:00:00Z", func(c *certify.Certification) { c.Expires = "2026-12-11T00:00:01Z" }, "certified-approval-over", 3, "ends before"},
		{"an approval that is over now", "2026-12-12T00:00:00Z", func(c *certify.Certification) { c.Expires = later }, "certified-approval-over", 3,
			`the approval of operation "refunds.get_refund" by "ada" expired on 2026-12-10`},
		{"issued once the approval was over", "2026-12-13T00:00:00Z", func(c *certify.Certification) { c.IssuedAt, c.Expires = "2026-12-12T00:00:00Z", later },
			"certified-approval-over", 3, "expired on 2026-12-10"},
		{"issued before anybody approved", "2026-12-01T00:00:00Z", func(c *certify.Certification) { c.IssuedAt = "2026-11-01T00:00:00Z" },
			"certification-failed", 5, "the check approvals-in-force is said to have passed, and did not when it was issued"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := honest
			tt.change(&c)
			r := s.request
			r.Pack = certified(t, s.pack, c, s.ada)
			now, err := time.Parse(time.RFC3339, tt.now)
			if err != nil {
				t.Fatal(err)
			}
			r.Now = now
			v := certify.Verify(r)
			if tt.code == "" {
				if !v.Holds() {
					t.Errorf("%+v", v.Findings)
				}
				return
			}
			if v.Holds() || codes(v)[0] != tt.code || v.Steps[tt.step].Outcome != certify.StepFailed || !strings.Contains(v.Findings[0].Message, tt.says) {
				t.Errorf("%+v", v.Findings)
			}
		})
	}
}
