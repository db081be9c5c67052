package facade

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// errTrouble is how the breaker is told of a try that the upstream did not answer.
var errTrouble = errors.New("the upstream is in trouble")

// The breaker opens after so many tries in a row without an answer, and lets one try through after a time.
const (
	breakAfter = 5
	breakFor   = 10 * time.Second
)

func (f *Facade) newBreaker() *gobreaker.TwoStepCircuitBreaker[struct{}] {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: f.options.Name, MaxRequests: 1, Timeout: breakFor,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			switch to {
			case gobreaker.StateOpen:
				f.logf("the upstream did not answer %d tries in a row: no call is passed on for %v, then one to try", breakAfter, breakFor)
			case gobreaker.StateClosed:
				f.logf("the upstream answers again")
			}
		},
	})
}

// troubled refuses a call while the breaker is open.
func (f *Facade) troubled() refusal {
	return refusal{code: codeServer, reason: upstreamTrouble, message: fmt.Sprintf("the server did not answer the last %d calls, so none is passed on for now", breakAfter),
		hint: fmt.Sprintf("nothing was sent; call again in %v", breakFor)}
}

// retryBudget bounds the tries that are made again: one for every ten calls, and a few at once. Without it, an upstream in trouble gets several times its load.
type retryBudget struct {
	mu     sync.Mutex
	credit float64
	begun  bool
}

const (
	mostCredit   = 10
	creditOfCall = 0.1
)

func (b *retryBudget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.begun {
		b.begun, b.credit = true, mostCredit
	}
	b.credit = min(mostCredit, b.credit+creditOfCall)
}

func (b *retryBudget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.credit < 1 {
		return false
	}
	b.credit--
	return true
}
