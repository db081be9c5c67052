package exchange

import (
	"fmt"
	"reflect"
	"regexp"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// event is the event of a line, not checked yet.
func (l Line) event() (learn.Event, error) {
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return learn.Event{}, fmt.Errorf("%s is no time of RFC 3339 such as 2026-03-02T08:15:00.000000Z", quoted(l.At))
	}
	e := learn.Event{ID: l.ID, Tool: learn.Tool{Server: l.Server, Name: l.Tool, Contract: l.Contract}, Session: l.Session, Workflow: l.Workflow, Parent: l.Parent,
		Client: l.Client, At: at, Duration: learn.Untimed, Outcome: learn.Outcome(l.Outcome), Code: l.Code, Attempts: 1, Model: l.Model, Decoding: l.Decoding,
		Resolver: l.Resolver, Asked: learn.Answer(l.Asked), Input: l.Input.payload(), Output: l.Output.payload()}
	if l.Attempts != nil {
		e.Attempts = *l.Attempts
	}
	if l.DurationNanos != nil {
		e.Duration = time.Duration(*l.DurationNanos)
	}
	if l.Tokens != nil {
		e.Tokens = &learn.Tokens{Input: l.Tokens.Input, Output: l.Tokens.Output}
	}
	if l.Cost != nil {
		cost, err := learn.ParseMoney(l.Cost.Amount, l.Cost.Currency)
		if err != nil {
			return learn.Event{}, fmt.Errorf("the cost cannot be read: %w", err)
		}
		e.Cost = &cost
	}
	return e, answered(e.Asked)
}

func answered(a learn.Answer) error {
	if a != learn.NotAsked && a != learn.SaidYes && a != learn.SaidNo {
		return fmt.Errorf(`%s is no answer; "yes" and "no" are`, quoted(string(a)))
	}
	return nil
}

func (p *LinePayload) payload() learn.Payload {
	if p == nil {
		return learn.Unmeasured
	}
	return learn.Payload{Bytes: p.Bytes, Digest: p.Digest, Shape: p.Shape, Text: p.Text}
}

// mistyped says which member of a line has a value of another type than its version gives it.
func mistyped(n *canon.Node) error {
	if at := wrong(n, reflect.TypeFor[Line]()); at != "" {
		return fmt.Errorf("member %q has a value that version %d does not allow: texts are strings, and numbers are whole and without an exponent", at, SchemaVersion)
	}
	return fmt.Errorf("it is no event of version %d", SchemaVersion)
}

// wholeNumber is a number as lines have it; what is longer has no place in 64 bits.
var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,18}$`)

// wrong is the name of the first member that does not fit its field; all names are known.
func wrong(n *canon.Node, t reflect.Type) string {
	for _, m := range n.Members {
		of := members[t][m.Name]
		whole := wholeNumber.Match(m.Value.Raw)
		switch {
		case of.Kind() == reflect.Struct && m.Value.IsObject():
			if inner := wrong(m.Value, of); inner != "" {
				return m.Name + "." + inner
			}
		case of.Kind() == reflect.String && m.Value.Is(canon.String), of.Kind() != reflect.String && of.Kind() != reflect.Struct && whole:
		default:
			return m.Name
		}
	}
	return ""
}
