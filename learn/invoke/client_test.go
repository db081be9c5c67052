package invoke

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/advise"
	"anvil/wire"
)

var (
	morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)
	search  = Call{Tool: learn.Tool{Server: "srv", Name: "search", Contract: "c1"}, Arguments: []byte(`{"q":"x"}`), Session: "s1"}
)

// log is what is observed and traced.
type log struct {
	mu       sync.Mutex
	observed []learn.Observation
	traced   []learn.Event
}

func (l *log) observe(o learn.Observation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.observed = append(l.observed, o)
}

func (l *log) trace(e learn.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.traced = append(l.traced, e)
}

// only is the one observation there is.
func (l *log) only(t *testing.T) learn.Observation {
	t.Helper()
	if len(l.observed) != 1 {
		t.Fatalf("%d observations, want 1", len(l.observed))
	}
	if _, err := l.observed[0].Checked(time.Now().Add(time.Hour)); err != nil {
		t.Errorf("a store would refuse it: %v", err)
	}
	return l.observed[0]
}

func always(d advise.Decision, rule string) Gate {
	return func(context.Context, *Call) (advise.Verdict, error) {
		return advise.Verdict{Decision: d, Rule: rule, Reason: "it says so"}, nil
	}
}

func client(t *testing.T, l *log, o Options) *Client {
	t.Helper()
	if o.Gate == nil {
		o.Gate = always(advise.Allow, "allow")
	}
	o.Observe, o.Trace = l.observe, l.trace
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(output string) Handler {
	return func(context.Context, *Call) (Result, error) { return Result{Output: []byte(output)}, nil }
}

// again makes calls of tools that only read again, so many times at most.
func again(n int) Options {
	return Options{Retry: func(context.Context, *Call) *advise.Retry { return &advise.Retry{MaxAttempts: n} }, Safety: readOnly}
}

func readOnly(learn.Tool) advise.Safety { return advise.Safety{ReadOnly: true} }

// passing is a failure that passes.
var passing = &Failure{Code: "UNAVAILABLE"}

// Assertion 24, and assertion 51's second half: without an approver, what needs one is refused.
func TestDeniedAndRefusedCallsAreNotMade(t *testing.T) {
	no := func(context.Context, *Call, advise.Verdict) (bool, error) { return false, nil }
	for _, test := range []struct {
		name    string
		gate    Gate
		approve Approver
		code    string
		asked   learn.Answer
	}{
		{"denied", always(advise.Deny, "flaky"), nil, "denied:flaky", ""},
		{"a decision nobody knows", always("maybe", "deny"), nil, CodeDenied, ""},
		{"no decision", always("", ""), nil, CodeDenied, ""},
		{"a gate that fails", func(context.Context, *Call) (advise.Verdict, error) {
			return advise.Verdict{Decision: advise.Allow}, errors.New("no store")
		}, nil, CodeGateFailed, ""},
		{"a gate that panics", func(context.Context, *Call) (advise.Verdict, error) { panic("gate") }, nil, CodeGateFailed, ""},
		{"nobody to ask", always(advise.Confirm, "risk"), nil, CodeNoApprover, ""},
		{"a person's no", always(advise.Confirm, "risk"), no, CodeDeclined, learn.SaidNo},
		{"an approver that fails", always(advise.Confirm, "risk"), func(context.Context, *Call, advise.Verdict) (bool, error) { return true, errors.New("no terminal") }, CodeNoApprover, ""},
		{"an approver that panics", always(advise.Confirm, "risk"), func(context.Context, *Call, advise.Verdict) (bool, error) { panic("ask") }, CodeNoApprover, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			done, err := client(t, &l, Options{Gate: test.gate, Approve: test.approve}).Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
				t.Error("the call is made")
				return Result{}, nil
			})
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Code != test.code || done.Executed || done.Attempts != 0 || done.Outcome != learn.Refused || !strings.Contains(err.Error(), "srv/search") {
				t.Errorf("%+v, %v", done, err)
			}
			o := l.only(t)
			if o.Outcome != learn.Refused || o.Code != test.code || o.Asked != test.asked || o.Timed() || o.Attempts != 0 || o.Arguments != nil {
				t.Errorf("observed %+v", o)
			}
		})
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a client without a gate")
	}
}

