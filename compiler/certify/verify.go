package certify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
)

// Request is what a pack is to be held against.
type Request struct {
	Pack     *pack.Pack
	Findings []diag.Finding // why the pack is not whole, or does not follow from itself; none when it is fine
	Trust    Trust
	Require  int    // how many keys have to have signed for each part, 1 or more
	Target   string // the server that Live asks, as the words of a command line
	Now      time.Time
	Version  string                                      // of anvil; a certificate that says it is of the same one must say what this one does
	Live     func() (*surface.McpSurfaceSnapshot, error) // asks the server; nil when nobody wants that
}

// VerifyStep is one check of a verification. After the first that fails the others are skipped: nothing they would read is trusted.
type VerifyStep struct {
	Step    string      `json:"step"`    // signature, key, subject, validity, policy, gate, live
	Outcome StepOutcome `json:"outcome"` //
	Reason  string      `json:"reason,omitzero"`
	Message string      `json:"message"`
}

// StepOutcome is how a step came out.
type StepOutcome string

// The outcomes of a step.
const (
	StepOK      StepOutcome = "ok"
	StepFailed  StepOutcome = "failed"
	StepSkipped StepOutcome = "skipped" // a step before it failed, or nobody asked for it
)

// Signer is a key of the trust file that signed.
type Signer struct {
	KeyID string   `json:"keyid"`
	Name  string   `json:"name"`  // by the trust file
	Roles []string `json:"roles"` // by the trust file
}

// Uncounted is a key of the trust file that signed and does not count.
type Uncounted struct {
	Signer
	Reason  string `json:"reason"` // a rule
	Message string `json:"message"`
}

// Verification is how a pack was held against its certificate.
type Verification struct {
	Steps         []VerifyStep
	Findings      []diag.Finding // of the step that failed; none when the certificate holds
	Signers       []Signer       // that count
	Uncounted     []Uncounted
	Certification *Certification // what was signed by a key of the trust file; nil before that is known
	Level         Level          // it has now; "" with no Certification
	Err           error          // why the server could not be asked
}

// Holds reports whether every step came out well.
func (v Verification) Holds() bool { return len(v.Findings) == 0 && v.Err == nil }

// verifying is a verification under way.
type verifying struct {
	Request
	signed
	by    []signedBy
	issue *run // of the pack at the time of issue, once the subject is known; it holds no policy
	Verification
}

// signedBy is a key of the trust file that made a signature.
type signedBy struct {
	trustedKey
	hint string // the key that the envelope names
}

// Verify holds the pack against its certificate, step by step: signature, key and role, subject, validity and serial, policy, gate, and the live
// surface when asked for. It fails closed.
func Verify(r Request) Verification {
	v := &verifying{Request: r}
	steps := []struct {
		name string
		do   func() (message string, refused *Refusal)
	}{
		{"signature", v.signature}, {"key", v.key}, {"subject", v.subject}, {"validity", v.validity}, {"policy", v.policy}, {"gate", v.gate}, {"live", v.live},
	}
	for _, s := range steps {
		switch {
		case len(v.Verification.Findings) > 0:
			v.step(s.name, StepSkipped, "", "not looked at")
			continue
		case s.name == "live" && v.Live == nil:
			v.step(s.name, StepSkipped, "", "not asked for (--live)")
			continue
		}
		message, refused := s.do()
		switch {
		case v.Err != nil:
			v.step(s.name, StepFailed, "", "the server could not be asked")
		case refused != nil:
			v.step(s.name, StepFailed, refused.Rule, refused.Message)
			v.find(refused)
		default:
			v.step(s.name, StepOK, "", message)
		}
	}
	return v.Verification
}

func (v *verifying) step(name string, outcome StepOutcome, reason, message string) {
	v.Steps = append(v.Steps, VerifyStep{name, outcome, reason, message})
}

func (v *verifying) find(r *Refusal) {
	rule, _ := Rules.Find(r.Rule)
	f := rule.Finding("certificate/"+v.Pack.Manifest.ID, r.Message)
	f.Hint = v.filled(r.Hint)
	if len(v.Request.Findings) > 0 { // certifying what was tampered with would vouch for it
		f.Hint = v.filled(restoreFirst)
	}
	v.Verification.Findings = append(v.Verification.Findings, f.Sealed())
	v.Verification.Findings = append(v.Verification.Findings, v.Request.Findings...) // which may be why, and are never passed over
}

