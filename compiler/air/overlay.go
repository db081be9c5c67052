package air

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Overlay is what a person states of one operation in a configuration file. A field that is left out states nothing.
type Overlay struct {
	Operation   string          `json:"operation"`               // id
	SourceRef   string          `json:"sourceRef"`               // the file's name and a JSON pointer: "anvil.yaml#/annotations/refunds/get_refund"
	By          string          `json:"by,omitzero"`             // who answers for it
	Reason      string          `json:"reason,omitzero"`         // why
	Seen        string          `json:"seen,omitzero"`           // Operation.SeenDigest of what was looked at; given where the overlay loosens
	Deny        bool            `json:"deny,omitzero"`           // nobody calls the operation
	Effect      EffectKind      `json:"effect,omitzero"`         //
	Risk        Risk            `json:"risk,omitzero"`           //
	Reversible  *bool           `json:"reversible,omitempty"`    //
	Idempotency IdempotencyMode `json:"idempotency,omitzero"`    //
	Key         string          `json:"idempotencyKey,omitzero"` // idempotency.key: the argument that carries it
	Confirm     *bool           `json:"confirm,omitempty"`       // confirmation.required
	Query       QueryAllowance  `json:"query,omitzero"`          // queryPolicy.allow: what the programs that callers write may do

	HumanApproval *bool    `json:"humanApproval,omitempty"` // confirmation.humanApproval; true asks for the confirmation as well
	Owner         Owner    `json:"owner,omitzero"`
	Tags          []string `json:"tags,omitempty"`
	Alias         string   `json:"alias,omitzero"`       // a further command
	Description   string   `json:"description,omitzero"` // in place of the server's
}

// overlayMethod marks the claims that an overlay makes.
const overlayMethod = "overlay"

// OverlayWords lists the words that a field of an overlay takes, the loosest first; nil for a field that is no enumeration.
func OverlayWords(field string) []string {
	switch field {
	case "effect":
		return texts(kindOrder)
	case "risk":
		return texts(riskOrder)
	case "idempotency":
		return texts(idempotencyOrder)
	case "query":
		return texts(queryAllowances)
	}
	return nil
}

func texts[T ~string](values []T) []string {
	var words []string
	for _, v := range values {
		words = append(words, string(v))
	}
	return words
}

// SeenDigest covers contract and text: all of an operation that a person looks at before a decision.
func (o Operation) SeenDigest() string {
	return digestOf(struct {
		Contract string `json:"contract"`
		Text     string `json:"text"`
	}{o.ContractDigest, o.TextDigest})
}

// WithOverlays returns d, as the bridge made it, with what overlays state of its operations, and findings about it. A fact is an accepted
// claim of a person and stands in place of what was inferred. A fact that is looser than what was inferred counts only in somebody's name, with a
// reason, and for the contract and the text that were seen; otherwise its claim is superseded.
//
// Findings of class error say that an overlay cannot be taken as it is. Whoever builds from a file refuses it then.
func (d Document) WithOverlays(overlays []Overlay) (Document, []diag.Finding) {
	d.Operations = slices.Clone(d.Operations)
	var findings []diag.Finding
	at := d.places()
	for _, v := range overlays {
		i, there := at[v.Operation]
		if !there {
			findings = append(findings, v.finding(overlayOrphaned, "", fmt.Sprintf("%s is about %q, which is not there", v.SourceRef, v.Operation),
				"correct the name, or take the overlay out"))
			continue
		}
		if taken := d.takes(v.Alias, d.Operations[i]); taken != "" {
			findings = append(findings, v.finding(overlayAliasTaken, "alias", fmt.Sprintf("%s: the alias %q names the operation %q already", v.SourceRef, v.Alias, taken),
				"give it another alias"))
			v.Alias = ""
		}
		o, found := d.Operations[i].overlaid(v)
		d.Operations[i] = o
		findings = append(findings, found...)
	}
	diag.Sort(findings)
	return d, findings
}

// takes returns the id of another operation that has the command.
func (d Document) takes(command string, than Operation) string {
	for _, o := range d.Operations {
		if command != "" && o.ID != than.ID && (o.CLI.Command == command || slices.Contains(o.CLI.Aliases, command)) {
			return o.ID
		}
	}
	return ""
}

