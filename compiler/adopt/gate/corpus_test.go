package gate

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// count is a line of the table: how often a rule fires on an axis, and on how many surfaces.
type count struct{ findings, surfaces int }

// addCounts adds the findings about one surface to the table. Cues are counted by their class.
func addCounts(table map[string]count, findings []diag.Finding) {
	one := map[string]int{}
	for _, f := range findings {
		rule := f.Rule
		if rule == injectionCues.ID {
			class, _, _ := strings.Cut(f.Message, ":")
			rule += "/" + class
		}
		one[rule+" "+cmp.Or(f.Axis, "everyone")]++
		one[rule+" total"]++
	}
	for key, n := range one {
		c := table[key]
		table[key] = count{c.findings + n, c.surfaces + 1}
	}
}

// tableOf writes the table: a block per rule, with its total and what of it is on which axis; then the rules that never fire.
func tableOf(table map[string]count, surfaces int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d surfaces, all clients named: findings, and the surfaces that have any\n", surfaces)
	fired := map[string]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(table), func(a, c string) int {
		return strings.Compare(strings.Replace(a, " total", "  ", 1), strings.Replace(c, " total", "  ", 1))
	}) {
		rule, axis, _ := strings.Cut(key, " ")
		base, _, _ := strings.Cut(rule, "/")
		fired[base] = true
		name := "    " + axis
		if axis == "total" {
			name = rule
		}
		fmt.Fprintf(&b, "%-32s %6d %4d\n", name, table[key].findings, table[key].surfaces)
	}
	b.WriteString("never:")
	for _, r := range Rules {
		if !fired[r.ID] {
			b.WriteString(" " + r.ID)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

func corpusSurfaces(t testing.TB) []*surface.McpSurfaceSnapshot {
	t.Helper()
	var all []*surface.McpSurfaceSnapshot
	for _, name := range corpus.Names(t) {
		all = append(all, corpus.Snapshot(t, name))
	}
	return all
}

// TestCorpus compares how often each rule fires on the captured surfaces with testdata/corpus.txt: counts alone, and no word of a server's. Which
// surface has which findings is in internal/e2e. A rule that finds more or less was changed, or the corpus was: read the findings, then -update.
func TestCorpus(t *testing.T) {
	clients, surfaces := everyClient(), 0
	table := map[string]count{}
	whole := corpus.EachOnce(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		surfaces++
		findings := Check(s, Options{Clients: clients}).Findings
		addCounts(table, findings)
		for _, f := range findings {
			if f.Fingerprint == "" || f.Message == "" {
				t.Errorf("a finding of %s is not whole", f.Rule)
			}
		}
	})
	if !whole {
		return
	}
	got, golden := tableOf(table, surfaces), filepath.Join("testdata", "corpus.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Two runs find the same in the same order, down to the fingerprints.
func TestCorpusTwice(t *testing.T) {
	clients := everyClient()
	for i, s := range corpusSurfaces(t) {
		if i%4 != 0 { // a map's order, which is what could differ, would show in any of them
			continue
		}
		first, second := Check(s, Options{Clients: clients}).Findings, Check(s, Options{Clients: clients}).Findings
		if diff := gocmp.Diff(first, second); diff != "" {
			t.Errorf("%s: (-first +second)\n%s", s.ServerName(), diff)
		}
	}
}

// BenchmarkCorpus judges all captured surfaces and prints the table.
func BenchmarkCorpus(b *testing.B) {
	all, clients := corpusSurfaces(b), everyClient()
	table := map[string]count{}
	for b.Loop() {
		clear(table)
		for _, s := range all {
			addCounts(table, Check(s, Options{Clients: clients}).Findings)
		}
	}
	b.Log("\n" + tableOf(table, len(all)))
}
