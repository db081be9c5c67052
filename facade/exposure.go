package facade

import (
	"fmt"
	"maps"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/facade/policy"
	"anvil/facade/telemetry"
	"anvil/wire"
)

// Exposure is what may be called of a pack, as people decided up to one moment.
type Exposure struct {
	// Tools are those that are approved, by name.
	Tools map[string]Tool
	// Known holds the pack's other tools by name, for a refusal that says what to do. The zero value is one that nobody approved.
	Known map[string]Closed
	// Instructions are those that the server gave when its tools were approved, as JSON; nil for none. Others are nobody's, and are left out of what the server
	// says of itself when a session is opened.
	Instructions []byte
	// Server is what the server said of itself then (serverInfo), as JSON; nil for nothing. Other words of it are nobody's either.
	Server []byte
	// Protocol is what the server spoke then; the zero value is the handshake era.
	Protocol Protocol
	// Policy says which calls of those tools go through; nil lets all of them. It was held against every operation of the pack, whether or not it is approved.
	Policy *policy.Set
}

// Tool is one that may be called.
type Tool struct {
	Item      surface.Item   // as it was approved
	Operation *air.Operation // that it is; nil where nothing is known of it, which is taken for the worst
	Until     time.Time      // when its approval ends; zero: never
}

// Closed is why a tool of a pack may not be called.
type Closed struct {
	Standing Standing
	Why      string // with how that ends, in words that follow "the tool is part of pack NAME and"; "" for one that nobody approved
}

// Standing is how a tool stands that may not be called.
type Standing int

// How tools stand that may not be called.
const (
	NotApproved   Standing = iota
	Blocked                // somebody decided so
	ApprovalEnded          // its day is over, or the tool is not what was approved
)

// exposed is an exposure in force.
type exposed struct {
	Exposure
	contracts map[string]string // digests of the tools, by name
	plans     map[string]*plan
	headers   map[string][]schema.Binding // arguments that the stateless era mirrors in headers, of the tools that have such
	series    map[string]*telemetry.Tool  // by name; nil without telemetry
}

// register has telemetry count the calls of each tool under its name.
func (x *exposed) register(t *telemetry.Telemetry) {
	if t == nil {
		return
	}
	x.series = map[string]*telemetry.Tool{}
	for name := range x.Tools {
		x.series[name] = t.Register(name)
	}
}

func (e Exposure) checked(timeout time.Duration) (*exposed, error) {
	x := &exposed{Exposure: Exposure{maps.Clone(e.Tools), maps.Clone(e.Known), e.Instructions, e.Server, e.Protocol, e.Policy}, contracts: map[string]string{}, plans: map[string]*plan{}, headers: map[string][]schema.Binding{}}
	for name, tool := range e.Tools {
		if tool.Item.Kind != surface.Tool || tool.Item.Name != name {
			return nil, fmt.Errorf("tool %q is exposed as it was approved, and what is given is no tool of that name", name)
		}
		x.contracts[name] = tool.Item.ContractDigest()
		x.plans[name] = planFor(tool.Operation, timeout)
		if bound := headersOf(tool.Item); len(bound) > 0 {
			x.headers[name] = bound
		}
	}
	return x, nil
}

// plan is how calls of a tool are made.
func (x *exposed) plan(tool string) *plan {
	if p := x.plans[tool]; p != nil {
		return p
	}
	return &unproven
}

// tool returns the tool while its approval holds.
func (x *exposed) tool(name string, now func() time.Time) (Tool, bool) {
	tool, ok := x.Tools[name]
	if ok && !tool.Until.IsZero() && !now().Before(tool.Until) {
		return tool, false
	}
	return tool, ok
}

// Update puts another exposure in the place of the one in force, for sessions that are open as well: what a person approved or blocked meanwhile counts from
// here on. Clients whose list of tools may be another one by it are told.
func (f *Facade) Update(e Exposure) error {
	x, err := e.checked(f.options.Serving.CallTimeout())
	if err != nil {
		return fmt.Errorf("facade of %s: %w", f.options.Name, err)
	}
	x.register(f.options.Telemetry)
	was := f.exposed.Swap(x)
	f.drift.forget(was, x)
	f.eachSession(func(s *session) {
		s.tools.invalidate()
		s.announceTools()
	})
	f.ResourcesChanged()
	return nil
}

// announceTools tells the client that the list of tools may be another one, if it was told that it would be.
func (s *session) announceTools() {
	s.pending.mu.Lock()
	telling := s.telling
	s.pending.mu.Unlock()
	if telling && s.conversation.agreed() != "" {
		s.tell(nil, methodListChanged, nil)
	}
	for _, l := range s.pending.openListenings() {
		if l.tools && l.acknowledged.Load() {
			s.tell(l.to, methodListChanged, l.stamp(nil))
		}
	}
}

// tell sends the client a notice of the facade's own, for the request that came with to, nil for none; params may be nil.
func (s *session) tell(to *stream, method string, params []byte) {
	frame := append([]byte(`{"jsonrpc":"2.0","method":`), canon.Quote(method)...)
	if params != nil {
		frame = append(append(frame, `,"params":`...), params...)
	}
	e, err := wire.Scan(append(frame, '}'))
	if err == nil {
		err = s.front.push(to, e)
	}
	if err != nil {
		s.end(err)
	}
}
