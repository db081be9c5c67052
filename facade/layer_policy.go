package facade

import (
	"bytes"
	"context"
	"fmt"

	"anvil/compiler/diag"
	"anvil/facade/policy"
	"anvil/wire"
)

// ruled lets through calls, and results, that the policy allows. It stands behind the gate, so that no rule can allow what is not approved, and before whatever
// asks a person, which reads Call.Verdict.
type ruled struct {
	session *session
	next    Upstream
}

func (l ruled) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	rules := l.session.facade.exposed.Load().Policy
	if rules == nil {
		l.next.Call(ctx, c, reply)
		return
	}
	if c.Verdict = rules.Call(c.Tool, c.Client.Subject, c.Arguments); c.Verdict.Denies() {
		l.session.facade.logf("refused a call of %s: %s", shown(c.Tool), verdictWords(c.Verdict))
		l.session.refuseCall(c, reply, l.session.facade.ruledOut(c))
		return
	}
	if results, arguments := rules.Holds(c.Tool); results {
		reply = l.results(rules, c, arguments, reply)
	}
	l.next.Call(ctx, c, reply)
}

// stillRuled lets a call through that waited for something, if the policy lets it through still. What it says of results was seen to before.
type stillRuled ruled

func (l stillRuled) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	if v := l.session.facade.exposed.Load().Policy.Call(c.Tool, c.Client.Subject, c.Arguments); v.Denies() {
		c.Verdict = v
		l.session.facade.logf("refused a call of %s: %s", shown(c.Tool), verdictWords(v))
		l.session.refuseCall(c, reply, l.session.facade.ruledOut(c))
		return
	}
	l.next.Call(ctx, c, reply)
}

// results returns reply behind the rules about results. The arguments are kept where those read them: the frame is used again once it is on its way.
func (l ruled) results(rules *policy.Set, c *Call, keep bool, reply func(wire.Envelope)) func(wire.Envelope) {
	var arguments []byte
	if keep {
		arguments = bytes.Clone(c.Arguments)
	}
	return func(e wire.Envelope) {
		v := rules.Result(c.Tool, c.Client.Subject, arguments, &facts{reply: e})
		if !v.Denies() {
			reply(e)
			return
		}
		c.Verdict = v
		l.session.facade.logf("withheld a result of %s: %s", shown(c.Tool), verdictWords(v))
		l.session.refuseCall(c, reply, l.session.facade.ruledOut(c))
	}
}

// facts is what rules read of a reply, looked for when a rule reads it.
type facts struct {
	reply wire.Envelope
	read  bool
	error bool
	code  int64
}

func (f *facts) Bytes() int {
	if present(f.reply.Error) {
		return len(f.reply.Bytes(f.reply.Error))
	}
	return len(f.reply.Bytes(f.reply.Result))
}

func (f *facts) IsError() bool {
	f.look()
	return f.error
}

func (f *facts) ErrorCode() int64 {
	f.look()
	return f.code
}

func (f *facts) look() {
	if f.read {
		return
	}
	f.read = true
	if present(f.reply.Error) {
		f.error = true
		f.code = codeOf(f.reply.Bytes(f.reply.Error))
		return
	}
	f.error = string(f.reply.Bytes(f.reply.IsError)) == "true"
}

// verdictWords says which rule of which policy decides, and why.
func verdictWords(v policy.Verdict) string {
	switch {
	case v.Rule == "" && v.Source == "":
		return v.Reason
	case v.Rule == "":
		return fmt.Sprintf("%s (%s)", v.Reason, diag.Printable(v.Source))
	case v.Reason == "":
		return fmt.Sprintf("rule %q of %s", v.Rule, diag.Printable(v.Source))
	}
	return fmt.Sprintf("rule %q of %s: %s", v.Rule, diag.Printable(v.Source), v.Reason)
}

// ruledOut refuses what the policy denies.
func (f *Facade) ruledOut(c *Call) refusal {
	r := refusal{code: codeParams, reason: deniedByPolicy, message: fmt.Sprintf("tool %s is denied by the policy: %s", shown(c.Tool), verdictWords(c.Verdict))}
	r.hint = "do not repeat the call as it is; what the rules say of every operation is printed by: " + f.ruleTest(c)
	if c.Verdict.Phase == "result" {
		r.message = fmt.Sprintf("the result of tool %s is withheld by the policy: %s", shown(c.Tool), verdictWords(c.Verdict))
		r.hint = "the call was made and may have taken effect, so do not repeat it; what the rules say is printed by: " + f.ruleTest(c)
	}
	return r
}

// ruleTest is the command that prints what the rules say, to the caller of a call where that is known.
func (f *Facade) ruleTest(c *Call) string {
	command := "anvil policy test " + diag.ShellPath(f.options.Name)
	if c.Client.Subject != "" {
		command += " --caller " + diag.ShellWord(c.Client.Subject)
	}
	return command
}

// unasked refuses calls that the policy has a person say yes to, as long as nobody can be asked. What asks takes its place.
type unasked struct {
	session *session
	next    Upstream
}

func (l unasked) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	if !c.Verdict.Confirms() {
		l.next.Call(ctx, c, reply)
		return
	}
	f := l.session.facade
	f.logf("refused a call of %s: a person has to say yes to it, by %s", shown(c.Tool), verdictWords(c.Verdict))
	l.session.refuseCall(c, reply, refusal{
		code: codeParams, reason: unconfirmed,
		message: fmt.Sprintf("tool %s is not called without a person's yes: %s", shown(c.Tool), verdictWords(c.Verdict)),
		hint:    "`anvil mcp serve` asks a person; who may lift the rule sees it with: " + f.ruleTest(c),
	})
}
