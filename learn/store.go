package learn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Store keeps events and what they are folded into. It is safe for concurrent use, and several processes may open one. Everything it writes it writes whole
// or not at all. learn/sqlstore has it for SQLite and PostgreSQL; learn/storetest holds what each must pass.
type Store interface {
	// Record keeps events and folds them into their cells, all in one transaction. An event whose id is there already changes nothing. Events that
	// [Event.Checked] refuses are passed over and told of; the others are kept. When it returns, they stay.
	Record(ctx context.Context, events []Event) (Recorded, error)

	// Annotate merges what people state of a tool, whatever its contract; a server of "" is the unattributed tool. A tool that is not there is made.
	Annotate(ctx context.Context, server, name string, a Annotation) error

	// Find returns the one tool of that name, with the contract seen last. An unknown one is [ErrUnknownTool]; with a server of "", a name that several
	// servers have, or a server and nobody, is an *[AmbiguousError].
	Find(ctx context.Context, server, name string) (Record, error)

	// Records goes through tools in the order of [Tool.Compare]. It holds no transaction between two records; one that cannot be read ends it.
	Records(ctx context.Context, f Filter) iter.Seq2[Record, error]

	// Conclude replaces what was concluded of each tool, and writes down what changed. Equal conclusions change nothing.
	Conclude(ctx context.Context, at time.Time, all []Conclusions) ([]Change, error)

	// ConcludeWorkflows replaces what was concluded of workflows.
	ConcludeWorkflows(ctx context.Context, at time.Time, of map[string][]Insight) error

	// Workflows returns what was concluded of each workflow.
	Workflows(ctx context.Context) (map[string][]Insight, error)

	// Changes returns the history of insights from a moment on, oldest first, at most limit.
	Changes(ctx context.Context, since time.Time, limit int) ([]Change, error)

	// Events goes through events in the order in which they ended.
	Events(ctx context.Context, q Query) iter.Seq2[Event, error]

	// Claim gives what was observed of an unattributed tool to a server's, with events, cells and insights, in one transaction.
	Claim(ctx context.Context, name, server string) error

	// Prune forgets what is older than r says. Cells of "all" stay.
	Prune(ctx context.Context, now time.Time, r Retention) (Pruned, error)

	// Reset forgets the tools of a filter, or their baselines alone, so that new ones begin.
	Reset(ctx context.Context, f Filter, baselinesOnly bool) (int, error)

	// Key is the store's own key for the digests of payloads: 32 bytes, made with the store.
	Key() []byte

	Close() error
}

// Recorded is what became of a batch.
type Recorded struct {
	Kept     int
	Repeated int              // their ids were there already
	Bad      int              // how many could not be taken
	Told     []*BadEventError // at most [MaxTold] of those
}

// MaxTold is how many bad events of a batch are told of.
const MaxTold = 20

// Filter picks tools and cells. Empty fields pick all.
type Filter struct {
	Server   string
	Nobodys  bool // those without a server alone; Server counts for nothing then
	Name     string
	Contract string
	Windows  WindowChoice
}

// WindowChoice is which cells of a tool are read.
type WindowChoice int

// The choices of windows.
const (
	AllWindows    WindowChoice = iota // every cell
	LatestWindows                     // "all", and the latest hour
	OnlyAll                           // "all"
)

// Query picks events. Empty fields pick all.
type Query struct {
	Session  string
	Workflow string
	Since    time.Time // ended then or later
	Limit    int       // 0: no limit
	Linked   bool      // only those with a session
}

// Retention is how long what is kept; zero is for ever.
type Retention struct {
	Events time.Duration // single events, by which graphs are drawn and repeats are told
	Hours  time.Duration // the cells of single hours
	Most   int           // events at most; the oldest go
}

// DefaultRetention keeps a month of events, at most a million, and a quarter of hours.
var DefaultRetention = Retention{Events: 30 * 24 * time.Hour, Hours: 90 * 24 * time.Hour, Most: 1_000_000}

// Pruned is what was forgotten.
type Pruned struct{ Events, Cells int64 }

// The errors callers decide on.
var (
	ErrUnknownTool = errors.New("no such tool was observed")
	ErrNewerSchema = errors.New("it was written by a newer anvil")
	ErrForeign     = errors.New("it is no database of anvil's")
)

// AmbiguousError is a name without a server that several servers have.
type AmbiguousError struct {
	Name    string
	Servers []string // sorted; "" is nobody: there is an unattributed tool of that name
}

func (e *AmbiguousError) Error() string {
	servers, nobody := e.Servers, ""
	if len(servers) > 0 && servers[0] == "" {
		servers, nobody = servers[1:], ", and one belongs to no server"
	}
	return fmt.Sprintf("several servers have a tool %q: %q%s; say which", e.Name, servers, nobody)
}

// CorruptError is a row that cannot be read.
type CorruptError struct {
	Table, Row string
	Err        error
	Foreign    bool // it is in somebody else's file, of which nothing can be reset here
}

func (e *CorruptError) Error() string {
	text := fmt.Sprintf("row %s of table %s cannot be read: %v", e.Row, e.Table, e.Err)
	if e.Foreign {
		return text
	}
	return text + "; `anvil learn reset TOOL` forgets the tool that it is of"
}

func (e *CorruptError) Unwrap() error { return e.Err }
