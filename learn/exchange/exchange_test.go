package exchange

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

var update = flag.Bool("update", false, "rewrite golden files")

var morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)

// odd are names that a format could trip over.
var odd = []string{"", "a", "rotate_keys", `quo"te`, "new\nline", "tab\t", `back\slash`, "nul\x00", "emoji 🔑", "sep\u2028arator\u2029", "<html>&", "{}[],:", "ünïcödé", " edges ",
	"\uFEFFmark", "anvil.event.id", "0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331", "{\"format\":\"anvil-events\"}", "\u200b", "null", strings.Repeat("x", 200)}

func pick(r *rand.Rand, names []string) string { return names[r.IntN(len(names))] }

// randomEvent is an event as Checked leaves it, with everything there or not there by chance.
func randomEvent(t testing.TB, r *rand.Rand, n int) learn.Event {
	t.Helper()
	maybe := func() bool { return r.IntN(2) == 0 }
	e := learn.Event{ID: fmt.Sprint(pick(r, odd[:16]), "#", n), Tool: learn.Tool{Server: pick(r, odd), Name: pick(r, odd[1:]), Contract: pick(r, odd)}, Session: pick(r, odd),
		Workflow: pick(r, odd), Parent: pick(r, odd), Client: pick(r, odd), At: time.UnixMicro(r.Int64N(9_000_000_000_000_000)), Duration: learn.Untimed,
		Outcome: learn.Outcomes[r.IntN(len(learn.Outcomes))], Code: pick(r, []string{"", "ETIMEDOUT", "-32602", "unknown", "_OTHER", "cancelled", "tool_error", "OK", "0"}),
		Attempts: 1 + r.IntN(3), Model: pick(r, odd), Decoding: pick(r, odd), Resolver: pick(r, odd),
		Asked: []learn.Answer{learn.NotAsked, learn.SaidYes, learn.SaidNo}[r.IntN(3)], Input: learn.Unmeasured, Output: learn.Unmeasured}
	if r.IntN(8) == 0 {
		e.At = time.Unix(r.Int64N(100_000), r.Int64N(1e9)) // so early that the call began before 1970
	}
	if maybe() {
		e.Duration = time.Duration(r.Int64N(int64(40 * 24 * time.Hour)))
	}
	if r.IntN(8) == 0 {
		e.Duration = 0
	}
	if maybe() {
		e.Tokens = &learn.Tokens{Input: r.Int64N(1 << 40), Output: r.Int64N(3)}
	}
	if maybe() {
		e.Cost = &learn.Money{Micros: r.Int64N(1e15), Currency: pick(r, []string{"USD", "EUR", "XXX"})}
	}
	if maybe() {
		e.ID = fmt.Sprintf("%032x/%016x", n+1, r.Uint64()|1)
	}
	if maybe() {
		d := learn.Digester{Key: []byte("key"), Capture: maybe()}
		e.Input = d.Payload(fmt.Appendf(nil, `{"b":%d,"a":[%q,null]}`, n, pick(r, odd)))
	}
	if maybe() {
		e.Output = learn.Payload{Bytes: r.Int64N(1 << 50)}
	}
	e, err := e.Checked(e.At)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func randomEvents(t testing.TB, count int) []learn.Event {
	r := rand.New(rand.NewPCG(7, 44))
	events := make([]learn.Event, count)
	for n := range events {
		events[n] = randomEvent(t, r, n)
	}
	return events
}

func all(events []learn.Event) iter.Seq2[learn.Event, error] {
	return func(yield func(learn.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// read collects events and what the errors say.
func read(events iter.Seq2[learn.Event, error]) (got []learn.Event, problems []string) {
	for e, err := range events {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		got = append(got, e)
	}
	return got, problems
}

// good is read of what has no errors.
func good(t *testing.T, events iter.Seq2[learn.Event, error]) []learn.Event {
	t.Helper()
	got, problems := read(events)
	if problems != nil {
		t.Fatalf("%d problems, the first: %s", len(problems), problems[0])
	}
	return got
}

type writer func(io.Writer, iter.Seq2[learn.Event, error]) (int, error)
type reader func(io.Reader, Options) iter.Seq2[learn.Event, error]

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	events := randomEvents(t, 1500)
	for name, format := range map[string]struct {
		write writer
		read  reader
	}{"JSONL": {WriteJSONL, ReadJSONL}, "OTLP": {WriteOTLP, ReadOTLP}} {
		t.Run(name, func(t *testing.T) {
			var first, second bytes.Buffer
			if n, err := format.write(&first, all(events)); err != nil || n != len(events) {
				t.Fatalf("%d written: %v", n, err)
			}
			got := good(t, format.read(bytes.NewReader(first.Bytes()), Options{}))
			// Spans come back trace by trace.
			if diff := cmp.Diff(byID(events), byID(got)); diff != "" || len(got) != len(events) {
				t.Fatalf("(-want +got)\n%s", diff)
			}
			if _, err := format.write(&second, all(got)); err != nil {
				t.Fatal(err)
			}
			if name == "JSONL" && !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("what was read is written in other bytes")
			}
		})
	}
}

func byID(events []learn.Event) map[string]learn.Event {
	m := map[string]learn.Event{}
	for _, e := range events {
		m[e.ID] = e
	}
	return m
}

func event(n int, change ...func(*learn.Event)) learn.Event {
	e := learn.Event{ID: fmt.Sprintf("event-%04d", n), Tool: learn.Tool{Server: "vault", Name: "rotate_keys", Contract: "c1"}, At: morning.Add(time.Duration(n) * time.Minute),
		Duration: time.Second, Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
	for _, c := range change {
		c(&e)
	}
	return e
}

// goldenEvents are one of each kind.
func goldenEvents() []learn.Event {
	cost, _ := learn.ParseMoney("0.0021", "USD")
	d := learn.Digester{Key: []byte("a key of this test"), Capture: true}
	return []learn.Event{
		event(1),
		event(2, func(e *learn.Event) {
			e.Outcome, e.Code, e.Duration, e.Attempts = learn.Failed, "ETIMEDOUT", learn.Untimed, 3
			e.Session, e.Workflow, e.Parent, e.Client = "s1", "nightly", "event-0001", "desk"
		}),
		event(3, func(e *learn.Event) { e.Outcome, e.Duration = learn.Cancelled, 0 }),
		event(4, func(e *learn.Event) {
			e.Outcome, e.Code, e.Asked, e.Attempts = learn.Refused, "policy", learn.SaidNo, 0
		}),
		event(5, func(e *learn.Event) {
			e.Model, e.Decoding, e.Resolver, e.Tokens, e.Cost = "small", "balanced", "1.0.0", &learn.Tokens{Input: 12}, &cost
			e.Input, e.Output = d.Payload([]byte(`{"key":"k1","force":true}`)), d.Payload([]byte(`{"ok":1}`))
			e.Tool.Name = "sep\u2028 \"quoted\" 🔑"
		}),
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

func TestGoldenFiles(t *testing.T) {
	for name, format := range map[string]struct {
		write writer
		read  reader
	}{"events.jsonl": {WriteJSONL, ReadJSONL}, "events.otlp.jsonl": {WriteOTLP, ReadOTLP}} {
		var out bytes.Buffer
		if _, err := format.write(&out, all(goldenEvents())); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
		if diff := cmp.Diff(byID(goldenEvents()), byID(good(t, format.read(&out, Options{})))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// Files of other programs' making, as events.
func TestForeignFiles(t *testing.T) {
	for in, read := range map[string]reader{"agent.otlp.json": ReadOTLP, "adaptive.jsonl": ReadAdaptiveEvents} {
		f, err := os.Open(filepath.Join("testdata", in))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var out bytes.Buffer
		if _, err := WriteJSONL(&out, read(f, Options{Digester: learn.Digester{Key: []byte("key")}})); err != nil {
			t.Fatal(err)
		}
		golden(t, in+".events.jsonl", out.Bytes())
	}
}

func TestWritersEndWithTheFirstError(t *testing.T) {
	broken := errors.New("the store is gone")
	events := func(yield func(learn.Event, error) bool) {
		_ = yield(event(1), nil) && yield(learn.Event{}, broken)
	}
	for name, write := range map[string]writer{"JSONL": WriteJSONL, "OTLP": WriteOTLP} {
		var out bytes.Buffer
		if n, err := write(&out, events); n != 1 || !errors.Is(err, broken) || !strings.Contains(out.String(), "event-0001") {
			t.Errorf("%s: %d, %v, %s", name, n, err, out.String())
		}
		if _, err := write(full{}, all(goldenEvents())); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk is %v", name, err)
		}
		var bad *learn.BadEventError
		if _, err := write(&out, all([]learn.Event{event(1, func(e *learn.Event) { e.Tool.Name = "" })})); !errors.As(err, &bad) {
			t.Errorf("%s: no tool is %v", name, err)
		}
	}
	if _, err := WriteOTLP(io.Discard, all([]learn.Event{event(1, func(e *learn.Event) { e.At = e.At.AddDate(300, 0, 0) })})); err == nil || !strings.Contains(err.Error(), "leave it out") {
		t.Errorf("far ahead is %v", err)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
