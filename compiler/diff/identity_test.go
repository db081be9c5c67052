package diff

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// identity is all that tells one finding from another, but for its words.
func identity(f diag.Finding) string {
	return fmt.Sprintf("%s %s %v %s %s\n- %s\n+ %s", f.Rule, f.Class, f.Security, f.Subject, f.Pointer, f.Before, f.After)
}

// identities remembers what each fingerprint stood for in the comparisons of one surface with others.
type identities struct {
	of    map[string]string
	again int // fingerprints that a later comparison had too
}

// hold fails when a finding has the fingerprint of another one of this or an earlier comparison: to accept that would have let this one pass. meaning is
// what the identity of a finding leaves out.
func (all *identities) hold(t *testing.T, findings []diag.Finding, meaning func(diag.Finding) string) {
	t.Helper()
	here := map[string]bool{}
	for _, f := range findings {
		is := identity(f) + meaning(f)
		if was, known := all.of[f.Fingerprint]; known && was != is {
			t.Errorf("one fingerprint for\n%s\nand\n%s", was, is)
		} else if known {
			all.again++
		}
		if here[f.Fingerprint] {
			t.Errorf("two findings of one report have the fingerprint of\n%s", is)
		}
		here[f.Fingerprint], all.of[f.Fingerprint] = true, is
	}
}

func wordless(diag.Finding) string { return "" }

// TestFingerprintIsOfOneFinding compares a surface with many that differ from it in two places: no fingerprint ever stands for two findings, and one that is
// found again beside another change keeps its own.
func TestFingerprintIsOfOneFinding(t *testing.T) {
	base, err := canon.Parse([]byte(mutated))
	if err != nil {
		t.Fatal(err)
	}
	old, all := capture(t, base.Raw), identities{of: map[string]string{}}
	for seed := range 1500 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		now := base
		for range 2 {
			at := r.IntN(count(now))
			text := rewrite(now, &at, func(n *canon.Node) []byte { return mutation(r, n) })
			next, err := canon.Parse(text)
			if err != nil || !next.IsObject() {
				break
			}
			now = next
		}
		all.hold(t, Judge(compared(old, capture(t, now.Raw))), wordless)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, now.Raw)
		}
	}
	if all.again < 1000 {
		t.Errorf("only %d findings kept their fingerprint beside another change", all.again)
	}
}

// TestFingerprintOfReferences compares one random schema with many: a change that refers to a definition is another one when the definition is.
func TestFingerprintOfReferences(t *testing.T) {
	tool := func(in string) []byte {
		return []byte(`{"tools":[{"name":"t","description":"d","inputSchema":` + in + `}]}`)
	}
	referring := 0
	for start := range 10 {
		r := rand.New(rand.NewPCG(uint64(start), 13))
		old, all := capture(t, tool(randomSchema(r))), identities{of: map[string]string{}}
		for range 60 {
			text := randomSchema(r)
			node, err := canon.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			all.hold(t, Judge(compared(old, capture(t, tool(text)))), func(f diag.Finding) string {
				if !refers(f.Before) && !refers(f.After) {
					return ""
				}
				referring++
				return "\nwhere it leads: " + string(canon.MustCanonical(node.Get("$defs").Raw))
			})
		}
		if t.Failed() {
			t.Fatalf("start %d", start)
		}
	}
	if referring < 25 {
		t.Errorf("only %d findings refer to something", referring)
	}
}

// TestFingerprintOfDefinitions changes a definition below a keyword whose own text stays the same: what it is changed to is the finding.
func TestFingerprintOfDefinitions(t *testing.T) {
	with := func(limit int) []byte {
		return fmt.Appendf(nil, `{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"null"}]}},
			"$defs":{"d":{"type":"integer","maximum":%d}}}}]}`, limit)
	}
	old := capture(t, with(9))
	prints := map[string]int{}
	for _, limit := range []int{5, 4, 3} {
		for _, f := range Judge(compared(old, capture(t, with(limit)))) {
			if f.Class == diag.Breaking {
				prints[f.Fingerprint]++
			}
		}
	}
	if len(prints) != 3 {
		t.Errorf("three changes have the fingerprints %v", prints)
	}
}

// TestFingerprintOfNamesakes removes two items that nothing tells apart, and changes two.
func TestFingerprintOfNamesakes(t *testing.T) {
	with := func(tools string) []byte { return []byte(`{"tools":[` + tools + `]}`) }
	tool := func(description string) string {
		return `{"name":"a","description":"` + description + `","inputSchema":{"type":"object"}}`
	}
	three, changed := tool("d")+","+tool("d")+","+tool("d"), tool("e")+","+tool("e")+","+tool("e")
	for _, now := range []string{"", tool("d"), changed, changed + "," + changed} {
		all := identities{of: map[string]string{}}
		findings := Judge(compared(capture(t, with(three)), capture(t, with(now))))
		all.hold(t, findings, wordless)
		if len(findings) < 2 {
			t.Errorf("%d findings", len(findings))
		}
	}
}
