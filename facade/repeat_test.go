package facade

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

// harmless is an operation that may be called again after whatever passes.
func harmless() *air.Operation {
	return &air.Operation{ID: "calc.add", State: air.StateApproved, Effect: air.Effect{Kind: air.Read}, Retries: air.Retries{
		Mode: air.RetrySafe, MaxAttempts: 3, BaseDelayMs: 200, MaxDelayMs: 20_000,
		RetryOn: []air.RetryCondition{air.OnTimeout, air.OnConnectionReset, air.OnServiceUnavailable, air.OnTooManyRequests},
	}}
}

func exposeAs(t testing.TB, o *air.Operation) Exposure {
	x := exposeAll(t, addTool)
	x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: o}
	return x
}

// dying is an upstream that ends its link for the first so many calls.
func dying(t testing.TB, times int) *upstreams {
	var calls atomic.Int64
	return &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall && calls.Add(1) <= int64(times) {
			s.link.Close()
			return
		}
		s.answer(e)
	}}
}

// A call that does no harm when it is made again is made again, by another upstream where the first was lost; one that may is not.
func TestWhatIsMadeAgain(t *testing.T) {
	for _, tt := range []struct {
		name      string
		operation *air.Operation
		deaths    int
		ran       bool
		upstreams int
	}{
		{"a read", harmless(), 1, true, 2},
		{"a read, twice", harmless(), 2, true, 3},
		{"a read, as often as it may", harmless(), 3, false, 3},
		{"a change", &air.Operation{ID: "calc.add", State: air.StateApproved, Effect: air.Effect{Kind: air.Mutation}}, 1, false, 1},
		{"nobody knows", nil, 1, false, 1},
		{"a read that nobody approved as one", func() *air.Operation { o := harmless(); o.State = air.StateGenerated; return o }(), 1, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := dying(t, tt.deaths)
				client, _ := connect(t, newFacade(t, Options{Exposure: exposeAs(t, tt.operation), Dial: u.dial}))
				client.ask(asksNobody)
				client.send(callAdd)
				got := client.recv()
				for got == changed {
					got = client.recv()
				}
				if ran := strings.Contains(got, `"ran"`); ran != tt.ran || u.count() != tt.upstreams || !strings.Contains(got, `"id":1,`) {
					t.Errorf("%d upstreams, got %s", u.count(), got)
				}
				if !tt.ran && (!strings.Contains(got, upstreamGone) || !strings.Contains(got, "whether the request took effect is not known")) {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

// exchangeLink is a link of exchanges that refuses the first so many messages of a method with an error.
type exchangeLink struct {
	wire.Link
	method string
	errs   chan error
}

func (l *exchangeLink) SetProtocolVersion(string)        {}
func (l *exchangeLink) OpenStream(context.Context) error { return nil }

func (l *exchangeLink) Send(ctx context.Context, frame []byte) error {
	if strings.Contains(string(frame), l.method) {
		select {
		case err := <-l.errs:
			return err
		default:
		}
	}
	return l.Link.Send(ctx, frame)
}

// What an HTTP server refuses is told apart: what it never had is sent again whatever it is, what it wants later is sent later, and what nobody mends is not.
func TestExchangesThatFail(t *testing.T) {
	unsentErr := fmt.Errorf("dial: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	for _, tt := range []struct {
		name      string
		operation *air.Operation
		err       error
		ran       bool
		least     time.Duration
	}{
		{"never had it, a change", &air.Operation{ID: "calc.add", Effect: air.Effect{Kind: air.Mutation}}, unsentErr, true, 0},
		{"busy, a read", harmless(), &wire.StatusError{Code: 503, Status: "503"}, true, 0},
		{"busy for a time", harmless(), &wire.StatusError{Code: 429, Status: "429", RetryAfter: 7 * time.Second}, true, 7 * time.Second},
		{"busy for long", harmless(), &wire.StatusError{Code: 429, Status: "429", RetryAfter: time.Hour}, false, 0},
		{"busy, a change", &air.Operation{ID: "calc.add"}, &wire.StatusError{Code: 503, Status: "503"}, false, 0},
		{"not found", harmless(), &wire.StatusError{Code: 400, Status: "400"}, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := &upstreams{t: t, tools: []string{addTool}}
				errs := make(chan error, 1)
				errs <- tt.err
				dial := func(ctx context.Context) (wire.Link, error) {
					link, err := u.dial(ctx)
					return &exchangeLink{link, methodCall, errs}, err
				}
				client, _ := connect(t, newFacade(t, Options{Exposure: exposeAs(t, tt.operation), Dial: dial}))
				client.ask(asksNobody)
				begun := time.Now()
				got := client.ask(callAdd)
				if took := time.Since(begun); strings.Contains(got, `"ran"`) != tt.ran || took < tt.least || took > longestRepeat {
					t.Errorf("after %v: %s", took, got)
				}
			})
		})
	}
}

// A call that takes too long is given up and the upstream told; progress gives it its time anew.
func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
			if e.MethodName() != methodCall {
				s.answer(e)
				return
			}
			if strings.Contains(string(e.Raw), "progressToken") {
				go func() {
					for range 5 {
						time.Sleep(7 * time.Second)
						s.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
					}
					s.answer(e)
				}()
			}
		}}
		o := Options{Exposure: exposeAs(t, &air.Operation{ID: "calc.add"}), Dial: u.dial}
		o.Serving.Timeout = "10s"
		client, _ := connect(t, newFacade(t, o))
		client.ask(asksNobody)
		begun := time.Now()
		got := client.ask(callAdd)
		if took := time.Since(begun); took != 10*time.Second || !strings.Contains(got, "did not answer within 10s") || !strings.Contains(got, `"code":"upstream_timeout"`) ||
			!strings.Contains(got, "whether the call took effect is not known") {
			t.Errorf("after %v: %s", took, got)
		}
		if !strings.Contains(u.only().await(t, methodCancelled), `"requestId":`) {
			t.Error("the upstream is not told")
		}
		client.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":"p"}}}`)
		for range 5 {
			if got := client.recv(); !strings.Contains(got, methodProgress) {
				t.Errorf("got %s", got)
			}
		}
		if got := client.recv(); !strings.Contains(got, `"ran"`) {
			t.Errorf("with progress: %s", got)
		}
	})
}

