package facade

import (
	"encoding/base64"
	"net/http"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/wire"
)

// Headers that repeat what a message of the stateless era says (MCP 2026-07-28, SEP-2243): what stands before a server may route by them without reading the message,
// so one that says something else is refused.
const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
	headerParam  = "Mcp-Param-"
)

// nameMember is the member of params that Mcp-Name repeats, by method.
var nameMember = map[string]string{methodCall: "name", "prompts/get": "name", methodRead: "uri"}

// headersDisagree says how the headers of a message of the stateless era disagree with it, "" where they do not.
func headersDisagree(r *http.Request, e wire.Envelope, version string, x *exposed) string {
	problem := headerProblem(r, headerVersion, "the version in params._meta", func(given string) bool { return version == "" || given == version })
	method := e.MethodName()
	if problem == "" {
		problem = headerProblem(r, headerMethod, "the message's method", func(given string) bool { return given == method })
	}
	if problem != "" {
		return problem
	}
	member := nameMember[method]
	if member == "" {
		return ""
	}
	params := e.Bytes(e.Params)
	name, _ := wire.Unquote(memberAt(params, member))
	problem = headerProblem(r, headerName, "params."+member, func(given string) bool { plain, ok := plainHeader(given); return ok && plain == name })
	if problem != "" {
		return problem
	}
	if method != methodCall || len(x.headers[name]) == 0 {
		return ""
	}
	return paramHeadersDisagree(r, x.headers[name], memberAt(params, "arguments"))
}

// paramHeadersDisagree says how the headers disagree with the arguments that they repeat.
func paramHeadersDisagree(r *http.Request, bound []schema.Binding, arguments []byte) string {
	values := mirrored(bound, arguments)
	for _, b := range bound {
		name, argument := headerParam+b.Header, "the argument "+shown(strings.Join(b.Path(), "."))
		value, there := values[b.Header]
		switch {
		case there:
			if problem := headerProblem(r, name, argument, func(given string) bool { plain, ok := plainHeader(given); return ok && plain == value }); problem != "" {
				return problem
			}
		case len(r.Header.Values(name)) > 0:
			return "the header " + name + " repeats " + argument + ", which is not given or not of a kind that a header repeats"
		}
	}
	return ""
}

// headerProblem says how a header does not repeat what it is to repeat, "" where it does.
func headerProblem(r *http.Request, name, what string, is func(given string) bool) string {
	switch given := r.Header.Values(name); {
	case len(given) == 0:
		return "the header " + name + " is missing: it repeats " + what
	case len(given) > 1:
		return "the header " + name + " is given more than once"
	case !is(given[0]):
		return "the header " + name + " is not " + what
	}
	return ""
}

// refuseHeaders refuses a message that its headers disagree with.
func refuseHeaders(problem string) refusal {
	return refusal{code: codeHeaders, reason: string(air.ErrAmbiguous), message: problem, hint: "repeat in the headers what the message says, as MCP 2026-07-28 has it"}
}

// plainHeader is what a header's value spells: text that a header cannot carry is in base64.
func plainHeader(value string) (string, bool) {
	inner, found := strings.CutPrefix(value, "=?base64?")
	if inner, end := strings.CutSuffix(inner, "?="); found && end {
		plain, err := base64.StdEncoding.DecodeString(inner)
		return string(plain), err == nil
	}
	return value, true
}

// headersOf are the arguments of a tool that headers repeat. A tool with one that breaks a rule has none that count: clients drop it.
func headersOf(tool surface.Item) []schema.Binding {
	input := tool.Node.Get("inputSchema")
	if input == nil {
		return nil
	}
	bound, faults := schema.Analyse(input).Bindings()
	if len(faults) > 0 {
		return nil
	}
	return bound
}

// mirrored are the values of the arguments that headers repeat, by the header's name: of those given, not null, and of a kind that a header can carry.
func mirrored(bound []schema.Binding, arguments []byte) map[string]string {
	if len(bound) == 0 {
		return nil
	}
	values := map[string]string{}
	given, _ := canon.Parse(arguments)
	for _, b := range bound {
		if text, ok := b.Value(given); ok {
			values[b.Header] = text
		}
	}
	return values
}
