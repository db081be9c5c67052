package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/wording"
)

// maxSpelled bounds how much of a hidden text a finding shows, in characters.
const maxSpelled = 120

// checkHiddenText reports each string that holds what is not seen, once, with what it holds.
func checkHiddenText(v *survey) []diag.Finding {
	var findings []diag.Finding
	v.eachUtterance(func(u utterance) {
		h := wording.FindHidden(u.text)
		if !h.Any() {
			return
		}
		held := heldWords(h)
		message := fmt.Sprintf("%s holds what nobody sees: %s", u.place(), held)
		if h.Spells != "" {
			message += "; read as ASCII it spells " + quotedText(h.Spells, maxSpelled)
		}
		f := u.finding(hiddenText, message)
		f.Hint = "the server has to send the text without them; do not approve the tool before you know who put them there"
		if h.Soft() && u.role != nameRole && u.role != calledRole && u.role != otherRole { // in words for people
			f.Class, f.Security, f.Hint = diag.Info, false, "models read a word with a soft hyphen as several; have the server send the text without them"
		}
		findings = append(findings, f.Sealed(string(rune('0'+u.role)), held, h.Spells))
	})
	return findings
}

// heldWords lists what is hidden by category: zero-width (3, first U+200B, at character 4, 9, 12).
func heldWords(h wording.Hidden) string {
	var parts []string
	for _, c := range h.Counts {
		parts = append(parts, fmt.Sprintf("%s (%d, first U+%04X, at character %s)", c.Category, c.N, c.First, places(c.At, c.N)))
	}
	return strings.Join(parts, "; ")
}
