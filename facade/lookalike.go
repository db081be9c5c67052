package facade

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/wire"
)

// fold returns what a careless reader may make of a name: lower case, full-width forms as ASCII, and only the characters
// that keep allows.
func fold(s string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if r >= '\uFF01' && r <= '\uFF5E' {
			r -= '\uFF01' - '!'
		}
		if r = unicode.ToLower(unicode.ToUpper(r)); r == utf8.RuneError || !keep(r) {
			return -1
		}
		return r
	}, s)
}

// visible characters tell one member's name from another: white space, control and format characters do not.
func visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsMark(r) && unicode.IsGraphic(r)
}

// isLookalike reports whether name reads like one of the real names without being one.
func isLookalike(name string, real ...string) bool {
	if slices.Contains(real, name) {
		return false
	}
	folded := fold(name, visible)
	return slices.ContainsFunc(real, func(r string) bool { return folded == strings.ToLower(r) })
}

// alike reports whether a member's name is real or reads like it.
func alike(name, real string) bool { return name == real || isLookalike(name, real) }

// methodOf is MethodName without a copy for the methods that pass all the time.
func methodOf(e wire.Envelope) string {
	switch string(e.Bytes(e.Method)) {
	case `"tools/call"`:
		return methodCall
	case `"tools/list"`:
		return methodList
	}
	return e.MethodName()
}

// disguised reports whether the method is not one that the facade answers for and could yet reach it in a server that
// reads methods carelessly. That is any with the words of tools/call or tools/list anywhere in it, letters and digits
// alone, and any beyond ASCII: the protocol has none, and readers fold such text in ways that cannot be told. Vendors'
// methods otherwise pass.
func disguised(e wire.Envelope) bool {
	method := methodOf(e)
	switch method {
	case methodCall, methodList, methodListChanged:
		return false
	}
	if strings.ContainsFunc(method, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return true
	}
	if readsLikeTools(method) {
		return true
	}
	for strings.Contains(method, "%") {
		plain, err := url.PathUnescape(method)
		if err != nil || plain == method {
			return false
		}
		if method = plain; readsLikeTools(method) {
			return true
		}
	}
	return false
}

func readsLikeTools(method string) bool {
	word := fold(method, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	return word == "call" || strings.Contains(word, "toolscall") || strings.Contains(word, "toolslist")
}

// announcesTools reports whether a client could take the method for the notice that the tools have changed.
func announcesTools(method string) bool {
	return len(method) >= len(methodListChanged) && alike(method, methodListChanged) // folding makes nothing longer
}
