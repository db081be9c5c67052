package adopt

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// ofSize is a document with one capability of so many operations, each of so many tokens.
func ofSize(operations, cost int) air.Document {
	d := air.Document{Capabilities: []air.Capability{{ID: "s.all", DisplayName: "All"}}}
	for i := range operations {
		id := fmt.Sprintf("s.op_%d", i)
		d.Operations = append(d.Operations, air.Operation{ID: id, DisclosureCost: air.Cost{ToolTokens: cost, Estimator: "o200k_base"}})
		d.Capabilities[0].OperationIDs = append(d.Capabilities[0].OperationIDs, id)
	}
	return d
}

func TestBudgets(t *testing.T) {
	tests := []struct {
		name             string
		operations, cost int
		want             []string
	}{
		{"ideal", 15, 10, nil},
		{"one more than ideal", 16, 10, []string{"warning capability-tool-budget"}},
		{"as many as may be", 20, 10, []string{"warning capability-tool-budget"}},
		{"one too many", 21, 10, []string{"error capability-tool-budget-exceeded"}},
		{"just within the tokens", 15, 1_200, nil},
		{"more tokens than ideal", 15, 1_201, []string{"warning capability-token-budget"}},
		{"too many tokens", 15, 1_601, []string{"error capability-token-budget-exceeded"}},
		{"too many of both", 21, 1_601, []string{"error capability-token-budget-exceeded", "error capability-tool-budget-exceeded"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Budgets(ofSize(tt.operations, tt.cost)) {
				got = append(got, string(f.Class)+" "+f.Rule)
				if f.Pointer != "/capabilities/s.all" || f.Subject != "capability/s.all" || f.Hint == "" || f.Fingerprint == "" {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestBudgetsOfTheCorpus: what is proposed for captured servers never has too many operations; some have too many words.
func TestBudgetsOfTheCorpus(t *testing.T) {
	found := map[string][]string{}
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		for _, f := range Budgets(loweredOnce(s)) {
			found[f.Rule] = append(found[f.Rule], name+": "+f.Message)
		}
	})
	if len(found["capability-tool-budget"])+len(found["capability-tool-budget-exceeded"]) > 0 {
		t.Error(found)
	}
	t.Log(found)
}
