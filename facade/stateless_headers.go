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

// named is the member of params that Mcp-Name repeats, by method.
var named = map[string]string{methodCall: "name", "prompts/get": "name", methodRead: "uri"}

// misheaded says how the headers of a message of the stateless era disagree with it, "" where they do not.
func misheaded(r *http.Request, e wire.Envelope, version string, x *exposed) string {
	given, once := oneHeader(r, headerVersion)
	switch {
	case given == "":
		return "the header " + headerVersion + " is missing"
	case version != "" && given != version || !once:
		return "the header " + headerVersion + " is not the version in params._meta"
	}
	method := e.MethodName()
	if given, once = oneHeader(r, headerMethod); given != method || !once {
		return "the header " + headerMethod + " is not the message's method"
	}
	member := named[method]
	if member == "" {
		return ""
	}
	params := e.Bytes(e.Params)
	name, _ := wire.Unquote(memberAt(params, member))
	given, once = oneHeader(r, headerName)
	if plain, ok := plainHeader(given); !ok || plain != name || given == "" || !once {
		return "the header " + headerName + " is not params." + member
	}
	if method != methodCall || len(x.headers[name]) == 0 {
		return ""
	}
	return misparamed(r, x.headers[name], memberAt(params, "arguments"))
}

// misparamed says how the headers disagree with the arguments that they repeat.
func misparamed(r *http.Request, bound []schema.Binding, arguments []byte) string {
	values := mirrored(bound, arguments)
	for _, b := range bound {
		given, once := oneHeader(r, headerParam+b.Header)
		value, there := values[b.Header]
		if plain, ok := plainHeader(given); !ok || !once || plain != value || there != (len(r.Header.Values(headerParam+b.Header)) > 0) {
			return "the header " + headerParam + b.Header + " is not the argument " + shown(strings.Join(b.Path(), "."))
		}
	}
	return ""
}

// refuseHeaders refuses a message that its headers disagree with.
func refuseHeaders(problem string) refusal {
	return refusal{code: codeHeaders, reason: string(air.ErrAmbiguous), message: problem, hint: "repeat in the headers what the message says, as MCP 2026-07-28 has it"}
}

// oneHeader is a header's value, and whether it is given no more than once.
func oneHeader(r *http.Request, name string) (value string, once bool) {
	values := r.Header.Values(name)
	if len(values) == 0 {
		return "", true
	}
	return values[0], len(values) == 1
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
