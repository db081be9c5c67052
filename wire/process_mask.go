package wire

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// secretMin is the least length of a secret, in characters: shorter ones would mask ordinary words.
	secretMin = 6
	masked    = "***"
)

// masker takes secret values out of what a server said.
type masker []string

// newMasker takes the longest first, so that a secret inside another does not spare the rest of it.
func newMasker(secrets []string) masker {
	var m masker
	for _, s := range secrets {
		for part := range strings.Lines(s) { // a key of several lines is said line by line
			if part = strings.TrimRight(part, "\r\n"); utf8.RuneCountInString(part) >= secretMin {
				m = append(m, part)
			}
		}
	}
	slices.SortFunc(m, func(a, b string) int { return len(b) - len(a) })
	return m
}

// line returns s without secrets. cut says that s is only the beginning of what was said: a secret begun at its end is
// taken out too.
func (m masker) line(s string, cut bool) string {
	for _, secret := range m {
		s = strings.ReplaceAll(s, secret, masked)
	}
	if !cut {
		return s
	}
	longest := 0
	for _, secret := range m {
		for n := min(len(secret), len(s)); n > longest; n-- {
			if strings.HasSuffix(s, secret[:n]) {
				longest = n
			}
		}
	}
	if longest > 0 {
		s = s[:len(s)-longest] + masked
	}
	return s
}

func (m masker) lines(said []string) []string {
	if len(m) == 0 {
		return said
	}
	for i, s := range said {
		said[i] = m.line(s, len(s) >= stderrLineMax)
	}
	return said
}
