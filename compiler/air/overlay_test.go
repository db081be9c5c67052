package air

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// inferred is a document of one change of medium risk and one unverified read, as a bridge makes it.
func inferred() Document {
	operation := func(name string, kind EffectKind, risk Risk, state State) Operation {
		o := Operation{ID: "s." + name, CanonicalName: name, MCP: MCP{ToolName: name}, CLI: CLI{Command: name}, State: state, Description: "Server's.",
			ContractDigest: canon.Digest([]byte(name)), TextDigest: canon.Digest([]byte("text")), Effect: Effect{Action: ActionOther},
			Idempotency: Idempotency{Mechanism: MechanismNone, KeyDerivation: KeyNone}}
		claim := func(p Predicate, v canon.Raw) {
			o.Evidence = append(o.Evidence, Claim{Subject: o.ID, Predicate: p, Value: v, Source: FromInferred, Method: "test", Confidence: 0.5, Review: Unreviewed})
		}
		claim(PredicateKind, ValueOf(kind))
		claim(PredicateRisk, ValueOf(risk))
		claim(PredicateReversible, ValueOf(kind == Read))
		claim(PredicateIdempotency, ValueOf(IdempotencyNone))
		claim(PredicateRetries, ValueOf(RetryNone))
		claim(PredicateConfirmation, ValueOf(true))
		return o.Settled()
	}
	return Document{Service: Service{ID: "s", Source: Source{Kind: SourceMCP}, Auth: Auth{Type: AuthUnknown, SecretSource: SecretUnknown}}, Operations: []Operation{
		operation("change", Mutation, RiskMedium, StateReviewRequired), operation("look", Read, RiskLow, StateGenerated),
	}}
}

func with(d Document, v Overlay) (Operation, string) {
	v.SourceRef = "anvil.yaml#/annotations/s/" + v.Operation
	d, findings := d.WithOverlays([]Overlay{v})
	var rules []string
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	o, _ := d.Find(v.Operation)
	return o, strings.Join(rules, " ")
}

func ref[T any](v T) *T { return &v }

