package invoke

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"anvil/compiler/canon"
	"anvil/learn/workflow"
)

// Middleware wraps calls. All hooks are optional. Hooks of one call run one after another; those of different calls at the same time, so what a hook keeps of
// a call belongs into the [Invocation].
type Middleware struct {
	Name string // in views and errors; one of its kind in a chain

	Init    func(ctx context.Context) error                       // once, before the first call; again only if it failed
	Before  func(ctx context.Context, inv *Invocation) error      // before the call is sent; an error stops it
	After   func(ctx context.Context, inv *Invocation) error      // when it succeeded
	OnError func(ctx context.Context, inv *Invocation, err error) // when it failed, was cancelled, or a hook failed
	View    func(inv *Invocation) canon.Raw                       // what there is to tell of the call: canonical JSON, or nil
}

// View is what a middleware says of a call.
type View struct {
	Name  string
	Value canon.Raw
}

// Invocation is one call on its way through a chain. It belongs to that call alone.
type Invocation struct {
	Call     Call   // Before may change everything but the tool
	Result   Result // After may replace it; the caller gets what is there in the end
	Attempts int
	Trace    workflow.Trace

	kept map[string]any
}

// Keep keeps a value for later hooks of the same call.
func (inv *Invocation) Keep(key string, value any) {
	if inv.kept == nil {
		inv.kept = map[string]any{}
	}
	inv.kept[key] = value
}

// Kept returns what was kept, nil if nothing was.
func (inv *Invocation) Kept(key string) any { return inv.kept[key] }

// Chain is middleware in order: Before and View run in it, After and OnError against it. A nil chain is empty. It is safe for concurrent use.
type Chain struct {
	all   []Middleware
	mu    sync.Mutex
	ready int // how many are initialised
}

// NewChain puts middleware in order. Each has to have a name of its own.
func NewChain(all ...Middleware) (*Chain, error) {
	names := map[string]bool{}
	for i, m := range all {
		switch {
		case m.Name == "":
			return nil, fmt.Errorf("middleware %d of the chain has no name; give it one", i+1)
		case names[m.Name]:
			return nil, fmt.Errorf("two of the chain are called %q; what they say of a call could not be told apart", m.Name)
		}
		names[m.Name] = true
	}
	return &Chain{all: all}, nil
}

// Init initialises what is not yet, in order. The first call does so too.
func (c *Chain) Init(ctx context.Context) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; c.ready < len(c.all); c.ready++ {
		m := c.all[c.ready]
		if m.Init == nil {
			continue
		}
		if err := guard("init of "+m.Name, func() error { return m.Init(ctx) }); err != nil {
			return hookError("init of "+m.Name, err)
		}
	}
	return nil
}

// before runs the Before hooks, and counts in begun those that went well: they are owed an After or an OnError.
func (c *Chain) before(ctx context.Context, inv *Invocation, begun *int) error {
	if c == nil {
		return nil
	}
	for _, m := range c.all {
		in, tool := "before of "+m.Name, inv.Call.Tool
		if m.Before != nil {
			if err := guard(in, func() error { return m.Before(ctx, inv) }); err != nil {
				return hookError(in, err)
			}
		}
		*begun++
		if inv.Call.Tool != tool {
			return &HookError{in, fmt.Errorf("it sends the call elsewhere than was decided: to %q", inv.Call.Tool.String())}
		}
	}
	return nil
}

// after runs, last first, one hook of each that is owed one: After as long as all is well, OnError from the first error on. It returns the error there is in the
// end. Each is paid before it runs, so that none runs twice if one ends the goroutine.
func (c *Chain) after(ctx context.Context, inv *Invocation, owed *int, err error) error {
	for *owed > 0 {
		*owed--
		m := c.all[*owed]
		switch {
		case err == nil && m.After != nil:
			in := "after of " + m.Name
			if failed := guard(in, func() error { return m.After(ctx, inv) }); failed != nil {
				err = hookError(in, failed)
			}
		case err != nil && m.OnError != nil:
			if failed := guard("onError of "+m.Name, func() error { m.OnError(ctx, inv, err); return nil }); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// views asks the first n what there is to tell.
func (c *Chain) views(inv *Invocation, n int) []View {
	var views []View
	for i := range n {
		m := c.all[i]
		if m.View == nil {
			continue
		}
		var value canon.Raw
		if err := guard("view of "+m.Name, func() error { value = m.View(inv); return nil }); err != nil {
			value = canon.Raw(`{"error":"` + CodePanic + `"}`)
		}
		if value != nil {
			views = append(views, View{m.Name, value})
		}
	}
	return views
}

// hookError says which hook an error is of. Refusals and panics say it themselves.
func hookError(in string, err error) error {
	var refused *RefusedError
	var panicked *PanicError
	if errors.As(err, &refused) || errors.As(err, &panicked) {
		return err
	}
	return &HookError{in, err}
}

// guard runs what is not ours; a panic becomes an error.
func guard(in string, run func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{In: in, Value: v, Stack: debug.Stack()}
		}
	}()
	return run()
}
