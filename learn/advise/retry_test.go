package advise

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/learn"
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
	if only(got) != want || got[0].Rationale != "12 of the latest 40 calls fail (30 %), and 12 of 12 failures are of a kind that passes: try up to 5 times" {
		t.Errorf("%v", got)
	}
}

func TestWaitsAreBoundedAndDrawn(t *testing.T) {
	p := Retry{MaxAttempts: 99, Base: time.Second, Ceiling: 5 * time.Second}
	if got := []time.Duration{p.Wait(1, 1), p.Wait(3, 1), p.Wait(4, 1), p.Wait(500, 1), p.Wait(2, 0.25), p.Wait(2, 0)}; !cmp.Equal(got, []time.Duration{1e9, 4e9, 5e9, 5e9, 5e8, 0}) {
		t.Errorf("%v", got)
	}
	if got := (Retry{Base: time.Second}).Wait(1000, 1); got < 0 {
		t.Errorf("it overflows: %v", got)
	}
}

// Assertion 53, as advice; learn/invoke holds it of calls.
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

// Assertion 24: what is kept is read again as what was drawn, and what others wrote is kept within its bounds.
func TestStoredWayToRetry(t *testing.T) {
	drawn := RetryRules{}.Policy(of(40, 12).Record, reads).Retry
	if got := Stored(RetryRules{}.Advice(of(40, 12).Record, reads)); !cmp.Equal(got, drawn) || drawn == nil {
		t.Errorf("%+v, want %+v", got, drawn)
	}
	stored := func(typ learn.RecommendationType, text string) *Retry {
		return Stored([]learn.Recommendation{{Type: learn.RecommendModel, Payload: canon.Raw(`{}`)}, {Type: typ, Payload: canon.Raw(text)}})
	}
	for text, want := range map[string]*Retry{
		`{"retry":{"baseDelayMs":200,"enabled":true,"maxAttempts":4}}`:                                      {MaxAttempts: 4, Base: 200 * time.Millisecond, Ceiling: 30 * time.Second, Deadline: 2 * time.Minute}, // the reference's
		`{"retry":{"baseDelayMs":9e99,"deadlineMs":-1,"enabled":true,"maxAttempts":1000,"maxDelayMs":"x"}}`: {MaxAttempts: 6, Base: 30 * time.Second, Ceiling: 30 * time.Second, Deadline: 2 * time.Minute},
		`{"retry":{"enabled":false,"maxAttempts":4}}`:                                                       nil,
		`{"retry":{"enabled":"true"}}`:                                                                      nil,
		`{"retry":[]}`:                                                                                      nil, `{}`: nil, `[]`: nil, `{`: nil,
	} {
		if got := stored(learn.RecommendWorkflow, text); !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	if got := stored(learn.RecommendDecoding, `{"retry":{"enabled":true,"maxAttempts":4}}`); got != nil {
		t.Errorf("of another type: %+v", got)
	}
	if got := Stored(RetryRules{}.Advice(of(40, 30).Record, reads)); got != nil {
		t.Errorf("of a breaker: %+v", got)
	}
}
