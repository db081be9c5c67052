package conclude

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/view"
)

// artifacts are the bytes of all that is made of a store: the profiles, as a pack keeps them, and the view in both its spellings.
func artifacts(t *testing.T, s *sqlstore.Store, now time.Time) []byte {
	t.Helper()
	if _, err := All(t.Context(), s, now, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := profile.Build(t.Context(), s, learn.Filter{}, now)
	if err != nil {
		t.Fatal(err)
	}
	seen, building := view.Build(d, now)
	learned, err := d.Encode()
	inJSON, inYAML, err2 := seen.Encode()
	if err := errors.Join(building, err, err2); err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{learned, inJSON, inYAML}, []byte("\n"))
}

// Assertion 48: in whatever order and batches events come, the artifacts are the same to the byte.
func TestOrderOfEventsDoesNotReachTheArtifacts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	var events []learn.Event
	for i := range 240 {
		e := learn.Event{ID: fmt.Sprintf("e%04d", i), Tool: learn.Tool{Server: "shop", Name: fmt.Sprint("tool", r.IntN(3)), Contract: fmt.Sprint("c", r.IntN(2))},
			Session: fmt.Sprint("s", i/20), At: morning.Add(time.Duration(i) * time.Minute), Duration: time.Duration(r.IntN(2e9)), Outcome: learn.Outcomes[r.IntN(4)],
			Attempts: 1 + r.IntN(2), Model: fmt.Sprint("m", r.IntN(3)), Client: fmt.Sprint("client", r.IntN(4)), Cost: &learn.Money{Micros: r.Int64N(5000), Currency: "USD"},
			Output: learn.Payload{Bytes: r.Int64N(9000)}}
		if e.Outcome == learn.Failed || e.Outcome == learn.Refused {
			e.Code = []string{"ETIMEDOUT", "503", "rate_limited"}[r.IntN(3)]
		}
		events = append(events, e)
	}
	now := morning.Add(10 * time.Hour)
	kept := func(batch int) []byte {
		s := opened(t)
		for from := 0; from < len(events); from += batch {
			done, err := s.Record(t.Context(), events[from:min(from+batch, len(events))])
			if err != nil || done.Bad > 0 {
				t.Fatal(done, err)
			}
		}
		return artifacts(t, s, now)
	}
	want := kept(len(events))
	if !bytes.Contains(want, []byte(evaluate.AvgDuration)) {
		t.Fatalf("nothing is concluded:\n%s", want)
	}
	for _, batch := range []int{1, 7, 240} {
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		if got := kept(batch); !bytes.Equal(got, want) {
			t.Errorf("in batches of %d: other bytes", batch)
		}
	}
}

// Assertion 55, its second half: what is published of calls and of people's statements that are full of credentials.
func TestCredentialsNeverReachTheArtifacts(t *testing.T) {
	s := opened(t)
	planted := []string{"ghp_" + strings.Repeat("a1B2", 9), "AKIA" + "IOSFODNN7EXAMPLQ", "sk-ant-api03-" + strings.Repeat("Ab1_", 23) + "AA"}
	recorder := learn.NewRecorder(s, learn.RecorderOptions{Capture: true})
	for n, secret := range planted {
		tool := learn.Tool{Server: "srv-" + secret, Name: "tool_" + secret, Contract: secret}
		for i := range 30 {
			recorder.Observe(learn.Observation{Event: learn.Event{ID: fmt.Sprint(n, "-", i, secret), Tool: tool, Session: secret, Workflow: secret, Client: secret, Model: secret,
				Decoding: secret, Resolver: secret, At: morning.Add(time.Duration(i) * time.Second), Duration: time.Second, Outcome: []learn.Outcome{learn.Succeeded, learn.Failed}[i%2],
				Code: secret}, Arguments: fmt.Appendf(nil, `{%q:%q}`, secret, secret), Result: fmt.Appendf(nil, `{"error":%q}`, secret)})
		}
		stated := learn.Annotation{Risk: "high", Owner: "of " + secret, Description: "call it with " + secret, Tags: []string{"harmless-word", secret}}
		if err := s.Annotate(t.Context(), tool.Server, tool.Name, stated); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := artifacts(t, s, morning.Add(time.Hour))
	for _, there := range []string{"harmless-word", "call it with [redacted]", evaluate.ObservedFailureRate} {
		if !bytes.Contains(text, []byte(there)) {
			t.Errorf("%q is not in the artifacts, in which no credential is looked for then", there)
		}
	}
	for n, secret := range planted {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("credential %d is published", n)
		}
	}
}

// Assertion 33: a report is a call like any other, and where reports are off there is none.
func TestReportsAreFolded(t *testing.T) {
	for enabled, want := range map[bool]int64{true: 1, false: 0} {
		s := opened(t)
		text := `{"tool":"rotate_keys","status":"failure","timestamp":"2026-03-02T10:14:00+02:00","duration_ms":1200,"cost":0.5}`
		e, accepted, err := view.NewReporter(view.ReporterOptions{Enabled: enabled, Server: "vault"}).Report([]byte(text), "c1", morning)
		if err != nil || accepted != enabled {
			t.Fatal(accepted, err)
		}
		if accepted {
			if done, err := s.Record(t.Context(), []learn.Event{e}); err != nil || done.Kept != 1 {
				t.Fatal(done, err)
			}
		}
		var all learn.Cell
		for r, err := range s.Records(t.Context(), learn.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			all.Merge(r.Cell(learn.All, learn.Dimensions{}))
		}
		if all.Invocations != want || all.Failures != want || all.DurationSum != want*1_200_000 || all.Cost[learn.NoCurrency].Micros+all.Cost["USD"].Micros != want*500_000 {
			t.Errorf("reports %v: %+v", enabled, all)
		}
	}
}
