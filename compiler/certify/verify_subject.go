package certify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// subject holds what was signed against this pack: file by file, and fact by fact.
func (v *verifying) subject() (string, *Refusal) {
	if len(v.Request.Findings) > 0 {
		return "", refuse(subjectMismatch, "the pack does not verify by itself: %s", v.Request.Findings[0].Message)
	}
	want := subjectsOf(v.Pack)
	for name, digest := range want {
		if got, there := v.subjects[name]; !there || got != digest {
			return "", refuse(subjectMismatch, "the certificate is not of this pack: %s", mismatch(name, got, digest))
		}
	}
	for name := range v.subjects {
		if _, there := want[name]; !there {
			return "", refuse(subjectMismatch, "the certificate is about %q, which is not in this pack", name)
		}
	}
	if problem := v.wrongFact(); problem != "" {
		return "", refuse(subjectMismatch, "the certification is not of this pack: %s", problem)
	}
	beside, there := v.Pack.Certificates[File]
	if !there {
		return "", refuse(certificationDiffers, "%s is gone", File)
	}
	if !canon.Equal(beside, v.predicate) {
		return "", refuse(certificationDiffers, "%s says something else than what was signed", File)
	}
	return fmt.Sprintf("the pack, its %d files and %s are what was signed", len(v.Pack.Files), File), nil
}

func mismatch(name, got, want string) string {
	if got == "" {
		return fmt.Sprintf("nothing was signed of %q", name)
	}
	return fmt.Sprintf("%q was %s, and is %s", name, got, want)
}

// facts are what a certification says of a pack that follows from the pack and the time of issue alone. Verification computes them again: a signature says
// who answers for a certificate, and not that it is true.
type facts struct {
	Subject Subject   `json:"subject"`
	Base    *BaseDiff `json:"base"`
	Tools   []Tool    `json:"tools"`
}

// wrongFact names the first fact that the certification states and that is not so; "" when there is none.
func (v *verifying) wrongFact() string {
	c := v.certification
	v.issue = &run{Inputs: Inputs{Pack: v.Pack}}
	r := v.issue
	r.At, _ = time.Parse(time.RFC3339, c.IssuedAt)
	if err := r.open(); err != nil {
		return err.Error()
	}
	if err := r.subject(); err != nil {
		return err.Error()
	}
	r.base()
	if name, says, it := differs(facts{c.Subject, c.Base, c.Tools}, facts{r.cert.Subject, r.cert.Base, r.tools()}); name != "" {
		return fmt.Sprintf("it says of %s: %s, and that is %s", name, says, it)
	}
	if problem := wrongMaterial(c); problem != "" {
		return problem
	}
	return wrongOutcome(c)
}

// wrongOutcome names a check that rests on something the certification does not have: a comparison without a base, agreeing captures without their evidence.
func wrongOutcome(c Certification) string {
	evidence := c.Evidenced()
	for _, check := range c.Checks {
		switch passed := check.Outcome == Pass; {
		case check.ID == checkBase && passed != (c.Base != nil):
			return fmt.Sprintf("it says of the check %s: %s, and of a base %s", check.ID, check.Outcome, map[bool]string{true: "more than that", false: "nothing"}[c.Base != nil])
		case check.ID == checkStability && passed && !evidence:
			return fmt.Sprintf("it says of the check %s: %s, and has no capture evidence among its materials", check.ID, check.Outcome)
		}
	}
	return ""
}

// wrongMaterial names a material that is another one than the rest of the certification says; "" when there is none.
func wrongMaterial(c Certification) string {
	want := materialsOf(c)
	for i, m := range c.Materials {
		if i < len(want) && m == want[i] || i == len(want) && m.Name == materialEvidence && canon.IsDigest(m.Digest) {
			continue
		}
		return fmt.Sprintf("the material %q is not what the rest of it says", m.Name)
	}
	if len(c.Materials) < len(want) {
		return fmt.Sprintf("the material %q is left out", want[len(c.Materials)].Name)
	}
	return ""
}

func node(v any) (*canon.Node, error) {
	text, err := canon.EncodeCompact(v)
	if err != nil {
		return nil, err
	}
	return canon.Parse(text)
}

// firstDifference walks two values of one type, and returns where they differ, in dots, and what stands there; "" when they are equal.
func firstDifference(at string, a, b *canon.Node) (name, inA, inB string) {
	within := func(step string) string { return strings.TrimPrefix(at+"."+step, ".") }
	switch {
	case a.IsObject() && b.IsObject() && slices.EqualFunc(a.Members, b.Members, func(m, o canon.Member) bool { return m.Name == o.Name }):
		for i, m := range a.Members {
			if name, inA, inB = firstDifference(within(m.Name), m.Value, b.Members[i].Value); name != "" {
				return name, inA, inB
			}
		}
	case a.IsArray() && b.IsArray() && len(a.Items) == len(b.Items):
		for i := range a.Items {
			if name, inA, inB = firstDifference(within(fmt.Sprint(i)), a.Items[i], b.Items[i]); name != "" {
				return name, inA, inB
			}
		}
	case string(a.Canonical()) != string(b.Canonical()):
		return at, shortened(a), shortened(b)
	}
	return "", "", ""
}

// mostShown bounds what is shown of a value, in bytes; a digest fits.
const mostShown = 80

func shortened(n *canon.Node) string {
	text := diag.Printable(string(n.Canonical()))
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return text
}