// Assertion 24: a policy, success at the third try, and the output that a hook made of it.
func TestThirdTrySucceedsAndAHookRewrites(t *testing.T) {
	chain, err := NewChain(Middleware{Name: "shout", After: func(_ context.Context, inv *Invocation) error {
		inv.Result.Output = canon.Quote("LOUD")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var l log
	o := again(4)
	o.Gate, o.Approve, o.Chain = always(advise.Confirm, "risk"), func(context.Context, *Call, advise.Verdict) (bool, error) { return true, nil }, chain
	c := client(t, &l, o)
	tries := 0
	done, err := c.Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
		if tries++; tries < 3 {
			return Result{Output: []byte(`"half"`)}, passing
		}
		return Result{Output: []byte(`"quiet"`), Cost: &learn.Money{Micros: 5, Currency: "USD"}, Tokens: &learn.Tokens{Input: 1, Output: 2}}, nil
	})
	if err != nil || !done.Executed || done.Attempts != 3 || string(done.Result.Output) != `"LOUD"` || done.Outcome != learn.Succeeded {
		t.Errorf("%+v, %v", done, err)
	}
	seen := l.only(t)
	if seen.Attempts != 3 || seen.Outcome != learn.Succeeded || seen.Asked != learn.SaidYes || !seen.Timed() || string(seen.Result) != `"quiet"` || string(seen.Arguments) != `{"q":"x"}` || seen.Cost.Micros != 5 || seen.ID != done.ID {
		t.Errorf("observed %+v", seen)
	}
}

type coded string

func (c coded) Error() string     { return "it failed" }
func (c coded) ErrorCode() string { return string(c) }

func TestOutcomesAndCodes(t *testing.T) {
	for want, err := range map[string]error{
		"ETIMEDOUT":    fmt.Errorf("call: %w", context.DeadlineExceeded),
		"http_503":     fmt.Errorf("call: %w", &wire.StatusError{Code: 503}),
		"E42":          fmt.Errorf("call: %w", coded("E42")),
		"unknown":      errors.New("401 and 503 are only words here"),
		"denied:flaky": &RefusedError{Code: "denied:flaky"}, // of a call that this one made
	} {
		var l log
		_, got := client(t, &l, Options{}).Run(t.Context(), search, func(context.Context, *Call) (Result, error) { return Result{Output: []byte(`"what it said"`)}, err })
		if o := l.only(t); !errors.Is(got, err) || o.Outcome != learn.Failed || o.Code != want || string(o.Result) != `"what it said"` {
			t.Errorf("%v: observed %s %q", err, o.Outcome, o.Code)
		}
	}
}

func TestWhoGivesUpIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var l log
	done, err := client(t, &l, again(5)).Run(ctx, search, func(context.Context, *Call) (Result, error) {
		cancel()
		return Result{}, &Failure{Code: "ECONNRESET"}
	})
	if !errors.Is(err, context.Canceled) || done.Outcome != learn.Cancelled || done.Attempts != 1 || l.only(t).Outcome != learn.Cancelled {
		t.Errorf("%+v, %v", done, err)
	}
	// Who gives up while a person is asked: nothing was sent.
	ctx, cancel = context.WithCancel(t.Context())
	l = log{}
	done, err = client(t, &l, Options{Gate: always(advise.Confirm, ""), Approve: func(ctx context.Context, _ *Call, _ advise.Verdict) (bool, error) {
		cancel()
		return false, ctx.Err()
	}}).Run(ctx, search, says("1"))
	if !errors.Is(err, context.Canceled) || done.Executed || l.only(t).Outcome != learn.Cancelled {
		t.Errorf("%+v, %v", done, err)
	}
}

// A deadline that ends while a person is asked says nothing of the tool; one that ends behind what was sent says that it was too slow.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sent := range []bool{false, true} {
			var l log
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			o := Options{Gate: always(advise.Confirm, "risk"), Approve: func(ctx context.Context, _ *Call, _ advise.Verdict) (bool, error) {
				if !sent {
					<-ctx.Done()
				}
				return true, ctx.Err()
			}}
			done, err := client(t, &l, o).Run(ctx, search, func(ctx context.Context, _ *Call) (Result, error) {
				<-ctx.Done()
				return Result{}, ctx.Err()
			})
			want, code, took := learn.Cancelled, "", learn.Untimed
			if sent {
				want, code, took = learn.Failed, "ETIMEDOUT", time.Minute
			}
			if e := l.only(t); !errors.Is(err, context.DeadlineExceeded) || done.Executed != sent || e.Outcome != want || e.Code != code || e.Duration != took {
				t.Errorf("sent %v: %v, observed %s %q after %v", sent, err, e.Outcome, e.Code, e.Duration)
			}
		}
	})
}

