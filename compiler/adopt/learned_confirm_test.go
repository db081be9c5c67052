package adopt

import (
	"strings"
	"testing"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/profile"
)

// TestAdviceAsksForAYes: what is advised of approval holds in the document, for an approved read too, and nothing that is advised takes a yes away.
func TestAdviceAsksForAYes(t *testing.T) {
	before := shop(t)
	now := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	for payload, want := range map[string]bool{
		`{"decision":"require_confirmation","rule":"flaky"}`: true, `{"decision":"deny","rule":"deny"}`: true, `{"decision":"hm","rule":"\u001b[31m"}`: true,
		`{"decision":"allow","rule":"allow"}`: false, `{}`: false, `{`: false,
	} {
		advice := func(p *profile.Profile) {
			p.Recommendations = []profile.Recommendation{{Type: learn.RecommendApproval, Payload: canon.Raw(payload), Rationale: "18 of 44 calls fail", Confidence: 1}}
		}
		after := Learn(before, seen(before, "shop.get_stock", advice))
		o, _ := after.Find("shop.get_stock")
		approval := air.Approval{Operation: o.ID, By: "ada", At: "2026-03-02T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest, Effect: air.Read}
		approved, _ := after.WithApprovals([]air.Approval{approval}, now)
		is, _ := approved.Find(o.ID)
		if is.State != air.StateApproved || is.Effect.Kind != air.Read || is.Retries.Mode != air.RetrySafe {
			t.Errorf("%s: the read cannot be approved as one: %+v", payload, is)
		}
		if is.Confirmation.Required != want || want != strings.Contains(is.Confirmation.Reason, "observed") {
			t.Errorf("%s: %+v", payload, is.Confirmation)
		}
		if found := air.Validate(approved); len(found) > 0 || strings.Contains(string(mustEncode(t, is)), `\u001b`) {
			t.Errorf("%s: %+v", payload, found)
		}
		sale, _ := before.Find("shop.create_sale")
		if o, _ := Learn(before, seen(before, sale.ID, advice)).Find(sale.ID); len(o.LooserThan(sale)) > 0 || o.Confirmation.Reason != sale.Confirmation.Reason {
			t.Errorf("%s: %+v", payload, o.Confirmation)
		}
	}
}

// TestAStatedRiskOnlyRises: what people state where calls are kept counts, without a call too, where it is graver than what is inferred.
func TestAStatedRiskOnlyRises(t *testing.T) {
	before := shop(t)
	for id, risks := range map[string]map[string]air.Risk{
		"shop.get_stock":   {"low": air.RiskLow, "medium": air.RiskMedium, "high": air.RiskHigh, "": air.RiskLow, "dire": air.RiskLow},
		"shop.create_sale": {"low": "", "medium": "", "high": air.RiskHigh},
	} {
		was, _ := before.Find(id)
		for stated, want := range risks {
			if want == "" {
				want = was.Effect.Risk
			}
			for _, called := range []bool{true, false} {
				o, _ := Learn(before, seen(before, id, func(p *profile.Profile) {
					p.Annotation.Risk = stated
					if !called {
						p.Calls = nil
					}
				})).Find(id)
				if o.Effect.Risk.Rank() < was.Effect.Risk.Rank() || o.Effect.Risk.Rank() < want.Rank() || o.Effect.Risk.Rank() > max(want.Rank(), was.Effect.Risk.Rank()) {
					t.Errorf("%s stated as %q is %s", id, stated, o.Effect.Risk)
				}
			}
		}
	}
}
