package air

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// grouped is a document with one capability of four operations: the first two approved, the last blocked.
func grouped(t *testing.T) Document {
	t.Helper()
	d := document(aChange("a_change"), aRead("b_read"), aChange("c_other"), aChange("d_never"))
	d.Operations[3].State = StateBlocked
	for i := range d.Operations[:2] {
		d.Operations[i].Owner = Owner{ID: "platform", Kind: OwnerTeam}
	}
	c := Capability{ID: "s.all", DisplayName: "All", Description: "All.", Source: "service"}
	for _, o := range d.Operations {
		c.OperationIDs = append(c.OperationIDs, o.ID)
		c.Evidence = append(c.Evidence, Claim{Subject: o.ID, Predicate: PredicateCapability, Value: ValueOf("s.all"), Source: FromInferred, Method: "service", Confidence: 0.5})
	}
	d.Capabilities = []Capability{c}
	var approvals []Approval
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for _, o := range d.Operations[:2] {
		approvals = append(approvals, Approval{Operation: o.ID, By: "ada", At: at.Format(time.RFC3339), ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	d, _ = d.WithApprovals(approvals, at)
	return d
}

func TestContracts(t *testing.T) {
	d := grouped(t)
	contracts := d.Contracts()
	if len(contracts) != 1 {
		t.Fatalf("%d contracts", len(contracts))
	}
	c := contracts[0]
	if diff := cmp.Diff([]string{"s.a_change", "s.b_read"}, c.OperationIDs); diff != "" || c.Waiting != 1 || c.Blocked != 1 {
		t.Errorf("waiting %d, blocked %d, members (-want +got)\n%s", c.Waiting, c.Blocked, diff)
	}
	want := SafetyProfile{ConfirmationRequired: []string{"s.a_change"}, NonIdempotentMutations: []string{"s.a_change"}, HighestRisk: RiskMedium}
	if diff := cmp.Diff(want, c.Safety); diff != "" {
		t.Errorf("safety (-want +got)\n%s", diff)
	}
	var disclosed []string
	for _, o := range c.Operations {
		disclosed = append(disclosed, o.ID)
	}
	if diff := cmp.Diff(c.OperationIDs, disclosed); diff != "" {
		t.Errorf("what is disclosed is not what is in it\n%s", diff)
	}
	if last := c.Operations[0].Nodes; last[len(last)-1].Kind != NodePolicy || c.Operations[1].Nodes[len(c.Operations[1].Nodes)-1].Kind == NodePolicy {
		t.Errorf("%+v", c.Operations)
	}
	if c.Owner.ID != "platform" || len(c.Evidence) != 2 || c.Digest == "" {
		t.Errorf("%+v", c)
	}
}

// TestContractDigestMovesWithWhatIsPromised: and with nothing else.
func TestContractDigestMovesWithWhatIsPromised(t *testing.T) {
	digest := func(change func(*Document)) string {
		d := grouped(t)
		change(&d)
		return d.Contracts()[0].Digest
	}
	same := digest(func(*Document) {})
	for name, change := range map[string]func(*Document){
		"a risk":         func(d *Document) { d.Operations[0].Effect.Risk = RiskHigh },
		"a confirmation": func(d *Document) { d.Operations[0].Confirmation.Required = false },
		"a member":       func(d *Document) { d.Operations[1].State = StateBlocked },
		"a contract":     func(d *Document) { d.Operations[0].ContractDigest = "other" },
		"an owner":       func(d *Document) { d.Operations[0].Owner = Owner{ID: "ada", Kind: OwnerPerson} },
	} {
		if digest(change) == same {
			t.Errorf("%s does not move the digest", name)
		}
	}
	if digest(func(d *Document) { d.Capabilities[0].Evidence[0].Method = "rest" }) != same {
		t.Error("evidence moves the digest")
	}
}

func TestNothingApprovedHasNoContract(t *testing.T) {
	d, _ := grouped(t).WithApprovals(nil, time.Now())
	if c := d.Contracts(); len(c) != 0 {
		t.Errorf("%+v", c)
	}
}
