package policy

import (
	"cel.dev/cel-go/interpreter"

	"anvil/compiler/pack"
)

// Outcome is what is decided of a tool as far as a call of it is known.
type Outcome struct {
	Verdict          // of every such call, where it hangs on nothing; else of one for which none of the rules in Rules holds
	Hangs   []string // what it hangs on yet: arguments, caller
	Rules   []string // ids of the rules that it hangs on, in the order of the policies
}

// Asked is a call as far as it is known.
type Asked struct {
	Caller    *string // nil: not known
	Arguments []byte  // JSON of an object; nil: not known
}

// Table says what comes of a tool when it is listed and when it is called, and which rules its results are held against.
func (set *Set) Table(name string, a Asked) (list, call Outcome, results []string) {
	caller := ""
	if a.Caller != nil {
		caller = *a.Caller
	}
	t, v := set.find(name, caller)
	if set != nil && set.tools[name] != nil {
		for _, r := range set.tools[name].results {
			results = append(results, r.ID)
		}
	}
	if t == nil {
		return Outcome{Verdict: v}, Outcome{Verdict: v}, results
	}
	list, hides := t.outcome(caller, nil, unknownOf(a.Caller != nil, false))
	list.Phase = pack.PolicyList
	if !list.Denies() { // what hangs on arguments is shown
		if list.Verdict = (Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyList}); hides {
			list.Hangs = []string{"caller"}
		} else {
			list.Hangs, list.Rules = nil, nil
		}
	}
	call, _ = t.outcome(caller, a.Arguments, unknownOf(a.Caller != nil, a.Arguments != nil))
	return list, call, results
}

func unknownOf(caller, arguments bool) []*interpreter.AttributePattern {
	switch {
	case caller && arguments:
		return resultUnknown
	case caller:
		return argumentsUnknown
	case arguments:
		return onlyCallerUnknown
	}
	return callerUnknown
}

func (t *tool) outcome(caller string, arguments []byte, unknown []*interpreter.AttributePattern) (out Outcome, hides bool) {
	m := newMoment(t, caller, arguments, nil)
	m.unknown = unknown
	var o openings
	v := t.decidePart(m, &o)
	if v.Denies() {
		return Outcome{Verdict: v}, false
	}
	out = Outcome{Verdict: v, Rules: o.rules}
	for _, name := range []string{"arguments", "caller"} {
		if o.on[name] {
			out.Hangs = append(out.Hangs, name)
		}
	}
	return out, o.hides
}
