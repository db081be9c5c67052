package certify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// Hold tells why [Verify] would refuse a certification of the pack whoever signed it: what it says of the pack, its times, its policy and the gate; nil when
// it would not. Nobody signs what is refused.
func Hold(c Certification, r Request) *Refusal {
	v := &verifying{Request: r}
	v.certification = c
	if problem := v.wrongFact(); problem != "" {
		return refuse(subjectMismatch, "the certification is not of this pack: %s", problem)
	}
	for _, step := range []func() (string, *Refusal){v.validity, v.policy, v.gate} {
		if _, refused := step(); refused != nil {
			return refused
		}
	}
	return nil
}

// gateAgain runs the gate again on the surface in the pack, under the policy that was signed. Where its rules and what it knows of the clients are still
// those of the certificate, it must not refuse the surface now, and every rule and client must be told of. An anvil of the version that issued the
// certificate must come to every word of it: a signature says who answers for a certificate, and not that it is true.
func (v *verifying) gateAgain() *Refusal {
	c, r := v.certification, v.issue
	if c.Policy.Rules != digestOf(gate.Rules) || c.Policy.Profiles != digestOf(profiles.All()) {
		return nil // of other rules, and nothing here can tell what they would say
	}
	var err error
	if r.Gate, err = c.Policy.Options(); err != nil {
		return refuse(certificationFailed, "%v", err)
	}
	if err := r.judge(context.Background()); err != nil {
		return refuse(gateRefused, "the gate could not judge the surface again: %v", err)
	}
	for _, o := range r.cert.Gate.Rules {
		if o.Worst == string(diag.Error) {
			return refuse(gateRefused, "the gate refuses the surface by %s, whatever the certification says of it", o.ID)
		}
	}
	r.trustPages(c.Gate)
	if refused := v.outlives(r.latest()); refused != nil {
		return refused
	}
	said, is := c.outcomes(), r.cert.outcomes()
	if c.Builder.Version == v.Version {
		if refused := v.sameWords(); refused != nil {
			return refused
		}
		said, is = c.Gate, r.cert.Gate
	}
	if name, says, it := differs(said, is); name != "" {
		return refuse(certificationFailed, "it says of the gate's %s: %s, and that is %s", name, says, it)
	}
	return nil
}

// sameWords holds the texts that follow from the pack, the policy and the times against those that this anvil would write.
func (v *verifying) sameWords() *Refusal {
	c, r := v.certification, v.issue
	r.Expires, _ = time.Parse(time.RFC3339, c.Expires)
	r.cert.IssuedAt, r.cert.Level, r.cert.Policy = c.IssuedAt, c.Level, c.Policy
	if err := r.expire(); err != nil {
		return refuse(certificationFailed, "%v", err)
	}
	r.cert.Statement = r.statement()
	type words struct {
		ExpiresWhy string           `json:"expiresWhy"`
		Statement  string           `json:"statement"`
		Checks     map[string]Check `json:"checks"`
	}
	again := map[string]Check{}
	for _, check := range []Check{r.checkFiles(), rebuilt(nil), r.checkSurfaceSignature(), r.checkExposure(), r.checkApprovals(), r.checkGate(), r.base()} {
		again[check.ID] = check
	}
	said := map[string]Check{}
	for _, check := range c.Checks {
		if check.ID != checkStability { // which follows from the evidence of the capture, that is not in the pack
			said[check.ID] = check
		}
	}
	if name, says, it := differs(words{c.ExpiresWhy, c.Statement, said}, words{r.cert.ExpiresWhy, r.cert.Statement, again}); name != "" {
		return refuse(certificationFailed, "it says of %s: %s, and that is %s", name, says, it)
	}
	return nil
}

// outlives refuses a certificate that is said to hold for longer than something it rests on.
func (v *verifying) outlives(latest bound) *Refusal {
	if expires, _ := time.Parse(time.RFC3339, v.certification.Expires); !expires.After(latest.at) {
		return nil
	}
	return refuse(certificationFailed, "it is said to hold until %s, and %s at %s", v.certification.Expires, latest.why, latest.at.UTC().Format(time.RFC3339))
}

