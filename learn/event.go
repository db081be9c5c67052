package learn

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Tool names what is learned about: one tool of one server under one contract. Another contract is another tool, whose figures begin anew.
type Tool struct {
	Server   string // the service's id; "" for calls of which nobody says where they went
	Name     string // verbatim
	Contract string // digest of the contract the call was made under; "" when it is not known
}

// String is for messages: "vault/rotate_keys".
func (t Tool) String() string {
	if t.Server == "" {
		return t.Name
	}
	return t.Server + "/" + t.Name
}

// Checked returns t with its names as events keep them: one that holds a credential, or is too long, gives way to its mark. Stores look tools up by it.
func (t Tool) Checked() Tool {
	return Tool{Storable(label(t.Server)), Storable(label(t.Name)), Storable(label(t.Contract))}
}

// Compare orders tools by name, then server, then contract.
func (t Tool) Compare(other Tool) int {
	return cmp.Or(cmp.Compare(t.Name, other.Name), cmp.Compare(t.Server, other.Server), cmp.Compare(t.Contract, other.Contract))
}

// Outcome is how a call ended. Only ends are events: a call that has begun is none yet.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded"
	Failed    Outcome = "failed"    // the tool, its server or the way there failed
	Cancelled Outcome = "cancelled" // the caller gave up; says nothing of the tool
	Refused   Outcome = "refused"   // a person or a policy said no before anything was sent; says nothing of the tool
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Succeeded, Failed, Cancelled, Refused}

// Counts reports whether the outcome says something of the tool's reliability.
func (o Outcome) Counts() bool { return o == Succeeded || o == Failed }

// Event is one finished call, as a store takes it: no payload, only what is measured of one. Absent measures are told from zero.
type Event struct {
	ID       string // unique; a store that has it already passes over it
	Tool     Tool
	Session  string
	Workflow string
	Parent   string // id of the event whose call made this one
	Client   string // who made the call, as authenticated; "" for the only one there is
	At       time.Time
	Duration time.Duration // of the call; less than zero: not measured
	Outcome  Outcome
	Code     string // of the failure or refusal, "ETIMEDOUT"; "unknown" where it failed without one
	Attempts int    // how often it was sent; at least 1, but for what was refused
	Model    string // that asked for the call
	Decoding string // of the decoding that was in force: deterministic, balanced, creative
	Resolver string // version of the table that resolved the profile
	Tokens   *Tokens
	Cost     *Money
	Asked    Answer  // what a person answered who was asked about the call
	Input    Payload // the arguments
	Output   Payload // the result
}

// Timed reports whether the duration was measured.
func (e Event) Timed() bool { return e.Duration >= 0 }

// Untimed is the Duration of an event whose duration was not measured.
const Untimed time.Duration = -1

// Answer is what a person said who was asked whether to make a call.
type Answer string

// The answers.
const (
	NotAsked Answer = ""
	SaidYes  Answer = "yes"
	SaidNo   Answer = "no"
)

// Tokens is what a call took of a model.
type Tokens struct{ Input, Output int64 }

// Payload is what is kept of arguments or a result. Bytes less than zero: there was none, or nobody measured it.
type Payload struct {
	Bytes  int64
	Digest string // keyed hash, 32 hex digits: equal payloads of one store have equal ones; "" if not taken
	Shape  string // names and types without values, see [Shape]
	Text   string // the redacted payload itself; kept only where somebody asked for it
}

// Unmeasured is the Payload of which nothing is known.
var Unmeasured = Payload{Bytes: -1}

// The bounds of an event's parts.
const (
	maxLabel    = 200              // bytes of any name in an event
	maxAttempts = 1000             //
	maxDuration = 30 * 24 * 3600e9 // 30 days
	maxTokens   = 1 << 40
	maxBytes    = 1 << 40 // of one payload
	// maxAhead is how far an event may lie in the future: clocks differ. What lies further is an event from nowhere.
	maxAhead = 5 * time.Minute
)

// A BadEventError says why an event is not taken.
type BadEventError struct{ ID, Problem string }

func (e *BadEventError) Error() string {
	return fmt.Sprintf("event %q is not taken: %s", e.ID, e.Problem)
}

// Checked returns e with what can be mended mended, or a *[BadEventError]. Durations, token counts and sizes that are negative or beyond belief, and money without an amount, count as not
// measured; a moment is cut to microseconds in UTC; one that lies ahead of now by more than clocks differ is refused, and so is what has no id, no tool or no
// outcome. Names that hold a credential, or that are longer than 200 bytes, are replaced by a mark that is the same for the same name.
func (e Event) Checked(now time.Time) (Event, error) {
	bad := func(format string, args ...any) (Event, error) {
		return Event{}, &BadEventError{label(e.ID), fmt.Sprintf(format, args...)}
	}
	switch {
	case e.ID == "":
		return bad("it has no id")
	case e.Tool.Name == "":
		return bad("it names no tool")
	case !slices.Contains(Outcomes, e.Outcome):
		return bad("%q is no outcome; these are: %q", label(string(e.Outcome)), Outcomes)
	case e.At.IsZero() || e.At.Year() < 1970 || e.At.Year() > 9999:
		return bad("it does not say when the call ended")
	case e.At.After(now.Add(maxAhead)):
		return bad("it lies in the future: %s", e.At.UTC().Format(time.RFC3339))
	}
	e.At = e.At.UTC().Truncate(time.Microsecond)
	if e.Duration < 0 {
		e.Duration = Untimed
	}
	e.Duration = min(e.Duration, maxDuration)
	e.Attempts = min(max(e.Attempts, 1), maxAttempts)
	if e.Outcome == Refused {
		e.Attempts = 0
	}
	if e.Tokens != nil && (e.Tokens.Input < 0 || e.Tokens.Output < 0 || e.Tokens.Input > maxTokens || e.Tokens.Output > maxTokens) {
		e.Tokens = nil
	}
	if e.Cost != nil {
		if m, err := e.Cost.checked(); err == nil {
			e.Cost = &m
		} else {
			e.Cost = nil
		}
	}
	e.Code = code(e.Outcome, e.Code)
	e.Tool = e.Tool.Checked()
	for _, name := range []*string{&e.ID, &e.Session, &e.Workflow, &e.Parent, &e.Client, &e.Model, &e.Decoding, &e.Resolver} {
		*name = Storable(label(*name))
	}
	e.Input, e.Output = e.Input.checked(), e.Output.checked()
	return e, nil
}

func (p Payload) checked() Payload {
	if p.Bytes < 0 || p.Bytes > maxBytes {
		return Unmeasured
	}
	p.Digest, p.Shape, p.Text = Storable(p.Digest), Storable(p.Shape), Storable(p.Text)
	return p
}
