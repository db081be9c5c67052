package diag

import (
	"fmt"
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
