package air

// Archetype is the shape of an operation: how it is to be called and what of.
type Archetype string

// The archetypes, from the plainest on.
const (
	ArchetypeTransaction      Archetype = "transaction"       // one thing asked for or done
	ArchetypeSearch           Archetype = "search"            // many things found, page by page perhaps
	ArchetypeFileTransfer     Archetype = "file_transfer"     // contents that are moved whole
	ArchetypeLongRunning      Archetype = "long_running"      // done after the answer
	ArchetypeBulk             Archetype = "bulk"              // many things done in one call
	ArchetypeQueryPassthrough Archetype = "query_passthrough" // the caller writes a program that somebody runs
)

// Pagination is how an operation gives out a long list. Fields that nobody knows are left out.
type Pagination struct {
	Style           PaginationStyle `json:"style"`
	CursorParam     string          `json:"cursorParam"`              // the argument that says where to go on, whatever the style
	NextField       string          `json:"nextField,omitzero"`       // JSON pointer into the structured answer: what to send next
	ItemsField      string          `json:"itemsField,omitzero"`      // likewise: the items
	PageSizeParam   string          `json:"pageSizeParam,omitzero"`   // the argument that bounds a page
	MaxPageSize     int64           `json:"maxPageSize,omitzero"`     // as the schema bounds it, in items
	DefaultPageSize int64           `json:"defaultPageSize,omitzero"` // likewise
}

// PaginationStyle is how a caller says where to go on.
type PaginationStyle string

// The styles.
const (
	PaginationCursor PaginationStyle = "cursor" // a text that the server gave
	PaginationPage   PaginationStyle = "page"   // the number of a page
	PaginationOffset PaginationStyle = "offset" // the number of items to pass over
	PaginationLink   PaginationStyle = "link"   // an address that the server gave
)

// LongRunning says that the work goes on after the answer, or outlasts what callers wait for, and how its end is seen.
type LongRunning struct {
	Means           LongRunningMeans `json:"means"`
	StatusOperation string           `json:"statusOperation,omitzero"` // id of the operation that is asked, when Means is "job"
	StatusParam     string           `json:"statusParam,omitzero"`     // its argument that names the work
}

// LongRunningMeans is how the end of long work is seen.
type LongRunningMeans string

// The means.
const (
	MeansTask LongRunningMeans = "task" // a task of the protocol (execution.taskSupport)
	MeansJob  LongRunningMeans = "job"  // another operation tells
	MeansWait LongRunningMeans = "wait" // the answer comes when it comes, or nobody knows
)

// QueryPolicy is what a person allows the programs of a query passthrough to do. Nothing checks a program: the policy tells whoever says yes or no what
// was meant. Without one, and with any but QueryAny, each call waits for a person's yes.
type QueryPolicy struct {
	Allow  QueryAllowance `json:"allow"`
	By     string         `json:"by,omitzero"`     // who; QueryAny is in somebody's name
	Reason string         `json:"reason,omitzero"` // why; QueryAny has one
}

// spares reports a policy in place of a person's yes to each call.
func (p *QueryPolicy) spares() bool { return p != nil && p.Allow == QueryAny }

// Words tell the policy in one sentence, without a point; of whoever stated it as they wrote it.
func (p QueryPolicy) Words() string {
	words := "nothing that changes anything is to be run; nothing checks the programs, so a person says no to one that would"
	if p.spares() {
		words = "any is allowed; nothing checks the programs, and no person is asked"
	}
	switch {
	case p.By != "" && p.Reason != "":
		return words + " (" + p.By + ": " + p.Reason + ")"
	case p.By+p.Reason != "":
		return words + " (" + p.By + p.Reason + ")"
	}
	return words
}

// QueryAllowance is what a program may do.
type QueryAllowance string

// The allowances.
const (
	QueryReadOnly QueryAllowance = "read_only" // what reads; a person is asked all the same, and says no to the rest
	QueryAny      QueryAllowance = "any"       // whatever the language can, and no person is asked
)

// Cost is what an operation takes of a model's context, in tokens of the named vocabulary. What was not measured is left out.
type Cost struct {
	ToolTokens         int    `json:"toolTokens"`                  // name, description and input schema, as clients send them on every turn
	ResponseItemTokens int    `json:"responseItemTokens,omitzero"` // one item of the answer
	ResponseTokens     int    `json:"responseTokens,omitzero"`     // the answer
	Estimator          string `json:"estimator,omitzero"`          // the vocabulary; without one nothing was counted
}
