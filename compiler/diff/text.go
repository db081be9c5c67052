package diff

import (
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// messageRunes bounds how much of a server's text a message quotes.
const messageRunes = 80

// quoted returns a server's text for a message: in quotes, visible and short.
func quoted(s string) string { return `"` + diag.Shorten(diag.Printable(s), messageRunes) + `"` }

// shown returns a JSON value for a message.
func shown(raw canon.Raw) string {
	if absent(raw) {
		return "nothing"
	}
	return diag.Shorten(diag.Printable(string(raw)), messageRunes)
}

// listed joins values for a message.
func listed(values []canon.Raw) string {
	texts := make([]string, 0, len(values))
	for i, v := range values {
		if i == 8 {
			texts = append(texts, "...")
			break
		}
		texts = append(texts, shown(v))
	}
	return strings.Join(texts, ", ")
}

// textOf returns the decoded text of a JSON string.
func textOf(raw canon.Raw) (string, bool) {
	if absent(raw) {
		return "", false
	}
	return parsed(raw).Str()
}

// head returns the first token of a pointer.
func head(pointer string) string {
	if pointer == "" {
		return ""
	}
	first, _, _ := strings.Cut(pointer[1:], "/")
	return canon.Tokens("/" + first)[0]
}
