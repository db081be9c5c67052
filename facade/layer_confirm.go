package facade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/facade/state"
	"anvil/wire"
)

// Approvals keep calls that wait for a person's yes where others can decide on them: see [state.Store].
type Approvals interface {
	Ask(ctx context.Context, q state.Question) (state.Asked, error)
	Redeem(ctx context.Context, token string, b state.Binding) error
	Redeemed(ctx context.Context, token string) (state.Approval, error)
}

// TokenMember is the member of a call's params._meta that holds the token of its approval.
const TokenMember = "anvil/approval"

// confirming lets a call that changes something through once somebody said yes to it: the person at the client where that can ask one (elicitation), else
// whoever decides with `anvil mcp approvals`.
type confirming struct {
	session *session
	next    Upstream
}

// confirmation is whose yes a call waits for. Of an operation nobody knows, it is a person's.
func (c *Call) confirmation() air.Confirmation {
	want := air.Confirmation{Required: true, HumanApproval: true}
	if c.Operation != nil {
		want = c.Operation.Confirmation
	}
	if c.Verdict.Confirms() { // a rule of the policy wants a person's
		want.Required, want.HumanApproval = true, true
	}
	return want
}

func (l confirming) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	want := c.confirmation()
	if !want.Required && !want.HumanApproval {
		l.next.Call(ctx, c, reply)
		return
	}
	s := l.session
	var asked atomic.Pointer[string] // the question to the client
	h, ok := s.hold(c, func() {
		if id := asked.Load(); id != nil {
			s.withdraw(*id)
		}
	})
	if !ok {
		s.refuseCall(c, reply, tooMany)
		return
	}
	answered := reply
	if c.hello != nil {
		answered = func(e wire.Envelope) {
			s.goesOn(c, e)
			reply(e)
		}
	}
	done := func(r *refusal) {
		switch {
		case !h.release(): // the client gave it up
		case r != nil:
			s.facade.logf("refused a call of %s: %s", shown(c.Tool), cut(r.message, 200))
			s.refuseCall(c, reply, *r)
		default: // what was approved when it was asked about may not be any more
			gate{s, stillRuled{s, l.next}}.Call(ctx, c, answered)
		}
	}
	token, given := tokenOf(c)
	switch {
	case c.hello != nil && !given && c.elicits():
		s.confirmByResult(c, func(e wire.Envelope) {
			if h.release() {
				reply(e)
			}
		}, done)
	case given:
		s.spawnOr(func() { done(l.redeem(ctx, c, token)) }, func() { done(s.over()) })
	case s.elicits():
		l.elicit(c, &asked, done)
	default:
		s.spawnOr(func() { r := l.ask(ctx, c, want); done(&r) }, func() { done(s.over()) })
	}
}

// tokenOf reads the token of a call; given tells one that is no text from none.
func tokenOf(c *Call) (token string, given bool) {
	raw := memberAt(c.Request.Bytes(c.Request.Params), "_meta", TokenMember)
	if raw == nil {
		return "", false
	}
	token, _ = wire.Unquote(raw)
	return token, true
}

// binding is what a yes to the call is bound to.
func (c *Call) binding() (state.Binding, error) {
	b := state.Binding{Operation: c.Tool, Caller: c.Client.Subject}
	if c.Operation != nil {
		b.Operation, b.Contract = c.Operation.ID, c.Operation.ContractDigest
	}
	arguments, err := c.canonicalArguments()
	b.Arguments = canon.Digest(arguments)
	return b, err
}

// canonicalArguments are the arguments in canonical form, {} where there are none.
func (c *Call) canonicalArguments() ([]byte, error) {
	if c.Arguments == nil {
		return []byte("{}"), nil
	}
	n, err := canon.Parse(c.Arguments)
	if err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	return n.Canonical(), nil
}

// approvalsCommand is the command that decides on calls, without where they are kept.
const approvalsCommand = "anvil mcp approvals"

