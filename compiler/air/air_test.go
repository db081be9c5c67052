package air

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

var update = flag.Bool("update", false, "rewrite golden files")

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// encoded is ValueOf for a value of any type.
func encoded(v any) canon.Raw {
	text, err := canon.EncodeCompact(v)
	if err != nil {
		panic(err)
	}
	return text
}

// claims makes unreviewed hint claims of predicate, value pairs.
func claims(subject string, pairs ...any) (list []Claim) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Claim{
			Subject: subject, Predicate: pairs[i].(Predicate), Value: encoded(pairs[i+1]), Source: FromHint, Method: "annotation", Confidence: 0.9, Review: Unreviewed,
		})
	}
	return list
}

// operation makes a settled operation of the service "s".
func operation(name string, state State, pairs ...any) Operation {
	o := Operation{
		ID: "s." + name, CanonicalName: name, DisplayName: name, Effect: Effect{Action: ActionOther}, MCP: MCP{ToolName: name}, CLI: CLI{Command: name},
		State: state, ContractDigest: canon.Digest([]byte(name)), TextDigest: canon.Digest([]byte("text of " + name)),
		Idempotency: Idempotency{Mechanism: MechanismNone, KeyDerivation: KeyNone}, Evidence: claims("s."+name, pairs...),
	}
	o.Input.Schema = canon.Raw(`{"properties":{"a":{"type":"string"}},"type":"object"}`)
	o.Input.Params = Params(o.Input.Schema)
	return o.Settled()
}

// aRead is a read whose only proof is a hint; aChange is a mutation.
func aRead(name string) Operation {
	return operation(name, StateGenerated, PredicateKind, Read, PredicateRisk, RiskLow, PredicateReversible, true, PredicateIdempotency, IdempotencyNone,
		PredicateRetries, RetryNone, PredicateConfirmation, true)
}

func aChange(name string) Operation {
	return operation(name, StateReviewRequired, PredicateKind, Mutation, PredicateRisk, RiskMedium, PredicateReversible, false)
}

func document(operations ...Operation) Document {
	d := Document{SchemaVersion: SchemaVersion, Service: Service{ID: "s", Name: "S", Source: Source{Kind: SourceMCP, Snapshot: canon.Digest(nil)}, Auth: Auth{Type: AuthUnknown, SecretSource: SecretUnknown}}, Operations: operations}
	c := Capability{ID: "s.adopted", DisplayName: "S", Source: "service"}
	for _, o := range operations {
		c.OperationIDs = append(c.OperationIDs, o.ID)
	}
	d.Capabilities = []Capability{c}
	return d
}

func approvalOf(o Operation) Approval {
	return Approval{Operation: o.ID, By: "ada", At: "2026-04-30T10:00:00Z", Reason: "needed", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest}
}

