package adopt

import (
	"cmp"
	"fmt"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// How sure each way of drawing a claim is, 0 to 1, before the reliability of its source. Judgements, ordered by how seldom the way went
// wrong over the tools of some eighty published servers.
const (
	sureHint         = 0.9 // the server states it; whether it is true is the source's reliability
	sureLeadingVerb  = 0.9 // delete_user
	sureInnerVerb    = 0.7 // user_delete, search_and_replace
	sureAmbiguous    = 0.5 // slack_post_message: verb or noun
	sureNoun         = 0.5 // create_payment
	sureDescription  = 0.7 // "Deletes ..."
	sureClause       = 0.5 // "Finds ... and deletes ..."
	surePhrase       = 0.6 // "cannot be undone"
	sureSink         = 0.8 // a parameter "sql"
	sureOverride     = 0.5 // a parameter "force"
	sureDefault      = 0.5 // nobody says anything
	unverifiedMethod = "unverified-read"
	defaultMethod    = "unknown-is-not-safe"
)

// inference gathers what three untrusted sources say about one tool. Nothing in it decides: air.Operation.Settled takes the safest claim.
type inference struct {
	tool     surface.Item
	subject  string
	top      []schema.NamedMember // the arguments
	claims   []air.Claim
	notes    []string
	findings []diag.Finding
	readHint bool     // readOnlyHint is true
	dangers  []danger // phrases of the description that speak of loss or of money
	worse    []func() // claims that hold only if it is a mutation after all
}

// infer fills in the effect and posture of o from the tool's hints, its name and description, and its schema.
//
// The rules, in the order they tighten: what readOnlyHint does not call a read is a non-idempotent, irreversible mutation of at least
// medium risk; a hint, a verb or a parameter may make it worse and none makes it better. readOnlyHint makes a read of it unless a verb, a
// parameter or destructiveHint says otherwise, and that read stays unverified: it is confirmed and not retried until a person approves
// it. A read verb alone makes no read: names promise nothing. destructiveHint:false and idempotentHint are recorded and loosen nothing.
func infer(o air.Operation, tool surface.Item) (air.Operation, []diag.Finding) {
	in := &inference{tool: tool, subject: o.ID, top: schema.Properties(tool.Node.Get("inputSchema"))}
	in.fromHints()
	description := readDescription(o.Description)
	name := readName(air.Words(tool.Name), description.lead.class == readVerb)
	in.fromName(name)
	in.fromDescription(description, name)
	in.fromSchema(name)
	o.Effect.Action, o.Effect.Resource = name.action(), name.resource()
	if len(name.acting) == 0 && description.lead.class != unknownVerb {
		o.Effect.Action = description.lead.action
	}
	in.fromShape(&o, name)
	in.addDefaults()
	sortClaims(in.claims)
	o.Evidence = in.claims
	o = o.Settled()
	in.report(o)
	o.State = air.StateReviewRequired
	if o.Effect.Kind == air.Read && !in.doubts(o) && o.Resolve(air.PredicateKind).Status != air.Conflicted {
		o.State = air.StateGenerated
	}
	o.ReviewNotes = in.notes
	return o, in.findings
}

func sortClaims(claims []air.Claim) {
	slices.SortStableFunc(claims, func(a, b air.Claim) int {
		return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.Source, b.Source), cmp.Compare(a.SourceRef, b.SourceRef),
			cmp.Compare(a.Method, b.Method), slices.Compare(a.Value, b.Value))
	})
}

func (in *inference) claim(source air.ClaimKind, pointer, method string, sure float64, predicate air.Predicate, value canon.Raw) {
	c := air.Claim{
		Subject: in.subject, Predicate: predicate, Value: value, Source: source, SourceRef: pointer, Method: method, Confidence: sure,
		Review: air.Unreviewed,
	}
	if !slices.ContainsFunc(in.claims, func(have air.Claim) bool { return sameClaim(have, c) }) {
		in.claims = append(in.claims, c)
	}
}

