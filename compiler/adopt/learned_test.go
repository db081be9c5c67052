package adopt

import (
	"github.com/google/go-cmp/cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
	"anvil/learn"
	"anvil/learn/profile"
)

const (
	peeks = `{"name":"get_stock","description":"Returns the stock.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	sells = `{"name":"create_sale","description":"Creates a sale.","inputSchema":{"type":"object"}}`
)

func shop(t *testing.T) air.Document {
	t.Helper()
	s, err := surface.New(surface.Capture{Initialize: []byte(`{"serverInfo":{"name":"shop"}}`), Lists: map[surface.Kind][][]byte{surface.Tool: {[]byte(peeks), []byte(sells)}}})
	if err != nil {
		t.Fatal(err)
	}
	return Bridge(s)
}

// seen is a profile of a tool of the shop, under the contract that it has.
func seen(d air.Document, id string, change func(*profile.Profile)) profile.Document {
	o, _ := d.Find(id)
	p := profile.Profile{Server: d.Service.ID, Name: o.MCP.ToolName, Contract: o.ContractDigest, Calls: &profile.Calls{
		Invocations: 200, Failures: 4, Attempts: 200, FailureRate: 0.02, Low: 0.0078, High: 0.0503, First: "2026-03-01T00:00:00.000Z", Last: "2026-03-02T00:00:00.000Z"}}
	change(&p)
	return profile.Document{SchemaVersion: profile.SchemaVersion, Tools: []profile.Profile{p}}
}

// TestAReadThatWasSeenToChange becomes a mutation that waits for a review; an approval that was given to the read lapses, and one given to the change holds.
func TestAReadThatWasSeenToChange(t *testing.T) {
	before := shop(t)
	read, _ := before.Find("shop.get_stock")
	now := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	approval := air.Approval{Operation: read.ID, By: "ada", At: "2026-03-02T10:00:00Z", ContractDigest: read.ContractDigest, TextDigest: read.TextDigest, Effect: read.Effect.Kind}
	if approved, _ := before.WithApprovals([]air.Approval{approval}, now); !isApproved(approved, read.ID) || read.Effect.Kind != air.Read {
		t.Fatalf("the read cannot be approved: %+v", read)
	}
	after := Learn(before, seen(before, read.ID, func(p *profile.Profile) { p.Disturbs = &profile.Pairs{N: 12, Changed: 9, Low: 0.468, High: 0.911} }))
	o, _ := after.Find(read.ID)
	if o.Effect.Kind != air.Mutation || o.Effect.Risk.Rank() < air.RiskMedium.Rank() || o.Effect.Reversible || o.Retries.Mode != air.RetryNone || !o.Confirmation.Required ||
		o.State != air.StateReviewRequired {
		t.Errorf("%+v %+v %+v %s", o.Effect, o.Retries, o.Confirmation, o.State)
	}
	if len(o.ReviewNotes) == 0 || !strings.Contains(o.ReviewNotes[len(o.ReviewNotes)-1], "in 9 of 12 pairs") {
		t.Errorf("notes %q", o.ReviewNotes)
	}
	found := false
	for _, f := range after.Diagnostics {
		found = found || f.Rule == readSeenToChange.ID && f.Tool == "get_stock"
	}
	if !found {
		t.Errorf("no finding: %+v", after.Diagnostics)
	}
	if lapsed, findings := after.WithApprovals([]air.Approval{approval}, now); isApproved(lapsed, read.ID) || len(findings) != 1 || !strings.Contains(findings[0].Message, "was given to a read") {
		t.Errorf("an approval of a read holds for a change: %+v", findings)
	}
	approval.Effect = air.Mutation
	if approved, _ := after.WithApprovals([]air.Approval{approval}, now); !isApproved(approved, read.ID) {
		t.Error("the change cannot be approved")
	}
	if found := air.Validate(after); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func isApproved(d air.Document, id string) bool {
	o, _ := d.Find(id)
	return o.State == air.StateApproved
}

// TestMeasuresAreClaimed: what no field holds is told with its sample, window and interval; a few calls tell nothing.
func TestMeasuresAreClaimed(t *testing.T) {
	before := shop(t)
	learned := seen(before, "shop.create_sale", func(p *profile.Profile) {
		p.Latency = &profile.Spread{N: 200, Mean: 90, P50: 80, P90: 120, P95: 150, P99: 900, RelativeError: 0.01}
		p.Result = &profile.Spread{N: 200, Mean: 90, P50: 80, P90: 120, P95: 2048, P99: 4096, RelativeError: 0.01}
		p.Cost = []profile.Cost{{Currency: "USD", Calls: 200, Total: "0.42", PerCall: "0.0021"}}
		p.Codes = []profile.Share{{Of: "ETIMEDOUT", N: 4, Total: 5, Low: 0.376, High: 0.964}}
		p.Repeats = &profile.Pairs{N: 40, Changed: 40, Low: 0.912, High: 1}
		p.Shapes = []profile.Share{{Of: `{"sku":string}`, N: 198, Total: 200, Low: 0.964, High: 0.997}}
	})
	o, _ := Learn(before, learned).Find("shop.create_sale")
	values := map[air.Predicate]string{}
	for _, c := range o.Evidence {
		if c.Source == air.FromObservedTraffic {
			values[c.Predicate] = string(c.Value)
			// A share rests on all that it is a share of, and its interval is of that many.
			if want, share := map[air.Predicate]int{air.PredicateErrorCode: 5, air.PredicateShape: 200}[c.Predicate]; share && c.N != want {
				t.Errorf("%s rests on %d samples, want %d", c.Predicate, c.N, want)
			}
			if c.N == 0 || c.Window != "2026-03-01T00:00:00.000Z/2026-03-02T00:00:00.000Z" {
				t.Errorf("%s rests on %d calls of %q", c.Predicate, c.N, c.Window)
			}
		}
	}
	for predicate, want := range map[air.Predicate]string{
		air.PredicateFailures: "0.02", air.PredicateLatency: "150", air.PredicateTimeout: "2700", air.PredicateResultBytes: "2048", air.PredicateCost: `"0.0021 USD"`,
		air.PredicateErrorCode: `"ETIMEDOUT"`, air.PredicateRepeats: "true", air.PredicateShape: `"{\"sku\":string}"`, air.PredicateIdempotency: `"none"`,
	} {
		if values[predicate] != want {
			t.Errorf("%s is %s, want %s", predicate, values[predicate], want)
		}
	}
	few := learned
	few.Tools[0].Calls.Invocations = leastObserved - 1
	few.Tools[0].Repeats = nil
	if o, _ := Learn(before, few).Find("shop.create_sale"); strings.Contains(string(mustEncode(t, o)), "observed_traffic") {
		t.Error("a few calls make claims")
	}
}

func mustEncode(t *testing.T, o air.Operation) []byte {
	t.Helper()
	data, err := air.Document{SchemaVersion: air.SchemaVersion, Operations: []air.Operation{o}, Diagnostics: nil}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOthersTeachNothing: another contract's or another server's profiles are left out.
func TestOthersTeachNothing(t *testing.T) {
	before := shop(t)
	for name, change := range map[string]func(*profile.Profile){
		"contract": func(p *profile.Profile) { p.Contract = "sha256:other" }, "server": func(p *profile.Profile) { p.Server = "store" },
		"no calls": func(p *profile.Profile) { p.Calls = nil },
	} {
		learned := seen(before, "shop.get_stock", func(p *profile.Profile) {
			p.Disturbs = &profile.Pairs{N: 12, Changed: 9, Low: 0.468, High: 0.911}
			change(p)
		})
		if o, _ := Learn(before, learned).Find("shop.get_stock"); o.Effect.Kind != air.Read {
			t.Errorf("%s: %+v", name, o.Effect)
		}
	}
}

// TestLearningOnlyTightens draws profiles for the tools of captured servers.
func TestLearningOnlyTightens(t *testing.T) {
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		before, r := Bridge(s), rand.New(rand.NewPCG(uint64(len(name)), 5))
		learned := profile.Document{SchemaVersion: profile.SchemaVersion}
		for _, o := range before.Operations {
			learned.Tools = append(learned.Tools, drawn(r, before.Service.ID, o))
		}
		after := Learn(before, learned)
		for i, o := range after.Operations {
			if looser := o.LooserThan(before.Operations[i]); len(looser) > 0 || o.ID != before.Operations[i].ID {
				t.Errorf("%s is looser in %v", o.ID, looser)
			}
			if was, is := before.Operations[i].State, o.State; was != is && is != air.StateReviewRequired {
				t.Errorf("%s was %s and is %s", o.ID, was, is)
			}
		}
		if found := air.Validate(after); len(found) > len(air.Validate(before)) {
			t.Errorf("%+v", found)
		}
		again, err := after.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := air.Decode(again); err != nil {
			t.Error(err)
		}
	})
}

// drawn is a profile of an operation in which anything may be.
func drawn(r *rand.Rand, server string, o air.Operation) profile.Profile {
	record := learn.Record{Tool: learn.Tool{Server: server, Name: o.MCP.ToolName, Contract: o.ContractDigest}}
	all := learn.Cell{Window: learn.All}
	for i := range r.IntN(60) {
		e := learn.Event{ID: string(rune('a' + i)), At: time.Date(2026, 3, 1, i%24, i, 0, 0, time.UTC), Duration: time.Duration(r.IntN(1e9)), Attempts: 1,
			Outcome: learn.Outcomes[r.IntN(len(learn.Outcomes))], Code: "E", Output: learn.Payload{Bytes: r.Int64N(1e5)}}
		all.Fold(e)
	}
	record.Cells = []learn.Cell{all}
	p := profile.Of(record, time.Time{})
	pairs := func() *profile.Pairs {
		n := 5 + r.Int64N(40)
		changed := r.Int64N(n + 1)
		return &profile.Pairs{N: n, Changed: changed, Low: 0.6 * float64(changed) / float64(n), High: 1}
	}
	if r.IntN(3) == 0 {
		p.Disturbs = pairs()
	}
	if r.IntN(2) == 0 {
		p.Repeats = pairs()
	}
	return p
}

// TestClaimsRestOnWhatClientsAgreeOn: where clients agree on figures, those are claimed and not what one of them made of all calls.
func TestClaimsRestOnWhatClientsAgreeOn(t *testing.T) {
	before := shop(t)
	o, _ := Learn(before, seen(before, "shop.get_stock", func(p *profile.Profile) {
		lies := profile.Spread{N: 5000, Mean: 3.6e6, P50: 3.6e6, P90: 3.6e6, P95: 3.6e6, P99: 3.6e6}
		p.Calls.Invocations, p.Calls.Failures, p.Calls.FailureRate, p.Latency, p.Result = 5000, 3000, 0.6, &lies, &lies
		p.Cost, p.Codes = []profile.Cost{{Currency: "USD", Calls: 5000, Total: "3000000", PerCall: "600"}}, []profile.Share{{Of: "EBOOM", N: 3000, Total: 3000}}
		p.Agreed = &profile.Agreed{Clients: 51, Invocations: 1200, Failures: 12, FailureRate: 0.01, Low: 0.005, High: 0.02,
			Latency: &profile.Spread{N: 1200, P95: 100, P99: 110}, Cost: []profile.Cost{{Currency: "USD", Calls: 1200, Total: "12", PerCall: "0.01"}}}
	})).Find("shop.get_stock")
	got := map[air.Predicate]string{}
	for _, c := range o.Evidence {
		if c.Source == air.FromObservedTraffic {
			got[c.Predicate] = string(c.Value)
		}
	}
	want := map[air.Predicate]string{air.PredicateFailures: "0.01", air.PredicateLatency: "100", air.PredicateTimeout: "1000", air.PredicateCost: `"0.01 USD"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
