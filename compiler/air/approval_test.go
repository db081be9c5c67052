package air

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithApprovals(t *testing.T) {
	read, change, blocked := aRead("get"), aChange("set"), operation("odd", StateBlocked)
	d := document(change, read, blocked)
	edit := func(o Operation, f func(*Approval)) Approval {
		a := approvalOf(o)
		f(&a)
		return a
	}
	tests := []struct {
		name      string
		approvals []Approval
		of        string
		state     State
		confirm   bool
		retry     RetryMode
		rules     []string
	}{
		{"a read", []Approval{approvalOf(read)}, read.ID, StateApproved, false, RetrySafe, nil},
		{"a mutation", []Approval{approvalOf(change)}, change.ID, StateApproved, true, RetryNone, nil},
		{"none", nil, read.ID, StateGenerated, true, RetryNone, nil},
		{"another contract", []Approval{edit(read, func(a *Approval) { a.ContractDigest = "sha256:0" })}, read.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-lapsed"}},
		{"another text", []Approval{edit(read, func(a *Approval) { a.TextDigest = "sha256:0" })}, read.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-lapsed"}},
		{"over", []Approval{edit(change, func(a *Approval) { a.Expires = "2026-04-30" })}, change.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-expired"}},
		{"on its last day", []Approval{edit(change, func(a *Approval) { a.Expires = "2026-05-01" })}, change.ID, StateApproved, true, RetryNone, nil},
		{"over by the minute", []Approval{edit(change, func(a *Approval) { a.Expires = "2026-05-01T12:00:00Z" })}, change.ID, StateReviewRequired, true,
			RetryNone, []string{"approval-expired"}},
		{"unreadable end", []Approval{edit(change, func(a *Approval) { a.Expires = "soon" })}, change.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-invalid"}},
		{"nobody's", []Approval{edit(change, func(a *Approval) { a.By = "" })}, change.ID, StateReviewRequired, true, RetryNone, []string{"approval-invalid"}},
		{"from the future", []Approval{edit(change, func(a *Approval) { a.At = "2026-06-01T00:00:00Z" })}, change.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-invalid"}},
		{"of nothing", []Approval{edit(change, func(a *Approval) { a.Operation = "s.gone" })}, change.ID, StateReviewRequired, true, RetryNone,
			[]string{"approval-orphaned"}},
		{"of a blocked one", []Approval{approvalOf(blocked)}, blocked.ID, StateBlocked, true, RetryNone, []string{"approval-refused"}},
		{"the latest first, an older one that binds", []Approval{approvalOf(change), edit(change, func(a *Approval) { a.At, a.ContractDigest = "2026-05-01T00:00:00Z", "x" })},
			change.ID, StateApproved, true, RetryNone, []string{"approval-lapsed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, findings := d.WithApprovals(test.approvals, now)
			o, _ := got.Find(test.of)
			if o.State != test.state || o.Confirmation.Required != test.confirm || o.Retries.Mode != test.retry || (o.Approval != nil) != (o.State == StateApproved) {
				t.Errorf("got %s, confirmation %v, retries %s, approval %v", o.State, o.Confirmation.Required, o.Retries.Mode, o.Approval)
			}
			if diff := cmp.Diff(test.rules, rulesOf(findings)); diff != "" {
				t.Errorf("rules (-want +got)\n%s", diff)
			}
			if found := Validate(got); len(found) > 0 {
				t.Errorf("does not validate: %+v", found)
			}
			if diff := cmp.Diff(d.Signature(), got.Signature()); diff != "" {
				t.Errorf("an approval changes the signature:\n%s", diff)
			}
			if again, _ := got.WithApprovals(test.approvals, now); cmp.Diff(got, again) != "" {
				t.Errorf("approving twice is not approving once:\n%s", cmp.Diff(got, again))
			}
		})
	}
	if d.Operations[1].State != StateGenerated || len(d.Operations[1].Evidence) != len(read.Evidence) {
		t.Error("the document that was given is changed")
	}
}

func TestApprovalsAreTakenBack(t *testing.T) {
	d := document(aRead("get"))
	approved, _ := d.WithApprovals([]Approval{approvalOf(d.Operations[0])}, now)
	taken, findings := approved.WithApprovals(nil, now)
	o := taken.Operations[0]
	if o.State != StateReviewRequired || !o.Confirmation.Required || o.Retries.Mode != RetryNone || o.Approval != nil || len(findings) > 0 {
		t.Errorf("an approval outlives its record: %+v", o)
	}
}
