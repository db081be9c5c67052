package schema

import (
	"regexp"
	"strings"
)

// patternFault returns what keeps text from being a regular expression of ECMA-262, in which JSON Schema writes them; "" when nothing is found. It
// looks at groups, classes and what is repeated, which is where other dialects differ, and at nothing that it would have to guess.
func patternFault(text string) string {
	p := pattern{text: text}
	for p.at < len(p.text) && p.fault == "" {
		p.step()
	}
	switch {
	case p.fault != "":
		return p.fault
	case p.inClass:
		return "has a [ without ]"
	case p.open > 0:
		return "has a ( without )"
	}
	return ""
}

type pattern struct {
	text    string
	at      int
	open    int
	inClass bool
	atom    bool // something stands before that can be repeated
	fault   string
}

func (p *pattern) step() {
	c := p.text[p.at]
	p.at++
	switch {
	case c == '\\':
		if p.at++; p.at > len(p.text) {
			p.fault = `ends in a \`
		}
		p.atom = true
	case p.inClass:
		p.inClass = c != ']'
		p.atom = true
	case c == '[':
		p.inClass = true
	case c == '(':
		p.open++
		p.group()
	case c == ')':
		if p.open--; p.open < 0 {
			p.fault = "has a ) without ("
		}
		p.atom = true
	case c == '|' || c == '^':
		p.atom = false
	case strings.IndexByte("*+?", c) >= 0:
		p.repeat(c)
	default:
		p.atom = true
	}
}

// repeat reads a quantifier, and the ? that makes it reluctant.
func (p *pattern) repeat(c byte) {
	if !p.atom {
		p.fault = "has a " + string(c) + " with nothing to repeat"
		return
	}
	if p.at < len(p.text) && p.text[p.at] == '?' {
		p.at++
	}
	p.atom = false
}

// groups are the ways in which a group with (? begins; a name follows (?< and flags follow (? before : since ECMAScript 2025.
var groups = regexp.MustCompile(`^\?(:|=|!|<=|<!|<[\pL_$][\pL\pN_$]*>|[ims]*(-[ims]+)?:)`)

func (p *pattern) group() {
	p.atom = false
	if p.at >= len(p.text) || p.text[p.at] != '?' {
		return
	}
	rest := p.text[p.at:min(len(p.text), p.at+256)]
	begin := groups.FindString(rest)
	if begin == "" && len(rest) < 256 {
		p.fault = "begins a group with (" + firstRunes(rest, 4) + ", which other dialects have"
	}
	p.at += max(1, len(begin))
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
