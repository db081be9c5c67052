package invoke

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"anvil/learn"
	"anvil/learn/workflow"
)

// place is where a context stands among nested calls and turns.
type place struct {
	id       string // of the call or turn; "" of what came from elsewhere
	trace    workflow.Trace
	depth    int
	session  string
	workflow string
}

type placeKey struct{}

func placeOf(ctx context.Context) place {
	p, _ := ctx.Value(placeKey{}).(place)
	return p
}

// Depth is how many calls and turns a context is inside of.
func Depth(ctx context.Context) int { return placeOf(ctx).depth }

// Isolated is a context in which calls are made by nobody: the next is a root with a trace of its own, whatever ctx is inside of.
func Isolated(ctx context.Context) context.Context {
	return context.WithValue(ctx, placeKey{}, place{})
}

// WithTrace is a context in which calls belong to a trace that came from elsewhere, as children of its span.
func WithTrace(ctx context.Context, t workflow.Trace) context.Context {
	p := placeOf(ctx)
	p.trace = t
	return context.WithValue(ctx, placeKey{}, p)
}

// TraceOf is the trace of the call or turn that ctx is inside of; its String is what to send as traceparent. False outside of one.
func TraceOf(ctx context.Context) (workflow.Trace, bool) {
	t := placeOf(ctx).trace
	return t, t.ID != ""
}

// enter makes a place below that of ctx.
func (c *Client) enter(ctx context.Context, session, named string) (above, here place, err error) {
	above = placeOf(ctx)
	here = place{depth: above.depth + 1, session: cmp.Or(session, above.session), workflow: cmp.Or(named, above.workflow)}
	c.drawing.Lock()
	defer c.drawing.Unlock()
	if above.trace.ID != "" {
		here.trace, err = above.trace.Child(c.options.Random)
	} else {
		here.trace, err = workflow.NewTrace(c.options.Random)
	}
	if err == nil {
		here.id, err = uuid(c.options.Random)
	}
	return above, here, err
}

// uuid is a random UUID (RFC 9562, version 4).
func uuid(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return learn.UUID(hex.EncodeToString(b[:])), nil
}

// Turn is one turn of an agent: what it does between two words of its user.
type Turn struct {
	Session  string
	Workflow string
}

// TurnTool is the tool of the event by which a turn is traced. A turn is no tool: it is not observed, and no store learns of it.
var TurnTool = learn.Tool{Name: "turn"}

// Turn runs do as a turn: calls made with its context are its children and belong to its session. It returns do's error, or its panic as one; either way
// the turn is traced as failed.
func (c *Client) Turn(ctx context.Context, t Turn, do func(ctx context.Context) error) (err error) {
	above, here, err := c.enter(ctx, t.Session, t.Workflow)
	if err != nil {
		return err
	}
	began := c.options.Now()
	err = &PanicError{In: "the turn"} // until it returns
	defer func() {
		e := learn.Event{ID: here.id, Tool: TurnTool, Session: here.session, Workflow: here.workflow, Parent: above.id, At: c.options.Now(),
			Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
		e.Duration = max(0, e.At.Sub(began))
		e.Outcome, e.Code = c.outcome(ctx, err, true)
		c.traced(e)
	}()
	err = guard("the turn", func() error { return do(context.WithValue(ctx, placeKey{}, here)) })
	return err
}

// traced tells of an event, whatever whoever is told does with it.
func (c *Client) traced(e learn.Event) {
	if c.options.Trace != nil {
		_ = guard("trace", func() error { c.options.Trace(e); return nil })
	}
}
