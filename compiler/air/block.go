package air

import (
	"cmp"
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Block is the record of a person's decision that nobody calls an operation. It binds to the operation's id and to nothing else: it holds
// whatever the operation's contract becomes, and ends when a person approves the operation by name.
type Block struct {
	Operation string `json:"operation"`          // id
	By        string `json:"by,omitzero"`        // who; a file may leave it out
	At        string `json:"at,omitzero"`        // when, RFC 3339 in UTC; a file knows no time
	Reason    string `json:"reason,omitzero"`    // why
	SourceRef string `json:"sourceRef,omitzero"` // the deny of a configuration file, as an overlay names it; empty for `anvil mcp block`
}

// OfFile reports a block that a configuration file states. It ends where that file no longer states it.
func (b Block) OfFile() bool { return b.SourceRef != "" }

// Story tells whose decision it is, and why: the operation is blocked by "ada" since ...: reason.
func (b Block) Story() string {
	text := "the operation is blocked"
	if b.By != "" {
		text += fmt.Sprintf(" by %q", b.By)
	}
	if b.At != "" {
		text += " since " + b.At
	}
	if b.OfFile() {
		text += " (" + b.SourceRef + ")"
	}
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	return text
}

// WithBlocks returns d with these blocks in force, beside those that its overlays state, and a finding for each whose operation is not
// there; those are kept in Document.Blocks. Of several for one operation the first counts. Work whose status operation is blocked, by whomever, can be
// started still, and its end is not seen.
func (d Document) WithBlocks(blocks []Block) (Document, []diag.Finding) {
	d.Operations, d.Blocks = slices.Clone(d.Operations), nil
	var findings []diag.Finding
	seen, at := map[string]bool{}, d.places()
	for _, b := range blocks {
		if seen[b.Operation] {
			continue
		}
		seen[b.Operation] = true
		i, there := at[b.Operation]
		if !there {
			d.Blocks = append(d.Blocks, b)
			f := blockKept.Finding("operation/"+b.Operation, fmt.Sprintf("the block of %q by %q is kept for an operation that is not there", b.Operation, b.By))
			f.Hint = "nothing: it holds again when the operation comes back"
			findings = append(findings, f.Sealed(b.By, b.At))
			continue
		}
		d.Operations[i].State, d.Operations[i].Block = StateBlocked, &b
	}
	slices.SortFunc(d.Blocks, func(a, b Block) int { return cmp.Compare(a.Operation, b.Operation) })
	d.unlinkBlocked(at)
	diag.Sort(findings)
	return d, findings
}

// unlinkBlocked takes away, in operations that are d's own, each status operation that nobody can call.
func (d Document) unlinkBlocked(at map[string]int) {
	for i, o := range d.Operations {
		if o.LongRunning == nil || o.LongRunning.Means != MeansJob {
			continue
		}
		if asked, there := at[o.LongRunning.StatusOperation]; there && d.Operations[asked].State == StateBlocked {
			d.Operations[i].LongRunning = &LongRunning{Means: MeansWait}
			d.Operations[i].ReviewNotes = append(slices.Clone(o.ReviewNotes), fmt.Sprintf("how its work stands cannot be asked: %q, which tells, is blocked", o.LongRunning.StatusOperation))
		}
	}
}

// PersonsBlocks returns the blocks that people gave by hand: what WithBlocks was given.
func (d Document) PersonsBlocks() []Block {
	blocks := slices.Clone(d.Blocks)
	for _, o := range d.Operations {
		if o.Block != nil && !o.Block.OfFile() {
			blocks = append(blocks, *o.Block)
		}
	}
	return blocks
}

// Lapse is an approval that binds no more, kept with the tool as it was approved until somebody decides again, so that a reviewer is shown
// what changed.
type Lapse struct {
	Approval Approval  `json:"approval"`
	Tool     canon.Raw `json:"tool"` // the list item, in canonical form
}

// WithLapses returns d with those lapses that still ask for a decision: the operation is neither blocked nor approved since. Those of operations that are
// not there are kept in Document.Lapsed: a tool that was hidden for a while comes back as one that was approved, and not as a new one. Of several for one
// operation the first counts.
func (d Document) WithLapses(lapses []Lapse) Document {
	d.Operations, d.Lapsed = slices.Clone(d.Operations), nil
	seen, at := map[string]bool{}, d.places()
	for _, l := range lapses {
		if seen[l.Approval.Operation] {
			continue
		}
		seen[l.Approval.Operation] = true
		i, there := at[l.Approval.Operation]
		if !there {
			d.Lapsed = append(d.Lapsed, l)
			continue
		}
		if o := &d.Operations[i]; o.Block == nil && o.Approval == nil {
			o.Lapsed = &l
		}
	}
	slices.SortFunc(d.Lapsed, func(a, b Lapse) int { return cmp.Compare(a.Approval.Operation, b.Approval.Operation) })
	return d
}

// Lapses returns what WithLapses put into d.
func (d Document) Lapses() []Lapse {
	var lapses []Lapse
	for _, o := range d.Operations {
		if o.Lapsed != nil {
			lapses = append(lapses, *o.Lapsed)
		}
	}
	return append(lapses, d.Lapsed...)
}