func TestOverlayTakesThePlaceOfWhatIsInferred(t *testing.T) {
	d := inferred()
	change, _ := d.Find("s.change")
	seen := change.SeenDigest()
	tests := []struct {
		name    string
		overlay Overlay
		rules   string
		holds   func(Operation) bool
	}{
		{"tightened", Overlay{Operation: "s.change", Risk: RiskDestructive}, "", func(o Operation) bool { return o.Effect.Risk == RiskDestructive && o.Overlay.Seen == "" }},
		{"said again", Overlay{Operation: "s.change", Risk: RiskMedium}, "", func(o Operation) bool { return o.Effect.Risk == RiskMedium }},
		{"a read is called a change", Overlay{Operation: "s.look", Effect: Mutation}, "", func(o Operation) bool {
			return o.Effect.Kind == Mutation && o.State == StateReviewRequired
		}},
		{"loosened by nobody", Overlay{Operation: "s.change", Risk: RiskLow, Reason: "why", Seen: seen}, "overlay-unsigned", func(o Operation) bool { return o.Effect.Risk == RiskMedium }},
		{"loosened without a reason", Overlay{Operation: "s.change", Risk: RiskLow, By: "ada", Seen: seen}, "overlay-unsigned", func(o Operation) bool { return o.Effect.Risk == RiskMedium }},
		{"loosened", Overlay{Operation: "s.change", Risk: RiskLow, By: "ada", Reason: "why", Seen: seen}, "overlay-loosens", func(o Operation) bool { return o.Effect.Risk == RiskLow }},
		{"loosened for another tool", Overlay{Operation: "s.change", Risk: RiskLow, Effect: Mutation, By: "ada", Reason: "why", Seen: canon.Digest(nil)}, "overlay-lapsed",
			func(o Operation) bool {
				return o.Effect.Risk == RiskMedium && slices.ContainsFunc(o.Evidence, func(c Claim) bool { return c.Method == overlayMethod && c.Review == Superseded })
			}},
		{"tightened and loosened, lapsed", Overlay{Operation: "s.change", Risk: RiskHigh, Reversible: ref(true), By: "ada", Reason: "why", Seen: canon.Digest(nil)}, "overlay-lapsed",
			func(o Operation) bool { return o.Effect.Risk == RiskHigh && !o.Effect.Reversible }},
		{"confirmation waived in vain", Overlay{Operation: "s.change", Confirm: ref(false), By: "ada", Reason: "why", Seen: seen}, "overlay-loosens overlay-without-effect",
			func(o Operation) bool { return o.Confirmation.Required }},
		{"confirmation waived", Overlay{Operation: "s.change", Confirm: ref(false), Reversible: ref(true), By: "ada", Reason: "why", Seen: seen}, "overlay-loosens",
			func(o Operation) bool { return !o.Confirmation.Required }},
		{"idempotency allows no retry", Overlay{Operation: "s.change", Idempotency: IdempotencyNatural, By: "ada", Reason: "why", Seen: seen}, "overlay-loosens",
			func(o Operation) bool { return o.Idempotency.Mode == IdempotencyNatural && o.Retries.Mode == RetryNone }},
		{"a key of another tool", Overlay{Operation: "s.change", Idempotency: IdempotencyKeySupported, Key: "slip", By: "ada", Reason: "why", Seen: canon.Digest(nil)}, "overlay-lapsed",
			func(o Operation) bool { return o.Idempotency.Key == "" && o.Idempotency.Mode == IdempotencyNone }},
		{"alias of another", Overlay{Operation: "s.change", Alias: "look"}, "overlay-alias-taken", func(o Operation) bool { return len(o.CLI.Aliases) == 0 }},
		{"words", Overlay{Operation: "s.look", Alias: "peek", Tags: []string{"b", "a"}, Description: "Ours.", Owner: Owner{"desk", OwnerTeam}}, "", func(o Operation) bool {
			return o.CLI.Aliases[0] == "peek" && slices.Equal(o.Tags, []string{"a", "b"}) && o.Description == "Ours." && o.ServerText == "Server's." && o.State == StateGenerated
		}},
		{"denied", Overlay{Operation: "s.look", Deny: true}, "", func(o Operation) bool { return o.State == StateBlocked && o.Block.OfFile() }},
		{"of nothing", Overlay{Operation: "s.gone", Deny: true}, "overlay-orphaned", func(o Operation) bool { return o.ID == "" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, rules := with(d, tt.overlay)
			if rules != tt.rules || !tt.holds(o) {
				t.Errorf("found %q, want %q; %+v", rules, tt.rules, o)
			}
			if o.ID != "" && len(Validate(Document{Operations: []Operation{o}})) > 0 {
				t.Errorf("the operation is not sound: %v", Validate(Document{Operations: []Operation{o}}))
			}
		})
	}
}

