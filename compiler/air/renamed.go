package air

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/diag"
)

// Successor returns the id under which an operation of d stands in now, which was lowered from the same server later: its tool may go by another id
// there, and the server by another name. Of an operation that is not there it is the id that it would have.
func (d Document) Successor(id string, now Document) string {
	at := d.sameID(id, now)
	was, known := d.Find(id)
	if is, there := now.Find(at); !known || there && is.MCP.ToolName == was.MCP.ToolName {
		return at
	}
	for _, o := range now.Operations {
		if o.MCP.ToolName == was.MCP.ToolName {
			return o.ID
		}
	}
	return at
}

// sameID is an id of d under the service of now.
func (d Document) sameID(id string, now Document) string {
	return now.Service.ID + "." + strings.TrimPrefix(id, d.Service.ID+".")
}

// As returns what was decided in d with the ids that the operations have in now: d as far as overlays, blocks, approvals and lapses go. A server chooses its
// own name, of which the ids are made, and no name may undo what was decided.
func (d Document) As(now Document) Document {
	moved := d
	moved.Service.ID = now.Service.ID
	moved.Operations, moved.Blocks, moved.Lapsed = slices.Clone(d.Operations), nil, nil
	for i, o := range d.Operations {
		id, same := d.Successor(o.ID, now), d.sameID(o.ID, now)
		if o.Block != nil && !o.Block.OfFile() && id != same { // another tool has the id now: the block is of both
			b := *o.Block
			b.Operation = same
			moved.Blocks = append(moved.Blocks, b)
		}
		moved.Operations[i] = o.calledAs(id)
	}
	for _, b := range d.Blocks {
		b.Operation = d.sameID(b.Operation, now)
		moved.Blocks = append(moved.Blocks, b)
	}
	for _, l := range d.Lapsed {
		l.Approval.Operation = d.sameID(l.Approval.Operation, now)
		moved.Lapsed = append(moved.Lapsed, l)
	}
	sortOperations(moved.Operations)
	return moved
}

// calledAs is o under another id, in everything that was decided of it.
func (o Operation) calledAs(id string) Operation {
	if o.ID == id {
		return o
	}
	o.ID = id
	if o.Overlay != nil {
		v := *o.Overlay
		v.Operation = id
		o.Overlay = &v
	}
	if o.Block != nil {
		b := *o.Block
		b.Operation = id
		o.Block = &b
	}
	if o.Approval != nil {
		a := *o.Approval
		a.Operation = id
		o.Approval = &a
	}
	if o.Lapsed != nil {
		l := *o.Lapsed
		l.Approval.Operation = id
		o.Lapsed = &l
	}
	return o
}

// TakenBack finds the approvals of an earlier document that hold no more, since the server says that it is another one.
func (d Document) TakenBack(earlier Document) (findings []diag.Finding) {
	if d.Service.ID == earlier.Service.ID {
		return nil
	}
	for _, o := range earlier.As(d).Operations {
		if o.Approval == nil {
			continue
		}
		now, there := d.Find(o.ID)
		rule := approvalLapsed
		if !there {
			rule = approvalOrphaned
		}
		findings = append(findings, approvalFinding(rule, *o.Approval, now.MCP.ToolName, fmt.Sprintf(
			"the approval of operation %q by %q lapses: the server calls itself %q now, and it was approved of %q", o.ID, o.Approval.By, d.Service.Name, earlier.Service.Name)))
	}
	diag.Sort(findings)
	return findings
}
