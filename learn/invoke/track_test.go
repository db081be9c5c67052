package invoke

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"anvil/learn"
	"anvil/learn/workflow"
)

// Assertion 32.
func TestCallsAreTracedByTheirContext(t *testing.T) {
	var l log
	c := client(t, &l, Options{})
	shape := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`)
	handler := func(ctx context.Context, _ *Call) (Result, error) {
		if trace, inside := TraceOf(ctx); !inside || !shape.MatchString(trace.String()) || Depth(ctx) != 1 {
			t.Errorf("trace %v at depth %d", trace, Depth(ctx))
		}
		return Result{}, nil
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { _, _ = c.Run(t.Context(), search, handler) })
	}
	all.Wait()
	g := workflow.Build(l.traced)
	if len(g.Nodes) != 2 || len(g.Edges()) != 0 || g.Nodes[0].Outcome != learn.Succeeded || g.Nodes[1].Outcome != learn.Succeeded {
		t.Errorf("concurrent calls: %+v", g.Nodes)
	}
}

// Assertion 32: nested, the inner call is at depth 2, shares the trace, and records its parent; outside the depth is 0 again.
func TestNestedCalls(t *testing.T) {
	var l log
	c := client(t, &l, Options{})
	var inner Done
	outer, err := c.Run(t.Context(), search, func(ctx context.Context, _ *Call) (Result, error) {
		var err error
		inner, err = c.Run(ctx, Call{Tool: learn.Tool{Server: "srv", Name: "open"}}, func(ctx context.Context, call *Call) (Result, error) {
			if Depth(ctx) != 2 || call.Session != "s1" {
				t.Errorf("depth %d, session %q", Depth(ctx), call.Session)
			}
			return Result{}, nil
		})
		if Depth(Isolated(ctx)) != 0 {
			t.Error("isolated, and inside of something")
		}
		alone, _ := c.Run(Isolated(ctx), search, says("1"))
		if alone.Trace.ID == inner.Trace.ID || alone.Trace.Parent != "" {
			t.Errorf("isolated, and in the trace %+v", alone.Trace)
		}
		return Result{}, err
	})
	if err != nil || Depth(t.Context()) != 0 || inner.Trace.ID != outer.Trace.ID || inner.Trace.Parent != outer.Trace.Span {
		t.Errorf("outer %+v, inner %+v, %v", outer, inner, err)
	}
	if l.traced[0].ID != inner.ID || l.traced[0].Parent != outer.ID || l.traced[1].Parent != "" {
		t.Errorf("traced %+v", l.traced)
	}
}

func TestATraceFromElsewhereGoesOn(t *testing.T) {
	var l log
	c := client(t, &l, Options{})
	from := workflow.Trace{ID: strings.Repeat("a1", 16), Span: strings.Repeat("b2", 8), Sampled: true}
	done, _ := c.Run(WithTrace(t.Context(), from), search, says("1"))
	if done.Trace.ID != from.ID || done.Trace.Parent != from.Span {
		t.Errorf("%+v", done.Trace)
	}
}

// Assertion 32: turns. A turn is no tool (W23), so that it is traced and not observed.
func TestTurns(t *testing.T) {
	var l log
	c := client(t, &l, Options{})
	err := c.Turn(t.Context(), Turn{Session: "s9", Workflow: "wf"}, func(ctx context.Context) error {
		for range 2 {
			if _, err := c.Run(ctx, Call{Tool: search.Tool}, says("1")); err != nil {
				return err
			}
		}
		return nil
	})
	g := workflow.Build(l.traced)
	if err != nil || len(g.Nodes) != 3 || len(g.Nodes[0].Children)+len(g.Nodes[1].Children)+len(g.Nodes[2].Children) != 2 || g.FanOut().Most != 2 || len(l.observed) != 2 {
		t.Errorf("%v: %+v", err, g.Nodes)
	}
	for _, e := range l.traced {
		if e.Session != "s9" || e.Workflow != "wf" || e.Outcome != learn.Succeeded {
			t.Errorf("%+v", e)
		}
	}
	wrong := errors.New("wrong")
	for name, do := range map[string]func(context.Context) error{"error": func(context.Context) error { return wrong }, "panic": func(context.Context) error { panic(wrong) }} {
		l = log{}
		err = c.Turn(t.Context(), Turn{Session: "s9"}, do)
		var panicked *PanicError
		if name == "error" && err != wrong || name == "panic" && (!errors.As(err, &panicked) || panicked.Value != wrong) {
			t.Errorf("%s: what comes back is %v", name, err)
		}
		if len(l.traced) != 1 || l.traced[0].Outcome != learn.Failed || len(l.observed) != 0 {
			t.Errorf("%s: %+v", name, l.traced)
		}
	}
}
