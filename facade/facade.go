package facade

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"anvil/compiler/pack"
	"anvil/facade/audit"
	"anvil/facade/telemetry"
	"anvil/learn"
	"anvil/wire"
)

// Options say what a facade serves.
type Options struct {
	// Name is the pack's, as a person would give it to a command; it stands in messages.
	Name string
	// Exposure is what may be called, until Update puts another in its place.
	Exposure Exposure
	// Serving is how the pack is served; what is not given has its default.
	Serving pack.Serving
	// AskPeople has calls wait for a person's yes whose operation says so. Who runs a facade in its own process may have asked already.
	AskPeople bool
	// Approvals keep the calls that wait where the client cannot ask its user; nil: those are refused.
	Approvals Approvals
	// ApprovalsCommand is the command that decides on those calls, which begins with `anvil mcp approvals` and says where they are kept, without a secret; it stands in hints.
	// "" for the command alone.
	ApprovalsCommand string
	// Ledger remembers what came of writes that carry an idempotency key; nil: nobody does, and they are passed on as other calls are.
	Ledger Ledger
	// Source is the upstream, in the words that name it on a command line; it stands in hints. Optional.
	Source string
	// Dial opens a fresh upstream session. ctx bounds the dialling alone. The facade closes the link.
	Dial func(ctx context.Context) (wire.Link, error)
	// Log gets one line for the operator, without payloads; it must be safe for concurrent use. nil discards.
	Log func(line string)
	// Refused is told of each error reply that the facade makes itself, before the reply is on its way; it must be safe for
	// concurrent use and not block. Who runs a facade in its own process learns from it whose words an error is: those of an
	// upstream can be spelled alike. nil tells nobody.
	Refused func(Refusal)
	// Service is the id of the service that observed calls belong to.
	Service string
	// Observe gets each call of an approved tool once it has ended: what was refused, failed and was given up as well. It must be safe for concurrent use and not block;
	// nil observes nothing.
	Observe func(learn.Observation)
	// Audit gets a record of each call, those that are refused too. While it cannot be written calls are refused, unless Serving says otherwise. The caller closes
	// it once the facade is closed. nil keeps no log.
	Audit *audit.Log
	// Telemetry is told of each call and session. The caller closes it once the facade is closed. nil tells nobody.
	Telemetry *telemetry.Telemetry
	// Resources are published beside the upstream's own, unless Serving says otherwise; nil publishes none. Who learns something that they tell calls ResourcesChanged.
	Resources Resources
	// Reporter has clients report what they observed by a tool of the facade's, where Serving says so and Observe takes it; nil takes no reports.
	Reporter Reporter
	// Now is the clock of observations; time.Now.
	Now func() time.Time
	// Front says who may call over HTTP; the zero value serves whoever reaches a loopback address.
	Front Front
	// Limits bound what one client can make the facade hold.
	Limits Limits
}

// Limits bound memory and time; a zero field stands for its default.
type Limits struct {
	Frame          int           // bytes of one message from a client on stdio: 64 MiB
	Body           int64         // bytes of one HTTP request body: 16 MiB
	Queue          int64         // bytes waiting for one client before its session is ended: 64 MiB
	Ahead          int64         // bytes of a client's messages read ahead of the upstream, not over HTTP: 8 MiB
	Sessions       int           // HTTP sessions open at a time: 64
	CallerSessions int           // of them, one caller's where callers are known by their tokens: 16
	Rate           int           // HTTP requests a second of one caller where callers are known, twice that at once, and five times that of one address: 100
	InFlight       int           // requests of one session awaiting their reply: 1024
	Idle           time.Duration // an HTTP session without any open request is ended after it: 30 minutes
	Dial           time.Duration // for Options.Dial: one minute
	List           time.Duration // for one complete walk of the upstream's tools: 30 s
	Verify         time.Duration // after which a call is held until the upstream's tools were walked again, whether it announced a change or not: one minute
	Send           time.Duration // for an upstream on stdio to take one message before its session is ended: 30 s
}

