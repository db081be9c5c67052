package facade

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/facade/policy"
	"anvil/facade/state"
	"anvil/internal/near"
	"anvil/wire"
)

// The methods the facade does not simply forward.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodProgress    = "notifications/progress"
	methodCall        = "tools/call"
	methodList        = "tools/list"
	methodListChanged = "notifications/tools/list_changed"
	methodDiscover    = "server/discover"
)

// Call is one tools/call request, decoded once; whatever decides on it reads this and nothing else. It is not changed but for the verdict.
type Call struct {
	Tool      string         // params.name
	Operation *air.Operation // of the pack, nil for a tool that is not approved
	Request   wire.Envelope  // the request with the client's id
	Arguments []byte         // params.arguments as they came, an object of which no member is given twice; nil where there are none
	Client    *Client        // who calls
	Verdict   policy.Verdict // what the policy says of it: set before the next layer sees the call, and again where a result is denied; the zero value before

	hello    *hello               // of a call of the stateless era; nil for others
	headers  map[string]string    // arguments that are mirrored in headers of the stateless era, by name; nil without
	granted  *state.Binding       // of a yes to a call of the stateless era; nil before
	loss     atomic.Pointer[loss] // why the last try has no reply of the upstream's; nil: it has
	doubtful atomic.Bool          // a try of it may have taken effect, and has no reply
	attempt  *attempt             // that is made of it; nil before
	own      struct {             // where record and attempt are
		record  record
		attempt attempt
	}

	cancelled []func() // called when the client gives the call up
	record    *record  // for those that are told of calls; nil where nobody is
	sent      atomic.Int32
	decided   atomic.Pointer[Decided]
}

// Decided is what was decided of a call on its way, beside a refusal and its code, for those that tell of it.
type Decided struct {
	Rule  string // of the policy that decided; "" for none
	By    string // who said yes to the call, where somebody was asked
	Token string // id of the token that was redeemed for it; not the token
}

// decide notes what a layer decided, before it passes the call on or refuses it; d is not changed afterwards. It
// takes the place of what was noted before, so a layer copies that.
func (c *Call) decide(d *Decided) { c.decided.Store(d) }

// Client is who is at the other end of a session.
type Client struct {
	Session string // id of the session, the facade's own
	Subject string // whom the front authenticated, "" for nobody: whoever reaches a loopback address, or the parent of a process on stdio
}

// onCancel has tell called when the client gives up the call while it is under way; its reply then perhaps never comes. tell must not block.
func (c *Call) onCancel(tell func()) { c.cancelled = append(c.cancelled, tell) }

// cancel tells everybody that the client gave the call up.
func (c *Call) cancel() {
	if c.record != nil {
		c.record.cancelled()
	}
	if c.attempt != nil {
		c.attempt.cancelled()
	}
	for _, tell := range c.cancelled {
		tell()
	}
}

// refuseCall answers a call that goes no further, or whose result does not.
func (s *session) refuseCall(c *Call, reply func(wire.Envelope), r refusal) {
	if c.record != nil {
		c.record.refused = r.reason
	}
	reply(s.facade.refuse(r))
}

// Upstream takes calls. What decides on, repeats or counts calls wraps one Upstream in another; layers says in which order.
//
// Call returns without waiting for the reply. reply is called exactly once with a reply of any id, unless the call is
// cancelled: then perhaps never. It may be called before Call returns, and from the goroutine that reads the upstream,
// so it must not block.
type Upstream interface {
	Call(ctx context.Context, c *Call, reply func(wire.Envelope))
}

// layers are what a call goes through on its way to the upstream, the outermost first: what tells of calls sees those as well that are refused further in.
func (s *session) layers() Upstream {
	var calls Upstream = repeating{s, sender{s}}
	if s.facade.options.Ledger != nil {
		calls = keyed{s, calls}
	}
	if s.facade.options.AskPeople {
		calls = confirming{s, calls}
	} else {
		calls = unasked{s, calls}
	}
	calls = ruled{s, calls}
	calls = gate{s, calls}
	if s.facade.options.takesReports() {
		calls = reporting{s, calls}
	}
	if s.facade.records() {
		calls = recorder{s, calls}
	}
	return calls
}

