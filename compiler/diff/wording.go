package diff

import (
	"slices"
	"strings"
)

// slight says in which way two texts differ so little that they say the same, for a message; "" where they may not. Only prose is compared by more
// than white space: in a path, a command or an expression each sign counts. A word that is spelled otherwise is another word, since no rule can
// tell a correction from requests and reqeusts.
func slight(c Change) string {
	before, okBefore := textOf(c.Before)
	after, okAfter := textOf(c.After)
	switch {
	case !okBefore || !okAfter:
		return ""
	case slices.Equal(strings.Fields(before), strings.Fields(after)):
		return "is spaced differently"
	case isProse(before) && isProse(after) && sameSaid(said(before), said(after)):
		return "differs in articles, first letters or the last full stop alone"
	}
	return ""
}

// isProse reports a text of words, numbers and the marks of sentences.
func isProse(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return false
		}
		return !strings.ContainsRune(" \t\r\n.,;:()'\"-", r)
	})
}

// said returns the words of a text, each with the marks around it, without articles and the full stop at the end.
func said(text string) []string {
	words := strings.Fields(text)
	if last := len(words) - 1; last >= 0 && len(words[last]) > 1 {
		words[last] = strings.TrimSuffix(words[last], ".")
	}
	return slices.DeleteFunc(words, func(w string) bool {
		switch w {
		case "a", "an", "the", "An", "The":
			return true
		}
		return false
	})
}

// sameSaid reports the same words in the same order, whether their first letters are large or small.
func sameSaid(before, after []string) bool {
	return len(before) > 0 && slices.EqualFunc(before, after, func(old, now string) bool {
		first := func(word string) string { return word[:min(1, len(word))] }
		return strings.EqualFold(first(old), first(now)) && old[len(first(old)):] == now[len(first(now)):] && (old == now || len(now) > 1)
	})
}
