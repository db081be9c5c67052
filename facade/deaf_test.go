package facade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"anvil/wire"
)

// deafLink is an upstream that takes so many messages and then none.
type deafLink struct {
	wire.Link
	takes chan struct{}
}

func (l deafLink) Send(ctx context.Context, frame []byte) error {
	select {
	case <-l.takes:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func dialDeaf(takes int) func(context.Context) (wire.Link, error) {
	return func(context.Context) (wire.Link, error) {
		near, _ := wire.Pipe()
		l := deafLink{near, make(chan struct{}, takes)}
		for range takes {
			l.takes <- struct{}{}
		}
		return l, nil
	}
}

const bigPing = `{"jsonrpc":"2.0","id":1,"method":"ping","params":"%s"}` + "\n"

// A client that leaves ends its session in bounded time, also when the upstream process reads nothing of what it said.
func TestClientLeavesADeafProcess(t *testing.T) {
	noLeak(t)
	f := newFacade(t, Options{Dial: func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, peerCommand("deaf")) }})
	input := strings.Repeat(fmt.Sprintf(bigPing, strings.Repeat("x", 100_000)), 40) // more than pipes and buffers hold
	start := time.Now()
	_, err := stdio(t, f, input)
	if err != nil {
		t.Errorf("ServeStdio returned %v", err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

// inTime runs a test of sessions on a facade of its own, in time that passes when everybody waits.
func inTime(t *testing.T, o Options, run func(t *testing.T, f *Facade)) {
	synctest.Test(t, func(t *testing.T) {
		o.Name = "demo"
		f, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		run(t, f)
	})
}

func TestClientLeavesADeafLink(t *testing.T) {
	for _, takes := range []int{0, 1, 5} {
		inTime(t, Options{Dial: dialDeaf(takes)}, func(t *testing.T, f *Facade) {
			client, done := connect(t, f)
			for range 10 {
				client.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			}
			start := time.Now()
			client.link.Close()
			if err := await(t, done); err != nil {
				t.Errorf("Serve returned %v", err)
			}
			if took := time.Since(start); took > drainTime+flushTime {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// With more than is read ahead, it is the limit on the upstream that answers what it did not take; another takes its place and is no better.
func TestClientOverwhelmsADeafLink(t *testing.T) {
	for _, takes := range []int{0, 10} {
		inTime(t, Options{Dial: dialDeaf(takes), Limits: Limits{Ahead: 2000}}, func(t *testing.T, f *Facade) {
			start := time.Now()
			got, err := stdio(t, f, strings.Repeat(fmt.Sprintf(bigPing, strings.Repeat("x", 500)), 100))
			if !strings.Contains(got, errDeaf.Error()) {
				t.Errorf("got %.500q, %v", got, err)
			}
			if took := time.Since(start); took > 10*time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A client that stays is told, what it asked is answered, and the next upstream gets what it asks then.
func TestDeafLinkIsReplaced(t *testing.T) {
	book := &logBook{}
	good, deaf := &upstreams{t: t}, dialDeaf(1)
	dial := func(ctx context.Context) (wire.Link, error) {
		if deaf != nil {
			first := deaf
			deaf = nil
			return first(ctx)
		}
		return good.dial(ctx)
	}
	inTime(t, Options{Dial: dial, Log: book.add, Limits: Limits{Send: 5 * time.Second}}, func(t *testing.T, f *Facade) {
		client, done := connect(t, f)
		client.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		client.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		for range 2 {
			if got := client.recv(); !strings.Contains(got, errDeaf.Error()) || !strings.Contains(got, upstreamGone) {
				t.Errorf("got %s", got)
			}
		}
		if got := client.ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`); !strings.Contains(got, `"ran"`) {
			t.Errorf("after it: %s", got)
		}
		client.link.Close()
		if err := await(t, done); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	if !strings.Contains(book.String(), errDeaf.Error()) {
		t.Errorf("log: %s", book)
	}
}

// A client that pipes its requests in and closes its side may do so before the upstream has started.
func TestClientLeavesWhileDialling(t *testing.T) {
	u := &upstreams{t: t}
	slow := func(ctx context.Context) (wire.Link, error) {
		time.Sleep(10 * drainTime)
		return u.dial(ctx)
	}
	inTime(t, Options{Dial: slow}, func(t *testing.T, f *Facade) {
		got, err := stdio(t, f, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if err != nil || strings.Count(got, `"ran"`) != 2 {
			t.Errorf("got %s, %v", got, err)
		}
	})
	failing := func(context.Context) (wire.Link, error) {
		time.Sleep(10 * drainTime)
		return nil, errors.New("no such program")
	}
	inTime(t, Options{Dial: failing}, func(t *testing.T, f *Facade) {
		got, err := stdio(t, f, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if err == nil || !strings.Contains(got, `"id":1,"error"`) {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// Messages come out of an inbox in order, and no more wait in it than may.
func TestInbox(t *testing.T) {
	ctx := context.Background()
	frame := func(i int) wire.Envelope { return wire.Envelope{Raw: fmt.Appendf(nil, "%08d", i)} }
	q := newInbox(10 * cost(frame(0)))
	const total = 10_000
	go func() {
		for i := range total {
			if !q.add(frame(i), false) {
				if err := q.wait(ctx, frame(i), patience); err != nil {
					t.Error(err)
				}
			}
		}
		q.end(io.EOF)
	}()
	for i := range total {
		e, err := q.next(ctx)
		if err != nil || string(e.Raw) != string(frame(i).Raw) {
			t.Fatalf("message %d is %s, %v", i, e.Raw, err)
		}
		q.mu.Lock()
		if q.size > q.limit {
			t.Errorf("%d bytes wait, more than %d", q.size, q.limit)
		}
		q.mu.Unlock()
	}
	if _, err := q.next(ctx); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	q = newInbox(10)
	if large := (wire.Envelope{Raw: make([]byte, 1000)}); !q.add(large, false) || q.add(frame(1), false) {
		t.Error("a large message is taken when nothing waits, and nothing after it")
	}
	if err := q.wait(ctx, frame(1), time.Millisecond); !errors.Is(err, errDeaf) {
		t.Errorf("a full inbox: %v", err)
	}
}
