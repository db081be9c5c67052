package surface

import (
	"bytes"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// eachText yields the strings of the item, each under its pointer, which changes after the call.
func (it *Item) eachText(yield func(pointer []byte, n *canon.Node)) {
	var room [128]byte
	if !it.Node.IsObject() {
		schema.EachString(it.Node, room[:0], yield)
		return
	}
	for _, m := range it.Node.Members {
		at := canon.AppendPointer(room[:0], m.Name)
		if it.Kind == Tool && isSchema(m.Name) {
			schema.EachText(m.Value, at, yield)
		} else {
			schema.EachString(m.Value, at, yield)
		}
	}
}

// contractHints are the annotations that the contract has, after the protocol's defaults: where they are booleans. Of any other value it has the default, and not the value.
var contractHints = map[string]bool{"readOnlyHint": true, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true}

// eachMark yields what is no string of a tool, and in its contract neither.
func (it *Item) eachMark(yield func(pointer []byte, n *canon.Node)) {
	if it.Kind != Tool {
		return
	}
	var room [128]byte
	for _, m := range it.Node.Members {
		at := canon.AppendPointer(room[:0], m.Name)
		switch {
		case isSchema(m.Name):
			schema.EachMark(m.Value, at, yield)
		case m.Name == "annotations" && m.Value.IsObject():
			for _, a := range m.Value.Members {
				if _, said := a.Value.Bool(); !said || !contractHints[a.Name] {
					schema.EachLeaf(a.Value, canon.AppendPointer(at, a.Name), yield)
				}
			}
		case m.Name != "execution":
			schema.EachLeaf(m.Value, at, yield)
		}
	}
}

// maxBlanks is how many blanks may stand in a row where others stood, and change no word: more push what follows out of sight.
const maxBlanks = 16

// SameWords reports two tools that say the same: where both have the same marks, the same strings but for letter case and for how many blanks stand between
// two words.
func SameWords(a, b Item) bool {
	was, is := a.spoken(), b.spoken()
	if len(was) != len(is) {
		return false
	}
	for pointer, text := range is {
		before, there := was[pointer]
		if !there || !SameText(before, text) {
			return false
		}
	}
	return true
}

// spoken are the strings and the marks by pointer, a mark as JSON behind a NUL, which no string's pointer ends with.
func (it Item) spoken() map[string]string {
	all := map[string]string{}
	it.eachText(func(pointer []byte, n *canon.Node) { all[string(pointer)] = n.Text() })
	it.eachMark(func(pointer []byte, n *canon.Node) { all[string(pointer)+"\x00"] = string(bytes.Clone(n.Canonical())) })
	return all
}

const blanks = " \t\r\n"

// SameText reports a text that says what another said: letter case, and how many blanks stand between two words, may differ.
func SameText(before, now string) bool {
	if before == now {
		return true
	}
	return longestRun(now) <= max(maxBlanks, longestRun(before)) && strings.EqualFold(squeezed(before), squeezed(now))
}

// squeezed has one space where blanks stand between words. Other spaces than the usual are characters like all: they can spell something.
func squeezed(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) }), " ")
}

// longestRun is how many blanks stand in a row at most.
func longestRun(text string) (longest int) {
	run := 0
	for i := range len(text) {
		if strings.IndexByte(blanks, text[i]) < 0 {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