// call decodes a tools/call and hands it to the layers.
func (s *session) call(e wire.Envelope, h *hello, reply func(wire.Envelope)) {
	c := &Call{Request: e, Client: &s.client, hello: h}
	x := s.facade.exposed.Load()
	var problem, hint string
	if c.Tool, c.Arguments, problem = callParams(e.Bytes(e.Params), x.Tools); problem != "" {
		hint = "give params.name once, as a string, and params.arguments once, as an object or not at all"
	} else if at, twice := givenTwice(c.Arguments); twice {
		problem, hint = "params.arguments gives a member twice: "+shown(at), "give every member once: readers do not agree on which of two counts"
	}
	if problem != "" {
		s.notes.logf("refused a call: %s", problem)
		s.refuseAmbiguous(c, reply, problem, hint)
		return
	}
	c.Operation = x.Tools[c.Tool].Operation
	if h != nil {
		c.headers = mirrored(x.headers[c.Tool], c.Arguments)
	}
	s.calls.Call(s.ctx, c, reply)
}

// refuseAmbiguous answers a call that could not be decoded. It passes no layer, and is told of all the same.
func (s *session) refuseAmbiguous(c *Call, reply func(wire.Envelope), problem, hint string) {
	c.Tool, c.Arguments = "", nil
	if s.facade.records() {
		var on bool
		if reply, on = s.record(c, reply); !on {
			return
		}
	}
	s.refuseCall(c, reply, refusal{code: codeParams, message: problem, reason: ambiguousMessage, hint: hint})
}

// sender is the innermost Upstream: it sends the request on, as it came.
type sender struct{ session *session }

func (u sender) Call(_ context.Context, c *Call, reply func(wire.Envelope)) {
	c.sent.Add(1)
	u.session.forward(c.Request, reply, c)
}

// gate lets through calls of approved tools whose live contract is the approved one.
type gate struct {
	session *session
	next    Upstream
}

func (g gate) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	f := g.session.facade
	if _, may := f.exposed.Load().tool(c.Tool, f.now); !may {
		f.logf("refused a call of %s: not approved", shown(c.Tool))
		g.session.refuseCall(c, reply, f.notExposed(c.Tool))
		return
	}
	if roster := g.session.tools.current(); roster != nil {
		g.decide(ctx, c, reply, roster)
		return
	}
	g.session.tools.verify(c.Request.Bytes(c.Request.ID), func(roster *roster, err error) {
		if err != nil {
			g.session.facade.logf("refused a call of %s: %s", shown(c.Tool), troubleOf(err))
			g.session.refuseCall(c, reply, g.session.facade.notVerified(c.Tool, err))
			return
		}
		g.decide(ctx, c, reply, roster)
	}, c.cancel)
}

func (g gate) decide(ctx context.Context, c *Call, reply func(wire.Envelope), roster *roster) {
	f := g.session.facade
	if fault, bad := roster.faults[c.Tool]; bad {
		f.logf("refused a call of %s: %s", shown(c.Tool), fault.text)
		g.session.refuseCall(c, reply, f.mismatch(c.Tool, fault))
		return
	}
	if _, may := roster.under.tool(c.Tool, f.now); !may { // what was approved since has not been held against the server yet
		g.session.refuseCall(c, reply, f.notExposed(c.Tool))
		return
	}
	g.next.Call(ctx, c, reply)
}

