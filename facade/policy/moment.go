package policy

import (
	"errors"
	"slices"
	"sync"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// Result is what is asked of a reply, and read of it no earlier.
type Result interface {
	IsError() bool
	Bytes() int
	ErrorCode() int64
}

// moment is what rules read while one call is decided.
type moment struct {
	tool      *tool
	caller    ref.Val
	arguments []byte
	decoded   ref.Val // nil until a rule reads arguments
	blind     bool    // arguments are not to be read: what is decided is kept for other calls
	result    Result
	unknown   []*interpreter.AttributePattern // variables whose value is not known yet
}

var moments = sync.Pool{New: func() any { return new(moment) }}

func newMoment(t *tool, caller string, arguments []byte, result Result) *moment {
	m := moments.Get().(*moment)
	m.tool, m.arguments, m.result = t, arguments, result
	m.caller = nobody
	if caller != "" {
		m.caller = types.String(caller)
	}
	return m
}

var errBlind = errors.New("it reads arguments, of which that was not to be seen")

var nobody ref.Val = types.String("")

// done gives the moment back.
func (m *moment) done() {
	*m = moment{}
	moments.Put(m)
}

// ResolveName returns a variable.
func (m *moment) ResolveName(name string) (any, bool) {
	switch name {
	case "caller":
		return m.caller, true
	case "arguments":
		if m.blind {
			return fault(errBlind), true
		}
		if m.decoded == nil {
			m.decoded = decode(m.arguments, m.tool.declared)
		}
		return m.decoded, true
	}
	if v, ok := m.tool.values[name]; ok {
		return v, true
	}
	if m.result == nil {
		return nil, false
	}
	switch name {
	case "result.isError":
		return types.Bool(m.result.IsError()), true
	case "result.bytes":
		return types.Int(m.result.Bytes()), true
	case "result.errorCode":
		return types.Int(m.result.ErrorCode()), true
	}
	return nil, false
}

// Parent returns nil: there is nothing around a call.
func (m *moment) Parent() interpreter.Activation { return nil }

// partial is a moment of which some variables are not known. An evaluation that hangs on one of them has no outcome.
type partial struct{ *moment }

// UnknownAttributePatterns returns those variables.
func (p partial) UnknownAttributePatterns() []*interpreter.AttributePattern { return p.unknown }

// AsPartialActivation is how the interpreter recognises one.
func (p partial) AsPartialActivation() (interpreter.PartialActivation, bool) { return p, true }

func patterns(names ...string) []*interpreter.AttributePattern {
	list := make([]*interpreter.AttributePattern, len(names))
	for i, name := range names {
		list[i] = interpreter.NewAttributePattern(name)
	}
	return list
}

// constants are the variables that a pack says for good.
var constants = []string{"server", "tool", "operation", "effect", "risk"}

// What is not known before a result, before a call, before a session, of a call by somebody, and to who looks for what can hold later, or for another server.
var (
	resultUnknown    = patterns("result.isError", "result.bytes", "result.errorCode")
	argumentsUnknown = append(patterns("arguments"), resultUnknown...)
	callerUnknown    = append(patterns("caller"), argumentsUnknown...)

	onlyCallerUnknown = append(patterns("caller"), resultUnknown...)
	learnedUnknown    = but(func(name string) bool { return slices.Contains(constants, name) })
	allButServer      = but(func(name string) bool { return name == "server" })
)

// but is every variable but those that are known.
func but(known func(name string) bool) (list []*interpreter.AttributePattern) {
	for _, v := range Variables {
		if !known(v.Name) {
			list = append(list, interpreter.NewAttributePattern(v.Name))
		}
	}
	return list
}