// What people decided is read back from the document as it was given, whatever was decided.
func TestDecisionsRoundTrip(t *testing.T) {
	d := inferred()
	look, _ := d.Find("s.look")
	overlays := []Overlay{{Operation: "s.change", SourceRef: "anvil.yaml#/annotations/s/change", Deny: true, Risk: RiskHigh, Tags: []string{"x"}}}
	blocks := []Block{{Operation: "s.gone", By: "ada", At: "2026-11-29T10:00:00Z", Reason: "r"}}
	approval := Approval{Operation: "s.look", By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: look.ContractDigest, TextDigest: canon.Digest([]byte("older"))}
	lapses := []Lapse{{Approval: approval, Tool: canon.Raw(`{"name":"look"}`)}}
	d, _ = d.WithOverlays(overlays)
	d, _ = d.WithBlocks(blocks)
	d, _ = d.WithApprovals([]Approval{approval}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	d = d.WithLapses(lapses)
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(overlays, back.Overlays()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(blocks, back.PersonsBlocks()); diff != "" {
		t.Error(diff)
	}
	sameText := cmp.Comparer(func(a, b canon.Raw) bool { return canon.Equal(a, b) })
	if diff := cmp.Diff(lapses, back.Lapses(), sameText); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{`"risk": "high",`, `"operation": "s.change",`} {
		forged := strings.ReplaceAll(string(text), wrong, strings.Replace(wrong, `: "`, `: "un`, 1))
		if _, err := Decode([]byte(forged)); err == nil {
			t.Errorf("%s: an overlay of another operation, or with no word of its enumeration, is read", wrong)
		}
	}
}

// A block ends an approval, outlives the tool's absence, and is not what an approval by itself lifts.
func TestBlockIsStrongerThanAnApproval(t *testing.T) {
	d := inferred()
	look, _ := d.Find("s.look")
	approval := Approval{Operation: "s.look", By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: look.ContractDigest, TextDigest: look.TextDigest}
	blocked, findings := d.WithBlocks([]Block{{Operation: "s.look", By: "eve", At: "2026-11-29T11:00:00Z", Reason: "no"}, {Operation: "s.gone", By: "eve"}})
	if len(findings) != 1 || findings[0].Rule != "block-kept" || len(blocked.Blocks) != 1 {
		t.Errorf("%v %v", findings, blocked.Blocks)
	}
	approved, findings := blocked.WithApprovals([]Approval{approval}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	o, _ := approved.Find("s.look")
	if o.State != StateBlocked || o.Approval != nil || len(findings) != 1 || findings[0].Rule != "approval-ended-by-block" || !strings.Contains(findings[0].Message, `blocked by "eve" since 2026-11-29T11:00:00Z: no`) {
		t.Errorf("%s %+v %v", o.State, o.Approval, findings)
	}
}

// A lapse is gone once somebody decided again, and not while its operation is.
func TestLapseEndsWithADecision(t *testing.T) {
	d := inferred()
	look, _ := d.Find("s.look")
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	approval := Approval{Operation: "s.look", By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: look.ContractDigest, TextDigest: look.TextDigest}
	lapses := []Lapse{{Approval: Approval{Operation: "s.look"}}, {Approval: Approval{Operation: "s.gone"}}}
	approved, _ := d.WithApprovals([]Approval{approval}, now)
	blocked, _ := d.WithBlocks([]Block{{Operation: "s.look", By: "eve"}})
	for name, want := range map[string]struct {
		of   Document
		kept int
	}{"undecided": {d, 2}, "approved": {approved, 1}, "blocked": {blocked, 1}} {
		if got := len(want.of.WithLapses(lapses).Lapses()); got != want.kept {
			t.Errorf("%s: %d lapses, want %d", name, got, want.kept)
		}
		if kept := want.of.WithLapses(lapses).Lapsed; len(kept) != 1 || kept[0].Approval.Operation != "s.gone" {
			t.Errorf("%s: of operations that are not there: %v", name, kept)
		}
	}
}

// An approval of a change is no proof that it only reads, whatever a file states of it before or after: the call is confirmed and not retried.
func TestAnOverlayMakesNoVerifiedRead(t *testing.T) {
	d := inferred()
	change, _ := d.Find("s.change")
	yes := true
	v := Overlay{Operation: "s.change", Effect: Read, Risk: RiskLow, Reversible: &yes, By: "ada", Reason: "fine", Seen: change.SeenDigest(), SourceRef: "anvil.yaml#/annotations/s/change"}
	d, _ = d.WithOverlays([]Overlay{v})
	approval := Approval{Operation: "s.change", By: "eve", At: "2026-11-29T10:00:00Z", ContractDigest: change.ContractDigest, TextDigest: change.TextDigest}
	d, _ = d.WithApprovals([]Approval{approval}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	o, _ := d.Find("s.change")
	if o.State != StateApproved || o.Effect.Kind != Read {
		t.Fatalf("the overlay is not in force: %s, %s", o.State, o.Effect.Kind)
	}
	if !o.Confirmation.Required || o.Retries.Mode != RetryNone || o.Idempotency.Mode != IdempotencyNone || o.Reads() {
		t.Errorf("confirmation %v, retries %s, idempotency %s", o.Confirmation.Required, o.Retries.Mode, o.Idempotency.Mode)
	}
	if look, _ := d.Find("s.look"); !look.Reads() {
		t.Error("what reads by itself reads no more")
	}
}

// TestQueryPolicy: who answers for any program that callers write takes the place of a person's yes to each call, and of nothing else. A policy of what
// reads takes nobody's place, since nothing checks it, so it needs no name.
func TestQueryPolicy(t *testing.T) {
	d := inferred()
	runs := d.Operations[0]
	runs.Evidence = append(slices.Clone(runs.Evidence), Claim{Subject: runs.ID, Predicate: PredicateArchetype, Value: ValueOf(ArchetypeQueryPassthrough), Source: FromSchema, Confidence: .8, Review: Unreviewed})
	d.Operations[0] = runs.Settled()
	seen := d.Operations[0].SeenDigest()
	tests := []struct {
		name    string
		overlay Overlay
		rules   string
		human   bool
	}{
		{"none", Overlay{Operation: "s.change"}, "", true},
		{"signed", Overlay{Operation: "s.change", Query: QueryAny, By: "ada", Reason: "a replica", Seen: seen}, "overlay-loosens", false},
		{"of what reads", Overlay{Operation: "s.change", Query: QueryReadOnly}, "", true},
		{"of what reads, signed", Overlay{Operation: "s.change", Query: QueryReadOnly, By: "ada", Reason: "a replica", Seen: seen}, "", true},
		{"by nobody", Overlay{Operation: "s.change", Query: QueryAny, Reason: "a replica", Seen: seen}, "overlay-unsigned", true},
		{"of another tool", Overlay{Operation: "s.change", Query: QueryAny, By: "ada", Reason: "a replica", Seen: canon.Digest(nil)}, "overlay-lapsed", true},
		{"of what asks a person anyway", Overlay{Operation: "s.change", Query: QueryAny, Risk: RiskDestructive, By: "ada", Reason: "a replica", Seen: seen}, "overlay-loosens overlay-without-effect", true},
		{"of what takes no program", Overlay{Operation: "s.look", Query: QueryAny, By: "ada", Reason: "a replica", Seen: d.Operations[1].SeenDigest()}, "overlay-without-effect", false},
		{"of what takes no program, by nobody", Overlay{Operation: "s.look", Query: QueryAny}, "overlay-without-effect", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, rules := with(d, tt.overlay)
			if rules != tt.rules || o.Confirmation.HumanApproval != tt.human || !o.Confirmation.Required {
				t.Errorf("rules %q, confirmation %+v", rules, o.Confirmation)
			}
			if stated := tt.overlay.Query == QueryReadOnly || tt.rules != "" && strings.HasPrefix(tt.rules, "overlay-loosens"); stated != (o.QueryPolicy != nil) {
				t.Errorf("policy %v", o.QueryPolicy)
			}
			if found := Validate(Document{Operations: []Operation{o}}); slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Rule == queryPassthrough.ID }) {
				t.Errorf("%v", found)
			}
		})
	}
}

// What no pack may hold is an error of the overlay that states it, whatever else it loosens.
func TestOverlayThatNobodyCouldServe(t *testing.T) {
	d := inferred()
	change, _ := d.Find("s.change")
	v := Overlay{Operation: "s.change", Idempotency: IdempotencyKeySupported, By: "ada", Reason: "why", Seen: change.SeenDigest()}
	for _, key := range []string{"", "slip"} {
		v.Key = key
		if o, rules := with(d, v); rules != "overlay-loosens overlay-unfit" || o.Idempotency.Key != key {
			t.Errorf("key %q: %s, %+v", key, rules, o.Idempotency)
		}
	}
}
