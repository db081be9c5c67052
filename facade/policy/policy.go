package policy

import (
	"errors"
	"fmt"
	"sync"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/learn/profile"
)

// Source is one policy and where it stands.
type Source struct {
	Name    string // of the file, as refusals give it: "facade.yaml", "anvil.yaml"
	Policy  pack.Policy
	Place   func(pointer string) string // where something of it stands: "anvil.yaml:12"; nil says Name
	Sealed  bool                        // it stands in a pack, where nobody may edit it
	Several bool                        // it is for several servers: a rule about another one is left out, not refused
}

// Digest is that of what the sources say, in their order and wherever they are kept; "" where there are none.
func Digest(sources ...Source) (string, error) {
	if len(sources) == 0 {
		return "", nil
	}
	said := make([]pack.Policy, len(sources))
	for i, s := range sources {
		said[i] = s.Policy
	}
	text, err := canon.EncodeCompact(said)
	if err != nil {
		return "", err
	}
	return canon.Digest(text), nil
}

// Operation is one that rules are held against.
type Operation struct {
	air.Operation
	Learned *profile.Profile // nil where nothing was learned
}

// Verdict is what the rules say of a call. The zero value says nothing, since none was asked.
type Verdict struct {
	Action pack.PolicyAction
	Rule   string           // id of the rule that decides; "" for a default
	Source string           // name of the policy it stands in; "" where there is none
	Reason string           // of the rule, or why it cannot be decided; it holds no value out of a call
	Phase  pack.PolicyPhase // when it was decided
	Failed bool             // the rule cannot be decided, which denies
}

// Denies reports a call that may not be made, or a result that may not be passed on.
func (v Verdict) Denies() bool { return v.Action == pack.PolicyDeny }

// Confirms reports a call that a person has to say yes to.
func (v Verdict) Confirms() bool { return v.Action == pack.PolicyConfirm }

var severity = map[pack.PolicyAction]int{pack.PolicyAllow: 1, pack.PolicyConfirm: 2, pack.PolicyDeny: 3}

// Set is policies that were held against the operations of a pack. It is safe for concurrent use and does not change. A nil Set allows every call.
type Set struct {
	tools  map[string]*tool
	closed string // why every call is denied; "" for none is
}

// Closed returns a Set that denies everything, for a pack whose rules cannot be told.
func Closed(why string) *Set { return &Set{closed: why} }

// source is a policy that was compiled.
type source struct{ Source }

func (s *source) place(pointer string) string {
	if s.Place == nil {
		return s.Name
	}
	return s.Place(pointer)
}

// tool is what is decided of one tool.
type tool struct {
	operation air.Operation
	root      *canon.Node         // the input schema
	values    map[string]ref.Val  // of the variables that are known of it
	declared  map[string]struct{} // names that its input schema has anywhere
	parts     []part              // one for each policy
	results   []*rule             // that its results are held against
	always    *Verdict            // of every call, where it hangs on nothing
	arguments bool                // its calls hang on arguments

	mu      sync.RWMutex
	callers map[string]Verdict // where calls hang on the caller alone
}

// part is what one policy says of a tool.
type part struct {
	source *source
	fixed  Verdict // where no open rule says otherwise
	open   []*rule // that hang on a call
}

