package facade

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"anvil/wire"
)

// eachMember calls visit with the raw name and the raw value of every member of object, duplicates included, in order.
// object must be part of a frame that wire.Scan accepted: nothing is checked again. Values that known covers are not
// walked.
func eachMember(object []byte, visit func(name, value []byte), known ...wire.Span) {
	i := bytes.IndexByte(object, '{') + 1
	for {
		i += bytes.IndexByte(object[i:], '"') // what comes before is white space or a comma, unless the object is over
		if i < 0 || i >= len(object) || object[i] != '"' {
			return
		}
		nameEnd := skipValue(object, i)
		start := nameEnd + bytes.IndexByte(object[nameEnd:], ':') + 1
		start += leadingSpace(object[start:])
		end := 0
		for _, span := range known {
			if span.Start == start {
				end = span.End
			}
		}
		if end == 0 {
			end = skipValue(object, start)
		}
		visit(object[i:nameEnd], object[start:end])
		i = end + leadingSpace(object[end:])
		if object[i] == '}' {
			return
		}
	}
}

func leadingSpace(b []byte) int {
	n := 0
	for n < len(b) && (b[n] == ' ' || b[n] == '\n' || b[n] == '\r' || b[n] == '\t') {
		n++
	}
	return n
}

// skipValue returns the offset just behind the value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the container around a bare value
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// stringEnd returns the offset of the quote that closes the string opened at i. A quote once found is kept until an
// escape turns out to be its, so that a long text full of escapes is gone over once.
func stringEnd(b []byte, i int) int {
	for i++; ; {
		quote := i + bytes.IndexByte(b[i:], '"')
		for i < quote {
			slash := bytes.IndexByte(b[i:quote], '\\')
			if slash < 0 {
				return quote
			}
			i += slash + len(`\"`)
		}
		if i == quote {
			return quote
		}
	}
}

// decodedName returns the text of a raw member name; names without escapes are not copied more than Go demands.
func decodedName(raw []byte) string {
	name, _ := wire.Unquote(raw)
	return name
}

// lookalike returns a member of the message's envelope that reads like one of JSON-RPC's without being it. Decoders that
// ignore case, Go's encoding/json among them, take it for the real one, and the last of the two wins.
func lookalike(e wire.Envelope) string {
	found := ""
	eachMember(e.Raw, func(raw, _ []byte) {
		switch string(raw[1 : len(raw)-1]) {
		case "jsonrpc", "id", "method", "params", "result", "error": // all there is in nearly every message
			return
		}
		if name := decodedName(raw); isLookalike(name, "jsonrpc", "id", "method", "params", "result", "error") {
			found = name
		}
	}, e.ID, e.Method, e.Params, e.Result, e.Error)
	return found
}

// callParams reads the name and the arguments of a tools/call. It reports a problem instead when params is no object, the name is not given exactly once as
// a string, its text is not exact, so that another reader could find another name there, or the arguments are not given at most once, as an object or null.
// Names of known tools are not copied.
func callParams(params []byte, known map[string]Tool) (name string, arguments []byte, problem string) {
	if len(params) == 0 || params[0] != '{' {
		return "", nil, "params is not an object"
	}
	named, given := 0, 0
	eachMember(params, func(raw, value []byte) {
		switch member := paramName(raw); {
		case member == "name":
			named++
			if tool, ok := known[string(value[1:max(1, len(value)-1)])]; ok && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
				name = tool.Item.Name
				return
			}
			text, ok := wire.Unquote(value)
			if name = text; !ok {
				problem = "params.name is not a string"
			} else if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
				problem = "params.name is not valid Unicode text"
			}
		case member == "arguments":
			if given++; string(value) == "null" {
				return
			}
			if arguments = value; value[0] != '{' {
				problem = "params.arguments is not an object"
			}
		case isLookalike(member, "name", "arguments"):
			problem = "params has a member " + shown(member) + ", which some readers take for name or arguments"
		}
	})
	switch {
	case problem != "":
		return "", nil, problem
	case named == 0:
		return "", nil, "params.name is missing"
	case named > 1:
		return "", nil, "params.name is given more than once"
	case given > 1:
		return "", nil, "params.arguments is given more than once"
	}
	return name, arguments, ""
}

// paramName is decodedName without a copy for the members that every call has.
func paramName(raw []byte) string {
	switch string(raw) {
	case `"name"`:
		return "name"
	case `"arguments"`:
		return "arguments"
	case `"_meta"`:
		return "_meta"
	}
	return decodedName(raw)
}

// memberAt returns the raw value at the end of a path of members, nil when there is none.
func memberAt(object []byte, path ...string) []byte {
	for _, name := range path {
		span, ok := wire.Member(object, name)
		if !ok {
			return nil
		}
		object = object[span.Start:span.End]
	}
	return object
}

// codeOf is the member code of a JSON-RPC error; 0 where it is no whole number of 64 bits.
func codeOf(text []byte) int64 {
	code, err := strconv.ParseInt(string(memberAt(text, "code")), 10, 64)
	if err != nil {
		return 0
	}
	return code
}

// progressToken reads object[member].progressToken.
func progressToken(object []byte, member string) []byte {
	inner, ok := wire.Member(object, member)
	if !ok {
		return nil
	}
	object = object[inner.Start:inner.End]
	token, ok := wire.Member(object, "progressToken")
	if !ok {
		return nil
	}
	return object[token.Start:token.End]
}
