package schema

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// verdict is what is wrong with a text as a regular expression of ECMA-262, in which JSON Schema writes them; empty where nothing is.
type verdict struct {
	fault string // it compiles nowhere, or where it does it says something else than is written: "has a ( without )"
	loose string // it compiles only without the flag u, with which 2019-09 and later ask for it to be read, and with which the common validators do
}

// checkPattern reads a pattern once, from its beginning to its end. Its grammar is ECMA-262's with and without Annex B at the same time.
func checkPattern(text string) verdict {
	p := pattern{text: text}
	for p.at < len(p.text) && p.fault == "" {
		if p.inClass {
			p.member()
		} else {
			p.term()
		}
	}
	p.end()
	return p.verdict
}

// pattern is a reader of one pattern.
type pattern struct {
	text string
	at   int
	verdict

	open    []atomKind // what each group that is open will be
	groups  int        // that capture
	before  atomKind   // what a quantifier would repeat
	names   map[string]bool
	twice   string   // a name of two groups
	refs    []string // \k<name>
	highest int      // of \1, \2
	choices bool     // a | stands somewhere

	inClass bool
	low     rune // the character before, which a range may begin with; noRune for a class of them, spent at the beginning and behind a range
	ranges  bool // a - follows it
}

// atomKind tells what may be repeated.
type atomKind int

const (
	nothing   atomKind = iota // the beginning, an assertion or a quantifier
	something                 // an atom
	ahead                     // a lookahead, which Annex B lets repeat
)

const (
	noRune rune = -1
	spent  rune = -2
)

func (p *pattern) fail(format string, args ...any) {
	p.fault = cmp.Or(p.fault, fmt.Sprintf(format, args...))
}
func (p *pattern) loosen(format string, args ...any) {
	p.loose = cmp.Or(p.loose, fmt.Sprintf(format, args...))
}

// next reads one character.
func (p *pattern) next() rune {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	return r
}

// eat reads s if it is what follows.
func (p *pattern) eat(s string) bool {
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

// until reads up to the next end, which is left out; ok is false when there is none within sensible reach.
func (p *pattern) until(end byte) (text string, ok bool) {
	rest := p.text[p.at:min(len(p.text), p.at+256)]
	i := strings.IndexByte(rest, end)
	if i < 0 {
		return "", false
	}
	p.at += i + 1
	return rest[:i], true
}

// while reads the characters that all stand in set.
func (p *pattern) while(set string, most int) string {
	start := p.at
	for p.at < len(p.text) && p.at-start < most && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[start:p.at]
}

const (
	digits   = "0123456789"
	hexs     = digits + "abcdefABCDEF"
	anything = 1 << 30
)

// term reads outside a class.
func (p *pattern) term() {
	switch c := p.next(); c {
	case '\\':
		p.escape()
	case '[':
		p.eat("^")
		p.inClass, p.low, p.ranges = true, spent, false
	case '(':
		p.group()
	case ')':
		p.close()
	case '|':
		p.before, p.choices = nothing, true
	case '^', '$':
		p.before = nothing
	case '*', '+', '?':
		p.repeat(string(c))
	case '{':
		p.braces()
	case ']', '}':
		p.loosen("has a %c that closes nothing", c)
		p.before = something
	default:
		p.before = something
	}
}

// repeat reads what follows a quantifier, and takes what it repeats.
func (p *pattern) repeat(quantifier string) {
	switch p.before {
	case nothing:
		p.fail("has a %s with nothing to repeat", quantifier)
	case ahead:
		p.loosen("repeats a lookahead")
	}
	p.eat("?")
	p.before = nothing
}

// braces reads what follows a {: a quantifier, or else text that only Annex B takes.
func (p *pattern) braces() {
	start := p.at
	low := p.while(digits, anything)
	high := low
	if low != "" && p.eat(",") {
		high = p.while(digits, anything)
	}
	if low == "" || !p.eat("}") {
		p.at = start
		p.loosen("has a { that begins no quantifier")
		p.before = something
		return
	}
	if high != "" && larger(low, high) {
		p.fail("repeats from %s to %s times", firstRunes(low, 20), firstRunes(high, 20))
	}
	p.repeat("{" + firstRunes(p.text[start:p.at], 40))
}

// larger compares two numbers of any length.
func larger(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) > len(b) || len(a) == len(b) && a > b
}

// group reads what follows a (.
func (p *pattern) group() {
	p.before = nothing
	if !p.eat("?") {
		p.groups++
		p.open = append(p.open, something)
		return
	}
	start, kind := p.at, something
	switch {
	case p.eat(":"):
	case p.eat("="), p.eat("!"):
		kind = ahead
	case p.eat("<="), p.eat("<!"):
		kind = nothing
	case p.eat("<"):
		name, ok := p.until('>')
		if !ok || !isGroupName(name) {
			p.fail("names a group %q, which is no name", firstRunes(p.text[start+1:], 10))
		}
		p.groups++
		p.named(name)
	case p.flags():
	default:
		p.fail("begins a group with (?%s, which other dialects have", firstRunes(p.text[start:], 3))
	}
	p.open = append(p.open, kind)
}

// flags reads the modifiers of a group (ECMAScript 2025), and the : behind them. A flag stands there once.
func (p *pattern) flags() bool {
	start := p.at
	on := p.while("ims", 4)
	off, minus := "", p.eat("-")
	if minus {
		off = p.while("ims", 4)
	}
	both := on + off
	for i := range both {
		if strings.IndexByte(both[:i], both[i]) >= 0 {
			both = ""
			break
		}
	}
	if both != "" && p.eat(":") {
		return true
	}
	p.at = start
	return false
}

func (p *pattern) named(name string) {
	if p.names == nil {
		p.names = map[string]bool{}
	}
	if p.names[name] {
		p.twice = name
	}
	p.names[name] = true
}

func (p *pattern) close() {
	if len(p.open) == 0 {
		p.fail("has a ) without (")
		return
	}
	last := len(p.open) - 1
	p.before, p.open = p.open[last], p.open[:last]
}

// end judges what only the whole tells.
func (p *pattern) end() {
	switch {
	case p.fault != "":
		return
	case p.inClass:
		p.fail("has a [ without ]")
	case len(p.open) > 0:
		p.fail("has a ( without )")
	case p.twice != "" && !p.choices: // two groups may have one name where only one of them can match
		p.fail("has two groups called %q", firstRunes(p.twice, 40))
	}
	for _, name := range p.refs {
		if !p.names[name] {
			p.fail(`refers to a group %q, which it has not`, firstRunes(name, 40))
			break
		}
	}
	if p.highest > p.groups {
		p.loosen("refers to group %d of %d", p.highest, p.groups)
	}
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
