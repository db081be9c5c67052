package gate

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// maxQuoted bounds the fragment that a finding quotes, in characters.
const maxQuoted = 100

// words are what a text does, and what its reader has to do.
type words struct{ does, hint string }

// cueWords says of each class of cue what the text does, and what the reader has to make sure of.
var cueWords = map[wording.Class]words{
	wording.Blob: {"holds a long run that nobody reads",
		"decode it before you approve the tool, or have the server leave it out"},
	wording.CallFirst: {"puts a tool before all others, whatever the user asks for",
		"make sure that the tool has to come first; clients can be told so by the user"},
	wording.Credential: {"speaks of a credential or of the file that holds one",
		"make sure that the tool needs it; a model must not be asked to fetch or pass on credentials"},
	wording.Exfiltration: {"asks for what the model was told or has read, or has it sent on",
		"do not approve the tool unless you know why it needs this"},
	wording.Markup: {"is written like a part of the prompt",
		"have the server write plain text; models take such marks for the words of their operator"},
	wording.OffHost: {"sends the model to a host that is not the server's",
		"make sure that the address is the vendor's, or documentation; nothing the user entrusts to the tool belongs there"},
	wording.OtherTool: {"tells the model what to do with a tool that is not the server's",
		"have the server speak of its own tools only"},
	wording.Override: {"sets aside what the model was told",
		"do not approve the tool; report the text to the server's maintainers"},
	wording.Secrecy: {"keeps something from the user",
		"do not approve the tool unless the user may know all that it does"},
}

// checkInjectionCues reports, per text that a model reads and per class, what of it speaks to the model.
func checkInjectionCues(v *survey) []diag.Finding {
	var findings []diag.Finding
	home := v.home()
	v.eachUtterance(func(u utterance) {
		if !u.told {
			return
		}
		home.Self = ""
		if u.item != nil && u.item.Kind == surface.Tool {
			home.Self = strings.ToLower(u.item.Name)
		}
		cues := wording.Cues(u.text, home)
		if len(cues) == 0 {
			return
		}
		around := contextOf(u.text, cues)
		cues = slices.DeleteFunc(cues, func(c wording.Cue) bool { return c.Class == wording.OffHost && u.mentions(c) })
		for _, class := range wording.Classes {
			for _, mild := range []bool{false, true} {
				of := slices.DeleteFunc(slices.Clone(cues), func(c wording.Cue) bool { return c.Class != class || (c.Claimed || c.Own) != mild })
				if len(of) > 0 {
					findings = append(findings, cueFinding(u, class, of, around))
				}
			}
		}
	})
	return findings
}

// mentions reports an address that leads nowhere by itself: one of several values, most often of a format, or all that a name or a word holds.
func (u utterance) mentions(address wording.Cue) bool {
	switch u.role {
	case patternRole:
		return true
	case valueRole:
		return !u.fills()
	case nameRole, wordRole, calledRole, otherRole:
		return address.Quote == u.text
	}
	return false
}

// claimedWords stand for those of cueWords where the host is the server's by the server's own word or by a name alone, which prove nothing: it is to be
// seen all the same. ownWords do where the tool is the server's, which may well say what it is not for.
var (
	claimedWords = words{"sends the model to a host that is the server's by name, or by its own word alone",
		"make sure that the host belongs to the vendor; anybody can give a server its name"}
	ownWords = words{"tells the model not to use another tool of the same server",
		"nothing is wrong with that unless the other tool is the one that you approve"}
)

func cueFinding(u utterance, class wording.Class, cues []wording.Cue, around surroundings) diag.Finding {
	var at []int
	args := []string{string(class)}
	if u.role == nameRole { // which is not what stands at its pointer
		args = append(args, "name")
	}
	for _, c := range cues {
		at = append(at, c.At)
		args = append(args, c.Quote, around.sentences[c.At])
	}
	args = append(args, around.beyond[class])
	words := cueWords[class]
	switch {
	case cues[0].Own:
		words = ownWords
	case cues[0].Claimed:
		words = claimedWords
	}
	shown := places(at[:min(3, len(at))], len(at))
	f := u.finding(injectionCues, fmt.Sprintf("%s: %s %s, at character %s: %s", class, u.place(), words.does, shown, quotedText(cues[0].Quote, maxQuoted)))
	f.Hint = words.hint
	if cues[0].Own || cues[0].Claimed {
		f.Class = diag.Info
	}
	return f.Sealed(args...)
}
