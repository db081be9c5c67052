package access

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	maxRates = 4096        // keys that are counted for themselves at a time
	sweep    = time.Second // between two looks for keys that nobody needs any more
)

// Rates bounds how often each of many does something. It holds a bounded number of them: what is beyond shares one bound. It is safe for concurrent use.
type Rates struct {
	limit rate.Limit
	burst int

	mu    sync.Mutex
	by    map[string]*rate.Limiter
	rest  *rate.Limiter
	swept time.Time
}

// NewRates allows everybody so many times a second, and twice that at once.
func NewRates(perSecond int) *Rates {
	r := &Rates{limit: rate.Limit(perSecond), burst: 2 * perSecond, by: map[string]*rate.Limiter{}}
	r.rest = rate.NewLimiter(r.limit, r.burst)
	return r
}

// Allow counts what key does now, and reports false when that is once too often.
func (r *Rates) Allow(key string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.by[key]
	if l == nil {
		if len(r.by) >= maxRates {
			r.forget(now)
		}
		if len(r.by) >= maxRates {
			return r.rest.AllowN(now, 1)
		}
		l = rate.NewLimiter(r.limit, r.burst)
		r.by[key] = l
	}
	return l.AllowN(now, 1)
}

// forget drops those that did nothing for so long that a new count would say the same.
func (r *Rates) forget(now time.Time) {
	if since := now.Sub(r.swept); since >= 0 && since < sweep {
		return
	}
	r.swept = now
	for key, l := range r.by {
		if l.TokensAt(now) >= float64(r.burst) {
			delete(r.by, key)
		}
	}
}
