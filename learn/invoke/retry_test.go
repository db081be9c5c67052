package invoke

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/evaluate"
	"anvil/learn/sqlstore"
	"anvil/wire"
)

// following makes calls of tools that only read again as p says, without jitter.
func following(p advise.Retry) Options {
	return Options{Retry: func(context.Context, *Call) *advise.Retry { return &p }, Safety: readOnly, Jitter: func() float64 { return 1 }}
}

// Assertion 22.
func TestWaitsWithoutJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		var waits []int64
		last := time.Now()
		done, err := client(t, &l, following(advise.Retry{MaxAttempts: 6, Base: 200 * time.Millisecond})).Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
			waits = append(waits, time.Since(last).Milliseconds())
			last = time.Now()
			return Result{}, &Failure{Code: "ETIMEDOUT"}
		})
		if diff := cmp.Diff([]int64{0, 200, 400, 800, 1600, 3200}, waits); diff != "" || done.Attempts != 6 || err == nil || time.Since(last) != 0 {
			t.Errorf("%d tries, %v:\n%s", done.Attempts, err, diff)
		}
	})
}

func TestWaitsAreDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		o := following(advise.Retry{MaxAttempts: 2, Base: time.Second})
		o.Jitter, o.Random = nil, rand.NewChaCha8([32]byte{1})
		c := client(t, &l, o)
		sum, seen := time.Duration(0), map[time.Duration]bool{}
		for range 500 {
			began := time.Now()
			_, _ = c.Run(t.Context(), search, func(context.Context, *Call) (Result, error) { return Result{}, passing })
			waited := time.Since(began)
			sum, seen[waited] = sum+waited, true
		}
		if mean := sum / 500; mean < 450*time.Millisecond || mean > 550*time.Millisecond || len(seen) < 450 {
			t.Errorf("full jitter is from nothing to the whole wait; the mean is %v of %d waits", mean, len(seen))
		}
		began := time.Now()
		_, _ = c.Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
			return Result{}, &Failure{Code: "429", After: 9 * time.Second}
		})
		if waited := time.Since(began); waited != 9*time.Second {
			t.Errorf("asked to wait 9 s, it waits %v", waited)
		}
	})
}

// Assertion 53, its second half.
func TestCancellingStopsAWaitAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var l log
		start, over := time.Now(), make(chan Done)
		go func() {
			done, err := client(t, &l, following(advise.Retry{MaxAttempts: 6, Base: time.Hour})).Run(ctx, search, func(context.Context, *Call) (Result, error) { return Result{}, passing })
			if !errors.Is(err, context.Canceled) || !errors.Is(err, passing) {
				t.Errorf("%v", err)
			}
			over <- done
		}()
		time.Sleep(time.Second) // of the test's clock
		cancel()
		if done := <-over; done.Attempts != 1 || done.Outcome != learn.Cancelled || time.Since(start) != time.Second {
			t.Errorf("%+v, stopped after %v", done, time.Since(start))
		}
	})
}

func TestDeadlineOfAllTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		p := advise.Retry{MaxAttempts: 99, Base: time.Second, Deadline: 10 * time.Second}
		start := time.Now()
		done, err := client(t, &l, following(p)).Run(t.Context(), search, func(context.Context, *Call) (Result, error) { return Result{}, &Failure{Code: "429"} })
		// 1 + 2 + 4 seconds fit, and 8 more do not: it does not wait for the end.
		if done.Attempts != 4 || err == nil || time.Since(start) != 7*time.Second {
			t.Errorf("%d tries in %v: %v", done.Attempts, time.Since(start), err)
		}
		done, _ = client(t, &l, following(p)).Run(t.Context(), search, func(ctx context.Context, _ *Call) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		})
		if done.Attempts != 1 || done.Outcome != learn.Failed {
			t.Errorf("%+v of a call that takes all the time", done)
		}
	})
}

