package certify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/pack"
)

// checkSurfaceSignature holds every artifact that lists operations against the operations of the document.
func (r *run) checkSurfaceSignature() Check {
	operations := map[string]air.OperationSignature{}
	for _, o := range r.whole.Operations {
		operations[o.ID] = o
	}
	var problems, agree []string
	offered := map[string]map[string]bool{} // by kind
	for _, a := range r.Pack.Manifest.Artifacts {
		if isSource(a.Kind) {
			continue
		}
		l, err := r.listing(a)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v", a.Path, err))
			continue
		}
		before := len(problems)
		problems = append(problems, r.wrongSets(a, l)...)
		for _, e := range l.entries {
			problems = append(problems, e.differs(a, operations[e.operation.ID])...)
		}
		if want := len(r.document.Operations); (a.Kind == pack.KindSignature || a.Kind == pack.KindMetadata) && len(l.entries) != want {
			problems = append(problems, fmt.Sprintf("%s lists %d of %d operations", a.Path, len(l.entries), want))
		}
		if pack.Offers(a.Kind) && len(l.named) > 0 {
			if offered[a.Kind] == nil {
				offered[a.Kind] = map[string]bool{}
			}
			maps.Copy(offered[a.Kind], l.named)
		}
		if len(l.entries)+len(l.named) > 0 && len(problems) == before {
			agree = append(agree, a.Path)
		}
	}
	problems = append(problems, r.leftOut(offered)...)
	return result(checkSurfaceSignature, problems, fmt.Sprintf("%d artifacts list operations, and agree with the surface signature %s: %s",
		len(agree), r.whole.Digest, listed(agree)))
}

// leftOut are the approved operations that a kind of artifact leaves out though it names others: all of them offer the same.
func (r *run) leftOut(offered map[string]map[string]bool) []string {
	var problems []string
	for _, kind := range slices.Sorted(maps.Keys(offered)) {
		for _, o := range r.exposed.Operations {
			if !offered[kind][o.ID] {
				problems = append(problems, fmt.Sprintf("%s leaves out %q, which is approved", kind, o.ID))
			}
		}
	}
	return problems
}

// differs says what an entry states of its operation that is not so.
func (e entry) differs(a pack.Artifact, s air.OperationSignature) []string {
	want := map[string]string{
		"contractDigest": s.ContractDigest, "textDigest": s.TextDigest, "inputSchemaDigest": s.InputSchemaDigest,
		"outputSchemaDigest": s.OutputSchemaDigest, "effectDigest": s.EffectDigest,
	}
	if a.Kind == pack.KindMetadata {
		want["digest"] = s.ContractDigest
	}
	var problems []string
	for _, name := range statedValues {
		stated, states := e.stated[name]
		if value, known := want[name]; states && known && stated != value {
			problems = append(problems, fmt.Sprintf("%s states another %s of %q", a.Path, name, s.ID))
		}
	}
	return problems
}

// wrongSets are the digests of whole surface signatures that an artifact states and that are not the pack's.
func (r *run) wrongSets(a pack.Artifact, l listing) []string {
	var problems []string
	for _, digest := range l.sets {
		if digest != r.whole.Digest && digest != r.exposed.Digest {
			problems = append(problems, fmt.Sprintf("%s states the surface signature %s, which is not that of the operations", a.Path, digest))
		}
	}
	if a.Kind != pack.KindSignature {
		return problems
	}
	var s air.Signature
	if err := strict(r.Pack.Files[a.Path], &s); err != nil || s.Digest != r.whole.Digest {
		problems = append(problems, fmt.Sprintf("%s is not the surface signature of the operations, %s", a.Path, r.whole.Digest))
	}
	return problems
}

// checkExposure looks for operations that are offered and not approved: by a state that is not the document's, in what exists to offer
// operations, and in the settings of the facade.
func (r *run) checkExposure() Check {
	var problems []string
	kinds := map[string]bool{}
	for _, a := range r.Pack.Manifest.Artifacts {
		if isSource(a.Kind) || a.Kind == pack.KindSignature {
			continue
		}
		kinds[a.Kind] = true
		if a.Kind == pack.KindFacade {
			if s, err := pack.DecodeFacadeSettings(r.Pack.Files[a.Path]); err != nil || s.Expose != "approved" {
				problems = append(problems, fmt.Sprintf("%s lets the facade expose more than what is approved", a.Path))
			}
		}
		problems = append(problems, r.unapproved(a)...)
	}
	return result(checkExposure, problems, fmt.Sprintf("no operation but the %d approved ones is offered by %s", len(r.exposed.Operations),
		strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")))
}

// unapproved says which operations an artifact offers, or has as approved, that are not.
func (r *run) unapproved(a pack.Artifact) []string {
	l, err := r.listing(a)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", a.Path, err)}
	}
	var problems []string
	told := map[string]bool{}
	for _, e := range l.entries {
		if state, states := e.stated["state"]; states && state != string(e.operation.State) {
			problems = append(problems, fmt.Sprintf("%s has %q as %s, and it is %s", a.Path, e.operation.ID, state, e.operation.State))
			told[e.operation.ID] = true
		}
	}
	if !pack.Offers(a.Kind) {
		return problems
	}
	for _, id := range slices.Sorted(maps.Keys(l.named)) {
		if o := r.byID[id]; o.State != air.StateApproved && !told[id] {
			problems = append(problems, fmt.Sprintf("%s offers %q, which is %s", a.Path, id, o.State))
		}
	}
	return problems
}
