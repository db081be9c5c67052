package ecma

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is a part of a pattern that Go's engine has not the means for.
type node struct {
	op     nodeOp
	kids   []*node
	set    []rune // of anyOf: pairs of first and last
	least  int    // of a repetition
	most   int    // of a repetition; -1 for no limit
	lazy   bool
	behind bool // of a look: it looks back
	not    bool // of a look: it must not match; of word: it must not be at an end of one
	group  int  // of capture and same
	first  int  // of a repetition: the groups within it are from here
	after  int  // to before this one
}

type nodeOp uint8

const (
	oneOf   nodeOp = iota // one of kids
	inOrder               // all kids
	anyOf                 // one character of set
	atStart
	atEnd
	word    // an end of a word
	look    // kids[0] around
	capture // kids[0], kept as a group
	same    // what a group has
	repeat  // kids[0]
)

// pattern is what was read of one.
type pattern struct {
	root   *node
	groups int
	kept   bool // some group is referred to
}

// parser reads a pattern with the flag u, with what Annex B of the standard allows besides where the translation for Go does.
type parser struct {
	text  string
	at    int
	depth int
	pattern
	names  map[string]int
	called []*node // same, by name or number
	by     []string
	failed bool
}

// maxGroupDepth bounds groups within groups.
const maxGroupDepth = 200

