// Package lookalike tells names apart that a reader cannot: it folds a text to what it looks like, by Unicode's compatibility forms (NFKC) and its
// table of confusable characters (UTS 39), and names the scripts that a word mixes.
//
// It stands beside the pipeline's data; the gate compares names by it. It judges nothing, and what it returns is a key to compare, never a text
// to show: a skeleton is no spelling that anybody wrote.
package lookalike

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mtibben/confusables"
	"golang.org/x/text/unicode/norm"
)

// Compatible returns the NFKC form of s: full-width, circled and ligature characters as the plain ones they stand for.
func Compatible(s string) string { return norm.NFKC.String(s) }

// Skeleton returns what s looks like: two texts with one skeleton look the same. Upper and lower case look different to it.
func Skeleton(s string) string {
	if isPlain(s) {
		return plainSkeleton.Replace(s)
	}
	return confusables.Skeleton(norm.NFKC.String(s))
}

// plainSkeleton is what [Skeleton] makes of the letters, digits and separators that nearly all names are made of.
var plainSkeleton = strings.NewReplacer("0", "O", "1", "l", "I", "l", "m", "rn")

func isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// IsASCII reports whether s holds ASCII alone.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Scripts returns the scripts of the letters of s, sorted, without those that are shared by all ("Common", "Inherited"). The scripts that
// Chinese, Japanese and Korean are written in together count as one, "CJK".
func Scripts(s string) []string {
	var scripts []string
	for _, r := range s {
		if name := scriptOf(r); name != "" && !slices.Contains(scripts, name) {
			scripts = append(scripts, name)
		}
	}
	slices.Sort(scripts)
	return scripts
}

var cjk = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo}

func scriptOf(r rune) string {
	switch {
	case !unicode.IsLetter(r):
		return ""
	case unicode.Is(unicode.Latin, r):
		return "Latin"
	case unicode.In(r, cjk...):
		return "CJK"
	case unicode.In(r, unicode.Common, unicode.Inherited):
		return ""
	}
	for _, name := range scriptNames {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return ""
}

var scriptNames = func() []string {
	var names []string
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()
