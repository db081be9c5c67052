package advise

import (
	"strings"
	"unicode/utf8"
)

// Match reports that a pattern names a tool of a server. In a pattern * stands for any run of characters and ? for one; everything else stands for itself, the
// whole has to match, and case counts. A pattern without a slash is of the tool's name, on whatever server. One with a slash is of the server, up to the slash,
// and of the name, behind it: "vault/*" is every tool of the server vault and of no other, "/x" the tool x of which nobody says whose it is. Where a server's id
// has slashes itself, each slash of the pattern may be the one between.
func Match(pattern, server, name string) bool {
	if !strings.Contains(pattern, "/") {
		return glob(pattern, name)
	}
	for at := 0; at < len(pattern); at++ {
		if pattern[at] == '/' && glob(pattern[:at], server) && glob(pattern[at+1:], name) {
			return true
		}
	}
	return false
}

// glob matches the whole text. It goes back to the last * alone, so that it takes at most as many steps as pattern and text are long, multiplied.
func glob(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		_, width := utf8.DecodeRuneInString(text[t:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			p, t = p+1, t+width
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star >= 0:
			_, width = utf8.DecodeRuneInString(text[from:])
			from += width
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