// parsePattern reads a pattern; nil for what it cannot read.
func parsePattern(text string) *pattern {
	p := &parser{text: text, names: map[string]int{}}
	p.root = p.choice()
	if p.failed || p.at < len(text) {
		return nil
	}
	for i, n := range p.called {
		n.group = p.names[p.by[i]]
		if number, err := strconv.Atoi(p.by[i]); err == nil {
			n.group = number
		}
		if n.group == 0 || n.group > p.groups {
			return nil
		}
	}
	p.kept = len(p.called) > 0
	return &p.pattern
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) skip(prefix string) bool {
	if !strings.HasPrefix(p.rest(), prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *parser) choice() *node {
	if p.depth++; p.depth > maxGroupDepth {
		p.failed = true
	}
	defer func() { p.depth-- }()
	n := &node{op: oneOf}
	for !p.failed {
		n.kids = append(n.kids, p.sequence())
		if !p.skip("|") {
			break
		}
	}
	return n
}

func (p *parser) sequence() *node {
	n := &node{op: inOrder}
	for !p.failed && p.at < len(p.text) && p.rest()[0] != '|' && p.rest()[0] != ')' {
		first := p.groups + 1
		part := p.part()
		if p.failed {
			break
		}
		n.kids = append(n.kids, p.repeated(part, first))
	}
	return n
}

// part reads what a count may follow.
func (p *parser) part() *node {
	switch {
	case p.skip("^"):
		return &node{op: atStart}
	case p.skip("$"):
		return &node{op: atEnd}
	case p.skip(`\b`):
		return &node{op: word}
	case p.skip(`\B`):
		return &node{op: word, not: true}
	case p.skip("(?="):
		return p.grouped(&node{op: look})
	case p.skip("(?!"):
		return p.grouped(&node{op: look, not: true})
	case p.skip("(?<="):
		return p.grouped(&node{op: look, behind: true})
	case p.skip("(?<!"):
		return p.grouped(&node{op: look, behind: true, not: true})
	case p.skip("(?:"):
		return p.grouped(&node{op: inOrder})
	case p.skip("(?<"):
		name, rest, closed := strings.Cut(p.rest(), ">")
		p.failed = p.failed || !closed || name == "" || p.names[name] > 0 || strings.ContainsAny(name, "()|\\") || '0' <= name[0] && name[0] <= '9'
		p.at = len(p.text) - len(rest)
		p.names[name] = p.groups + 1
		return p.captured()
	case strings.HasPrefix(p.rest(), "(?"):
		p.failed = true
		return nil
	case p.skip("("):
		return p.captured()
	}
	return p.escapeOrCharacter()
}

func (p *parser) captured() *node {
	p.groups++
	return p.grouped(&node{op: capture, group: p.groups})
}

func (p *parser) grouped(n *node) *node {
	n.kids = []*node{p.choice()}
	p.failed = p.failed || !p.skip(")")
	return n
}

// repeated reads the count behind a part.
func (p *parser) repeated(part *node, first int) *node {
	n := &node{op: repeat, kids: []*node{part}, most: -1, first: first, after: p.groups + 1}
	switch rest := p.rest(); {
	case p.skip("*"):
	case p.skip("+"):
		n.least = 1
	case p.skip("?"):
		n.most = 1
	case rest != "" && rest[0] == '{' && isCount(rest):
		n.least, n.most = countsOf(rest)
		p.at += strings.IndexByte(rest, '}') + 1
		p.failed = p.failed || n.most >= 0 && n.most < n.least
	default:
		return part
	}
	n.lazy = p.skip("?")
	switch {
	case part.op == atStart || part.op == atEnd || part.op == word || part.op == look && part.behind:
		p.failed = true
	case p.at < len(p.text) && strings.IndexByte("*+?", p.rest()[0]) >= 0, isCountAt(p.rest()):
		p.failed = true
	}
	return n
}

func isCountAt(rest string) bool { return rest != "" && rest[0] == '{' && isCount(rest) }

// countsOf reads {n}, {n,} or {n,m}.
func countsOf(rest string) (least, most int) {
	body, _, _ := strings.Cut(rest[1:], "}")
	low, high, ranged := strings.Cut(body, ",")
	least, most = countOf(low), -1
	switch {
	case !ranged:
		most = least
	case high != "":
		most = countOf(high)
	}
	return least, most
}

// countOf reads a count; those that no text reaches are one.
func countOf(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<30 {
		return 1 << 30
	}
	return n
}

func (p *parser) escapeOrCharacter() *node {
	rest := p.rest()
	if len(rest) > 1 && rest[0] == '\\' && ('1' <= rest[1] && rest[1] <= '9' || rest[1] == 'k') {
		return p.reference(rest)
	}
	if strings.IndexByte("*+?", rest[0]) >= 0 || isCountAt(rest) {
		p.failed = true
		return nil
	}
	if c := strings.TrimPrefix(rest, `\`); c != "" && c[0] >= 0x80 { // translated byte by byte
		r, size := utf8.DecodeRuneInString(c)
		p.at += len(rest) - len(c) + size
		return &node{op: anyOf, set: []rune{r, r}}
	}
	t := translator{text: rest, ok: true}
	for t.step(); t.ok && t.inClass && t.at < len(rest); {
		t.step()
	}
	set, ok := setOf(t.out.String())
	p.failed = p.failed || !t.ok || t.inClass || !ok
	p.at += t.at
	return &node{op: anyOf, set: set}
}

// reference reads \1 or \k<name>.
func (p *parser) reference(rest string) *node {
	name, read := "", 1
	if rest[1] == 'k' {
		body, _, closed := strings.Cut(strings.TrimPrefix(rest[2:], "<"), ">")
		p.failed = p.failed || !closed || !strings.HasPrefix(rest[2:], "<") || body == "" || '0' <= body[0] && body[0] <= '9'
		name, read = body, len(body)+4
	} else {
		for read < len(rest) && '0' <= rest[read] && rest[read] <= '9' {
			read++
		}
		name = rest[1:read]
	}
	p.at = min(p.at+read, len(p.text))
	n := &node{op: same}
	p.called, p.by = append(p.called, n), append(p.by, name)
	return n
}

// setOf are the characters that what is written for Go matches one of.
func setOf(re2 string) (set []rune, ok bool) {
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil, false
	}
	switch tree.Op {
	case syntax.OpCharClass:
		return tree.Rune, true
	case syntax.OpLiteral:
		first := tree.Rune[0]
		set = []rune{first, first}
		if tree.Flags&syntax.FoldCase != 0 { // as [Aa] is kept
			for r := unicode.SimpleFold(first); r != first; r = unicode.SimpleFold(r) {
				set = append(set, r, r)
			}
		}
		slices.Sort(set)
		return set, len(tree.Rune) == 1
	case syntax.OpAnyChar:
		return []rune{0, unicode.MaxRune}, true
	case syntax.OpNoMatch:
		return nil, true
	}
	return nil, false
}