// acceptances holds the end of a certificate against those of its policy, by what it says itself: of a rule of which it let something pass, one of the
// acceptances was used. Which one, the gate tells where its rules are still those of the certificate.
func (v *verifying) acceptances() *Refusal {
	last := map[string]time.Time{}
	for _, a := range v.certification.Policy.Accepted {
		until, err := time.Parse(gate.Day, a.Until)
		if err != nil {
			return refuse(certificationFailed, "the policy accepts %s until %q, which is no day", a.Rule, a.Until)
		}
		if until = until.AddDate(0, 0, 1); until.After(last[a.Rule]) {
			last[a.Rule] = until
		}
	}
	for _, o := range v.certification.Gate.Rules {
		if o.Accepted == 0 {
			continue
		}
		if last[o.ID].IsZero() {
			return refuse(certificationFailed, "it says that findings of %s were accepted, and its policy accepts none", o.ID)
		}
		if refused := v.outlives(bound{last[o.ID], fmt.Sprintf("the last acceptance of %s ends", o.ID)}); refused != nil {
			return refused
		}
	}
	return nil
}

// trustPages takes over what was said of the rule that evidence of the capture alone can tell of, when there was such evidence.
func (r *run) trustPages(said Gate) {
	for i, o := range r.cert.Gate.Rules {
		at := slices.IndexFunc(said.Rules, func(o RuleResult) bool { return o.ID == gate.PagesRule })
		if o.ID == gate.PagesRule && at >= 0 && said.Rules[at].Worst != string(diag.Error) {
			r.cert.Gate.Rules[i] = said.Rules[at]
			if said.Rules[at].Accepted > 0 {
				r.accepted = append(r.accepted, slices.DeleteFunc(slices.Clone(r.Gate.Accepted), func(a gate.Acceptance) bool { return a.Rule != gate.PagesRule || !a.Holds(r.At) })...)
			}
		}
	}
}

// outcomes is which rules and clients the gate tells of, without the counts, which another version of anvil may come to otherwise.
func (c Certification) outcomes() Gate {
	g := Gate{Outcome: c.Gate.Outcome, Axis: c.Gate.Axis}
	for _, o := range c.Gate.Rules {
		told := RuleResult{ID: o.ID, Worst: string(Pass)}
		if o.Worst == notEvaluated {
			told.Worst = notEvaluated
		}
		g.Rules = append(g.Rules, told)
	}
	for _, o := range c.Gate.Clients {
		g.Clients = append(g.Clients, ClientVerdict{Client: o.Client, Required: o.Required, Confirmed: o.Confirmed})
	}
	return g
}

// Options are those of the gate under the policy. An error says what of the policy cannot be read.
func (p Policy) Options() (gate.Options, error) {
	o := gate.Options{MaxTools: p.MaxTools, Clients: p.Clients}
	for _, a := range p.Accepted {
		until, err := time.Parse(gate.Day, a.Until)
		if err != nil {
			return o, fmt.Errorf("the policy accepts %s until %q, which is no day", a.Rule, a.Until)
		}
		o.Accepted = append(o.Accepted, gate.Acceptance{Rule: a.Rule, Server: a.Server, Tool: a.Tool, Item: a.Item, At: a.At, Until: until, Reason: a.Reason})
	}
	return o, nil
}

// Difference is where two certifications differ, in dots, and what stands there in each; "" when they are equal.
func Difference(a, b Certification) (where, inA, inB string) { return differs(a, b) }

// differs is where two values of one type differ, and what stands there in each; "" when they are equal.
func differs(a, b any) (name, inA, inB string) {
	x, err := node(a)
	if err != nil {
		return "text", err.Error(), ""
	}
	y, err := node(b)
	if err != nil {
		return "text", "", err.Error()
	}
	return firstDifference("", x, y)
}