// decides is the command that decides on calls. words are those of one of its own commands; "" lists what waits.
func (f *Facade) decides(words string) string {
	command, where := cmp.Or(f.options.ApprovalsCommand, approvalsCommand), ""
	if rest, ok := strings.CutPrefix(command, approvalsCommand); ok { // what a command of it is told stands behind that
		command, where = approvalsCommand, rest
	}
	if words != "" {
		words = " " + words
	}
	return "`" + command + words + where + "`"
}

// redeem uses the token that came with the call; nil when it is worth a yes.
func (l confirming) redeem(ctx context.Context, c *Call, token string) *refusal {
	r := &refusal{code: codeParams, reason: string(air.ErrConfirmationRequired)}
	b, err := c.binding()
	f := l.session.facade
	store := f.options.Approvals
	switch {
	case store == nil:
		r.message, r.hint = "the token of the call's approval is worth nothing here: this facade keeps no approvals", startWithState
		return r
	case err == nil:
		err = store.Redeem(ctx, token, b)
	}
	var refused *state.RefusedError
	switch {
	case err == nil:
		redeemed, _ := store.Redeemed(ctx, token) // without which the record says less
		c.decide(&Decided{By: redeemed.By, Token: redeemed.ID})
		return nil
	case errors.As(err, &refused):
		r.reason, r.hint = confirmationDeclined, "do not call again unless the person changes their mind"
	case errors.Is(err, state.ErrUndecided):
		r.hint = "nothing was sent; have a person decide with " + f.decides("") + ", then make the same call with the same token"
	case state.Spent(err):
		r.hint = "nothing was sent; make the call without the token, which asks for it anew"
	default:
		r.hint = "nothing was sent; call again with the same token"
	}
	r.message = fmt.Sprintf("tool %s was not called: %v", shown(c.Tool), err)
	return r
}

const startWithState = "start the facade with --state FOLDER, and decide on calls with `anvil mcp approvals --state FOLDER`"

// askTime is how long a person has to decide.
const askTime = 15 * time.Minute

// ask asks whoever decides with anvil mcp approvals, and refuses the call with the token that it can be made with after that.
func (l confirming) ask(ctx context.Context, c *Call, want air.Confirmation) refusal {
	f := l.session.facade
	r := refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s waits for a yes: %s; nothing was sent", shown(c.Tool), c.does())}
	if f.options.Approvals == nil {
		r.hint = "this client cannot ask anybody (elicitation); " + startWithState
		return r
	}
	b, err := c.binding()
	if err == nil {
		var asked state.Asked
		expires := f.now().Add(askTime)
		asked, err = f.options.Approvals.Ask(ctx, state.Question{
			Binding: b, Shown: string(c.Request.Bytes(c.Request.Params)), Expires: expires, Holder: !want.HumanApproval,
		})
		if err == nil {
			r.hint = fmt.Sprintf("a person says yes with %s; then make the same call with the token as params._meta[%q]", f.decides("approve "+asked.ID), TokenMember)
			if !want.HumanApproval {
				r.hint = fmt.Sprintf("ask your user, and after a yes make the same call with the token as params._meta[%q]; a person can also decide with %s", TokenMember, f.decides("approve "+asked.ID))
			}
			r.more = fmt.Appendf(nil, `"approval":{"id":%s,"token":%s,"expires":%s}`, canon.Quote(asked.ID), canon.Quote(asked.Token),
				canon.Quote(expires.UTC().Format(time.RFC3339)))
			return r
		}
	}
	r.message, r.hint = fmt.Sprintf("tool %s waits for a yes, and nobody can be asked: %v", shown(c.Tool), err), "nothing was sent; call again to ask again"
	switch {
	case errors.Is(err, state.ErrTooMany):
		r.hint = "nothing was sent; have a person decide about those with " + f.decides("") + ", then call again"
	case errors.Is(err, state.ErrTooLong):
		r.hint = sendLess
	}
	return r
}

