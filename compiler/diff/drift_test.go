package diff

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// drifts lists the versions of each package in the corpus, oldest first, as pairs of neighbours.
func drifts(t *testing.T) [][2]string {
	t.Helper()
	versions := map[string][]string{}
	for _, name := range corpus.Names(t) {
		if rest, ok := strings.CutPrefix(name, "drift/"); ok {
			server, _, _ := strings.Cut(rest, "__")
			versions[server] = append(versions[server], name)
		}
	}
	var pairs [][2]string
	for _, server := range slices.Sorted(maps.Keys(versions)) {
		list := versions[server]
		slices.SortFunc(list, func(a, b string) int {
			_, x, _ := strings.Cut(a, "__")
			_, y, _ := strings.Cut(b, "__")
			if decreased(x, y) {
				return 1
			}
			return -1
		})
		for i := range len(list) - 1 {
			pairs = append(pairs, [2]string{list[i], list[i+1]})
		}
	}
	return pairs
}

func load(t testing.TB, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	c, _ := corpus.Read(t, name)
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDrift pins what the rules say of real version pairs: figures, and a digest of the whole text report; no text of a server's.
func TestDrift(t *testing.T) {
	var out bytes.Buffer
	for _, pair := range drifts(t) {
		old, now := load(t, pair[0]), load(t, pair[1])
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
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		from, to := strings.TrimPrefix(pair[0], "drift/"), strings.TrimPrefix(pair[1], "drift/")
		_, to, _ = strings.Cut(to, "__")
		fmt.Fprintf(&out, "%s -> %s: breaking %d, risky %d, safe %d, security %d, witnesses %d, step %s, report %s\n", from, to, r.Summary.Counts["breaking"],
			r.Summary.Counts["risky"], r.Summary.Counts["safe"], r.Summary.Security, witnesses, r.Summary.Bump, canon.Digest(text.Bytes())[:19])
		for _, rule := range slices.Sorted(maps.Keys(rules)) {
			fmt.Fprintf(&out, "  %4d %s\n", rules[rule], rule)
		}
		if back := Judge(compared(now, old)); len(back) == 0 {
			t.Errorf("%s: no finding on the way back", pair[1])
		}
	}
	if pairs := bytes.Count(out.Bytes(), []byte(" -> ")); pairs < 20 {
		t.Errorf("only %d pairs", pairs)
	}
	golden(t, "golden/drift.txt", out.Bytes())
}

// TestSameSurfaceIsEmpty compares each surface with what its own file gives back.
func TestSameSurfaceIsEmpty(t *testing.T) {
	for _, pair := range drifts(t) {
		s := load(t, pair[1])
		data, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		file, err := surface.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := compared(s, file); !d.Empty() || len(Judge(d)) != 0 {
			t.Errorf("%s: not empty: %s", pair[1], summary(Judge(d)))
		}
		// Without the digests to go by, the walk itself must find nothing.
		unsealed := *file
		unsealed.Digest = ""
		if d := compared(s, &unsealed); !d.Empty() {
			t.Errorf("%s: the walk finds %s", pair[1], summary(Judge(d)))
		}
	}
}
