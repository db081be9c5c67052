package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// maxName bounds the names that a message shows, in characters.
const maxName = 80

// quotedText shows a text of the server's in a message: in quotes, visible, short, and without secrets.
func quotedText(text string, limit int) string {
	return `"` + diag.Shorten(diag.Printable(wording.MaskAll(text)), limit) + `"`
}

// called shows a name.
func called(name string) string { return quotedText(name, maxName) }

// shownName names an item in a sentence: tool "search".
func shownName(it surface.Item) string {
	if it.Name == "" {
		return fmt.Sprintf("a %s without a name", it.Kind)
	}
	return fmt.Sprintf("%s %s", it.Kind, called(it.Name))
}

// spelled shows a name with everything beyond ASCII as an escape, so that two that look alike do not in the message.
func spelled(name string) string {
	return fmt.Sprintf("%+q", diag.Shorten(wording.MaskAll(name), maxName))
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = called(n)
	}
	return strings.Join(quoted, ", ")
}

// firstNames shows the first of many names, up to most.
func firstNames(names []string, most int) string {
	text := quoteAll(names[:min(most, len(names))])
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// places names the first of n offsets in characters, and tells that there are more.
func places(at []int, n int) string {
	words := strings.Trim(strings.ReplaceAll(fmt.Sprint(at), " ", ", "), "[]")
	if n > len(at) {
		words += " and on"
	}
	return words
}