// Assertion 59: whatever panics, the call is observed once as a failure, its hooks run, its node is closed, and the error comes back.
func TestPanicsAreFailures(t *testing.T) {
	for _, where := range []string{"handler", "before", "after", "onError", "retry", "code", "view", "observe", "trace"} {
		t.Run(where, func(t *testing.T) {
			boom := func(at string) {
				if at == where {
					panic("token: " + "abc123")
				}
			}
			var ran []string
			outer := Middleware{Name: "outer", After: func(context.Context, *Invocation) error { ran = append(ran, "after"); return nil },
				OnError: func(context.Context, *Invocation, error) { ran = append(ran, "onError") }, View: func(*Invocation) canon.Raw { boom("view"); return canon.Raw("1") }}
			inner := Middleware{Name: "inner", Before: func(context.Context, *Invocation) error { boom("before"); return nil },
				After: func(context.Context, *Invocation) error { boom("after"); return nil }, OnError: func(context.Context, *Invocation, error) { boom("onError") }}
			chain, err := NewChain(outer, inner)
			if err != nil {
				t.Fatal(err)
			}
			var l log
			c := client(t, &l, Options{Chain: chain, Retry: func(context.Context, *Call) *advise.Retry { boom("retry"); return &advise.Retry{MaxAttempts: 3} }, Safety: readOnly,
				Code: func(error) string { boom("code"); return "E1" }})
			c.options.Observe = func(o learn.Observation) { l.observe(o); boom("observe") }
			c.options.Trace = func(e learn.Event) { l.trace(e); boom("trace") }
			calls := 0
			done, err := c.Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
				calls++
				boom("handler")
				if where == "onError" || where == "code" {
					return Result{}, errors.New("it fails")
				}
				return Result{Output: []byte("1")}, nil
			})
			harmless := where == "view" || where == "observe" || where == "trace"
			var panicked *PanicError
			switch {
			case harmless && (err != nil || done.Outcome != learn.Succeeded):
				t.Errorf("%+v, %v", done, err)
			case !harmless && (err == nil || done.Outcome != learn.Failed || ran[0] != "onError"):
				t.Errorf("%+v, %v, ran %q", done, err, ran)
			case !harmless && where != "code" && (!errors.As(err, &panicked) || len(panicked.Stack) == 0 || strings.Contains(err.Error(), "abc123")):
				t.Errorf("error %v", err)
			}
			if len(ran) != 1 || len(l.traced) != 1 || l.only(t).Outcome != done.Outcome || where == "handler" && calls != 1 {
				t.Errorf("hooks %q, %d nodes, %d calls", ran, len(l.traced), calls)
			}
		})
	}
}

// A handler that ends its goroutine, as t.FailNow does.
func TestAnEndedGoroutineIsAFailure(t *testing.T) {
	var l log
	paid := 0
	chain, _ := NewChain(Middleware{Name: "m", OnError: func(context.Context, *Invocation, error) { paid++ }})
	c := client(t, &l, Options{Chain: chain})
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = c.Run(context.WithoutCancel(t.Context()), search, func(context.Context, *Call) (Result, error) { runtime.Goexit(); return Result{}, nil })
	}()
	<-over
	if o := l.only(t); o.Outcome != learn.Failed || o.Code != CodePanic || paid != 1 {
		t.Errorf("%+v, %d hooks", o, paid)
	}
}

// Many calls at once through one client: nothing of one shows in another (W20).
func TestCallsShareNothing(t *testing.T) {
	chain, _ := NewChain(Middleware{Name: "mark", Before: func(_ context.Context, inv *Invocation) error { inv.Keep("who", inv.Call.Model); return nil },
		View: func(inv *Invocation) canon.Raw { return canon.Quote(inv.Kept("who").(string)) }})
	var l log
	o := again(2)
	o.Chain = chain
	c := client(t, &l, o)
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			call := search
			call.Model = fmt.Sprint("m", n)
			tries := 0
			done, err := c.Run(t.Context(), call, func(_ context.Context, call *Call) (Result, error) {
				if tries++; tries == 1 && n%2 == 0 {
					return Result{}, passing
				}
				return Result{Output: canon.Quote(call.Model)}, nil
			})
			want := []View{{"mark", canon.Raw(canon.Quote(call.Model))}}
			if diff := cmp.Diff(want, done.Views); diff != "" || err != nil || string(done.Result.Output) != string(canon.Quote(call.Model)) || done.Attempts != 2-n%2 {
				t.Errorf("%d: %+v, %v, views (-want +got)\n%s", n, done, err, diff)
			}
		})
	}
	all.Wait()
	var ids []string
	for _, o := range l.observed {
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 64 {
		t.Errorf("%d ids of 64 calls", len(ids))
	}
}
