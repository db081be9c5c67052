package probe

import (
	"context"
	"errors"
	"sync"
	"time"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/wire"
)

// Bounds of one capture.
const (
	DefaultTimeout = 60 * time.Second
	maxPages       = 1_000                  // of one list
	maxItems       = 100_000                // of one list
	maxRestarts    = 5                      // of a list that changes while it is read
	quietPeriod    = 300 * time.Millisecond // without news from a server that had some
	maxSettle      = 5 * time.Second        // spent waiting for quiet
)

// Options say what to capture and how.
type Options struct {
	Dial      func(ctx context.Context) (wire.Link, error) // opens the connection; the probe closes it
	Transport string                                       // "stdio", "http" or "sse", for the record
	Endpoint  string                                       // for the record, without secrets
	Profile   Profile                                      // what to announce; the zero value is Full
	Version   string                                       // of this client, told to the server
	Timeout   time.Duration                                // of the whole capture; 0 is DefaultTimeout
}

// Result is a capture, what was noticed on the way, and how it went.
type Result struct {
	Capture  surface.Capture
	Findings []diag.Finding
	Evidence Evidence
}

// Evidence is how a capture went. It is volatile and never part of a snapshot.
type Evidence struct {
	ConnectMS      int64          `json:"connectMs"`      // opening the connection, milliseconds
	HandshakeMS    int64          `json:"handshakeMs"`    // from the first message sent to the session being open
	ListMS         int64          `json:"listMs"`         // reading and settling all lists
	Pages          map[string]int `json:"pages"`          // per list method
	Restarts       int            `json:"restarts"`       // lists read again because they changed
	ListChanged    int            `json:"listChanged"`    // change notices received
	ServerRequests map[string]int `json:"serverRequests"` // requests of the server's, per method
	Noise          map[string]int `json:"noise"`          // frames that broke a rule, per kind
}

// Capture connects, shakes hands and reads every list that the server announces. A non-nil error is a *[Failure]. The connection is closed,
// and a child process gone, when it returns.
func Capture(ctx context.Context, o Options) (Result, error) {
	if o.Profile.Name == "" {
		o.Profile = Full
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errors.New("the server did not finish answering within "+o.Timeout.String()))
	defer cancel()
	s := &session{options: o, evidence: Evidence{Pages: map[string]int{}, ServerRequests: map[string]int{}, Noise: map[string]int{}}}
	start := time.Now()
	link, err := o.Dial(ctx)
	if err != nil {
		return Result{}, fail("connect", Unreachable, cause(ctx, err))
	}
	s.client = wire.NewClient(link, wire.ClientOptions{OnRequest: s.onRequest, OnNotification: s.onNotification, OnNoise: s.onNoise})
	defer s.client.Close()
	s.evidence.ConnectMS = time.Since(start).Milliseconds()
	return s.run(ctx)
}

// cause prefers the reason a context ended for over the bare fact.
func cause(ctx context.Context, err error) error {
	if reason := context.Cause(ctx); reason != nil && errors.Is(err, ctx.Err()) {
		return reason
	}
	return err
}

// session is one capture under way. What the reader's goroutine writes is guarded by mu.
type session struct {
	options  Options
	client   *wire.Client
	capture  surface.Capture
	findings []diag.Finding

	mu       sync.Mutex
	evidence Evidence
	dirty    map[surface.Kind]bool // changed since their walk began
	lastNews time.Time             // of a change notice or a request
}

func (s *session) run(ctx context.Context) (Result, error) {
	start := time.Now()
	welcome, err := wire.Handshake(ctx, s.client, wire.Hello{Name: "anvil", Version: s.options.Version, Capabilities: s.options.Profile.Capabilities})
	if err != nil {
		return Result{}, s.handshakeFailure(ctx, err)
	}
	s.evidence.HandshakeMS = time.Since(start).Milliseconds()
	s.capture = surface.Capture{
		Endpoint: s.options.Endpoint, Era: "handshake", ProtocolVersion: welcome.ProtocolVersion, Transport: s.options.Transport,
		ClientProfile: s.options.Profile.Name, Initialize: welcome.Raw, Lists: map[surface.Kind][][]byte{},
	}
	start = time.Now()
	if err := s.lists(ctx); err != nil {
		return Result{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evidence.ListMS = time.Since(start).Milliseconds()
	return Result{s.capture, s.findings, s.evidence}, nil
}

// handshakeFailure tells a server that answers wrongly from one that does not answer.
func (s *session) handshakeFailure(ctx context.Context, err error) *Failure {
	var rpc *wire.RPCError
	code := Unreachable
	if errors.As(err, &rpc) || errors.Is(err, wire.ErrNotMCP) {
		code = NotMCP
	}
	return fail("handshake", code, cause(ctx, err))
}

func (s *session) onRequest(_ context.Context, e wire.Envelope) ([]byte, *wire.RPCError) {
	s.mu.Lock()
	s.evidence.ServerRequests[e.MethodName()]++
	s.lastNews = time.Now()
	s.mu.Unlock()
	return answer(e.MethodName())
}

func (s *session) onNotification(e wire.Envelope) {
	method := e.MethodName()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range surface.Kinds {
		if method == "notifications/"+kind.Capability()+"/list_changed" {
			if s.dirty == nil {
				s.dirty = map[surface.Kind]bool{}
			}
			s.dirty[kind] = true
			s.lastNews = time.Now()
		}
	}
	if len(method) > 13 && method[len(method)-13:] == "/list_changed" {
		s.evidence.ListChanged++
	}
}

func (s *session) onNoise(kind string, _ []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evidence.Noise[kind]++
}