// notExposed refuses a call of a tool that may not be called, and says how it stands where the pack knows it.
func (f *Facade) notExposed(tool string) refusal {
	x, name, pack := f.exposed.Load(), shown(tool), f.options.Name
	r := refusal{code: codeParams, reason: deniedByPolicy}
	approved, is := x.Tools[tool]
	_, may := x.tool(tool, f.now)
	closed, known := x.Known[tool]
	switch {
	case may: // this session has not seen the server's tools since it was approved
		r.reason, r.message, r.hint = unverified, "tool "+name+" was approved since the server's tools were read", "nothing was sent; call again"
	case is:
		r.message = "the approval of tool " + name + " ended"
		r.hint = fmt.Sprintf("the tool is part of pack %s and its approval ended on %s; to renew it %s", pack, approved.Until.UTC().Format(time.RFC3339), f.approval(tool))
	case !known:
		r.message, r.hint = "unknown tool "+name, fmt.Sprintf("pack %s has no such tool%s", pack, f.meant(tool))
	case closed.Why == "":
		r.message = "tool " + name + " is not approved"
		r.hint = fmt.Sprintf("the tool is part of pack %s and not approved; to allow it %s", pack, f.approval(tool))
	default:
		r.message, r.hint = closed.Standing.words(name), fmt.Sprintf("the tool is part of pack %s and %s", pack, closed.Why)
	}
	return r
}

// words say how a tool stands.
func (s Standing) words(tool string) string {
	switch s {
	case Blocked:
		return "tool " + tool + " is blocked"
	case ApprovalEnded:
		return "the approval of tool " + tool + " ended"
	}
	return "tool " + tool + " is not approved"
}

// meant says what to do about a name that the pack does not know: take the one that it may be a slip of, or adopt a tool that is new in the server. Tools that are not
// approved are not told of: nobody may call them.
func (f *Facade) meant(tool string) string {
	var close []string
	for _, name := range near.Names(tool, slices.Sorted(maps.Keys(f.exposed.Load().Tools))) {
		close = append(close, shown(name))
	}
	if len(close) > 0 {
		return near.Question(close, "")
	}
	pack := diag.ShellPath(f.options.Name)
	return fmt.Sprintf("; see what it has with `anvil mcp inspect %s`; a tool new in the server has to be adopted first, with `anvil mcp adopt --out %s %s`", pack, pack,
		cmp.Or(f.options.Source, "TARGET"))
}

// mismatch refuses a tool that is another one than was approved, and says how to see what changed and how to accept it.
func (f *Facade) mismatch(tool string, why *change) refusal {
	pack, source := diag.ShellPath(f.options.Name), cmp.Or(f.options.Source, "TARGET")
	r := refusal{code: codeParams, reason: why.code, message: fmt.Sprintf("tool %s is withheld: %s", shown(tool), why)}
	if why.back {
		r.hint = "approving it again lifts the quarantine, if you trust the server still: " + strings.TrimPrefix(f.approval(tool), "run: ")
		return r
	}
	r.hint = fmt.Sprintf("see the change with `anvil mcp diff %s %s`; to accept it adopt the server again with `anvil mcp adopt --out %s %s`",
		diag.ShellPath(f.options.Name+"/snapshot.json"), source, pack, source)
	if why.way != "" {
		r.hint += "; " + why.way
	} else {
		r.hint += fmt.Sprintf(", read it with `anvil mcp review %s`, then %s", pack, f.approval(tool))
	}
	return r
}

// approval says how to approve tool. A name that a command could take for an option, or that a terminal does not show as
// it is, stays out: the hint is there to be copied.
func (f *Facade) approval(tool string) string {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError }
	if tool == "" || len(tool) > maxShown || tool[0] == '-' || strings.ContainsFunc(tool, odd) {
		return "see the operation's id with: anvil mcp inspect " + diag.ShellWord(f.options.Name)
	}
	return fmt.Sprintf("run: anvil mcp approve %s %s", diag.ShellWord(f.options.Name), diag.ShellWord(tool))
}

func (f *Facade) notVerified(tool string, err error) refusal {
	return refusal{
		code: codeServer, reason: unverified,
		message: fmt.Sprintf("tool %s is withheld: its contract could not be verified: %s", shown(tool), troubleOf(err)),
		hint:    "call again; if it stays so, see whether the server still lists its tools with `anvil mcp inspect`",
	}
}
