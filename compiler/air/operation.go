package air

import "anvil/compiler/canon"

// Operation is one callable action of a service.
type Operation struct {
	ID             string       `json:"id"`            // "<service>.<canonicalName>"
	CanonicalName  string       `json:"canonicalName"` // see CanonicalName
	DisplayName    string       `json:"displayName"`
	Description    string       `json:"description,omitzero"`
	ServerText     string       `json:"serverDescription,omitzero"` // the server's own, where an overlay put another in its place
	Tags           []string     `json:"tags,omitempty"`             // set by people; sorted
	Owner          Owner        `json:"owner,omitzero"`             // set by people
	Effect         Effect       `json:"effect"`
	Archetype      Archetype    `json:"archetype"`
	Input          Input        `json:"input"`
	Output         Output       `json:"output"`
	Idempotency    Idempotency  `json:"idempotency"`
	Retries        Retries      `json:"retries"`
	Confirmation   Confirmation `json:"confirmation"`
	Pagination     *Pagination  `json:"pagination,omitempty"`
	LongRunning    *LongRunning `json:"longRunning,omitempty"`
	QueryPolicy    *QueryPolicy `json:"queryPolicy,omitempty"` // set by people: Document.WithOverlays
	DisclosureCost Cost         `json:"disclosureCost"`
	MCP            MCP          `json:"mcp"`
	CLI            CLI          `json:"cli"`
	State          State        `json:"state"`
	ContractDigest string       `json:"contractDigest"` // of what a machine relies on; approvals are bound to it,
	TextDigest     string       `json:"textDigest"`     // and to this, of every string a model reads
	ReviewNotes    []string     `json:"reviewNotes,omitempty"`
	Evidence       []Claim      `json:"evidence"`
	Approval       *Approval    `json:"approval,omitempty"` // in force; set by Document.WithApprovals alone
	Lapsed         *Lapse       `json:"lapsed,omitempty"`   // set by Document.WithLapses alone
	Block          *Block       `json:"block,omitempty"`    // set by Document.WithBlocks and WithOverlays alone
	Overlay        *Overlay     `json:"overlay,omitempty"`  // set by Document.WithOverlays alone
}

// Effect is what a call does to the world.
type Effect struct {
	Kind       EffectKind `json:"kind"`
	Action     Action     `json:"action"`
	Resource   string     `json:"resource,omitzero"` // the thing acted on, singular snake_case; empty when the name tells none
	Risk       Risk       `json:"risk"`
	Reversible bool       `json:"reversible"`
}

// Undo says in words whether what a call does can be taken back.
func (e Effect) Undo() string {
	switch {
	case e.Kind == Read:
		return "changes nothing"
	case e.Reversible:
		return "can be undone"
	}
	return "cannot be undone"
}

// EffectKind tells reading from changing.
type EffectKind string

// The kinds of effect. What is not proven to be a read is a mutation.
const (
	Read     EffectKind = "read"
	Mutation EffectKind = "mutation"
)

// Action is the verb of an effect, out of a closed vocabulary.
type Action string

// The actions of reads, then those of mutations, then the one that says nothing.
const (
	ActionList     Action = "list"
	ActionGet      Action = "get"
	ActionSearch   Action = "search"
	ActionExport   Action = "export"
	ActionSimulate Action = "simulate"
	ActionValidate Action = "validate"
	ActionPoll     Action = "poll"
	ActionCreate   Action = "create"
	ActionUpdate   Action = "update"
	ActionReplace  Action = "replace"
	ActionDelete   Action = "delete"
	ActionSend     Action = "send"
	ActionExecute  Action = "execute"
	ActionApprove  Action = "approve"
	ActionCancel   Action = "cancel"
	ActionReserve  Action = "reserve"
	ActionOther    Action = "other"
)

// Risk is how bad an unwanted call would be. The ladder is ordered; see Risk.Rank.
type Risk string

// The risk ladder, from harmless on.
const (
	RiskNone        Risk = "none"
	RiskLow         Risk = "low"
	RiskMedium      Risk = "medium"
	RiskHigh        Risk = "high"
	RiskFinancial   Risk = "financial"
	RiskDestructive Risk = "destructive"
)

// Rank orders risks: a higher rank is worse. What is no risk of the ladder ranks above all of them.
func (r Risk) Rank() int { return rankIn(riskOrder, r) }

// Input is what an operation takes: the schema as the server sent it, in canonical form; left out when it sent none. Params is the view of it that
// people and command lines have: always what the function Params makes of Schema, or Decode refuses the document.
type Input struct {
	Schema canon.Raw `json:"schema,omitzero"`
	Params []Param   `json:"params,omitempty"`
}

// Output is what an operation answers, as Input.
type Output struct {
	Schema canon.Raw `json:"schema,omitzero"`
}

// MCP is how the operation is called upstream.
type MCP struct {
	ToolName string `json:"toolName"` // the adopted name, verbatim
}

// CLI is how the operation is called on a command line.
type CLI struct {
	Command string   `json:"command"`
	Aliases []string `json:"aliases,omitempty"` // set by people; sorted
}

// Owner is who answers for an operation, or for a capability.
type Owner struct {
	ID   string    `json:"id"`
	Kind OwnerKind `json:"kind"`
}

// OwnerKind tells a person from a team.
type OwnerKind string

// The kinds of owners.
const (
	OwnerPerson OwnerKind = "person"
	OwnerTeam   OwnerKind = "team"
)

// State is where an operation stands. Only StateApproved is ever exposed.
type State string

// The states of an operation.
const (
	StateGenerated      State = "generated"       // lowered, nobody has looked at it
	StateReviewRequired State = "review_required" // a person must look at it: it changes things, or its evidence disagrees
	StateApproved       State = "approved"
	StateBlocked        State = "blocked" // by a person (Block), or because what it does or whom it reaches cannot be told
)
