package pack

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
)

// Policy is which calls a person allows, of those that approvals let through: it takes away and never adds. It stands in facade.yaml and in the
// section policy of the configuration. What the rules say is read by facade/policy.
type Policy struct {
	Default PolicyAction `json:"default,omitzero"` // of calls that no rule decides: allow, which "" means too, or deny
	Rules   []PolicyRule `json:"rules,omitempty"`
}

// PolicyRule is one rule.
type PolicyRule struct {
	ID     string        `json:"id"`              // letters, digits and "-"
	When   string        `json:"when"`            // an expression in CEL that is true or false
	Then   PolicyAction  `json:"then"`            //
	On     []PolicyPhase `json:"on,omitempty"`    // none: wherever it can be decided
	Reason string        `json:"reason,omitzero"` // what a refused caller is told
}

// PolicyAction is what comes of a call.
type PolicyAction string

// The actions, from the mildest on.
const (
	PolicyAllow   PolicyAction = "allow"
	PolicyConfirm PolicyAction = "confirm" // a person is asked, as for an operation that has to be confirmed
	PolicyDeny    PolicyAction = "deny"
)

// PolicyPhase is when a rule is asked.
type PolicyPhase string

// The phases.
const (
	PolicyList   PolicyPhase = "list"   // when tools are listed
	PolicyCall   PolicyPhase = "call"   // before a call goes to the server
	PolicyResult PolicyPhase = "result" // before its result goes to the client
)

// Bounds of a policy that a person wrote.
const (
	maxRules  = 1000
	maxWhen   = 4096 // bytes
	maxReason = 300  // bytes
)

var ruleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)

// PolicyProblem is something wrong in a policy: Pointer leads to it, from the policy on.
type PolicyProblem struct{ Pointer, Text string }

// IsEmpty reports a policy that decides nothing.
func (p *Policy) IsEmpty() bool {
	return p == nil || len(p.Rules) == 0 && (p.Default == "" || p.Default == PolicyAllow)
}

// Equal reports whether both decide by the same words.
func (p *Policy) Equal(o *Policy) bool {
	if p.IsEmpty() || o.IsEmpty() {
		return p.IsEmpty() == o.IsEmpty()
	}
	return (p.Default == PolicyDeny) == (o.Default == PolicyDeny) && slices.EqualFunc(p.Rules, o.Rules, func(a, b PolicyRule) bool { return reflect.DeepEqual(a, b) })
}

// Problems says what is wrong with the form of a policy. What the expressions say is not looked at.
func (p Policy) Problems() (problems []PolicyProblem) {
	add := func(pointer, format string, args ...any) {
		problems = append(problems, PolicyProblem{pointer, fmt.Sprintf(format, args...)})
	}
	if !slices.Contains([]PolicyAction{"", PolicyAllow, PolicyDeny}, p.Default) {
		add("/default", "default %q is not known; it is allow or deny", p.Default)
	}
	if len(p.Rules) > maxRules {
		add("/rules", "there are %d rules, and at most %d are read", len(p.Rules), maxRules)
	}
	first := map[string]int{}
	for i, r := range p.Rules {
		at := canon.Pointer("rules", fmt.Sprint(i))
		if before, twice := first[r.ID]; twice {
			add(at+"/id", "rule %q is given twice: the rules %d and %d have that id", r.ID, before+1, i+1)
		}
		first[r.ID] = i
		for _, problem := range r.problems() {
			add(at+problem.Pointer, "%s", problem.Text)
		}
	}
	return problems
}

func (r PolicyRule) problems() (problems []PolicyProblem) {
	add := func(pointer, format string, args ...any) {
		problems = append(problems, PolicyProblem{pointer, fmt.Sprintf(format, args...)})
	}
	if !ruleID.MatchString(r.ID) {
		add("/id", "id %q is none: give each rule an id of letters, digits and \"-\", at most 64", diag.Shorten(r.ID, 80))
	}
	if !diag.Legible(r.When) || len(r.When) > maxWhen {
		add("/when", "rule %q: when must be an expression of at most %d bytes", r.ID, maxWhen)
	}
	if !slices.Contains([]PolicyAction{PolicyAllow, PolicyConfirm, PolicyDeny}, r.Then) {
		add("/then", "rule %q: then %q is not known; it is allow, confirm or deny", r.ID, r.Then)
	}
	for i, phase := range r.On {
		if !slices.Contains([]PolicyPhase{PolicyList, PolicyCall, PolicyResult}, phase) {
			add(canon.Pointer("on", fmt.Sprint(i)), "rule %q: on %q is not known; it is list, call or result", r.ID, phase)
		}
	}
	if len(r.Reason) > maxReason || r.Reason != diag.Printable(r.Reason) {
		add("/reason", "rule %q: reason must be one line of at most %d bytes, of characters that show", r.ID, maxReason)
	}
	return problems
}

// PolicyPlace says where in the pack something of its policy stands, as file:line; pointer is one of the policy's.
func (p *Pack) PolicyPlace(pointer string) string {
	path := p.Dir + "/" + FacadeFile
	if _, lines, err := yaml.ToJSON(p.Files[FacadeFile]); err == nil {
		if line := lines.At("/policy" + pointer); line > 0 {
			return fmt.Sprintf("%s:%d", path, line)
		}
	}
	return path
}