// filled puts the pack and the server that a hint is about in the place of the words in capitals.
func (v *verifying) filled(hint string) string {
	hint = v.Pack.Hint(hint)
	if v.Target != "" {
		hint = strings.ReplaceAll(hint, "TARGET", v.Target)
	}
	return hint
}

// signature reads the envelope and finds the keys that made its signatures. Only what one of them signed is read.
func (v *verifying) signature() (string, *Refusal) {
	data, there := v.Pack.Certificates[EnvelopeFile]
	if !there {
		if len(v.Request.Findings) > 0 {
			return "", refuse(certificateMissing, "the pack has no %s that can be read, and does not verify by itself: %s", EnvelopeFile, v.Request.Findings[0].Message)
		}
		return "", refuse(certificateMissing, "the pack has no %s", EnvelopeFile)
	}
	e, refused := DecodeEnvelope(data)
	if refused != nil {
		return "", refused
	}
	for _, k := range v.Trust.keys {
		for _, s := range e.signatures {
			if !(Envelope{e.payload, []signature{s}}).SignedBy(k.PublicKey) {
				continue
			}
			if s.keyID != k.ID() && v.Trust.has(s.keyID) {
				return "", refuse(keyidContradicts, "a signature of %q is named after another key of the trust file", k.Name)
			}
			v.by = append(v.by, signedBy{k, s.keyID})
			break // a key counts once
		}
	}
	if len(v.by) == 0 {
		return "", refuse(signatureUntrusted, "none of the %d signatures is of a key of the trust file, whatever they are named after", len(e.signatures))
	}
	if v.signed, refused = decodeStatement(e.payload); refused != nil {
		return "", refused
	}
	v.Certification, v.Level = &v.certification, v.certification.LevelAt(v.Now)
	return fmt.Sprintf("%d of %d signatures are of keys of the trust file", len(v.by), len(e.signatures)), nil
}

func (t Trust) has(id string) bool {
	return slices.ContainsFunc(t.keys, func(k trustedKey) bool { return k.ID() == id })
}

// maxSkew is how far the clock of who issued may be ahead of the one here.
const maxSkew = 10 * time.Minute

// validity asks whether the certificate holds now, rests on approvals that do, and is not one that was replaced.
func (v *verifying) validity() (string, *Refusal) {
	c := v.certification
	issued, _ := time.Parse(time.RFC3339, c.IssuedAt)
	expires, _ := time.Parse(time.RFC3339, c.Expires)
	seen := v.Trust.file.Serials[c.Subject.ID]
	switch {
	case issued.After(v.Now.Add(maxSkew)):
		return "", refuse(certificateEarly, "the certificate was issued at %s, which is in the future", c.IssuedAt)
	case !v.Now.Before(expires):
		return "", refuse(certificateExpired, "the certificate expired at %s", c.Expires)
	case c.Serial < v.Trust.file.MinimumSerial:
		return "", rolledBack(v.Trust.file.MinimumSerial, "the certificate has the serial %d, and the trust file asks for %d at least (minimumSerial)", c.Serial, v.Trust.file.MinimumSerial)
	case c.Serial < seen:
		return "", rolledBack(seen+1, "the certificate has the serial %d, and the trust file has seen %d of this pack (serials)", c.Serial, seen)
	}
	if refused := cmp.Or(v.approvals(expires), v.outlives(bound{longest(issued), fmt.Sprintf("%d days from its issue are over", MaxValidity)}), v.acceptances()); refused != nil {
		return "", refused
	}
	return fmt.Sprintf("serial %d, issued at %s, valid until %s", c.Serial, c.IssuedAt, c.Expires), nil
}

// rolledBack refuses an older certificate, and says with which serial a new one counts.
func rolledBack(next int, format string, args ...any) *Refusal {
	r := refuse(serialRolledBack, format, args...)
	r.Hint = strings.Replace(r.Hint, "--key FILE", fmt.Sprintf("--key FILE --serial %d", next), 1)
	return r
}

// Newer returns the serial that the trust file should remember of the pack from now on; 0 when it does.
func (v Verification) Newer(t Trust) int {
	if v.Certification == nil || !v.Holds() || v.Certification.Serial <= t.file.Serials[v.Certification.Subject.ID] {
		return 0
	}
	return v.Certification.Serial
}

