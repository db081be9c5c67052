package ecma

import (
	"iter"
	"strings"
)

// SplitLookAhead splits "^(?=A)B" into "^(?:A)", which has to match, and "^B"; and "^(?!A)B" likewise, with not for the first, which must not match. Where
// the choice is between whole patterns, nothing is split.
func SplitLookAhead(text string) (ahead string, not bool, rest string, ok bool) {
	body, anchored := strings.CutPrefix(text, "^")
	if !anchored || !strings.HasPrefix(body, "(?=") && !strings.HasPrefix(body, "(?!") || refers(text) {
		return "", false, "", false
	}
	end := -1
	for at, depth := range outside(body) {
		switch {
		case body[at] == ')' && depth == 0 && end < 0:
			end = at
		case body[at] == '|' && depth == 0:
			return "", false, "", false
		}
	}
	if end < 0 {
		return "", false, "", false
	}
	if after := body[end+1:]; after != "" && strings.IndexByte("*+?{", after[0]) >= 0 {
		return "", false, "", false // the look-ahead itself is repeated
	}
	return "^(?:" + body[3:end] + ")", body[2] == '!', "^" + body[end+1:], true
}

// refers reports a pattern that may refer to a group of its own, so that its parts do not stand for themselves.
func refers(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\\' {
			if i++; text[i] == 'k' || '1' <= text[i] && text[i] <= '9' {
				return true
			}
		}
	}
	return false
}

// withoutLooks puts other in the place of each look-around of a pattern: what matches the empty text makes a pattern that matches whatever it matched,
// and more; what matches nothing one that matches nothing else.
func withoutLooks(text, other string) string {
	var out strings.Builder
	kept, within := 0, -1 // what is written; the depth around the look-around that is being left out
	for at, depth := range outside(text) {
		switch {
		case within < 0 && text[at] == '(' && isLook(text[at:]):
			out.WriteString(text[kept:at] + other)
			within = depth - 1
		case within >= 0 && text[at] == ')' && depth == within:
			kept, within = at+1, -1
		}
	}
	if within >= 0 {
		return text
	}
	return out.String() + text[kept:]
}

func isLook(group string) bool {
	for _, mark := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(group, mark) {
			return true
		}
	}
	return false
}

// outside yields each byte of a pattern that is neither escaped nor in a class, with how many groups are open behind it.
func outside(text string) iter.Seq2[int, int] {
	return func(yield func(at, depth int) bool) {
		depth, inClass := 0, false
		for i := 0; i < len(text); i++ {
			c := text[i]
			switch {
			case c == '\\':
				i++
				continue
			case inClass:
				inClass = c != ']'
				continue
			case c == '[':
				inClass = true
				continue
			case c == '(':
				depth++
			case c == ')':
				depth--
			}
			if !yield(i, depth) {
				return
			}
		}
	}
}