func (l Limits) withDefaults() Limits {
	l.Frame = orDefault(l.Frame, wire.DefaultMaxFrame)
	l.Body = orDefault(l.Body, 16<<20)
	l.Queue = orDefault(l.Queue, 64<<20)
	l.Ahead = orDefault(l.Ahead, 8<<20)
	l.Sessions = orDefault(l.Sessions, 64)
	l.CallerSessions = orDefault(l.CallerSessions, 16)
	l.Rate = orDefault(l.Rate, 100)
	l.InFlight = orDefault(l.InFlight, 1024)
	l.Idle = orDefault(l.Idle, 30*time.Minute)
	l.Dial = orDefault(l.Dial, time.Minute)
	l.List = orDefault(l.List, 30*time.Second)
	l.Verify = orDefault(l.Verify, time.Minute)
	l.Send = orDefault(l.Send, 30*time.Second)
	return l
}

func orDefault[T int | int64 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Facade fronts one upstream. It is safe for concurrent use, and ready as New returns it.
type Facade struct {
	options Options
	limits  Limits
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	notes   notes // of HTTP requests that belong to no session yet
	drift   drift
	door    *doorman // of HTTP requests
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
	retries retryBudget
	health  health

	published *published // nil where nothing is
	exposed   atomic.Pointer[exposed]
	now       func() time.Time

	rounds rounds

	deadlines deadlines

	mu       sync.Mutex
	closed   bool
	sessions map[string]*httpSession // by session id; nil while one is being opened
	opening  map[string]string       // whose a session is that is being opened, by its id
	running  map[*session]struct{}   // of every kind
	lanes    lanes
	work     sync.WaitGroup // sessions of every kind
}

// ErrClosed ends the sessions of a facade that was closed, those that were to begin among them.
var ErrClosed = errors.New("the facade is shutting down")

// New checks o and makes a facade of it. It contacts nobody.
func New(o Options) (*Facade, error) {
	if o.Name == "" {
		return nil, errors.New("facade: no pack name given")
	}
	if o.Dial == nil {
		return nil, fmt.Errorf("facade of %s: no upstream to dial", o.Name)
	}
	exposed, err := o.Exposure.checked(o.Serving.CallTimeout())
	if err != nil {
		return nil, fmt.Errorf("facade of %s: %w", o.Name, err)
	}
	o.Serving = o.Serving.WithDefaults()
	published, err := o.publish()
	if err != nil {
		return nil, fmt.Errorf("facade of %s: %w", o.Name, err)
	}
	f := &Facade{options: o, published: published, limits: o.Limits.withDefaults(), sessions: map[string]*httpSession{}, opening: map[string]string{}, now: o.Now, running: map[*session]struct{}{}, lanes: newLanes()}
	exposed.register(o.Telemetry)
	f.exposed.Store(exposed)
	if f.now == nil {
		f.now = time.Now
	}
	f.breaker = f.newBreaker()
	f.notes.log = f.logf
	if f.door, err = f.newDoorman(); err != nil {
		return nil, err
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	if o.Telemetry != nil {
		o.Telemetry.Watch(f.Ready)
	}
	return f, nil
}

// Close ends every session and its upstream, and returns when they are gone, which takes bounded time. The facade serves
// no more after it.
func (f *Facade) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	f.work.Wait()
	f.deadlines.stop()
	return nil
}

// enter counts a session in, unless the facade is closed; the caller calls f.work.Done when it is over.
func (f *Facade) enter() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	f.work.Add(1)
	return nil
}

// behind runs do behind the caller, before the facade is closed.
func (f *Facade) behind(do func()) {
	if f.enter() != nil {
		do()
		return
	}
	go func() {
		defer f.work.Done()
		do()
	}()
}

// leave forgets a session that is over.
func (f *Facade) leave(s *session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, s)
}

// eachSession calls do for every session that runs.
func (f *Facade) eachSession(do func(*session)) {
	f.mu.Lock()
	running := slices.Collect(maps.Keys(f.running))
	f.mu.Unlock()
	for _, s := range running {
		do(s)
	}
}

func (f *Facade) logf(format string, args ...any) {
	if f.options.Log != nil {
		f.options.Log(f.options.Name + ": " + fmt.Sprintf(format, args...))
	}
}