func (v *verifying) policy() (string, *Refusal) {
	p := v.certification.Policy
	switch {
	case p.ID != PolicyID:
		return "", refuse(policyUnknown, "the policy %q is not known; this anvil knows %s", p.ID, PolicyID)
	case p.computeDigest() != p.Digest:
		return "", refuse(policyUnknown, "the policy is not what its digest %s says", p.Digest)
	case len(v.Trust.file.Policies) > 0 && !slices.Contains(v.Trust.file.Policies, p.Digest):
		return "", refuse(policyUnknown, "the policy %s is not among those that the trust file lists", p.Digest)
	}
	return fmt.Sprintf("%s, %s", p.ID, p.Digest), nil
}

// gate asks what the certification says came out: of the gate, and of every other check that has to be there. What is exposed, and by whose approval, is
// checked again as it was at the time of issue.
func (v *verifying) gate() (string, *Refusal) {
	c := v.certification
	if failed := c.Failing(); c.Level != StaticPassed || len(failed) > 0 {
		return "", refuse(certificationFailed, "the certification is %s: %s", c.Level, failedIDs(failed))
	}
	outcomes := map[string]Outcome{}
	for _, check := range c.Checks {
		outcomes[check.ID] = check.Outcome
	}
	for _, id := range CheckIDs {
		mayLack := id == checkBase || id == checkStability
		if outcome := outcomes[id]; outcome != Pass && !(mayLack && outcome != "") {
			return "", refuse(certificationFailed, "the check %s did not pass: it came out as %q", id, outcome)
		}
	}
	if !slices.ContainsFunc(c.Tools, func(t Tool) bool { return t.State == string(air.StateApproved) }) {
		return "", refuse(certificationFailed, "nothing in the pack is approved, so the certification is of nothing")
	}
	for _, again := range []Check{v.issue.checkExposure(), v.issue.checkApprovals()} {
		if again.Outcome != Pass {
			return "", refuse(certificationFailed, "the check %s is said to have passed, and did not when it was issued, at %s: %s", again.ID, c.IssuedAt, again.Detail)
		}
	}
	rules := map[string]string{}
	for _, o := range c.Gate.Rules {
		if rules[o.ID] = o.Worst; o.Worst == string(diag.Error) {
			return "", refuse(gateRefused, "the gate refuses the surface by %s", o.ID)
		}
	}
	if c.Gate.Outcome != Pass {
		return "", refuse(gateRefused, "the gate came out as %q", c.Gate.Outcome)
	}
	evaluated := 0
	for _, worst := range rules {
		if worst != notEvaluated {
			evaluated++
		}
	}
	for _, rule := range gate.Rules {
		if _, told := rules[rule.ID]; !told && c.Policy.Rules == digestOf(gate.Rules) {
			return "", refuse(gateRefused, "nothing is said of the rule %s", rule.ID)
		}
	}
	if refused := v.gateAgain(); refused != nil {
		return "", refused
	}
	return fmt.Sprintf("%s; %d of %d rules of the gate were evaluated, none of them refuses the surface", passedChecks(c.Checks), evaluated, len(rules)), nil
}

// passedChecks says how many checks passed, and what became of the others.
func passedChecks(checks []Check) string {
	var others []string
	for _, c := range checks {
		if c.Outcome != Pass {
			others = append(others, fmt.Sprintf("%s came out as %s", c.ID, c.Outcome))
		}
	}
	line := fmt.Sprintf("%d of %d checks passed", len(checks)-len(others), len(checks))
	if len(others) > 0 {
		line += ", " + listed(others)
	}
	return line
}

func failedIDs(checks []Check) string {
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.ID)
	}
	if len(ids) == 0 {
		return "it names no check"
	}
	return strings.Join(ids, ", ")
}

// live asks the server.
func (v *verifying) live() (string, *Refusal) {
	s, err := v.Live()
	if err != nil {
		v.Err = err
		return "", nil
	}
	c := v.certification.Subject
	if s.Digests.Surface == c.Surface {
		if s.Digests.Identity != c.Identity {
			return "the server shows the certified surface; what it says of itself, or how it is spoken to, is another", nil
		}
		return "the server shows the certified surface", nil
	}
	var parts []string
	for _, part := range []struct{ name, now, was string }{{"contract", s.Digests.Contract, c.Contract}, {"text", s.Digests.Text, c.Text}, {"identity", s.Digests.Identity, c.Identity}} {
		if part.now != part.was {
			parts = append(parts, part.name)
		}
	}
	if len(parts) == 0 {
		parts = []string{"what is neither contract nor text"}
	}
	return "", refuse(liveDiffers, "the server shows %s, and %s was certified: other %s", s.Digests.Surface, c.Surface, strings.Join(parts, ", "))
}
