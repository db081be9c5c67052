package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"anvil/compiler/pack"
)

// rule is one that was compiled.
type rule struct {
	pack.PolicyRule
	source *source
	ast    *cel.Ast
	full   cel.Program // where everything is known
	part   cel.Program // where something is not; it keeps what each part of the expression came to
	reads  *reads
	result bool // it is asked of results, and otherwise of lists and calls
}

// compile reads the expression of a rule.
func compile(r pack.PolicyRule, from *source) (*rule, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	tree, issues := env.Compile(r.When)
	if issues.Err() != nil {
		return nil, errors.New("when is no expression: " + whatIsWrong(issues))
	}
	if !tree.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("when gives %s, and must give true or false", tree.OutputType())
	}
	c := &rule{PolicyRule: r, source: from, ast: tree, reads: readsOf(tree.NativeRep().Expr())}
	for _, d := range c.reads.doubles {
		if d >= exactBelow || d <= -exactBelow {
			return nil, fmt.Errorf("when has the number %g, which doubles do not tell from its neighbours; write it without point and exponent", d)
		}
	}
	if err := c.place(); err != nil {
		return nil, err
	}
	return c, c.plan(env)
}

// place finds out when the rule is asked, and holds it against what it says itself.
func (c *rule) place() error {
	last := pack.PolicyList
	for name := range c.reads.variables {
		if phase, ok := phaseOf(name); ok {
			last = later(last, phase)
		}
	}
	for _, on := range c.On {
		if later(on, last) != on {
			return fmt.Errorf("it is to be asked on %s and reads %s, which is known on %s at the earliest", on, c.firstOf(on), last)
		}
	}
	c.result = last == pack.PolicyResult || len(c.On) > 0 && !slices.ContainsFunc(c.On, func(p pack.PolicyPhase) bool { return p != pack.PolicyResult })
	switch {
	case !c.result:
		return nil
	case last != pack.PolicyResult:
		return errors.New("it is to be asked on result and reads nothing of the result, so that a call would be made in vain; leave on out")
	case c.Then != pack.PolicyDeny:
		return fmt.Errorf("it says %s of a result, which can only be denied: the call was made by then", c.Then)
	}
	return nil
}

// firstOf is a variable that the rule reads and the phase does not know.
func (c *rule) firstOf(phase pack.PolicyPhase) string {
	for _, v := range Variables {
		if c.reads.variables[v.Name] && later(v.Phase, phase) != phase {
			return v.Name
		}
	}
	return ""
}

func later(a, b pack.PolicyPhase) pack.PolicyPhase {
	order := []pack.PolicyPhase{pack.PolicyList, pack.PolicyCall, pack.PolicyResult}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// plan makes the programs. What the rule costs is counted as it runs where it can cost more than the limit at all.
func (c *rule) plan(env *cel.Env) error {
	likely, err := env.EstimateCost(c.ast, assumed)
	if err != nil {
		return fmt.Errorf("what it costs cannot be told: %w", err)
	}
	if likely.Max > CostLimit {
		return fmt.Errorf("it costs up to %s by CEL's estimate, for texts of %d bytes and lists of %d items, and the limit is %d; take a loop within a loop apart",
			orUnbounded(likely.Max), assumed.text, assumed.items, CostLimit)
	}
	most, err := env.EstimateCost(c.ast, certain)
	if err != nil {
		return fmt.Errorf("what it costs cannot be told: %w", err)
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if most.Max > CostLimit {
		options = append(options, cel.CostLimit(CostLimit))
	}
	if c.full, err = env.Program(c.ast, options...); err != nil {
		return fmt.Errorf("plan it: %w", err)
	}
	c.part, err = env.Program(c.ast, cel.EvalOptions(cel.OptPartialEval, cel.OptTrackState), cel.CostLimit(CostLimit))
	if err != nil {
		return fmt.Errorf("plan it: %w", err)
	}
	return nil
}

func orUnbounded(n uint64) string {
	if n > 1<<53 {
		return "any amount"
	}
	return fmt.Sprint(n)
}

// outcome is what a rule comes to.
type outcome byte

const (
	fails outcome = iota // it cannot be decided
	no
	yes
	open // it hangs on what is not known
)

// ask evaluates the rule on a call of which everything is known. The words say why it cannot be decided.
func (c *rule) ask(m *moment) (outcome, string) {
	out, _, err := c.full.Eval(m)
	if err != nil {
		return fails, c.trouble(err)
	}
	return truth(out)
}

// askPart evaluates the rule where something is not known, and returns what the rest of it reads.
func (c *rule) askPart(m *moment) (o outcome, why string, rest *reads) {
	out, details, err := c.part.Eval(partial{m})
	if err != nil {
		return fails, c.trouble(err), nil
	}
	if o, why = truth(out); o != open {
		return o, why, nil
	}
	tree := c.ast.NativeRep()
	macros := maps.Clone(tree.SourceInfo().MacroCalls()) // pruning takes out of it what it has seen
	pruned := interpreter.PruneAst(tree.Expr(), macros, details.State())
	return open, "", readsOf(pruned.Expr())
}

func truth(v any) (outcome, string) {
	switch v := v.(type) {
	case types.Bool:
		if v {
			return yes, ""
		}
		return no, ""
	case *types.Unknown:
		return open, ""
	}
	return fails, "it is neither true nor false"
}

// trouble says why an evaluation failed, without any value out of a call.
func (c *rule) trouble(err error) string {
	for _, known := range []error{errTooLarge, errNumber, errText, errAlike, errJSON} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) {
		return fmt.Sprintf("it costs more than %d for this call", CostLimit)
	}
	message := err.Error()
	for _, path := range c.reads.members {
		if name := path[len(path)-1]; message == "no such key: "+name {
			return fmt.Sprintf("the call has no argument %q; a rule that can do without it says has(arguments.%s)", strings.Join(path, "."), strings.Join(path, "."))
		}
	}
	for _, v := range Variables {
		if strings.HasPrefix(message, "no such attribute") && strings.Contains(message, v.Name) {
			return v.Name + " is not known of this tool; a rule that can do without it asks for learned.timed > 0 first"
		}
	}
	for prefix, text := range map[string]string{
		"no such key": "it reads a member that is not there", "no such overload": "it reads a value of another type", "index out of bounds": "it reads an item that is not there",
		"division by zero": "it divides by zero", "modulus by zero": "it divides by zero", "integer overflow": "a number in it becomes too large",
		"type conversion error": "a value in it cannot be converted",
	} {
		if strings.HasPrefix(message, prefix) {
			return text
		}
	}
	return "an operation in it fails"
}
