package exchange

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/learn"
)

// Files with bytes changed, cut out, repeated and put in are read to their end, and what is read of them is whole.
func TestDamagedFiles(t *testing.T) {
	o := Options{Now: morning.Add(time.Hour), Digester: learn.Digester{Key: []byte("key"), Capture: true}}
	for name, read := range map[string]reader{"golden/events.jsonl": ReadJSONL, "golden/events.otlp.jsonl": ReadOTLP, "agent.otlp.json": ReadOTLP, "adaptive.jsonl": ReadAdaptiveEvents} {
		whole, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(4, 4))
		for range 150 {
			again(t, read(bytes.NewReader(damaged(r, whole)), o))
		}
	}
}

func damaged(r *rand.Rand, text []byte) []byte {
	for range 1 + r.IntN(6) {
		p, q := r.IntN(len(text)), r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text = bytes.Clone(text)
			text[p] = byte(r.IntN(256))
		case 1:
			text = bytes.Join([][]byte{text[:p], text[min(len(text)-1, p+r.IntN(30)):]}, nil)
		case 2:
			text = bytes.Join([][]byte{text[:p], text[q:]}, nil)
		case 3:
			text = bytes.Join([][]byte{text[:p], []byte("\n{"), text[p:]}, nil)
		}
	}
	return text
}

func FuzzReadAdaptiveEvents(f *testing.F) {
	seed, err := os.ReadFile(filepath.Join("testdata", "adaptive.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"id":1e999,"toolName":"t","timestamp":"2026-03-02T08:15:00+23:59","status":"failed","durationMs":1e999,"cost":{"amount":1e-400},"attempts":9223372036854775808}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		again(t, ReadAdaptiveEvents(bytes.NewReader(text), Options{Now: morning.Add(time.Hour), Digester: learn.Digester{Key: []byte("key"), Capture: true}}))
	})
}

func TestBadAdaptiveEventsAreTold(t *testing.T) {
	const ok = `{"id":"e1","toolName":"t","timestamp":"2026-03-02T08:15:00Z","status":"completed"}`
	for line, want := range map[string]string{
		strings.Replace(ok, "completed", "done", 1):                            `"done" is no status`,
		strings.Replace(ok, "2026-03-02T08:15:00Z", "yesterday", 1):            `timestamp "yesterday" is no time`,
		strings.Replace(ok, "2026-03-02T08:15:00Z", "1969-03-02T08:15:00Z", 1): `it does not say when`,
		strings.Replace(ok, "2026-03-02T08:15:00Z", "2027-03-02T08:15:00Z", 1): `it lies in the future`,
		strings.Replace(ok, `"e1"`, `""`, 1):                                   `it has no id`,
		strings.Replace(ok, `"id"`, `"id":"e0","id"`, 1):                       `gives each member once`,
		strings.Replace(ok, `"id"`, `"durationMs":NaN,"id"`, 1):                `not valid JSON`,
		ok[:40]:         `not valid JSON`,
		`["x"]`:         `it is no object`,
		headerLine[:40]: `not valid JSON`,
	} {
		got, problems := read(ReadAdaptiveEvents(strings.NewReader(line+"\n"+ok), Options{Now: morning.Add(time.Hour)}))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], "line 1: ") || !strings.Contains(problems[0], want) || len(got) != 1 {
			t.Errorf("%s: %q, want %s; and %v", line, problems, want, got)
		}
	}
	for _, measure := range []string{`"durationMs":1e999`, `"durationMs":-1`, `"durationMs":"NaN"`, `"cost":{"amount":1e999,"currency":"USD"}`, `"cost":{"amount":-0.5}`, `"cost":{"amount":"NaN"}`, `"cost":7`,
		`"usage":{"inputTokens":-1}`, `"attempts":1e30`, `"error":"x"`} {
		got := good(t, ReadAdaptiveEvents(strings.NewReader(strings.Replace(ok, `"id"`, measure+`,"id"`, 1)), Options{}))
		if len(got) != 1 || got[0].Timed() || got[0].Cost != nil || got[0].Tokens != nil || got[0].Attempts != 1 {
			t.Errorf("%s: %+v", measure, got)
		}
	}
}
