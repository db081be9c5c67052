package gate

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
	"anvil/internal/corpus"
)

func TestCosts(t *testing.T) {
	s := parsed(t, `{"initialize":{"instructions":"Ask before you delete."},"tools":[
		{"name":"cheap","inputSchema":{"type":"object"}},
		{"name":"search","description":"Searches the records of a region for words and returns the best of them first, ten at most.","inputSchema":{"type":"object","properties":{
			"region":{"type":"string","enum":["europe-north","europe-south","america-north","america-south","asia-east","asia-west"]},
			"enum":{"type":"string","description":"a property that is called like a keyword"}},"required":["region"]},
			"outputSchema":{"type":"object","properties":{"best":{"type":"string"}}}}]}`)
	costs := NewCounter(s).Costs()
	if costs.Estimator != "o200k_base" || len(costs.Tools) != 2 || costs.Tools[0].Tool != "search" || costs.Instructions.Tokens != 5 {
		t.Fatalf("%+v", costs)
	}
	parts := map[string]int{}
	for _, p := range costs.Tools[0].Parts {
		parts[p.Part] = p.Tokens
	}
	for part, text := range map[string]string{
		partName: `"search" `, partProperties: `"enum" "region" `, partNotes: `"a property that is called like a keyword" `,
		partValues:      `["europe-north","europe-south","america-north","america-south","asia-east","asia-west"] `,
		partDescription: `"Searches the records of a region for words and returns the best of them first, ten at most." `,
	} {
		if want := tokens.O200k.Count(text); parts[part] != want {
			t.Errorf("%s takes %d tokens, want %d", part, parts[part], want)
		}
	}
	if want := tokens.O200k.Count(`{"properties":{"best":{"type":"string"}},"type":"object"}`); costs.OutputSchemas != want || costs.Tools[0].OutputSchema != want || costs.Tools[1].OutputSchema != 0 {
		t.Errorf("output schemas take %d tokens, want %d: %+v", costs.OutputSchemas, want, costs.Tools)
	}
	if parts[partStructure] < 10 {
		t.Errorf("structure takes %d tokens", parts[partStructure])
	}
	checkSums(t, costs)
}

// checkSums holds a table to what it promises: parts add up to tools, tools and instructions to the total, shares to one, the most costly first.
func checkSums(t *testing.T, c Costs) {
	t.Helper()
	total, share, together := c.Instructions.Tokens, c.Instructions.Share, map[string]int{}
	for i, tool := range c.Tools {
		sum := 0
		for j, p := range tool.Parts {
			sum += p.Tokens
			together[p.Part] += p.Tokens
			if p.Tokens <= 0 || j > 0 && p.Tokens > tool.Parts[j-1].Tokens {
				t.Errorf("%s: part %s has %d tokens, out of order", tool.Tool, p.Part, p.Tokens)
			}
		}
		if sum != tool.Tokens || i > 0 && tool.Tokens > c.Tools[i-1].Tokens {
			t.Errorf("%s takes %d tokens, its parts %d", tool.Tool, tool.Tokens, sum)
		}
		total, share = total+tool.Tokens, share+tool.Share
	}
	for _, p := range c.Parts {
		if together[p.Part] != p.Tokens {
			t.Errorf("all %s take %d tokens, want %d", p.Part, p.Tokens, together[p.Part])
		}
	}
	if total != c.Total || c.Total > 0 && math.Abs(share-1) > 1e-9 {
		t.Errorf("%d tokens in all, their sum is %d, of shares %g", c.Total, total, share)
	}
}

func TestCostsOfTheCorpus(t *testing.T) {
	tools := 0
	for _, name := range []string{"drawio", "everything", "lark-dot", "line-bot", "mastra-docs", "py-git", "xero"} {
		capture, _ := corpus.Read(t, name)
		s, err := surface.New(capture)
		if err != nil {
			t.Fatal(err)
		}
		c := NewCounter(s)
		costs := c.Costs()
		checkSums(t, costs)
		for _, it := range s.Tools() {
			if n, most := c.Tool(it), atMost(it); n > most {
				t.Errorf("%s takes %d tokens, bounded by %d", it.Name, n, most)
			}
		}
		tools += len(costs.Tools)
	}
	if tools < 100 {
		t.Errorf("only %d tools counted", tools)
	}
}

// The table of our own example, as a person reads it.
func TestCostsOfTheExample(t *testing.T) {
	s, err := surface.ReadFile("../../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	costs := NewCounter(s).Costs()
	checkSums(t, costs)
	var b strings.Builder
	fmt.Fprintf(&b, "%d tokens (%s), instructions %d\n", costs.Total, costs.Estimator, costs.Instructions.Tokens)
	for _, p := range costs.Parts {
		fmt.Fprintf(&b, "%5d %3.0f%% %s\n", p.Tokens, 100*p.Share, p.Part)
	}
	for _, c := range costs.Tools {
		fmt.Fprintf(&b, "%5d %3.0f%% %s, most of it %s\n", c.Tokens, 100*c.Share, c.Tool, c.Parts[0].Part)
	}
	golden := "testdata/golden/costs_refunds.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What cannot reach a budget is not counted, and what is counted is counted once.
func TestCountsOnlyNearABudget(t *testing.T) {
	small := listing(t, 20, "tool_%d") // one more is beyond what an API advises, and which to do without is said by what they take
	c := NewCounter(small)
	Check(small, Options{Costs: c})
	if len(c.tools) > 0 {
		t.Errorf("%d tools were counted of a surface that is far from every budget", len(c.tools))
	}
	large := parsed(t, `{"tools":[{"name":"large","description":`+string(canon.Quote(strings.Repeat("word ", 3000)))+`},{"name":"small"}]}`)
	c = NewCounter(large)
	Check(large, Options{Costs: c})
	if len(c.tools) != 1 {
		t.Errorf("%d tools were counted, of two with one near a budget", len(c.tools))
	}
	before := c.meter
	if n := c.Tools(); n < 3000 || c.meter != before || len(c.tools) != 2 {
		t.Errorf("%d tokens, %d counted", n, len(c.tools))
	}
}

// Odd text stays within the bound, and text that is made to cost most passes it by no more than a third.
func TestAtMost(t *testing.T) {
	for unit, made := range map[string]bool{
		"\\u0001": false, "é": false, "👩‍👩‍👧": false, "\ufffd": false, "=-": false, "查": false, " x": false, "0123456789abcdef": false, "QXZJKVWP": false,
		"~|": true, "a1": true, "Zq": true,
	} {
		it, err := surface.NewItem(surface.Tool, []byte(`{"name":"a","description":"`+strings.Repeat(unit, 500)+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		n, most := tokens.O200k.Count(string(it.ModelForm())), atMost(it)
		if n > most && !made || 3*n > 4*most {
			t.Errorf("%q: %d tokens, bounded by %d", unit, n, most)
		}
	}
}

func BenchmarkCheckSmallTools(b *testing.B) {
	s := listing(b, 1000, "tool_%d")
	tokens.O200k.Count("a")
	for b.Loop() {
		Check(s, Options{})
	}
}
