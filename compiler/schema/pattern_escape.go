package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// escape reads what follows a \ outside a class.
func (p *pattern) escape() {
	if p.at == len(p.text) {
		p.fail(`ends in a \`)
		return
	}
	start := p.at
	p.before = something
	switch c := p.next(); {
	case c == 'b' || c == 'B':
		p.before = nothing
	case c >= '1' && c <= '9':
		p.at = start
		n, err := strconv.Atoi(p.while(digits, anything))
		if err != nil {
			n = 1 << 30
		}
		p.highest = max(p.highest, n)
	case c == 'k':
		name, ok := "", p.eat("<")
		if ok {
			name, ok = p.until('>')
		}
		if !ok || !isGroupName(name) {
			p.fail(`has a \k that names no group`)
		}
		p.refs = append(p.refs, name)
	default:
		p.character(c)
	}
}

// character reads the rest of an escape that c begins and that is the same inside a class and outside. It returns the character that is meant;
// noRune when it is a class of them, or cannot be told.
func (p *pattern) character(c rune) rune {
	switch {
	case c == 'd' || c == 'D' || c == 's' || c == 'S' || c == 'w' || c == 'W':
		return noRune
	case strings.ContainsRune("fnrtv", c):
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c]
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
		return c
	case c == 'p' || c == 'P':
		p.property(c)
		return noRune
	case c == 'x':
		return p.hex(2, `\x`)
	case c == 'u':
		return p.unicode()
	case c == 'c':
		if letter := p.while("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1); letter != "" {
			return rune(letter[0]) & 31
		}
		p.loosen(`has a \c without a letter`)
		return noRune
	case c == '0' && (p.at == len(p.text) || strings.IndexByte(digits, p.text[p.at]) < 0):
		return 0
	case c >= '0' && c <= '9':
		p.while(digits, 2)
		p.loosen("has an octal escape")
		return noRune
	}
	p.loosen(`has \%c, which is no escape`, c)
	return c
}

// hex reads so many hexadecimal digits. Without them Annex B has the letter itself.
func (p *pattern) hex(count int, lead string) rune {
	start := p.at
	if text := p.while(hexs, count); len(text) == count {
		n, _ := strconv.ParseUint(text, 16, 32)
		return rune(n)
	}
	p.at = start
	p.loosen("has a %s without %d hexadecimal digits", lead, count)
	return noRune
}

func (p *pattern) unicode() rune {
	if p.eat("{") {
		text, ok := p.until('}')
		n, err := strconv.ParseUint(text, 16, 32)
		if !ok || err != nil || n > unicode.MaxRune {
			p.fail(`has a \u{ that gives no character of Unicode`)
			return noRune
		}
		return rune(n)
	}
	high := p.hex(4, `\u`)
	if high < 0xD800 || high > 0xDBFF || !strings.HasPrefix(p.text[p.at:], `\u`) {
		return high
	}
	start := p.at
	p.at += 2
	if low, err := strconv.ParseUint(p.while(hexs, 4), 16, 32); err == nil && low >= 0xDC00 && low <= 0xDFFF {
		return (high-0xD800)<<10 + rune(low) - 0xDC00 + 0x10000
	}
	p.at = start
	return high
}

// member reads one character or class inside a class, and what ends it.
func (p *pattern) member() {
	c := p.next()
	switch {
	case c == ']':
		p.inClass, p.before = false, something
		return
	case c == '-' && !p.ranges && p.low != spent && !p.atClassEnd():
		p.ranges = true
		return
	case c == '\\':
		c = p.classEscape()
	}
	if !p.ranges {
		p.low = c
		return
	}
	switch low := p.low; {
	case low == noRune || c == noRune:
		p.loosen("has a range of a class that begins or ends with more than one character")
	case low > c && (low > 0xFFFF || c > 0xFFFF):
		p.loosen("has a class with a range from %q to %q, which are in the other order", low, c)
	case low > c:
		p.fail("has a class with a range from %q to %q, which are in the other order", low, c)
	}
	p.low, p.ranges = spent, false
}

func (p *pattern) atClassEnd() bool { return p.at < len(p.text) && p.text[p.at] == ']' }

func (p *pattern) classEscape() rune {
	if p.at == len(p.text) {
		p.fail(`ends in a \`)
		return noRune
	}
	switch c := p.next(); {
	case c == 'b':
		return '\b'
	case c == '-':
		return '-'
	case c == 'B' || c == 'k':
		p.loosen(`has \%c in a class`, c)
		return c
	default:
		return p.character(c)
	}
}

func isGroupName(name string) bool {
	for i, r := range name {
		start := r == '$' || r == '_' || r == '\\' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
		if !start && (i == 0 || !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) && r != '\u200C' && r != '\u200D' && r != '{' && r != '}') {
			return false
		}
	}
	return name != ""
}

// property reads what follows \p: a property of Unicode in braces. Without the flag u the p is a letter, which nobody who writes it means.
func (p *pattern) property(c rune) {
	start := p.at
	text, ok := "", p.eat("{")
	if ok {
		text, ok = p.until('}')
	}
	switch name, value, valued := strings.Cut(text, "="); {
	case !ok:
		p.fail(`has \%c without a property in braces: \%c%s`, c, c, firstRunes(p.text[start:], 8))
	case valued && !isPropertyValue(name, value), !valued && !isCategory(text) && !binaryProperty(text):
		p.fail(`has \%c{%s}, which is no property of ECMA-262`, c, firstRunes(text, 40))
	}
}

func isPropertyValue(name, value string) bool {
	switch name {
	case "General_Category", "gc":
		return isCategory(value)
	case "Script", "sc", "Script_Extensions", "scx":
		return unicode.Scripts[value] != nil || isShortScript(value)
	}
	return false
}

func isCategory(name string) bool {
	return unicode.Categories[name] != nil || unicode.CategoryAliases[name] != ""
}

// isShortScript takes every name of four letters, such as Grek: no list of them is at hand, and later versions of Unicode add some.
func isShortScript(name string) bool {
	return len(name) == 4 && name[0] >= 'A' && name[0] <= 'Z' && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyz") == ""
}

// binaryProperty reports a binary property of Unicode that ECMA-262 lists, by its long or its short name.
func binaryProperty(name string) bool { return slices.Contains(strings.Fields(binaryProperties), name) }

const binaryProperties = `ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased
Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF
Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji
Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext
Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS
Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn
Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term
Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS`
