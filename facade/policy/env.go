package policy

import (
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"

	"anvil/compiler/pack"
)

// Bounds of what a rule may cost and read.
const (
	// CostLimit is what one evaluation of a rule may cost, in units of CEL's cost model: about one step or ten characters gone over each.
	CostLimit = 300_000
	// MaxArguments is up to which size arguments are read, in bytes. A call with larger ones is refused where a rule reads them.
	MaxArguments = 1 << 20
	// MaxCaller is how long the name of a caller may be, in bytes.
	MaxCaller = 1024

	maxNodes   = 1000 // of an expression
	maxNesting = 50
	maxRegex   = 1000 // instructions of a compiled pattern
)

// Variable is one that rules can read.
type Variable struct {
	Name  string
	Type  string           // bool, int, double, string or map
	Phase pack.PolicyPhase // from which on it is known
	Doc   string
}

// Variables are all of them, in the order of the documentation.
var Variables = []Variable{
	{"server", "string", pack.PolicyList, "the pack's service id, as it stands before the first dot of every operation id"},
	{"tool", "string", pack.PolicyList, "the tool's name, as the server gives it"},
	{"operation", "string", pack.PolicyList, "the operation's id in the pack"},
	{"effect", "string", pack.PolicyList, "read or mutation"},
	{"risk", "string", pack.PolicyList, "none, low, medium, high, financial or destructive"},
	{"caller", "string", pack.PolicyList, "whom the front authenticated; \"\" for nobody, who is at the other end of stdio or of a loopback address"},
	{"learned.calls", "int", pack.PolicyList, "calls that were observed; 0 where nothing was learned"},
	{"learned.failures", "int", pack.PolicyList, "how many of them failed"},
	{"learned.failureRateLow", "double", pack.PolicyList, "lower end of the 95 % interval of the share that fails; 0 without calls"},
	{"learned.failureRateHigh", "double", pack.PolicyList, "upper end of it; 1 without calls"},
	{"learned.timed", "int", pack.PolicyList, "calls whose duration is known"},
	{"learned.p50Ms", "double", pack.PolicyList, "half of the timed calls took at most so many milliseconds; not there while learned.timed is 0"},
	{"learned.p95Ms", "double", pack.PolicyList, "as p50Ms, of 95 % of them"},
	{"learned.p99Ms", "double", pack.PolicyList, "as p50Ms, of 99 % of them"},
	{"arguments", "map", pack.PolicyCall, "the call's arguments, by name; empty where the call has none"},
	{"result.isError", "bool", pack.PolicyResult, "the call failed: the result says isError, or the reply is an error"},
	{"result.bytes", "int", pack.PolicyResult, "size of the result, or of the error"},
	{"result.errorCode", "int", pack.PolicyResult, "JSON-RPC's code of an error reply; 0 for a result"},
}

func phaseOf(variable string) (pack.PolicyPhase, bool) {
	for _, v := range Variables {
		if v.Name == variable {
			return v.Phase, true
		}
	}
	return "", false
}

var environment = sync.OnceValues(func() (*cel.Env, error) {
	types := map[string]*cel.Type{"bool": cel.BoolType, "int": cel.IntType, "double": cel.DoubleType, "string": cel.StringType,
		"map": cel.MapType(cel.StringType, cel.DynType)}
	options := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true), cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
		cel.ExpressionNodeLimit(maxNodes), cel.ExpressionNestingDepthLimit(maxNesting), cel.ParserExpressionSizeLimit(1 << 16), cel.RegexProgramSizeLimit(maxRegex),
	}
	for _, v := range Variables {
		options = append(options, cel.VariableWithDoc(v.Name, types[v.Type], v.Doc))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("make the environment of policy rules: %w", err)
	}
	return env, nil
})

// whatIsWrong is what CEL says of an expression that it does not take, in one line.
func whatIsWrong(issues *cel.Issues) string {
	var parts []string
	for _, e := range issues.Errors() {
		parts = append(parts, fmt.Sprintf("%s (line %d, column %d of the expression)", strings.Join(strings.Fields(e.Message), " "), e.Location.Line(), e.Location.Column()+1))
	}
	return strings.Join(parts, "; ")
}