func rulesOf(findings []diag.Finding) (rules []string) {
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

func TestResolve(t *testing.T) {
	claim := func(value any, source ClaimKind, confidence float64, review ReviewMark) Claim {
		return Claim{Predicate: PredicateKind, Value: encoded(value), Source: source, Confidence: confidence, Review: review}
	}
	tests := []struct {
		name    string
		claims  []Claim
		status  Status
		value   string
		support float64
	}{
		{"nothing", nil, Insufficient, "", 0},
		{"next to nothing", []Claim{claim(Read, FromGeneratedMock, 0.5, Unreviewed)}, Insufficient, `"read"`, 0.15},
		{"one voice", []Claim{claim(Read, FromSpec, 1, Unreviewed)}, Resolved, `"read"`, 0.7},
		{"noisy or", []Claim{claim(Read, FromSchema, 1, Unreviewed), claim(Read, FromDocExample, 1, Unreviewed)}, Resolved, `"read"`, 0.75},
		{"never certain", []Claim{claim(Read, FromPerson, 1, Accepted)}, Resolved, `"read"`, 0.99},
		{"too close", []Claim{claim(Read, FromSpec, 1, Unreviewed), claim(Mutation, FromPostman, 1, Unreviewed)}, Conflicted, `"read"`, 0.7},
		{"clear lead", []Claim{claim(Read, FromSpec, 1, Unreviewed), claim(Mutation, FromInferred, 1, Unreviewed)}, Resolved, `"read"`, 0.7},
		{"a tie goes by value", []Claim{claim(Read, FromSpec, 1, Unreviewed), claim(Mutation, FromSpec, 1, Unreviewed)}, Conflicted, `"mutation"`, 0.7},
		{"rejected does not count", []Claim{claim(Read, FromSpec, 1, Rejected), claim(Mutation, FromInferred, 1, Superseded)}, Insufficient, "", 0},
		{"an unknown source weighs nothing", []Claim{claim(Read, "rumour", 1, Unreviewed)}, Insufficient, `"read"`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Resolve(test.claims, PredicateKind)
			if r.Status != test.status || string(r.Value) != test.value || r.Support < test.support-1e-9 || r.Support > test.support+1e-9 {
				t.Errorf("want %s %s %v, got %+v", test.status, test.value, test.support, r)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	empty := Operation{ID: "s.x"}.Settled()
	if empty.Effect.Kind != Mutation || empty.Effect.Risk != RiskDestructive || empty.Effect.Reversible || !empty.Confirmation.Required || empty.Retries.Mode != RetryNone {
		t.Errorf("without evidence an operation is not at its safest: %+v", empty)
	}
	both := operation("x", StateGenerated, PredicateKind, Read, PredicateKind, Mutation, PredicateRisk, RiskFinancial, PredicateRisk, RiskLow, PredicateRisk, "odd")
	if both.Effect.Kind != Mutation || both.Effect.Risk != RiskDestructive {
		t.Errorf("the safer claim does not win, or an unknown value loosens: %+v", both.Effect)
	}
	both.Evidence = append(both.Evidence, Claim{Subject: "s.x", Predicate: PredicateKind, Value: ValueOf(Read), Source: FromPerson, Review: Unreviewed})
	if both.Settled().Effect.Kind != Mutation {
		t.Error("a person's claim wins before it is accepted")
	}
	both.Evidence[len(both.Evidence)-1].Review = Accepted
	if both.Settled().Effect.Kind != Read {
		t.Error("a person's accepted claim does not win")
	}
	keyed := operation("y", StateGenerated, PredicateKind, Mutation, PredicateRisk, RiskMedium, PredicateIdempotency, IdempotencyNone, PredicateRetries, RetrySafe)
	if keyed.Retries.Mode != RetryNone {
		t.Error("a claim that retries are safe is believed without idempotency")
	}
}

func TestApproved(t *testing.T) {
	d := document(aChange("a"), aRead("b"))
	if view := d.Approved(); len(view.Operations) != 0 || len(view.Capabilities) != 0 {
		t.Errorf("an unapproved operation is exposed: %+v", view)
	}
	approved, _ := d.WithApprovals([]Approval{approvalOf(d.Operations[1])}, now)
	view := approved.Approved()
	if len(view.Operations) != 1 || len(view.Capabilities) != 1 || len(view.Capabilities[0].OperationIDs) != 1 || len(d.Capabilities[0].OperationIDs) != 2 {
		t.Errorf("the approved view holds %+v, or the document was changed", view.Capabilities)
	}
	if s := view.Signature(); len(s.Operations) != 1 || s.Digest == d.Signature().Digest {
		t.Errorf("the signature of the view is %+v", s)
	}
}

func TestSignature(t *testing.T) {
	base := document(aChange("a"), aRead("b")).Signature()
	tests := []struct {
		name   string
		change func(*Document)
		same   bool
	}{
		{"order of operations", func(d *Document) { d.Operations[0], d.Operations[1] = d.Operations[1], d.Operations[0] }, true},
		{"a state", func(d *Document) { d.Operations[0].State = StateBlocked }, true},
		{"spelling of a schema", func(d *Document) {
			d.Operations[0].Input.Schema = canon.Raw(`{"type":["object"],"properties":{"a":{"type":"string"}},"required":[]}`)
		}, true},
		{"a schema", func(d *Document) { d.Operations[0].Input.Schema = canon.Raw(`{"type":"object","required":["a"]}`) }, false},
		{"an output schema", func(d *Document) { d.Operations[0].Output.Schema = canon.Raw(`{}`) }, false},
		{"a tool name", func(d *Document) { d.Operations[0].MCP.ToolName = "A" }, false},
		{"a risk", func(d *Document) { d.Operations[0].Effect.Risk = RiskHigh }, false},
		{"attempts", func(d *Document) { d.Operations[0].Retries.MaxAttempts = 2 }, false},
		{"confirmation", func(d *Document) { d.Operations[0].Confirmation.Required = false }, false},
		{"idempotency", func(d *Document) { d.Operations[0].Idempotency.Mode = IdempotencyNatural }, false},
		{"text", func(d *Document) { d.Operations[0].TextDigest = "sha256:0" }, false},
		{"contract", func(d *Document) { d.Operations[0].ContractDigest = "sha256:0" }, false},
		{"one less", func(d *Document) { d.Operations = d.Operations[1:] }, false},
	}
	for _, test := range tests {
		d := document(aChange("a"), aRead("b"))
		test.change(&d)
		if got := d.Signature(); (got.Digest == base.Digest) != test.same {
			t.Errorf("%s: want the same digest: %v", test.name, test.same)
		}
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Document)
		want   []string
	}{
		{"nothing", func(*Document) {}, nil},
		{"an id twice", func(d *Document) { d.Operations[1].ID = "s.a" }, []string{"capability-member-missing", "duplicate-operation-id", "duplicate-operation-id"}},
		{"a tool twice", func(d *Document) { d.Operations[1].MCP.ToolName = "a" }, []string{"duplicate-operation-tool", "duplicate-operation-tool"}},
		{"a tool twice, both blocked", func(d *Document) {
			d.Operations[1].MCP.ToolName, d.Operations[0].State, d.Operations[1].State = "a", StateBlocked, StateBlocked
		}, nil},
		{"retries", func(d *Document) { d.Operations[0].Retries = safeRetries(BasisUnproven) }, []string{"evidence-loosened", "unsafe-retry"}},
		{"confirmation", func(d *Document) { d.Operations[0].Confirmation.Required = false }, []string{"evidence-loosened", "missing-confirmation"}},
		{"kind", func(d *Document) { d.Operations[0].Effect.Kind = Read }, []string{"evidence-loosened"}},
		{"tighter is fine", func(d *Document) { d.Operations[1].Effect.Risk = RiskDestructive }, nil},
		{"approved by nobody", func(d *Document) { d.Operations[0].State = StateApproved }, []string{"approval-unbound"}},
		{"approved for another contract", func(d *Document) {
			a := approvalOf(d.Operations[0])
			a.ContractDigest = "sha256:0"
			d.Operations[0].State, d.Operations[0].Approval = StateApproved, &a
		}, []string{"approval-unbound"}},
		{"a member that is gone", func(d *Document) { d.Capabilities[0].OperationIDs[0] = "s.c" }, []string{"capability-member-missing"}},
	}
	for _, test := range tests {
		d := document(aChange("a"), aRead("b"))
		test.change(&d)
		if diff := cmp.Diff(test.want, rulesOf(Validate(d))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestEncodeGolden(t *testing.T) {
	d := document(aChange("set"), aRead("get"))
	d, _ = d.WithApprovals([]Approval{approvalOf(d.Operations[1])}, now)
	d.Instructions = canon.Raw(`"Be kind."`)
	d.Resources = []Resource{{Name: "r", URI: "file:///r", Item: canon.Raw(`{"size":9007199254740993,"uri":"file:///r"}`)}}
	got, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden", "document.air.json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	back, err := Decode(got)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Encode(); err != nil || string(again) != string(got) {
		t.Errorf("the document does not round-trip: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := document(aChange("a")).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"schemaVersion": 1`, `"schemaVersion": 2`}, {`"service":`, `"Service":`}, {`"service":`, `"extra": 1, "service":`},
		{`"kind": "mcp"`, `"kind": "ftp"`}, {`"id": "s"`, `"id": "3"`}, {`"id": "s.a"`, `"id": ""`}, {`"kind": "mutation"`, `"kind": "maybe"`},
		{`"action": "other"`, `"action": "smile"`}, {`"risk": "medium"`, `"risk": "Medium"`}, {`"state": "review_required"`, `"state": "aproved"`},
		{`"mode": "none"`, `"mode": "sometimes"`}, {`"maxAttempts": 1`, `"maxAttempts": 99`}, {`"source": "hint"`, `"source": "rumour"`},
		{`"confidence": 0.9`, `"confidence": 9`}, {`"review": "unreviewed"`, `"review": "ok"`}, {`"subject": "s.a"`, `"subject": "s.b"`},
		{`"basis": "unproven"`, `"basis": "hope"`}, {`"schemaVersion": 1`, `"schemaVersion": 1, "schemaVersion": 1`},
	} {
		bad := strings.Replace(string(good), edit[0], edit[1], 1)
		if bad == string(good) {
			t.Errorf("%s is not in the document", edit[0])
		}
		if _, err := Decode([]byte(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s is read: %v", edit[1], err)
		}
	}
}

func TestRules(t *testing.T) {
	for _, rule := range Rules {
		if rule.Title == "" || rule.Doc == "" || rule.Class == "" || rule.Since == "" {
			t.Errorf("rule %s lacks a title, a text, a class or a version", rule.ID)
		}
	}
}

func FuzzDecode(f *testing.F) {
	good, err := document(aChange("a"), aRead("b")).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(data)
		if err != nil {
			return
		}
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		Validate(again)
		again.WithApprovals([]Approval{{}}, now)
		again.Signature()
	})
}