// sameClaim keeps one source from adding up with itself.
func sameClaim(a, b air.Claim) bool {
	return a.Predicate == b.Predicate && a.Source == b.Source && a.SourceRef == b.SourceRef && canon.Equal(a.Value, b.Value)
}

// worsen keeps a claim for the case that some other claim makes a mutation of the tool.
func (in *inference) worsen(claim func()) { in.worse = append(in.worse, claim) }

// claimMutation records that a source shows a change of the given risk.
func (in *inference) claimMutation(source air.ClaimKind, pointer, method string, sure float64, risk air.Risk) {
	in.claim(source, pointer, method, sure, air.PredicateKind, air.ValueOf(air.Mutation))
	in.claim(source, pointer, method, sure, air.PredicateRisk, air.ValueOf(risk))
	if risk == air.RiskDestructive || risk == air.RiskFinancial {
		in.claim(source, pointer, method, sure, air.PredicateReversible, air.ValueOf(false))
	}
}

func (in *inference) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(in.notes, n) {
		in.notes = append(in.notes, n)
	}
}

// hint reads one annotation; a value that is no boolean is as good as none.
func (in *inference) hint(name string) (value, given bool) {
	return in.tool.Node.Get("annotations").Get(name).Bool()
}

// fromHints records the annotations on the predicates they are about (schema of ToolAnnotations, 2025-11-25).
func (in *inference) fromHints() {
	const method = "annotation"
	claim := func(name string, predicate air.Predicate, value canon.Raw) {
		in.claim(air.FromHint, canon.Pointer("annotations", name), method, sureHint, predicate, value)
	}
	if readOnly, given := in.hint("readOnlyHint"); given {
		in.readHint = readOnly
		kind := air.Mutation
		if readOnly {
			kind = air.Read
			claim("readOnlyHint", air.PredicateReversible, air.ValueOf(true))
		}
		claim("readOnlyHint", air.PredicateKind, air.ValueOf(kind))
	}
	if destructive, given := in.hint("destructiveHint"); given {
		claim("destructiveHint", air.PredicateReversible, air.ValueOf(!destructive))
		if destructive {
			claim("destructiveHint", air.PredicateRisk, air.ValueOf(air.RiskDestructive))
			claim("destructiveHint", air.PredicateKind, air.ValueOf(air.Mutation))
		}
	}
	if idempotent, given := in.hint("idempotentHint"); given && idempotent {
		claim("idempotentHint", air.PredicateIdempotency, air.ValueOf(air.IdempotencyNatural))
	}
	if openWorld, given := in.hint("openWorldHint"); given {
		claim("openWorldHint", air.PredicateOpenWorld, air.ValueOf(openWorld))
	}
}

// addDefaults records what holds for want of proof.
func (in *inference) addDefaults() {
	mutation := !in.readHint || slices.ContainsFunc(in.claims, func(c air.Claim) bool {
		return c.Predicate == air.PredicateKind && canon.Equal(c.Value, air.ValueOf(air.Mutation))
	})
	claim := func(method string, predicate air.Predicate, value canon.Raw) {
		in.claim(air.FromInferred, "", method, sureDefault, predicate, value)
	}
	method, risk := unverifiedMethod, air.RiskLow
	if mutation {
		method, risk = defaultMethod, air.RiskMedium
		for _, claim := range in.worse {
			claim()
		}
		claim(method, air.PredicateReversible, air.ValueOf(false))
	}
	if !in.readHint {
		claim(method, air.PredicateKind, air.ValueOf(air.Mutation))
	}
	claim(method, air.PredicateRisk, air.ValueOf(risk))
	claim(method, air.PredicateIdempotency, air.ValueOf(air.IdempotencyNone))
	claim(method, air.PredicateRetries, air.ValueOf(air.RetryNone))
	claim(method, air.PredicateConfirmation, air.ValueOf(true))
}
