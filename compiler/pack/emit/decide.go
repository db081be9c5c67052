package emit

import (
	"slices"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/learn/profile"
)

// Decided is what people decided of a service beside its approvals. All of it is recorded in the document, so that a pack follows from what
// is in it.
type Decided struct {
	Overlays []air.Overlay // each with what its author saw, where it loosens
	Blocks   []air.Block   // given by hand
	Lapses   []air.Lapse   // approvals that an earlier pack held, to show what changed
}

// DecidedIn returns what is recorded in a document.
func DecidedIn(d air.Document) Decided {
	return Decided{Overlays: d.Overlays(), Blocks: d.PersonsBlocks(), Lapses: d.Lapses()}
}

// Lower runs the bridge on a snapshot, adds what was learned, and puts everything but approvals in force, with findings about that.
func (d Decided) Lower(s *surface.McpSurfaceSnapshot, learned profile.Document) (air.Document, []diag.Finding) {
	return d.onto(adopt.Learn(adopt.Bridge(s), learned))
}

func (d Decided) onto(bridged air.Document) (air.Document, []diag.Finding) {
	document, about := bridged.WithOverlays(d.Overlays)
	document, kept := document.WithBlocks(d.Blocks)
	return document, slices.Concat(about, kept)
}

// decide makes the document of a pack. What did not bind leaves no trace in it but the lapses, so that the pack follows from what is in it.
func (in Inputs) decide() (air.Document, []diag.Finding) {
	return in.decideOn(adopt.Bridge(in.Snapshot))
}

// decideOn is decide of what the bridge makes of the snapshot.
func (in Inputs) decideOn(bridged air.Document) (air.Document, []diag.Finding) {
	lowered, about := in.Decided.onto(adopt.Learn(bridged, in.Learned))
	if in.Auth.Type != "" {
		lowered.Service.Auth = in.Auth
	}
	document, lapsed := lowered.WithApprovals(in.Approvals, evaluationTime(in.Approvals))
	if binding := pack.Approvals(document); len(binding) < len(in.Approvals) { // else all bind, and once more is the same
		document, _ = lowered.WithApprovals(binding, evaluationTime(binding))
	}
	return document.WithLapses(slices.DeleteFunc(slices.Clone(in.Decided.Lapses), isForged)), slices.Concat(about, lapsed)
}

// isForged reports a lapse whose tool is not the one that was approved.
func isForged(l air.Lapse) bool {
	it, err := surface.NewItem(surface.Tool, l.Tool)
	return err != nil || it.ContractDigest() != l.Approval.ContractDigest || it.TextDigest() != l.Approval.TextDigest
}

// LapsesOf returns the approvals that an earlier pack holds, each with its tool as it was approved, and those that lapsed before. Whether
// one lapses now shows in the build.
func LapsesOf(earlier *pack.Pack) ([]air.Lapse, error) {
	d, err := earlier.Document()
	if err != nil {
		return nil, err
	}
	s, err := earlier.Snapshot()
	if err != nil {
		return nil, err
	}
	type made struct{ contract, text string } // what operations are made of
	tools := map[made]canon.Raw{}
	for _, it := range s.Tools() {
		if of := (made{it.ContractDigest(), it.TextDigest()}); tools[of] == nil {
			tools[of] = canon.Raw(it.JSON)
		}
	}
	lapses := d.Lapses()
	for _, o := range d.Operations {
		if o.Approval == nil {
			continue
		}
		if l := (air.Lapse{Approval: *o.Approval, Tool: tools[made{o.ContractDigest, o.TextDigest}]}); !isForged(l) {
			lapses = append(lapses, l)
		}
	}
	return lapses, nil
}
