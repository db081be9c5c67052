package policy

import "anvil/compiler/pack"

// Of how many callers the verdict on a tool is kept, and up to how long a name, in bytes.
const (
	maxCallers    = 256
	maxKeptCaller = 128
)

// settle finds out what is decided of a tool whoever calls it with whatever.
func (t *tool) settle() {
	worst := Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyCall}
	for _, p := range t.parts {
		worst = harsher(worst, p.fixed)
		if p.denies() {
			t.always = &p.fixed
			return
		}
	}
	for _, p := range t.parts {
		if len(p.open) > 0 {
			return
		}
	}
	t.always = &worst
}

// harsher is what counts of the verdicts of two policies. Of equal ones a rule's says more than a default.
func harsher(worst, v Verdict) Verdict {
	if severity[v.Action] > severity[worst.Action] || v.Action == worst.Action && worst.Rule == "" {
		return v
	}
	return worst
}

// denies reports a part that denies every call: by a rule, or by a default that no open rule lifts.
func (p *part) denies() bool {
	if !p.fixed.Denies() {
		return false
	}
	if p.fixed.Rule != "" {
		return true
	}
	for _, r := range p.open {
		if r.Then != pack.PolicyDeny {
			return false
		}
	}
	return true
}

// unknownTool denies the call of a tool that is in no pack.
var unknownTool = Verdict{Action: pack.PolicyDeny, Reason: "the policy does not know the tool", Phase: pack.PolicyCall}

// find returns the tool, or the verdict on calls that need none.
func (set *Set) find(name, caller string) (*tool, Verdict) {
	if set == nil {
		return nil, Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyCall}
	}
	if set.closed != "" {
		return nil, Verdict{Action: pack.PolicyDeny, Reason: set.closed, Phase: pack.PolicyCall}
	}
	t := set.tools[name]
	switch {
	case t == nil:
		return nil, unknownTool
	case t.always != nil:
		return nil, *t.always
	case len(caller) > MaxCaller:
		return nil, Verdict{Action: pack.PolicyDeny, Reason: "the name of the caller is too long to be decided on", Phase: pack.PolicyCall, Failed: true}
	}
	return t, Verdict{}
}

// Call says what comes of a call. arguments are JSON, an object of which no member is given twice, or nil.
func (set *Set) Call(name, caller string, arguments []byte) Verdict {
	t, v := set.find(name, caller)
	if t == nil {
		return v
	}
	if !t.arguments {
		return t.byCaller(caller)
	}
	m := newMoment(t, caller, arguments, nil)
	defer m.done()
	return t.decide(m)
}

// List says whether the caller is shown a tool: a verdict that denies hides it. It denies where every call of the tool by that caller is denied.
func (set *Set) List(name, caller string) Verdict {
	t, v := set.find(name, caller)
	if t == nil {
		return v
	}
	if !t.arguments {
		return t.byCaller(caller)
	}
	m := newMoment(t, caller, nil, nil)
	m.unknown = argumentsUnknown
	return t.decidePart(m, &openings{})
}

// Holds reports whether results of the tool are held against rules, and whether those read the arguments of the call, which are to be kept then.
func (set *Set) Holds(name string) (results, arguments bool) {
	if set == nil || set.tools[name] == nil {
		return false, false
	}
	for _, r := range set.tools[name].results {
		results, arguments = true, arguments || r.reads.variables["arguments"]
	}
	return results, arguments
}

// Result says whether a result may be passed on. r is read as far as rules read it.
func (set *Set) Result(name, caller string, arguments []byte, r Result) Verdict {
	passes := Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyResult}
	if set == nil || set.tools[name] == nil {
		return passes
	}
	t := set.tools[name]
	m := newMoment(t, caller, arguments, r)
	defer m.done()
	for _, rule := range t.results {
		if o, why := rule.ask(m); o != no {
			return rule.verdict(o, why)
		}
	}
	return passes
}

// byCaller is the verdict on a tool whose calls hang on the caller alone.
func (t *tool) byCaller(caller string) Verdict {
	t.mu.RLock()
	v, ok := t.callers[caller]
	t.mu.RUnlock()
	if ok {
		return v
	}
	m := newMoment(t, caller, nil, nil)
	m.blind = true
	v = t.decide(m)
	m.done()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.callers) < maxCallers && len(caller) <= maxKeptCaller {
		t.callers[caller] = v
	}
	return v
}

// decide asks every open rule, so that one that cannot be decided denies whatever the others say.
func (t *tool) decide(m *moment) Verdict {
	worst := Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyCall}
	for i := range t.parts {
		p := &t.parts[i]
		v := p.fixed
		for _, r := range p.open {
			o, why := r.ask(m)
			if o == no {
				continue
			}
			if v = stricter(v, r.verdict(o, why)); v.Denies() {
				return v
			}
		}
		worst = harsher(worst, v)
	}
	return worst
}

// openings are the rules that stay open, and what they hang on.
type openings struct {
	rules []string
	on    map[string]bool
	hides bool // whether the tool is listed hangs on the caller
}

// decidePart is decide where something is not known: what comes of every such call. It gives the moment back.
func (t *tool) decidePart(m *moment, o *openings) Verdict {
	defer m.done()
	worst := Verdict{Action: pack.PolicyAllow, Phase: pack.PolicyCall}
	for i := range t.parts {
		v := t.parts[i].decidePart(m, o)
		if v.Denies() {
			return v
		}
		worst = harsher(worst, v)
	}
	return worst
}

// decidePart asks a policy's open rules. The verdict is what comes of a call for which none of those holds that stay open; it does not deny as long as such a
// rule could lift the default.
func (p *part) decidePart(m *moment, opened *openings) Verdict {
	v, lifts, whose := p.fixed, false, false
	for _, r := range p.open {
		o, why, rest := r.askPart(m)
		switch o {
		case no:
		case open:
			opened.add(r.ID, rest)
			byCaller := rest.variables["caller"]
			if r.Then == pack.PolicyDeny {
				opened.hides = opened.hides || byCaller
			} else {
				lifts, whose = true, whose || byCaller
			}
		default:
			v = stricter(v, r.verdict(o, why))
		}
	}
	if v.Denies() && v.Rule == "" && lifts {
		opened.hides = opened.hides || whose
		return Verdict{Action: pack.PolicyAllow, Source: v.Source, Phase: pack.PolicyCall}
	}
	return v
}

func (o *openings) add(rule string, rest *reads) {
	if o.on == nil {
		o.on = map[string]bool{}
	}
	o.rules = append(o.rules, rule)
	for name := range rest.variables {
		o.on[name] = true
	}
}
