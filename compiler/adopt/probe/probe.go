package probe

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/wire"
)

// Bounds of one capture.
const (
	DefaultTimeout = 60 * time.Second
	maxPages       = 1_000           // of one list
	maxItems       = 100_000         // of one list
	maxBytes       = 512 << 20       // of all pages of one list
	maxRestarts    = 5               // of a list that changes while it is read
	maxSettle      = 5 * time.Second // spent waiting for quiet

	// A server that said its lists change is given time to say so again; one that asked something, a moment to act on the answer.
	quietAfterChange  = 150 * time.Millisecond
	quietAfterRequest = 50 * time.Millisecond
)

// Options say what to capture and how.
type Options struct {
	Dial      func(ctx context.Context) (wire.Link, error) // opens the connection; the probe closes it
	Transport string                                       // "stdio", "http" or "sse", for the record, unless the link knows better
	Endpoint  string                                       // for the record, without secrets
	Announce  Announcement                                 // the zero value is Full
	Era       wire.Era                                     // "" finds out
	Version   string                                       // of this client, told to the server
	Timeout   time.Duration                                // of the whole capture; 0 is DefaultTimeout
}

// Result is a capture, what was noticed on the way, and how it went.
type Result struct {
	Capture  surface.Capture
	Findings []diag.Finding
	Evidence Evidence
}

// Capture connects, opens a session in the newest era both sides speak, and reads every list that the server announces. A non-nil error is a
// *[Failure]; the result then holds what was read and noticed until it failed, which is no surface. The connection is closed, and a child process
// gone, when it returns. It may be called at the same time for several servers, or announcements.
func Capture(ctx context.Context, o Options) (Result, error) {
	if o.Announce.Name == "" {
		o.Announce = Full
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errors.New("the server did not finish answering within "+o.Timeout.String()))
	defer cancel()
	s := &visit{options: o, evidence: newEvidence(), steady: map[surface.Kind]bool{}}
	if err := s.open(ctx); err != nil {
		return s.result(), err
	}
	defer s.session.Close()
	err := s.read(ctx)
	s.session.Close() // what the server says on leaving is heard too
	return s.result(), err
}

// open opens the session.
func (s *visit) open(ctx context.Context) error {
	start := time.Now()
	o := s.options
	session, err := wire.Connect(ctx, s.dial, wire.ConnectOptions{
		Hello:  wire.Hello{Name: "anvil", Version: o.Version, Capabilities: o.Announce.Capabilities},
		Era:    o.Era,
		Client: wire.ClientOptions{OnRequest: s.onRequest, OnNotification: s.onNotification, OnNoise: s.onNoise},
	})
	s.evidence.ConnectMS = time.Since(start).Milliseconds()
	if err != nil {
		var tried *wire.ConnectError
		if errors.As(err, &tried) {
			s.evidence.attempts(tried.Attempts)
		}
		return s.connectFailure(ctx, err)
	}
	s.session = session
	s.evidence.attempts(session.Attempts())
	return nil
}

// cause prefers the reason a context ended for over the bare fact.
func cause(ctx context.Context, err error) error {
	if reason := context.Cause(ctx); reason != nil && errors.Is(err, ctx.Err()) {
		return reason
	}
	return err
}

// visit is one capture under way. What the reader's goroutine writes is guarded by mu.
type visit struct {
	options  Options
	links    []wire.Link // all that were dialled
	session  *wire.Session
	capture  surface.Capture
	findings []diag.Finding
	steady   map[surface.Kind]bool // came out the same when last read again

	mu          sync.Mutex
	evidence    Evidence
	dirty       map[surface.Kind]bool // changed since their walk began
	lastChange  time.Time             // when a change notice came
	lastRequest time.Time             // when the server asked something
	repeated    int                   // calls made twice
}

// dial notes the connections there were, so that what goes wrong later is told from a server that cannot be reached at all.
func (s *visit) dial(ctx context.Context) (wire.Link, error) {
	link, err := s.options.Dial(ctx)
	if err == nil {
		s.links = append(s.links, link)
	}
	return link, err
}

// connectFailure tells a server that answers wrongly from one that does not answer.
func (s *visit) connectFailure(ctx context.Context, err error) *Failure {
	if len(s.links) == 0 {
		return fail(Connect, Unreachable, cause(ctx, err))
	}
	var rpc *wire.RPCError
	var version *wire.VersionError
	code := Unreachable
	if errors.As(err, &rpc) || errors.As(err, &version) || errors.Is(err, wire.ErrNotMCP) || isUnreadable(err) {
		code = NotMCP
	}
	return fail("handshake", code, cause(ctx, err))
}

// read reads every list.
func (s *visit) read(ctx context.Context) error {
	transport := s.session.Transport()
	if transport == "" {
		transport = s.options.Transport
	}
	s.capture = surface.Capture{
		Endpoint: s.options.Endpoint, Era: string(s.session.Era()), ProtocolVersion: s.session.Version(), SupportedVersions: s.session.Supported(),
		Transport: transport, ClientProfile: s.options.Announce.Name, Initialize: s.session.Welcome(), Lists: map[surface.Kind][][]byte{},
	}
	start := time.Now()
	err := s.lists(ctx)
	s.evidence.ListMS = time.Since(start).Milliseconds()
	return err
}

// result sums up; the connection is closed by then, but a request of the server's may still be being answered.
func (s *visit) result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen()
	findings := merged(s.findings, s.openingFindings(), noiseFindings(s.evidence.Noise, s.evidence.Oversized)) // a list read again may be reported again
	evidence := s.evidence
	evidence.ServerRequests, evidence.Noise = maps.Clone(evidence.ServerRequests), maps.Clone(evidence.Noise)
	return Result{s.capture, findings, evidence}
}

func (s *visit) onRequest(_ context.Context, e wire.Envelope) ([]byte, *wire.RPCError) {
	method := e.MethodName()
	s.mu.Lock()
	s.evidence.ServerRequests[method]++
	if method != "ping" {
		s.lastRequest = time.Now()
	}
	s.mu.Unlock()
	return answer(method)
}

func (s *visit) onNotification(e wire.Envelope) {
	what, isChange := strings.CutSuffix(strings.TrimPrefix(e.MethodName(), "notifications/"), "/list_changed")
	if !isChange {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evidence.ListChanged++
	s.lastChange = time.Now()
	for _, kind := range surface.Kinds {
		if kind.Capability() == what {
			if s.dirty == nil {
				s.dirty = map[surface.Kind]bool{}
			}
			s.dirty[kind] = true
		}
	}
}

func (s *visit) onNoise(kind string, _ []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evidence.Noise[kind]++
}
