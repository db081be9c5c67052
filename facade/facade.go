package facade

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/surface"
	"anvil/learn"
	"anvil/wire"
)

// Options say what a facade serves. The maps are copied.
type Options struct {
	// Name is the pack's, as a person would give it to a command; it stands in messages.
	Name string
	// Expose maps the name of each approved tool to the list item that was approved. A tool is served while its contract is
	// that item's, and its text is the same too but for blanks and letter case.
	Expose map[string]surface.Item
	// Operations are those of the approved tools, by the name of the tool: what the layers decide by. A tool that has none is taken for the worst: see
	// [air.Operation].
	Operations map[string]*air.Operation
	// Instructions are those that the server gave when its tools were approved, as JSON; nil for none. Others are nobody's, and are left out of what the
	// server says of itself when a session is opened.
	Instructions []byte
	// Server is what the server said of itself then (serverInfo), as JSON; nil for nothing. Other words of it are nobody's either.
	Server []byte
	// Known holds the pack's tools that are not approved, for a refusal that says what to do.
	Known map[string]bool
	// Blocked says of those of Known that a person blocked who did, why, and how that ends, for the refusal. Optional.
	Blocked map[string]string
	// Ended says of those of Known that were approved whose approval it was and how it ended. Optional.
	Ended map[string]string
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
	// Now is the clock of observations; time.Now.
	Now func() time.Time
	// Limits bound what one client can make the facade hold.
	Limits Limits
}

// Limits bound memory and time; a zero field stands for its default.
type Limits struct {
	Frame    int           // bytes of one message from a client on stdio: 64 MiB
	Body     int64         // bytes of one HTTP request body: 16 MiB
	Queue    int64         // bytes waiting for one client before its session is ended: 64 MiB
	Ahead    int64         // bytes of a client's messages read ahead of the upstream, not over HTTP: 8 MiB
	Sessions int           // HTTP sessions open at a time: 64
	InFlight int           // requests of one session awaiting their reply: 1024
	Idle     time.Duration // an HTTP session without any open request is ended after it: 30 minutes
	Dial     time.Duration // for Options.Dial: one minute
	List     time.Duration // for one complete walk of the upstream's tools: 30 s
	Send     time.Duration // for an upstream on stdio to take one message before its session is ended: 30 s
}

func (l Limits) withDefaults() Limits {
	l.Frame = orDefault(l.Frame, wire.DefaultMaxFrame)
	l.Body = orDefault(l.Body, 16<<20)
	l.Queue = orDefault(l.Queue, 64<<20)
	l.Ahead = orDefault(l.Ahead, 8<<20)
	l.Sessions = orDefault(l.Sessions, 64)
	l.InFlight = orDefault(l.InFlight, 1024)
	l.Idle = orDefault(l.Idle, 30*time.Minute)
	l.Dial = orDefault(l.Dial, time.Minute)
	l.List = orDefault(l.List, 30*time.Second)
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
	texts   texts
	now     func() time.Time

	contracts map[string]string // digests of what is exposed, by tool

	mu       sync.Mutex
	closed   bool
	sessions map[string]*httpSession // by session id; nil while one is being opened
	work     sync.WaitGroup          // sessions of every kind
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
	for tool, item := range o.Expose {
		if item.Kind != surface.Tool || item.Name != tool {
			return nil, fmt.Errorf("facade of %s: tool %q is exposed as it was approved, and what is given is no tool of that name", o.Name, tool)
		}
	}
	o.Expose, o.Known, o.Blocked, o.Operations = maps.Clone(o.Expose), maps.Clone(o.Known), maps.Clone(o.Blocked), maps.Clone(o.Operations)
	f := &Facade{options: o, limits: o.Limits.withDefaults(), sessions: map[string]*httpSession{}, now: o.Now, contracts: map[string]string{}}
	if f.now == nil {
		f.now = time.Now
	}
	for tool, item := range o.Expose {
		f.contracts[tool] = item.ContractDigest()
	}
	f.notes.log = f.logf
	f.ctx, f.cancel = context.WithCancel(context.Background())
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

func (f *Facade) logf(format string, args ...any) {
	if f.options.Log != nil {
		f.options.Log(f.options.Name + ": " + fmt.Sprintf(format, args...))
	}
}
