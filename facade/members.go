package facade

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/wire"
)

// eachMember calls visit with the raw name and the raw value of every member of object, duplicates included, in order.
// object must be part of a frame that wire.Scan accepted: nothing is checked again.
func eachMember(object []byte, visit func(name, value []byte)) {
	i := bytes.IndexByte(object, '{') + 1
	for {
		i += bytes.IndexByte(object[i:], '"') // what comes before is white space or a comma, unless the object is over
		if i < 0 || i >= len(object) || object[i] != '"' {
			return
		}
		nameEnd := skipValue(object, i)
		start := nameEnd + bytes.IndexByte(object[nameEnd:], ':') + 1
		start += leadingSpace(object[start:])
		end := skipValue(object, start)
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

// stringEnd returns the offset of the quote that closes the string opened at i.
func stringEnd(b []byte, i int) int {
	for {
		i++
		quote := bytes.IndexByte(b[i:], '"')
		if slash := bytes.IndexByte(b[i:i+quote], '\\'); slash >= 0 {
			i += slash + 1
			continue
		}
		return i + quote
	}
}

// decodedName returns the text of a raw member name; names without escapes are not copied more than Go demands.
func decodedName(raw []byte) string {
	name, _ := wire.Unquote(raw)
	return name
}

// lookalike returns a member of the message's envelope that is spelled like one of JSON-RPC's but for its case. Decoders
// that ignore case, Go's encoding/json among them, take it for the real one, and the last of the two wins.
func lookalike(frame []byte) string {
	found := ""
	eachMember(frame, func(raw, _ []byte) {
		switch string(raw[1 : len(raw)-1]) {
		case "jsonrpc", "id", "method", "params", "result", "error": // all there is in nearly every message
			return
		}
		name := decodedName(raw)
		for _, real := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if isLookalike(name, real) {
				found = name
			}
		}
	})
	return found
}

func isLookalike(name, real string) bool { return name != real && strings.EqualFold(name, real) }

// disguised reports whether method is one that the facade answers for, but for case, white space or control characters: a
// sloppy upstream could take it for the real one.
func disguised(method string) bool {
	bare := strings.TrimFunc(method, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	for _, name := range [...]string{methodCall, methodList} {
		if method != name && strings.EqualFold(bare, name) {
			return true
		}
	}
	return false
}

// toolName reads params.name of a tools/call. It reports a problem instead when params is no object, the name is not
// given exactly once as a string, or its text is not exact, so that another reader could find another name there.
func toolName(params []byte) (name, problem string) {
	if len(params) == 0 || params[0] != '{' {
		return "", "params is not an object"
	}
	given := 0
	eachMember(params, func(raw, value []byte) {
		switch member := decodedName(raw); {
		case member == "name":
			given++
			text, ok := wire.Unquote(value)
			if name = text; !ok {
				problem = "params.name is not a string"
			} else if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
				problem = "params.name is not valid Unicode text"
			}
		case isLookalike(member, "name"):
			problem = "params has a member spelled like name but for its case"
		}
	})
	switch {
	case problem != "":
		return "", problem
	case given == 0:
		return "", "params.name is missing"
	case given > 1:
		return "", "params.name is given more than once"
	}
	return name, ""
}