// overlaid is o with what v states.
func (o Operation) overlaid(v Overlay) (Operation, []diag.Finding) {
	facts, before := v.facts(o), o
	facts, loosening := o.weighed(v, facts)
	var findings []diag.Finding
	holds := true
	if len(loosening) == 0 {
		v.Seen = ""
	} else {
		found := o.loosened(v, loosening)
		findings, holds = append(findings, found), found.Rule == overlayLoosens.ID
	}
	o = o.stated(v, facts, holds).described(v)
	for _, inVain := range []func(Overlay) (diag.Finding, bool){o.waives, o.allowsInVain} {
		if f, found := inVain(v); found {
			findings = append(findings, f)
		}
	}
	findings = append(findings, o.unfit(v, before)...)
	if o.State == StateGenerated && (len(loosening) > 0 || len(before.LooserThan(o)) > 0) {
		o.State = StateReviewRequired
	}
	if v.Deny {
		o.State, o.Block = StateBlocked, &Block{Operation: o.ID, By: v.By, Reason: v.Reason, SourceRef: v.SourceRef + "/deny"}
	}
	o.Overlay = &v
	return o, findings
}

// stated is o with the facts of v; those that loosen count where holds says so.
func (o Operation) stated(v Overlay, facts []fact, holds bool) Operation {
	if len(facts) == 0 {
		return o
	}
	o.Evidence = slices.Clone(o.Evidence)
	for _, f := range facts {
		claim := v.claim(f)
		if f.loosens && !holds {
			claim.Review = Superseded
		}
		o.Evidence = append(o.Evidence, claim)
	}
	if v.Query != "" && o.Archetype == ArchetypeQueryPassthrough && (holds || v.Query != QueryAny) {
		o.QueryPolicy = &QueryPolicy{Allow: v.Query, By: v.By, Reason: v.Reason}
	}
	if v.Key != "" && holds {
		o.Idempotency.Mechanism, o.Idempotency.Key, o.Idempotency.KeyDerivation = MechanismArgument, v.Key, KeyOfClient
	}
	return o.Settled()
}

// unfit finds what makes o, as v has it, unfit to be served, and did not before: no pack may hold that, whoever states it.
func (o Operation) unfit(v Overlay, before Operation) (findings []diag.Finding) {
	known := before.validate()
	for _, f := range o.validate() {
		if slices.ContainsFunc(known, func(k diag.Finding) bool { return k.Fingerprint == f.Fingerprint }) {
			continue
		}
		field, hint := "", "take out of it what makes it so"
		switch f.Rule {
		case keyCarrierUnsupported.ID:
			field = "idempotency"
			hint = fmt.Sprintf("name an argument that takes any text, as in `idempotency: {mode: %s, key: ARGUMENT}`, or take idempotency out", o.Idempotency.Mode)
		case queryPassthrough.ID:
			hint = "state `query: any` of it, with by and reason, or take out of it what waives the confirmation"
		}
		found := v.finding(overlayUnfit, field, fmt.Sprintf("%s: with it %s", v.SourceRef, f.Message), hint)
		found.Tool = o.MCP.ToolName
		findings = append(findings, found)
	}
	return findings
}

// loosened is the finding about facts that are looser than what is inferred: that they hold, or why they do not.
func (o Operation) loosened(v Overlay, facts []fact) diag.Finding {
	var parts, fields []string
	for _, f := range facts {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", f.predicate, bare(f.inferred), bare(f.value)))
		fields = append(fields, f.field)
	}
	what := fmt.Sprintf("operation %q (%s)", o.ID, strings.Join(parts, ", "))
	var found diag.Finding
	switch {
	case !diag.Legible(v.By) || !diag.Legible(v.Reason):
		found = v.finding(overlayUnsigned, "", fmt.Sprintf("%s loosens %s, and does not say who answers for it and why", v.SourceRef, what),
			"add by and reason to it, or take "+strings.Join(fields, ", ")+" out of it")
	case v.Seen != o.SeenDigest():
		found = v.finding(overlayLapsed, "", fmt.Sprintf("%s would loosen %s, and the tool is not the one that %q looked at", v.SourceRef, what, v.By),
			fmt.Sprintf("look at it with `anvil mcp review PACK`; to state it of the tool as it is now, write `seen: %s` into the annotation", o.SeenDigest()))
	default:
		found = v.finding(overlayLoosens, "", fmt.Sprintf("%s loosens %s, says %q: %s", v.SourceRef, what, v.By, v.Reason),
			"nothing, if it is meant; it lapses when the tool changes")
	}
	found.Tool = o.MCP.ToolName
	return found
}

