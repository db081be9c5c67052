package cli

import (
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// reviewedOperation is what a person is shown of one operation before a decision.
type reviewedOperation struct {
	Operation   string           `json:"operation"` // id
	Tool        string           `json:"tool"`      // the server's name for it
	State       air.State        `json:"state"`
	Seen        string           `json:"seen"` // digest of all that is shown of the tool; for the member seen of an annotation
	Effect      air.Effect       `json:"effect"`
	Posture     posture          `json:"posture"`
	Notes       []string         `json:"notes"`
	Evidence    []predicateView  `json:"evidence"`
	Arguments   []air.Param      `json:"arguments"`
	Input       canon.Raw        `json:"input,omitzero"`       // the schema of the arguments
	Output      canon.Raw        `json:"output,omitzero"`      // its schema
	Description string           `json:"description,omitzero"` // that an annotation put in place of the server's
	Texts       []textView       `json:"texts"`                // every string of the tool that a model may read, the description first
	Tags        []string         `json:"tags"`
	Aliases     []string         `json:"aliases"`
	Owner       *air.Owner       `json:"owner,omitempty"`
	Approval    *air.Approval    `json:"approval,omitempty"` // in force
	Lapsed      *air.Approval    `json:"lapsed,omitempty"`   // the last one, which binds no more
	Block       *air.Block       `json:"block,omitempty"`
	QueryPolicy *air.QueryPolicy `json:"queryPolicy,omitempty"` // what the programs that callers write may do, and who says so
	Changes     []diag.Finding   `json:"changes"`               // since the last approval
}

// posture is how calls of an operation are treated.
type posture struct {
	Confirmation bool                `json:"confirmation"` // a yes is wanted
	Person       bool                `json:"person"`       // of a person, whom a model does not stand for
	Why          string              `json:"why,omitzero"`
	Idempotency  air.IdempotencyMode `json:"idempotency"`
	Retries      air.RetryMode       `json:"retries"`
}

// predicateView is what is claimed of one safety fact, and how it is weighed.
type predicateView struct {
	Predicate air.Predicate `json:"predicate"`
	Value     canon.Raw     `json:"value"`    // that holds
	Status    air.Status    `json:"status"`   // how far the claims agree
	Leading   canon.Raw     `json:"leading"`  // the best supported value
	Support   float64       `json:"support"`  // of that, 0 to 0.99
	RunnerUp  float64       `json:"runnerUp"` // support of the next value
	Claims    []air.Claim   `json:"claims"`   // those of the value that holds first
}

// textView is one string of a tool, and where it stands.
type textView struct {
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
}

func newReviewed(o air.Operation, it surface.Item) (reviewedOperation, error) {
	r := reviewedOperation{
		Operation: o.ID, Tool: o.MCP.ToolName, State: o.State, Seen: o.SeenDigest(), Effect: o.Effect,
		Posture: posture{o.Confirmation.Required, o.Confirmation.HumanApproval, o.Confirmation.Reason, o.Idempotency.Mode, o.Retries.Mode},
		Notes:   append([]string{}, o.ReviewNotes...), Evidence: evidenceOf(o), Arguments: append([]air.Param{}, air.Params(o.Input.Schema)...),
		Input: o.Input.Schema, Output: o.Output.Schema, QueryPolicy: o.QueryPolicy, Texts: modelTexts(it), Tags: append([]string{}, o.Tags...), Aliases: append([]string{}, o.CLI.Aliases...),
		Approval: o.Approval, Block: o.Block, Changes: []diag.Finding{},
	}
	if o.Overlay != nil {
		r.Description = o.Overlay.Description
	}
	if o.Owner != (air.Owner{}) {
		r.Owner = &o.Owner
	}
	if o.Lapsed == nil {
		return r, nil
	}
	r.Lapsed = &o.Lapsed.Approval
	var err error
	r.Changes, err = diff.JudgeTool(o.Lapsed.Tool, it.JSON)
	return r, err
}

// evidenceOf lists the safety facts of o with their claims.
func evidenceOf(o air.Operation) []predicateView {
	holds := o.SafetyValues()
	var views []predicateView
	for _, predicate := range air.SafetyPredicates {
		weighed := o.Resolve(predicate)
		view := predicateView{
			Predicate: predicate, Value: holds[predicate], Status: weighed.Status, Leading: weighed.Value, Support: air.Rounded(weighed.Support, 2),
			RunnerUp: air.Rounded(weighed.RunnerUp, 2), Claims: []air.Claim{},
		}
		for _, c := range o.Evidence {
			if c.Predicate == predicate {
				view.Claims = append(view.Claims, c)
			}
		}
		slices.SortStableFunc(view.Claims, func(a, b air.Claim) int {
			switch mine, other := canon.Equal(a.Value, view.Value), canon.Equal(b.Value, view.Value); {
			case mine == other:
				return 0
			case mine:
				return -1
			}
			return 1
		})
		views = append(views, view)
	}
	return views
}

// modelTexts lists every string of a tool that a model may read, but for its name: the description, then the others as they stand in it.
func modelTexts(it surface.Item) []textView {
	texts := []textView{}
	add := func(pointer, text string) {
		if pointer != "/name" && pointer != "/description" {
			texts = append(texts, textView{pointer, text})
		}
	}
	if text, ok := it.Node.Get("description").Str(); ok {
		texts = append(texts, textView{"/description", text})
	}
	if !it.Node.IsObject() {
		return texts
	}
	for _, m := range it.Node.Members {
		if at := canon.Pointer(m.Name); m.Name == "inputSchema" || m.Name == "outputSchema" {
			schema.Text(m.Value, at, add)
		} else {
			schema.Strings(m.Value, at, add)
		}
	}
	return texts
}