func TestTimeoutsAreLearned(t *testing.T) {
	o := &air.Operation{Evidence: []air.Claim{{Predicate: air.PredicateTimeout, Value: []byte("1500")}}}
	for _, tt := range []struct {
		o        *air.Operation
		standard time.Duration
		want     time.Duration
	}{{nil, 0, defaultTimeout}, {o, 0, 4500 * time.Millisecond}, {o, time.Minute, time.Minute}, {nil, time.Second, time.Second}} {
		if got := planFor(tt.o, tt.standard).timeout; got != tt.want {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}

// An upstream that answers nothing gets no more calls for a time, then one; a client's mistakes and its own refusals do not count.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
			if e.MethodName() != methodCall || !silent.Load() {
				s.answer(e)
			}
		}}
		book := &logBook{}
		o := Options{Exposure: exposeAs(t, &air.Operation{ID: "calc.add"}), Dial: u.dial, Log: book.add}
		o.Serving.Timeout = "1s"
		client, _ := connect(t, newFacade(t, o))
		client.ask(asksNobody)
		client.ask(callAdd)
		silent.Store(true)
		for range breakAfter {
			if got := client.ask(callAdd); !strings.Contains(got, "upstream_timeout") {
				t.Errorf("got %s", got)
			}
		}
		calls := func() int { return strings.Count(strings.Join(u.only().methods(), " "), methodCall) }
		before := calls()
		if got := client.ask(callAdd); !strings.Contains(got, "none is passed on for now") || calls() != before {
			t.Errorf("got %s", got)
		}
		if got := client.ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`); !strings.Contains(got, `"ran"`) {
			t.Errorf("another request: %s", got)
		}
		silent.Store(false)
		time.Sleep(breakFor + time.Second)
		if got := client.ask(callAdd); !strings.Contains(got, `"ran"`) {
			t.Errorf("after a time: %s", got)
		}
		for _, line := range []string{"no call is passed on", "answers again"} {
			if !strings.Contains(book.String(), line) {
				t.Errorf("the log lacks %q: %s", line, book)
			}
		}
	})
}

// The tries that are made again are bounded by the calls there are.
func TestRetryBudget(t *testing.T) {
	var b retryBudget
	spent := 0
	for range 1000 {
		b.earn()
		if b.spend() {
			spent++
		}
	}
	if spent < 100 || spent > 112 {
		t.Errorf("%d tries of 1000 calls were made again", spent)
	}
}

// A call that its client gives up while it waits for another try is not made again.
func TestGivenUpBetweenTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t, tools: []string{addTool}}
		errs := make(chan error, 1)
		errs <- &wire.StatusError{Code: 429, Status: "429", RetryAfter: 10 * time.Second}
		dial := func(ctx context.Context) (wire.Link, error) {
			link, err := u.dial(ctx)
			return &exchangeLink{link, methodCall, errs}, err
		}
		client, _ := connect(t, newFacade(t, Options{Exposure: exposeAs(t, harmless()), Dial: dial}))
		client.ask(asksNobody)
		client.send(callAdd)
		time.Sleep(time.Second)
		client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		time.Sleep(time.Minute)
		client.ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if u.only().sawMethod(methodCall) {
			t.Error("it was made")
		}
	})
}