func TestWhatIsTriedAgain(t *testing.T) {
	plain := errors.New("boom")
	six := advise.Retry{MaxAttempts: 6}
	for name, c := range map[string]struct {
		p    advise.Retry
		errs []error
		want int
		ends error
	}{
		"succeeds":               {six, []error{nil}, 1, nil},
		"on the third":           {six, []error{&Failure{Code: "503"}, &Failure{Code: "ECONNRESET"}, nil}, 3, nil},
		"an answer of HTTP":      {six, []error{fmt.Errorf("call: %w", &wire.StatusError{Code: 503}), nil}, 2, nil},
		"time that ran out":      {six, []error{fmt.Errorf("call: %w", context.DeadlineExceeded), nil}, 2, nil},
		"a code of the caller's": {six, []error{coded("rate_limited"), nil}, 2, nil},
		"an error without":       {six, []error{plain, nil}, 1, plain},
		"a fault":                {six, []error{&Failure{Code: "500", Err: plain}, nil}, 1, plain},
		"wrapped":                {six, []error{errors.Join(plain, &Failure{Code: "http_429"}), nil}, 2, nil},
		"the zero value":         {advise.Retry{}, []error{&Failure{Code: "503", Err: plain}, nil}, 1, plain},
		"a fault after a 503":    {six, []error{&Failure{Code: "503"}, &Failure{Code: "EACCES", Err: plain}, nil}, 2, plain},
	} {
		var l log
		tries := 0
		done, err := client(t, &l, following(c.p)).Run(t.Context(), search, func(context.Context, *Call) (Result, error) { tries++; return Result{}, c.errs[tries-1] })
		if tries != c.want || done.Attempts != c.want || !errors.Is(err, c.ends) || c.ends == nil && err != nil {
			t.Errorf("%s: %d tries, %v", name, tries, err)
		}
	}
}

// learned is a store in which a tool failed twelve times of forty with a code that passes, judged by a host that says what the tool does.
func learned(t *testing.T, safety advise.Safety) learn.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "learned.db"), sqlstore.Options{Now: func() time.Time { return morning }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var events []learn.Event
	for i := range 40 {
		e := learn.Event{ID: fmt.Sprintf("event-%03d", i), Tool: search.Tool, At: morning.Add(time.Duration(i-60) * time.Second), Duration: time.Second,
			Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
		if i%10 < 3 {
			e.Outcome, e.Code = learn.Failed, "ETIMEDOUT"
		}
		events = append(events, e)
	}
	if got, err := s.Record(t.Context(), events); err != nil || got.Kept != 40 {
		t.Fatalf("%+v, %v", got, err)
	}
	o := evaluate.Options{Advise: advise.Options{Safety: func(learn.Tool) advise.Safety { return safety }}.All(morning)}
	if _, err := evaluate.Touched(t.Context(), s, []learn.Tool{search.Tool}, morning, o); err != nil {
		t.Fatal(err)
	}
	return s
}

// Assertion 24: what an evaluation recommended is read from the store and followed. Assertion 53, its first half: a tool that may not be made twice is called
// once, by a host that was advised so as well as by one that follows what another host, which took the tool for a read, left in the store.
func TestStoredRetryIsFollowedAndNoMutationIsRepeated(t *testing.T) {
	read, keyed := advise.Safety{ReadOnly: true}, advise.Safety{Idempotent: true}
	for name, c := range map[string]struct {
		advised, holds advise.Safety
		want           int
	}{
		"a read":                        {read, read, 3},
		"an idempotent mutation":        {keyed, keyed, 3},
		"a mutation":                    {advise.Safety{}, advise.Safety{}, 1},
		"a destructive one":             {advise.Safety{Idempotent: true, Destructive: true}, advise.Safety{Idempotent: true, Destructive: true}, 1},
		"a mutation, taken for a read":  {read, advise.Safety{}, 1},
		"destructive, taken for a read": {read, advise.Safety{ReadOnly: true, Destructive: true}, 1},
		"a read of which it was unsure": {advise.Safety{}, read, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := learned(t, c.advised)
			var l log
			o := Options{Retry: Stored(s), Safety: func(learn.Tool) advise.Safety { return c.holds }, Jitter: func() float64 { return 0 }}
			o.Gate = func(ctx context.Context, call *Call) (advise.Verdict, error) {
				r, err := s.Find(ctx, call.Tool.Server, call.Tool.Name)
				return advise.Gate{Flaky: 0.5}.Decide(advise.Question{Server: call.Tool.Server, Name: call.Tool.Name, Record: &r}), err
			}
			tries := 0
			done, err := client(t, &l, o).Run(t.Context(), search, func(context.Context, *Call) (Result, error) {
				if tries++; tries < 3 {
					return Result{}, &wire.StatusError{Code: 503}
				}
				return Result{Output: []byte("1")}, nil
			})
			if tries != c.want || done.Attempts != c.want || (err == nil) != (c.want == 3) || l.only(t).Attempts != c.want || done.Verdict.Rule != "allow" {
				t.Errorf("made %d times, want %d: %+v, %v", tries, c.want, done, err)
			}
		})
	}
	// Of another contract nothing is recommended.
	var l log
	o := following(advise.Retry{})
	o.Retry = Stored(learned(t, read))
	other := search
	other.Tool.Contract = "c2"
	done, _ := client(t, &l, o).Run(t.Context(), other, func(context.Context, *Call) (Result, error) { return Result{}, passing })
	if done.Attempts != 1 {
		t.Errorf("under another contract it is made %d times", done.Attempts)
	}
}
