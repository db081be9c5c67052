package certify

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The roles of a key. A certificate says three things, and each has to be vouched for by as many keys as are required: that the surface was captured so,
// that the gate lets it pass by its policy, and that the approvals are those of people who may approve. One key may vouch for all of them.
const (
	RoleCapture = "capture"
	RoleGate    = "gate"
	RoleApprove = "approve"
	RoleCertify = "certify" // the three together
)

// Parts are the roles that have to be vouched for.
var Parts = []string{RoleCapture, RoleGate, RoleApprove}

// allRoles are the words that a trust file may use.
var allRoles = append([]string{RoleCertify}, Parts...)

// vouches reports a key that may sign for a part of what a certificate says.
func (k TrustKey) vouches(part string) bool {
	return slices.Contains(k.Roles, part) || slices.Contains(k.Roles, RoleCertify)
}

// Scarcest returns the part of a certificate that the fewest keys of the trust file may sign for, whatever their time, and how many those are.
func (t Trust) Scarcest() (part string, keys int) {
	for _, p := range Parts {
		n := 0
		for _, k := range t.keys {
			if k.vouches(p) {
				n++
			}
		}
		if part == "" || n < keys {
			part, keys = p, n
		}
	}
	return part, keys
}

// key counts the keys that were in their time, for each part of what the certificate says.
func (v *verifying) key() (string, *Refusal) {
	issued, _ := time.Parse(time.RFC3339, v.certification.IssuedAt)
	var refusals []*Refusal
	var names, why []string
	vouched := map[string]int{}
	for _, k := range v.by {
		signer := Signer{k.ID(), k.Name, k.Roles}
		if refused := k.refuses(issued, v.Now); refused != nil {
			refusals, why = append(refusals, refused), append(why, refused.Message)
			v.Uncounted = append(v.Uncounted, Uncounted{signer, refused.Rule, refused.Message})
			continue
		}
		v.Signers = append(v.Signers, signer)
		names = append(names, fmt.Sprintf("%q (%s)", k.Name, ShortID(k.ID())))
		for _, part := range Parts {
			if k.vouches(part) {
				vouched[part]++
			}
		}
	}
	require := max(1, v.Require)
	lacking := slices.DeleteFunc(slices.Clone(Parts), func(part string) bool { return vouched[part] >= require })
	switch {
	case len(lacking) == 0:
		message := fmt.Sprintf("certified by %s; %d required", strings.Join(names, ", "), require)
		if len(why) > 0 {
			message += "; what does not count: " + strings.Join(why, "; ")
		}
		return message, nil
	case len(refusals) > 0:
		return "", refusals[0]
	case len(names) < require:
		return "", refuse(signaturesTooFew, "%d of %d required keys signed: %s", len(names), require, strings.Join(names, ", "))
	}
	return "", refuse(keyRoleMissing, "%s signed, and fewer than %d of them may sign for %s: that takes the role of that name, or %s", strings.Join(names, ", "), require,
		strings.Join(lacking, ", "), RoleCertify)
}

// refuses says why the key's signature of a certification that was issued at a time does not count; nil when it does.
func (k trustedKey) refuses(issued, now time.Time) *Refusal {
	who := fmt.Sprintf("the key %s of %q", ShortID(k.ID()), k.Name)
	switch {
	case !k.revoked.IsZero() && (!now.Before(k.revoked) || !issued.Before(k.revoked)):
		return refuse(keyRevoked, "%s is revoked since %s", who, k.RevokedSince)
	case !k.notBefore.IsZero() && (issued.Before(k.notBefore) || now.Before(k.notBefore)):
		return refuse(keyOutOfTime, "%s counts from %s on, and the certificate was issued at %s", who, k.NotBefore, issued.Format(time.RFC3339))
	case !k.notAfter.IsZero() && (!issued.Before(k.notAfter) || !now.Before(k.notAfter)):
		return refuse(keyOutOfTime, "%s counted until %s", who, k.NotAfter)
	}
	return nil
}
