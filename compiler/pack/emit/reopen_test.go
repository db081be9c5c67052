package emit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// TestWhatIsWrittenOpensAgain decides at random of single tools of a surface: either the decisions are refused, or a pack with them is opened again.
func TestWhatIsWrittenOpensAgain(t *testing.T) {
	t.Run("refunds", func(t *testing.T) { opensAgain(t, refunds(t), 80) })
	for _, name := range []string{"circleci", "server-postgres", "universal-db"} {
		t.Run(name, func(t *testing.T) { opensAgain(t, corpus.Snapshot(t, name), 25) })
	}
}

// opensAgain decides so many times. Some overlays must be refused and some must not, or nothing is seen.
func opensAgain(t *testing.T, s *surface.McpSurfaceSnapshot, times int) {
	bridged := adopt.Bridge(s)
	stated, taken := 0, 0
	for seed := range uint64(times) {
		r := rand.New(rand.NewPCG(seed, 7))
		in := emit.Inputs{Snapshot: s, Mode: pack.Adopt}
		for _, o := range bridged.Operations {
			if r.IntN(2) == 0 {
				continue
			}
			in.Decided.Overlays = append(in.Decided.Overlays, randomOverlay(r, o))
			if r.IntN(4) == 0 {
				in.Decided.Blocks = append(in.Decided.Blocks, air.Block{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", Reason: "by hand"})
			}
		}
		for _, o := range bridged.Operations {
			if r.IntN(2) == 0 {
				in.Approvals = append(in.Approvals, air.Approval{Operation: o.ID, By: "ada", At: time.Unix(1_795_000_000+r.Int64N(1000), 0).UTC().Format(time.RFC3339),
					ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
			}
		}
		stated += len(in.Decided.Overlays)
		in.Decided.Overlays = accepted(bridged, in.Decided.Overlays)
		taken += len(in.Decided.Overlays)
		b := build(t, in)
		if len(b.Unfit) > 0 {
			t.Fatalf("seed %d: overlays that pass give %s: %s", seed, b.Unfit[0].Subject, b.Unfit[0].Message)
		}
		_, findings, err := emit.TrustedDocument(&pack.Pack{Manifest: b.Manifest, Files: b.Files})
		if err != nil || len(findings) > 0 {
			t.Fatalf("seed %d: %v, %+v", seed, err, findings)
		}
	}
	if taken == 0 || taken == stated {
		t.Errorf("%d of %d overlays are taken", taken, stated)
	}
}

// accepted are the overlays that adopt takes: those about which nothing is found that is an error.
func accepted(bridged air.Document, overlays []air.Overlay) []air.Overlay {
	return slices.DeleteFunc(slices.Clone(overlays), func(v air.Overlay) bool {
		_, findings := bridged.WithOverlays([]air.Overlay{v})
		return slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.Class == diag.Error })
	})
}

func randomOverlay(r *rand.Rand, o air.Operation) air.Overlay {
	v := air.Overlay{Operation: o.ID, SourceRef: "anvil.yaml#/annotations/x/" + o.CanonicalName, Deny: r.IntN(8) == 0}
	if r.IntN(4) > 0 {
		v.By, v.Reason = "ada", "known"
		if r.IntN(4) > 0 {
			v.Seen = o.SeenDigest()
		}
	}
	word := func(field string) string {
		words := air.OverlayWords(field)
		if r.IntN(3) > 0 {
			return ""
		}
		return words[r.IntN(len(words))]
	}
	yesno := func() *bool {
		value := r.IntN(2) == 0
		return []*bool{nil, nil, &value}[r.IntN(3)]
	}
	v.Effect, v.Risk, v.Query = air.EffectKind(word("effect")), air.Risk(word("risk")), air.QueryAllowance(word("query"))
	v.Idempotency, v.Reversible, v.Confirm, v.HumanApproval = air.IdempotencyMode(word("idempotency")), yesno(), yesno(), yesno()
	if params := o.Input.Params; v.Idempotency.Keyed() && len(params) > 0 && r.IntN(2) == 0 {
		v.Key = params[r.IntN(len(params))].Name
	}
	if r.IntN(8) == 0 {
		v.Alias = fmt.Sprintf("short-%d", r.IntN(1000))
	}
	if r.IntN(8) == 0 {
		v.Description, v.Tags, v.Owner = "Ours.", []string{"desk"}, air.Owner{ID: "ada", Kind: air.OwnerPerson}
	}
	return v
}
