package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible reports a rune that prints as itself and leaves its surroundings alone.
func visible(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return ' ' <= r && r < 0x7f
	case r == utf8.RuneError:
		return false
	}
	return unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Zs, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// Legible reports a text with a letter or a figure that somebody can see: a name or a reason of blanks, marks or characters that show nothing is none.
func Legible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return visible(r) && (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// Plain reports a legible text that shows as it is, without blanks at its ends: a name that cannot be taken for another one for what does not show in it.
func Plain(text string) bool {
	return Legible(text) && Printable(text) == text && strings.TrimSpace(text) == text
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

// ShellPath is [ShellWord] for the name of a file, which a command must not take for a flag.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellWord(path)
}

// ShellArg returns name where a shell reads it as one plain word and a command reads it as no flag, and otherwise instead. Names that servers
// choose stand so in a command that people are told to type: a tool called "--all" is named by its operation's id.
func ShellArg(name, instead string) string {
	if strings.HasPrefix(name, "-") || ShellWord(name) != name {
		return ShellWord(instead)
	}
	return name
}

// PrintableJSON returns JSON with everything that [Printable] would show as an escape written as JSON's own, so that a terminal shows it and
// a reader of JSON sees the same text; and no runner of CI jobs reads a command out of it. data is valid JSON.
func PrintableJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r < ' ' || visible(r) {
			out = append(out, data[:size]...) // white space between values: no string holds it
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		data = data[size:]
	}
	return HarmlessQuoted(out)
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