// Compile holds policies against the operations of the service with the given id. What is wrong with any rule is all reported at once, each with its place and
// the id of the rule. notes says which rules were left out, since they are about other servers.
func Compile(service string, operations []Operation, sources ...Source) (set *Set, notes []string, err error) {
	set = &Set{tools: make(map[string]*tool, len(operations))}
	for _, o := range operations {
		set.tools[o.MCP.ToolName] = newTool(service, o)
	}
	var problems []error
	for _, from := range sources {
		s := &source{from}
		for _, p := range from.Policy.Problems() {
			problems = append(problems, fmt.Errorf("%s: policy: %s", s.place(p.Pointer), p.Text))
		}
		if len(problems) > 0 {
			continue
		}
		said, wrong := set.add(s)
		notes, problems = append(notes, said...), append(problems, wrong...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, nil, err
	}
	for _, t := range set.tools {
		t.settle()
	}
	return set, notes, nil
}

// Ours is a policy without the rules that are about other servers than the service: what goes into a pack of it. The policy must compile.
func Ours(service string, operations []Operation, from Source) (pack.Policy, error) {
	ours := from.Policy
	ours.Rules = nil
	tools := make(map[string]*tool, len(operations))
	for _, o := range operations {
		tools[o.MCP.ToolName] = newTool(service, o)
	}
	for _, r := range from.Policy.Rules {
		c, err := compile(r, &source{from})
		if err != nil {
			return ours, fmt.Errorf("rule %q: %w", r.ID, err)
		}
		if !c.foreign(tools) {
			ours.Rules = append(ours.Rules, r)
		}
	}
	return ours, nil
}

func newTool(service string, o Operation) *tool {
	t := &tool{operation: o.Operation, values: learnedValues(o.Learned), declared: map[string]struct{}{}, callers: map[string]Verdict{}}
	for name, value := range map[string]string{
		"server": service, "tool": o.MCP.ToolName, "operation": o.ID, "effect": string(o.Effect.Kind), "risk": string(o.Effect.Risk),
	} {
		t.values[name] = types.String(value)
	}
	if root, err := canon.Parse(o.Input.Schema); err == nil {
		t.root = root
		collectNames(root, t.declared)
	}
	return t
}

// collectNames adds the names of all properties in a schema.
func collectNames(n *canon.Node, into map[string]struct{}) {
	for _, m := range n.Members {
		if m.Name == "properties" {
			for _, property := range m.Value.Members {
				into[property.Name] = struct{}{}
			}
		}
		collectNames(m.Value, into)
	}
	for _, item := range n.Items {
		collectNames(item, into)
	}
}

// add compiles the rules of a policy and holds each against every tool.
func (set *Set) add(s *source) (notes []string, problems []error) {
	parts := make(map[*tool]*part, len(set.tools))
	for _, t := range set.tools {
		parts[t] = &part{source: s, fixed: s.byDefault()}
	}
	for i, r := range s.Policy.Rules {
		at := canon.Pointer("rules", fmt.Sprint(i), "when")
		c, err := compile(r, s)
		if err == nil && c.foreign(set.tools) {
			notes = append(notes, fmt.Sprintf("%s: rule %q is about another server and decides nothing here", s.place(at), r.ID))
			continue
		}
		if err == nil {
			err = c.idle(s)
		}
		if err == nil {
			err = c.hold(set.tools, parts, s.place(at))
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: policy: rule %q: %w", s.place(at), r.ID, err))
		}
	}
	for t, p := range parts {
		t.parts = append(t.parts, *p)
	}
	return notes, problems
}

func (s *source) byDefault() Verdict {
	if s.Policy.Default == pack.PolicyDeny {
		return Verdict{Action: pack.PolicyDeny, Source: s.Name, Reason: "no rule allows it, and the default is to deny", Phase: pack.PolicyCall}
	}
	return Verdict{Action: pack.PolicyAllow, Source: s.Name, Phase: pack.PolicyCall}
}

// foreign reports a rule of a file for several servers that is about another one: it cannot hold here, for the server alone.
func (c *rule) foreign(tools map[string]*tool) bool {
	if !c.source.Several || !c.reads.variables["server"] {
		return false
	}
	for _, t := range tools {
		m := newMoment(t, "", nil, nil)
		m.unknown = allButServer
		o, _, _ := c.askPart(m)
		m.done()
		return o == no
	}
	return false
}

// idle says why a rule decides nothing whatever it comes to.
func (c *rule) idle(s *source) error {
	if c.Then == pack.PolicyAllow && s.Policy.Default != pack.PolicyDeny {
		return errors.New("it allows what is allowed already; set default: deny, or leave it out: a deny or a confirm of another rule counts before it")
	}
	return nil
}
