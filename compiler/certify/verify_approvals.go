package certify

import (
	"time"

	"anvil/compiler/pack"
)

// approvals asks whether every approval in the pack holds now, and the certificate, which ends at expires, outlives none of them: whoever signed could say
// any end.
func (v *verifying) approvals(expires time.Time) *Refusal {
	if _, over := v.issue.document.WithApprovals(pack.Approvals(v.issue.document), v.Now); len(over) > 0 {
		return refuse(certifiedApprovalOver, "the certificate rests on an approval that does not hold: %s", listed(messages(over)))
	}
	for _, o := range v.issue.document.Operations {
		if end, ends := lastMoment(o); ends && expires.After(end) {
			return refuse(certifiedApprovalOver, "the certificate is said to hold until %s, and the approval of %q by %q that it rests on ends before, at %s",
				v.certification.Expires, o.ID, o.Approval.By, end.UTC().Format(time.RFC3339))
		}
	}
	return nil
}
