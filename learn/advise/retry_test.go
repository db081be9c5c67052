package advise

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var reads = Safety{ReadOnly: true}

// Assertion 21. That a tool which always fails is given six tries is the formula; what is advised is a breaker, see below.
func TestAttemptsOfARate(t *testing.T) {
	for rate, want := range map[float64]int{0.10: 4, 0.175: 4, 0.30: 5, 0.50: 6, 1.0: 6, 7: 6, 0: 3, -1: 3} {
		if got := Attempts(rate); got != want {
			t.Errorf("%v: %d tries, want %d", rate, got, want)
		}
	}
	for _, c := range []struct{ n, failures, want int }{{40, 4, 4}, {40, 12, 5}, {10, 5, 6}, {40, 3, 0}, {40, 0, 0}, {9, 4, 0}} {
		p := RetryRules{}.Policy(of(c.n, c.failures).Record, reads)
		if got := p.Retry; (got != nil) != (c.want > 0) || got != nil && got.MaxAttempts != c.want {
			t.Errorf("%d of %d: %+v, want %d tries", c.failures, c.n, p, c.want)
		}
	}
	want := `{"retry":{"baseDelayMs":200,"codes":["ETIMEDOUT"],"deadlineMs":120000,"enabled":true,"jitter":"full","maxAttempts":5,"maxDelayMs":30000}}`
	got := RetryRules{}.Advice(of(40, 12).Record, reads)
	if only(got) != want || got[0].Rationale != "12 of the latest 40 calls fail (30.0 %), and 12 of 12 failures are of a kind that passes: try up to 5 times" {
		t.Errorf("%v", got)
	}
}

// Assertion 22.
func TestWaitsWithoutJitter(t *testing.T) {
	p := Retry{MaxAttempts: 6, Base: 200 * time.Millisecond}
	synctest.Test(t, func(t *testing.T) {
		var waits []int64
		last := time.Now()
		attempts, err := p.Do(t.Context(), func(_ context.Context, attempt int) error {
			if attempt > 1 {
				waits = append(waits, time.Since(last).Milliseconds())
			}
			last = time.Now()
			return &Failure{Code: "ETIMEDOUT"}
		})
		if diff := cmp.Diff([]int64{200, 400, 800, 1600, 3200}, waits); diff != "" || attempts != 6 || err == nil || time.Since(last) != 0 {
			t.Errorf("%d tries, %v:\n%s", attempts, err, diff)
		}
	})
}

func TestWaitsAreBoundedAndDrawn(t *testing.T) {
	p := Retry{MaxAttempts: 99, Base: time.Second, Ceiling: 5 * time.Second}
	if got := []time.Duration{p.Wait(1, 0), p.Wait(3, 0), p.Wait(4, 0), p.Wait(500, 0), p.Wait(1, 7*time.Second)}; !cmp.Equal(got, []time.Duration{1e9, 4e9, 5e9, 5e9, 7e9}) {
		t.Errorf("%v", got)
	}
	if got := (Retry{Base: time.Second}).Wait(1000, 0); got < 0 {
		t.Errorf("it overflows: %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	p.Random = r.Float64
	sum, seen := time.Duration(0), map[time.Duration]bool{}
	for range 1000 {
		w := p.Wait(2, 0)
		if w < 0 || w >= 2*time.Second {
			t.Fatalf("%v", w)
		}
		sum, seen[w] = sum+w, true
	}
	if mean := sum / 1000; mean < 900*time.Millisecond || mean > 1100*time.Millisecond || len(seen) < 900 {
		t.Errorf("full jitter is from nothing to the whole wait; the mean is %v", mean)
	}
	if got := p.Wait(2, 9*time.Second); got != 9*time.Second {
		t.Errorf("asked to wait 9 s, it waits %v", got)
	}
}

// Assertion 53, its first half.
func TestOnlySafeOperationsAreTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		safety Safety
		want   bool
	}{
		"unknown":                  {Safety{}, false},
		"read":                     {Safety{ReadOnly: true}, true},
		"idempotent":               {Safety{Idempotent: true}, true},
		"destructive":              {Safety{Destructive: true}, false},
		"destructive, idempotent":  {Safety{Destructive: true, Idempotent: true}, false},
		"destructive and it reads": {Safety{Destructive: true, ReadOnly: true}, false},
	} {
		for failures := range 41 {
			p := RetryRules{}.Policy(of(40, failures).Record, c.safety)
			if p.Retry != nil && !c.want || p.Retry == nil && c.want && failures == 12 {
				t.Errorf("%s, %d of 40: %+v", name, failures, p)
			}
		}
	}
	if got := (RetryRules{}).Policy(of(40, 12).Record, Safety{}); !strings.HasSuffix(got.Why, "it is not known to be safe to make twice") {
		t.Errorf("%+v", got)
	}
}

