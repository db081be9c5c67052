package facade

import (
	"fmt"
	"slices"
	"sync"

	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
)

// actionOn is what comes of a change.
func actionOn(c change, o pack.OnDrift) pack.Action {
	switch {
	case c.security:
		return o.Security
	case c.class == diag.Breaking:
		return o.Breaking
	case c.class == diag.Safe:
		return o.Safe
	}
	return o.Risky
}

// change is how a tool of the server's differs from the approved one.
type change struct {
	code     string // data.code of refusals: schema_mismatch or text_changed
	text     string // what is to be said of the tool
	detail   string // what the diff says changed, and the rule; may be empty
	class    diag.Class
	security bool
	way      string // what leads on, where adopting the server and approving the tool again does not
	back     bool   // the tool is as it was approved again
}

func (c change) String() string {
	if c.detail == "" {
		return c.text
	}
	return c.text + ": " + c.detail
}

// drift is what a facade's sessions have seen of changed tools. The zero value is ready for use.
type drift struct {
	mu     sync.Mutex
	judged map[string]judged // the last verdict on each tool: every session walks the list, and a server shows all of them the same
	held   map[string]held   // tools in quarantine
	told   map[string]toldOf // what the operator was told last, by tool
	stop   string            // the tool for which all are withheld; "" for none
}

// judged is the verdict on one list item.
type judged struct {
	approved, live string // digests of the items
	change         *change
}

// held is why a tool is in quarantine.
type held struct {
	approved string // digest of the item that it was held against
	change   change
}

type toldOf struct{ live, outcome string }

// look says how the live tool differs from the approved one, nil when it does not, and what comes of it. What is to be withheld stays so.
func (d *drift) look(approved, live surface.Item, o pack.OnDrift) (*change, pack.Action) {
	c := d.judge(approved, live)
	d.mu.Lock()
	defer d.mu.Unlock()
	if before, ok := d.held[live.Name]; ok && c == nil {
		back := before.change
		back.text, back.back = "the server changed it and has taken that back since: "+back.text, true
		return &back, pack.Quarantine
	}
	if c == nil {
		return nil, pack.Serve
	}
	action := actionOn(*c, o)
	if action != pack.Serve {
		d.hold(live.Name, held{approved.Digest, *c})
	}
	if action == pack.Stop {
		d.stop = live.Name
	}
	return c, action
}

// seize puts a tool in quarantine that cannot be held against the approved one at all.
func (d *drift) seize(approved surface.Item, c change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold(approved.Name, held{approved.Digest, c})
}

func (d *drift) hold(tool string, why held) {
	if d.held == nil {
		d.held = map[string]held{}
	}
	d.held[tool] = why
}

// stopped returns the tool for which every tool is withheld, "" for none.
func (d *drift) stopped() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stop
}

// forget lets go of tools that were decided on again: approved at another time, as another tool, or not any more.
func (d *drift) forget(was, is *exposed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.held {
		before, now := was.Tools[name], is.Tools[name]
		if before.Item.Digest == now.Item.Digest && decidedAt(before) == decidedAt(now) {
			continue
		}
		if delete(d.held, name); d.stop == name {
			d.stop = ""
		}
	}
}

// decidedAt is when the tool was approved.
func decidedAt(t Tool) string {
	if t.Operation == nil || t.Operation.Approval == nil {
		return ""
	}
	return t.Operation.Approval.At
}

// news reports whether the operator has not been told yet that the tool as it is now comes out like that.
func (d *drift) news(tool, live, outcome string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told == nil {
		d.told = map[string]toldOf{}
	}
	is := toldOf{live, outcome}
	if d.told[tool] == is {
		return false
	}
	d.told[tool] = is
	return true
}

// judge is [judgeChange], remembered.
func (d *drift) judge(approved, live surface.Item) *change {
	if live.Digest == approved.Digest {
		return nil
	}
	d.mu.Lock()
	known, ok := d.judged[live.Name]
	d.mu.Unlock()
	if ok && known.live == live.Digest && known.approved == approved.Digest {
		return known.change
	}
	c := judgeChange(approved, live)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.judged == nil {
		d.judged = map[string]judged{}
	}
	d.judged[live.Name] = judged{approved.Digest, live.Digest, c}
	return c
}

// judgeChange holds a live tool against the approved one; nil when nothing is other that a caller or a model could act on.
func judgeChange(approved, live surface.Item) *change {
	sameContract, sameText := live.ContractDigest() == approved.ContractDigest(), live.TextDigest() == approved.TextDigest()
	if sameContract && sameText {
		return nil
	}
	findings, err := diff.JudgeTool(approved.JSON, live.JSON)
	c := &change{code: schemaMismatch, text: "its contract is not the one that was approved", class: diag.Risky, detail: "what changed cannot be told"}
	if sameContract {
		c.code, c.text = textChanged, "its text is not the one that was approved"
	}
	if err != nil {
		c.detail += ": " + cut(err.Error(), maxShown)
		return c
	}
	if worst, ok := worstOf(findings); ok {
		c.class = worst.Class
		c.security = slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.Security })
		c.detail = fmt.Sprintf("%s (%s)", cut(diag.Printable(worst.Message), 3*maxShown), worst.Rule)
	}
	switch {
	case surface.SameWords(approved, live) && sameContract: // letter case and blanks
		*c = change{code: textChanged, text: "its text is not the one that was approved", detail: "blanks and letter case alone are other", class: diag.Safe}
	case !surface.SameWords(approved, live) && c.class == diag.Safe: // a rule that takes a title or an example for harmless does not know what steers a model
		c.class = diag.Risky
	}
	return c
}

// worstOf is the finding that says most: what concerns security before what breaks callers, and that before the rest.
func worstOf(findings []diag.Finding) (diag.Finding, bool) {
	if len(findings) == 0 {
		return diag.Finding{}, false
	}
	rank := func(f diag.Finding) int {
		if f.Security {
			return 10 + f.Class.Rank()
		}
		return f.Class.Rank()
	}
	return slices.MaxFunc(findings, func(a, b diag.Finding) int { return rank(a) - rank(b) }), true
}