func bare(value canon.Raw) string { return strings.Trim(string(value), `"`) }

// described is o with what v states of it that is no matter of safety.
func (o Operation) described(v Overlay) Operation {
	if v.Description != "" {
		o.ServerText, o.Description = o.Description, v.Description
	}
	if v.Owner != (Owner{}) {
		o.Owner = v.Owner
	}
	if len(v.Tags) > 0 {
		o.Tags = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Tags, v.Tags))))
	}
	if v.Alias != "" && v.Alias != o.CLI.Command {
		o.CLI.Aliases = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(o.CLI.Aliases), v.Alias))))
	}
	return o
}

// waives finds a confirmation that v takes away in vain.
func (o Operation) waives(v Overlay) (diag.Finding, bool) {
	holds := slices.ContainsFunc(o.Evidence, func(c Claim) bool {
		return c.Method == overlayMethod && c.Predicate == PredicateConfirmation && c.Active()
	})
	if v.Confirm == nil || *v.Confirm || !holds || !o.Confirmation.Required {
		return diag.Finding{}, false
	}
	f := v.finding(overlayIneffective, "confirm", fmt.Sprintf("%s: operation %q asks for confirmation all the same, since %s", v.SourceRef+"/confirm", o.ID,
		cmp.Or(o.Confirmation.Reason, "it must")), "take confirm out, or state the risk and whether it is reversible, if that is what is wrong")
	f.Tool = o.MCP.ToolName
	return f, true
}

// allowsInVain finds a query policy of an operation that takes no program, and one that should spare a yes and does not, since there is another reason for it.
func (o Operation) allowsInVain(v Overlay) (diag.Finding, bool) {
	why, hint := fmt.Sprintf("operation %q waits for a person all the same, since %s", o.ID, o.Confirmation.Reason), "take query out, or state the risk, if that is what is wrong"
	switch {
	case v.Query != "" && o.Archetype != ArchetypeQueryPassthrough:
		why, hint = fmt.Sprintf("operation %q is not taken for one that runs what its caller writes", o.ID), "take query out"
	case !o.QueryPolicy.spares() || !o.Confirmation.HumanApproval:
		return diag.Finding{}, false
	}
	f := v.finding(overlayIneffective, "query", fmt.Sprintf("%s: %s", v.SourceRef+"/query", why), hint)
	f.Tool = o.MCP.ToolName
	return f, true
}

// finding starts a finding about a field of v, with the field's place in the file, and seals it.
func (v Overlay) finding(rule diag.Rule, field, message, hint string) diag.Finding {
	f := rule.Finding("operation/"+v.Operation, message)
	_, f.Pointer, _ = strings.Cut(v.SourceRef, "#")
	if field != "" {
		f.Pointer += canon.Pointer(field)
	}
	f.Hint = hint
	return f.Sealed(v.By, v.Reason, v.Seen)
}

// Overlays returns what WithOverlays put into d.
func (d Document) Overlays() (overlays []Overlay) {
	for _, o := range d.Operations {
		if o.Overlay != nil {
			overlays = append(overlays, *o.Overlay)
		}
	}
	return overlays
}

// DecidedAs returns d, as the bridge made it, with the overlays and blocks that another document of the server holds, whatever the server called itself.
func (d Document) DecidedAs(other Document) Document {
	other = other.As(d)
	d, _ = d.WithOverlays(other.Overlays())
	d, _ = d.WithBlocks(other.PersonsBlocks())
	return d
}

// Withdrawn finds the operations of d whose overlay in an earlier document of the same service is no longer stated.
func (d Document) Withdrawn(earlier Document) (findings []diag.Finding) {
	for _, was := range earlier.Operations {
		if was.Overlay == nil {
			continue
		}
		o, there := d.Find(was.ID)
		if !there || o.Overlay != nil {
			continue
		}
		f := was.Overlay.finding(overlayWithdrawn, "", fmt.Sprintf("%s, which the pack was built with, is no longer stated; what is inferred of operation %q holds again",
			was.Overlay.SourceRef, o.ID), "put it back, if that is not meant")
		f.Tool = o.MCP.ToolName
		findings = append(findings, f)
	}
	diag.Sort(findings)
	return findings
}