// Assertion 53, its second half.
func TestCancellingStopsAWaitAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start, done := time.Now(), make(chan int)
		go func() {
			attempts, err := Retry{MaxAttempts: 6, Base: time.Hour}.Do(ctx, func(context.Context, int) error { return &Failure{Code: "UNAVAILABLE"} })
			if err == nil || err.Error() != "UNAVAILABLE" {
				t.Errorf("%v", err)
			}
			done <- attempts
		}()
		time.Sleep(time.Second) // of the test's clock
		cancel()
		if attempts := <-done; attempts != 1 || time.Since(start) != time.Second {
			t.Errorf("%d tries, stopped after %v", attempts, time.Since(start))
		}
	})
}

func TestDeadlineOfAllTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		attempts, err := Retry{MaxAttempts: 99, Base: time.Second, Deadline: 10 * time.Second}.Do(t.Context(), func(context.Context, int) error { return &Failure{Code: "429"} })
		// 1 + 2 + 4 seconds fit, and 8 more do not: it does not wait for the end.
		if attempts != 4 || err == nil || time.Since(start) != 7*time.Second {
			t.Errorf("%d tries in %v: %v", attempts, time.Since(start), err)
		}
		attempts, _ = Retry{MaxAttempts: 9, Base: time.Second, Deadline: 10 * time.Second}.Do(t.Context(), func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return &Failure{Code: "ETIMEDOUT", Err: ctx.Err()}
		})
		if attempts != 1 {
			t.Errorf("%d tries of a call that takes all the time", attempts)
		}
	})
}

func TestWhatIsTriedAgain(t *testing.T) {
	plain := errors.New("boom")
	for name, c := range map[string]struct {
		p    Retry
		errs []error
		want int
		ends error
	}{
		"succeeds":            {Retry{MaxAttempts: 6}, []error{nil}, 1, nil},
		"on the third":        {Retry{MaxAttempts: 6}, []error{&Failure{Code: "503"}, &Failure{Code: "ECONNRESET"}, nil}, 3, nil},
		"an error without":    {Retry{MaxAttempts: 6}, []error{plain, nil}, 1, plain},
		"a fault":             {Retry{MaxAttempts: 6}, []error{&Failure{Code: "500", Err: plain}, nil}, 1, plain},
		"wrapped":             {Retry{MaxAttempts: 6}, []error{errors.Join(plain, &Failure{Code: "http_429"}), nil}, 2, nil},
		"the zero value":      {Retry{}, []error{&Failure{Code: "503", Err: plain}, nil}, 1, plain},
		"a fault after a 503": {Retry{MaxAttempts: 6}, []error{&Failure{Code: "503"}, &Failure{Code: "EACCES", Err: plain}, nil}, 2, plain},
	} {
		attempts, err := c.p.Do(t.Context(), func(_ context.Context, attempt int) error { return c.errs[attempt-1] })
		if attempts != c.want || !errors.Is(err, c.ends) || c.ends == nil && err != nil {
			t.Errorf("%s: %d tries, %v", name, attempts, err)
		}
	}
}

func TestRetryableCodes(t *testing.T) {
	for _, code := range strings.Fields("ETIMEDOUT timeout upstream_timeout http_408 HTTP:504 503 unavailable service-unavailable rate_limited 429 too_many_requests ECONNRESET connection_reset dns_failure") {
		if !Retryable(code) {
			t.Errorf("%s is not retryable", code)
		}
	}
	for _, code := range strings.Fields("unknown other EACCES 400 401 404 409 500 INTERNAL validation_error declined permission_denied unsafe_retry_blocked -32602 TIMEOUTS") {
		if Retryable(code) {
			t.Errorf("%s is retryable", code)
		}
	}
	faults := observe("rotate_keys").calls(8, failed("EACCES")).calls(4, failed("ETIMEDOUT")).calls(28)
	if got := (RetryRules{}).Policy(faults.Record, reads); got.Retry != nil || !strings.HasSuffix(got.Why, "but only 4 of 12 failures are of a kind that passes") {
		t.Errorf("%+v", got)
	}
}

// TestAFailingToolIsLeftAlone: the more it fails, the less it is called; whatever its effect.
func TestAFailingToolIsLeftAlone(t *testing.T) {
	for _, c := range []struct {
		n, failures int
		want        bool
	}{{10, 10, true}, {10, 5, false}, {10, 7, true}, {40, 20, true}, {40, 19, false}, {9, 9, false}} {
		for _, safety := range []Safety{reads, {}} {
			got := RetryRules{}.Policy(of(c.n, c.failures).Record, safety)
			if (got.Breaker != nil) != c.want || got.Breaker != nil && got.Retry != nil {
				t.Errorf("%d of %d: %+v", c.failures, c.n, got)
			}
		}
	}
	if got := only((RetryRules{}).Advice(of(40, 30).Record, reads)); got != `{"breaker":{"enabled":true,"openMs":30000},"retry":{"enabled":false,"maxAttempts":1}}` {
		t.Errorf("%s", got)
	}
}