const sendLess = "nothing was sent; send less at a time"

// does says in words what a call of the operation does.
func (c *Call) does() string {
	o := c.Operation
	if o == nil {
		return "nobody knows what it does"
	}
	return fmt.Sprintf("%s, %s risk, %s", o.Effect.Kind, o.Effect.Risk, o.Effect.Undo())
}

// elicits reports a client that can ask its user for a form (MCP 2025-06-18 and later).
func (s *session) elicits() bool {
	s.conversation.mu.Lock()
	defer s.conversation.mu.Unlock()
	return asksForms(memberAt(s.conversation.initialize, "capabilities", "elicitation"))
}

// asksForms reads the client's capability elicitation.
func asksForms(means []byte) bool {
	if means == nil || means[0] != '{' {
		return false
	}
	return memberAt(means, "form") != nil || memberAt(means, "url") == nil
}

// elicit asks the person at the client, and calls done with their answer.
func (l confirming) elicit(c *Call, asked *atomic.Pointer[string], done func(*refusal)) {
	s := l.session
	params, r := c.form()
	if r != nil {
		done(r)
		return
	}
	var late *time.Timer
	begun := func(id string) {
		asked.Store(&id)
		late = time.AfterFunc(askTime, func() {
			s.withdraw(id)
			done(&refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s was not called: nobody answered in %v", shown(c.Tool), askTime),
				hint: "nothing was sent; call again to ask again"})
		})
	}
	s.askClient("elicitation/create", params, begun, func(answer wire.Envelope, ok bool) {
		late.Stop()
		switch {
		case !ok:
			done(s.over())
		case present(answer.Error):
			done(&refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s waits for a yes, and the client could not ask for it", shown(c.Tool)),
				hint: "nothing was sent; have a person answer at the client"})
		case saysYes(answer.Bytes(answer.Result)):
			c.decide(&Decided{By: "the person at the client"})
			done(nil)
		default:
			done(c.declined())
		}
	})
}

// declined refuses a call to which the person at the client did not say yes.
func (c *Call) declined() *refusal {
	return &refusal{code: codeParams, reason: confirmationDeclined, message: fmt.Sprintf("tool %s was not called: the person at the client did not say yes", shown(c.Tool)),
		hint: "nothing was sent, and no tool failed; do not call again unless they change their mind"}
}

// form are the params of the elicitation that asks for a yes to the call.
func (c *Call) form() ([]byte, *refusal) {
	params := append([]byte(`{"message":`), canon.Quote(c.question())...)
	params = append(params, `,"requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean","title":"Make this call",`+
		`"description":"Yes makes the call as it is shown, once. Anything else makes none."}},"required":["confirm"]}}`...)
	if len(params) > maxQuestion {
		return nil, &refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s waits for a yes, and %v", shown(c.Tool), state.ErrTooLong), hint: sendLess}
	}
	return params, nil
}

// maxQuestion is the longest question that a person is asked through the client, in bytes.
const maxQuestion = state.MaxShown + 4<<10

// question is what the person is shown: what the call does, and all of its arguments.
func (c *Call) question() string {
	name := c.Tool
	if c.Operation != nil {
		name = c.Operation.ID
	}
	text := fmt.Sprintf("May %s be called?\nWhat it does: %s.\n", diag.Printable(name), c.does())
	if c.Arguments == nil {
		return text + "It is called without arguments."
	}
	arguments, err := c.canonicalArguments()
	if err != nil {
		return text + "Its arguments cannot be read."
	}
	return text + "Its arguments are:\n" + string(diag.PrintableJSON(canon.Indent(arguments, "")))
}

// saysYes reads the answer to an elicitation: accepted, and with the one member that says yes.
func saysYes(result []byte) bool {
	action, _ := wire.Unquote(memberAt(result, "action"))
	return action == "accept" && string(memberAt(result, "content", "confirm")) == "true"
}
