package facade

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"anvil/wire"
)

// askAs is a request of the stateless era by a caller, without a connection: it can be given up by ctx.
func askAs(ctx context.Context, f *Facade, name, frame string) *httptest.ResponseRecorder {
	e, _ := wire.Scan([]byte(frame))
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+Path, strings.NewReader(frame))
	r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}}
	r.Header.Set(headerVersion, "2026-07-28")
	r.Header.Set(headerMethod, e.MethodName())
	if member := nameMember[e.MethodName()]; member != "" {
		of, _ := wire.Unquote(memberAt(e.Bytes(e.Params), member))
		r.Header.Set(headerName, of)
	}
	if name != "" {
		as(name)(r)
	}
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	return w
}

// noLanes waits until no lane is counted or kept.
func noLanes(t *testing.T, f *Facade) {
	t.Helper()
	l := &f.lanes
	waitUntil(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return l.count == 0 && len(l.open) == 0 && len(l.opening) == 0 && len(l.idle) == 0 && len(l.rosters) == 0
	})
}

// Lanes that end while others are asked for hold nobody up, and are counted no more: of servers that die at once, in the middle of a request and behind its reply, that
// cannot be reached, and of requests that are given up.
func TestLanesThatEndLeaveNothing(t *testing.T) {
	for _, kind := range []string{"process", "exchange"} {
		for _, way := range []string{"at once", "in a request", "behind the reply", "refused", "given up"} {
			t.Run(kind+" "+way, func(t *testing.T) {
				noLeak(t)
				u := modernUpstream(t, func(s *script, e wire.Envelope) {
					switch way {
					case "in a request":
						s.link.Close()
					case "behind the reply":
						s.answer(e)
						s.link.Close()
					case "given up":
					default:
						s.answer(e)
					}
				})
				f, _ := modernFacade(t, u, Options{})
				f.options.Dial = func(ctx context.Context) (wire.Link, error) {
					if way == "refused" {
						return nil, errors.New("nobody is there")
					}
					link, err := u.dial(ctx)
					if way == "at once" {
						u.last().link.Close()
					}
					if kind == "exchange" {
						link = exchanging{link}
					}
					return link, err
				}
				var work sync.WaitGroup
				for range 8 {
					work.Go(func() {
						for i := range 20 {
							ctx, cancel := context.WithCancel(context.Background())
							if way == "given up" {
								time.AfterFunc(time.Duration(i)*time.Millisecond/4, cancel)
							}
							got := askAs(ctx, f, "", modern(fmt.Sprint(i), "vendor/x", ""))
							if way != "given up" && !strings.Contains(got.Body.String(), fmt.Sprintf(`"id":%d,`, i)) {
								t.Errorf("got %d %s", got.Code, got.Body)
							}
							cancel()
						}
					})
				}
				done := make(chan struct{})
				go func() { work.Wait(); close(done) }()
				select {
				case <-done:
				case <-time.After(patience):
					t.Fatal("requests hang")
				}
				f.mu.Lock()
				if n := len(f.lanes.idle); n > 8 {
					t.Errorf("%d lanes are kept", n)
				}
				f.mu.Unlock()
				f.Close()
				noLanes(t, f)
			})
		}
	}
}

// A server that is slow to start is no sign of too many requests.
func TestLanesThatOpenSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := modernUpstream(t, nil)
		f, _ := modernFacade(t, u, Options{})
		f.options.Dial = func(ctx context.Context) (wire.Link, error) {
			time.Sleep(2 * laneTime)
			return u.dial(ctx)
		}
		answers := make(chan string, 2)
		for i := range 2 {
			go func() {
				w := askAs(context.Background(), f, "", modern(fmt.Sprint(i), methodCall, `"name":"add"`))
				answers <- fmt.Sprint(w.Code, w.Body)
			}()
		}
		for range 2 {
			if got := <-answers; strings.Contains(got, "most that are served") || !strings.Contains(got, "200") && !strings.Contains(got, "503") {
				t.Errorf("got %s", got)
			}
		}
		f.Close()
	})
}

// A call that was made again is given up where it is made now.
func TestACallMadeAgainIsGivenUp(t *testing.T) {
	noLeak(t)
	calls := make(chan *script, 4)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			calls <- s
		}
	})
	f, _ := modernFacade(t, u, Options{Exposure: exposeAs(t, harmless())})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		askAs(ctx, f, "", modern("1", methodCall, `"name":"add"`))
	}()
	next(t, calls).link.Close()
	second := next(t, calls)
	cancel()
	next(t, gone)
	second.await(t, methodCancelled)
}

// What is known of the tools does not outlive the news that they are others.
func TestLanesForgetWhatChanged(t *testing.T) {
	noLeak(t)
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{})
	f.options.Dial = exchangesTo(u)
	old := &roster{walked: time.Now()}
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range 200 {
				h, err := f.lane(context.Background(), "")
				if err != nil {
					t.Error(err)
					return
				}
				h.current().tools.roster.Store(old) // as a walk does
				f.leaveLane(h, true)
			}
		})
	}
	for range 200 {
		f.invalidateLanes()
	}
	work.Wait()
	f.invalidateLanes()
	if len(f.lanes.rosters) > 0 {
		t.Error("a roster is left")
	}
}
