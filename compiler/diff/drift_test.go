package diff

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

func load(t testing.TB, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	c, _ := corpus.Read(t, name)
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDrift pins what the rules say of real version pairs: figures, and a digest of the full report as text and as Markdown; no text of a server's.
func TestDrift(t *testing.T) {
	var out bytes.Buffer
	for _, pair := range corpus.Drift(t) {
		old, now := load(t, pair.Old), load(t, pair.New)
		findings := Judge(compared(old, now))
		checkFilled(t, findings)
		rules, witnesses := map[string]int{}, 0
		for _, f := range findings {
			rules[string(f.Class)+" "+f.Rule]++
			if f.Witness != nil {
				witnesses++
			}
		}
		r := Report(findings)
		var text bytes.Buffer
		if err := r.WriteGrouped(&text, diag.GroupedOptions{Full: true, Rules: Rules}); err != nil {
			t.Fatal(err)
		}
		text.Write(Markdown(old, now, findings, diag.PageOptions{Full: true}))
		from, to := strings.TrimPrefix(pair.Old, "drift/"), strings.TrimPrefix(pair.New, "drift/")
		_, to, _ = strings.Cut(to, "__")
		fmt.Fprintf(&out, "%s -> %s: breaking %d, risky %d, safe %d, security %d, witnesses %d, step %s, report %s\n", from, to, r.Summary.Counts["breaking"],
			r.Summary.Counts["risky"], r.Summary.Counts["safe"], r.Summary.Security, witnesses, r.Summary.Bump, canon.Digest(text.Bytes())[:19])
		for _, rule := range slices.Sorted(maps.Keys(rules)) {
			fmt.Fprintf(&out, "  %4d %s\n", rules[rule], rule)
		}
		if back := Judge(compared(now, old)); len(back) == 0 {
			t.Errorf("%s: no finding on the way back", pair.New)
		}
	}
	if pairs := bytes.Count(out.Bytes(), []byte(" -> ")); pairs < 20 {
		t.Errorf("only %d pairs", pairs)
	}
	golden(t, "golden/drift.txt", out.Bytes())
}

// TestSameSurfaceIsEmpty compares each surface with what its own file gives back.
func TestSameSurfaceIsEmpty(t *testing.T) {
	for _, pair := range corpus.Drift(t) {
		s := load(t, pair.New)
		data, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		file, err := surface.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := compared(s, file); !d.Empty() || len(Judge(d)) != 0 {
			t.Errorf("%s: not empty: %s", pair.New, summary(Judge(d)))
		}
		// Without the digests to go by, the walk itself must find nothing.
		unsealed := *file
		unsealed.Digest = ""
		if d := compared(s, &unsealed); !d.Empty() {
			t.Errorf("%s: the walk finds %s", pair.New, summary(Judge(d)))
		}
	}
}
