package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible reports a rune that prints as itself and leaves its surroundings alone.
func visible(r rune) bool {
	if r == utf8.RuneError {
		return false
	}
	return r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Zs, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// ShellWord spells s so that a shell reads it as one word and nothing in it as a command.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r > 0xFFFF:
		return fmt.Sprintf(`\u{%x}`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
