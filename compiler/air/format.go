package air

import (
	"errors"
	"fmt"
	"slices"

	"anvil/compiler/canon"
)

// ErrFormat is returned for bytes that are not a document this version reads.
var ErrFormat = errors.New("not an AIR document of this format")

// Encode returns the document as JSON: fields in declared order, operations by id, equal documents in equal bytes. It fails when a raw
// value in it is not JSON.
func (d Document) Encode() ([]byte, error) {
	d.SchemaVersion = SchemaVersion
	d.Operations = slices.Clone(d.Operations)
	sortOperations(d.Operations)
	text, err := canon.Encode(d)
	if err != nil {
		return nil, fmt.Errorf("write AIR document of %s: %w", d.Service.ID, err)
	}
	return text, nil
}

// Decode reads what Encode wrote: unknown and repeated members, other versions and words outside the enumerations are errors that match
// ErrFormat. It does not judge the document; Validate does.
func Decode(data []byte) (Document, error) {
	var d Document
	if err := canon.Decode(data, &d); err != nil {
		return Document{}, fmt.Errorf("read AIR document: %w: %w", ErrFormat, err)
	}
	if d.SchemaVersion != SchemaVersion {
		return Document{}, fmt.Errorf("read AIR document: %w: schemaVersion is %d, this version of anvil reads %d", ErrFormat, d.SchemaVersion, SchemaVersion)
	}
	if d.Service.Source.Kind != SourceMCP || !ValidServiceID(d.Service.ID) {
		return Document{}, fmt.Errorf("read AIR document: %w: service id %q or source kind %q is malformed", ErrFormat, d.Service.ID, d.Service.Source.Kind)
	}
	for i, o := range d.Operations {
		if problem := o.malformed(); problem != "" {
			return Document{}, fmt.Errorf("read AIR document: %w: operation %d (%q): %s", ErrFormat, i, o.ID, problem)
		}
	}
	for _, c := range d.Capabilities {
		if !slices.Contains(lifecycles, c.Lifecycle) {
			return Document{}, fmt.Errorf("read AIR document: %w: capability %q: lifecycle %q is unknown", ErrFormat, c.ID, c.Lifecycle)
		}
	}
	sortOperations(d.Operations)
	return d, nil
}

var (
	lifecycles = []Lifecycle{LifecycleProposed, LifecycleApproved, LifecycleRejected, LifecycleDeprecated}
	states     = []State{StateGenerated, StateReviewRequired, StateApproved, StateDeprecated, StateBlocked}
	bases      = []RetryBasis{BasisReadSafe, BasisNaturalIdempotent, BasisIdempotencyKey, BasisUnproven}
	marks      = []ReviewMark{Unreviewed, Accepted, Rejected, Superseded}
	actions    = []Action{
		ActionList, ActionGet, ActionSearch, ActionExport, ActionSimulate, ActionValidate, ActionPoll, ActionCreate, ActionUpdate,
		ActionReplace, ActionDelete, ActionSend, ActionExecute, ActionApprove, ActionCancel, ActionReserve, ActionOther,
	}
)

// malformed says which field of o holds no word of its enumeration, or no id.
func (o Operation) malformed() string {
	switch {
	case o.ID == "" || o.CanonicalName == "":
		return "id or canonicalName is empty"
	case !slices.Contains(kindOrder, o.Effect.Kind):
		return fmt.Sprintf("effect.kind %q is unknown", o.Effect.Kind)
	case !slices.Contains(actions, o.Effect.Action):
		return fmt.Sprintf("effect.action %q is unknown", o.Effect.Action)
	case !slices.Contains(riskOrder, o.Effect.Risk):
		return fmt.Sprintf("effect.risk %q is unknown", o.Effect.Risk)
	case !slices.Contains(idempotencyOrder, o.Idempotency.Mode):
		return fmt.Sprintf("idempotency.mode %q is unknown", o.Idempotency.Mode)
	case !slices.Contains(retryOrder, o.Retries.Mode) || !slices.Contains(bases, o.Retries.Basis):
		return fmt.Sprintf("retries.mode %q or retries.basis %q is unknown", o.Retries.Mode, o.Retries.Basis)
	case o.Retries.MaxAttempts < 1 || o.Retries.MaxAttempts > 5:
		return fmt.Sprintf("retries.maxAttempts %d is not within 1 to 5", o.Retries.MaxAttempts)
	case !slices.Contains(states, o.State):
		return fmt.Sprintf("state %q is unknown", o.State)
	}
	for _, c := range o.Evidence {
		if _, known := reliability[c.Source]; !known || !slices.Contains(marks, c.Review) || c.Subject != o.ID || !(c.Confidence >= 0 && c.Confidence <= 1) {
			return fmt.Sprintf("a claim on %s has an unknown source, review mark or subject, or a confidence outside 0 to 1", c.Predicate)
		}
	}
	return o.misdecided()
}

// misdecided says what of the records of people's decisions is not about o, or holds no word of its enumeration.
func (o Operation) misdecided() string {
	if b := o.Block; b != nil && b.Operation != o.ID {
		return fmt.Sprintf("its block is of %q", b.Operation)
	}
	if l := o.Lapsed; l != nil && l.Approval.Operation != o.ID {
		return fmt.Sprintf("its lapsed approval is of %q", l.Approval.Operation)
	}
	v := o.Overlay
	if v == nil {
		return ""
	}
	for _, given := range [][2]string{{"effect", string(v.Effect)}, {"risk", string(v.Risk)}, {"idempotency", string(v.Idempotency)}} {
		if field, word := given[0], given[1]; word != "" && !slices.Contains(OverlayWords(field), word) {
			return fmt.Sprintf("overlay.%s %q is unknown", field, word)
		}
	}
	if v.Operation != o.ID {
		return fmt.Sprintf("its overlay is of %q", v.Operation)
	}
	return ""
}
