package diff

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var textRules = []entry{
	{"tool-description-cue-introduced", diag.Risky, true, "The words of a tool speak to the model now",
		"A description describes; orders to the model, secrecy, other tools, credentials and hosts that were not spoken of before are how tools are poisoned.",
		"Read the text as an attacker would have written it, and ask the vendor what it is for."},
	{"tool-hidden-text-introduced", diag.Breaking, true, "The words of a tool hold characters that nobody sees",
		"People and models read different texts.", "Refuse the surface until the text is clean."},
	{"text-cue-introduced", diag.Risky, true, "The server itself, a prompt or a resource speaks to the model now",
		"What is new speaks over the head of the user, of credentials, of other tools, or of hosts that were not spoken of before.",
		"Read the text as an attacker would have written it, and ask the vendor what it is for."},
	{"text-hidden-introduced", diag.Breaking, true, "The server itself, a prompt or a resource holds characters that nobody sees",
		"People and models read different texts.", "Refuse the surface until the text is clean."},
	{"tool-deprecated-marked", diag.Safe, false, "A tool is marked as deprecated", "It goes away next.", "Plan to move its callers."},
	{"tool-deprecated-unmarked", diag.Risky, false, "A tool is no longer marked as deprecated", "Whoever moved away did so for nothing, or the mark was lost.",
		"Ask the vendor which of the two it is."},
}

// cueWords say what each class of cues does.
var cueWords = map[string]string{
	"blob": "holds a long run that nobody reads", "call-first": "puts the tool before all others, whatever the user asks for",
	"credential": "speaks of a credential or of the file that holds one", "exfiltration": "asks for what the model was told or has read",
	"markup": "is written like a part of the prompt", "off-host-url": "speaks of a host that was not spoken of before",
	"other-tool": "tells the model what to do with a tool that is not the server's", "override": "sets aside what the model was told",
	"secrecy": "keeps something from the user",
}

// texts judges what the words of an item do now. What is told here is not told again as a mere change of the text.
func (j *judge) texts(d *TextDelta, it surface.Item) {
	if d == nil {
		return
	}
	cue, hidden := "text-cue-introduced", "text-hidden-introduced"
	if it.Kind == surface.Tool {
		cue, hidden = "tool-description-cue-introduced", "tool-hidden-text-introduced"
	}
	f := about(it, "")
	f.message = nameOf(it)
	j.said(cue, hidden, f, d)
}

func (j *judge) said(cue, hidden string, base fact, d *TextDelta) {
	name := base.message
	for _, s := range d.Cues {
		f := base
		f.message = fmt.Sprintf("%s of %s %s: %s", s.thing(), name, cueWords[s.What], quoted(s.Quote))
		j.spoke(cue, f, s)
	}
	for _, s := range d.Hidden {
		f := base
		f.message = fmt.Sprintf("%s of %s holds characters that nobody sees (%s)", s.thing(), name, s.What)
		if s.Quote != "" {
			f.message += ", which spell " + quoted(s.Quote)
		}
		j.spoke(hidden, f, s)
	}
}

func (s Said) thing() string {
	if s.Member {
		return "the name of a member"
	}
	return "a text"
}

// spoke adds what a text does. Of what a name does the value says nothing: its change is told by itself.
func (j *judge) spoke(id string, f fact, s Said) {
	f.pointer, f.before, f.after, f.args = s.Pointer, s.Before, s.After, []string{s.What, s.Quote}
	if s.Member {
		f.args = append(f.args, "name")
	} else {
		j.told[spot{f.subject, s.Pointer}] = true
	}
	j.add(id, f)
}

// deprecation judges a mark that came or went.
func (j *judge) deprecation(p Pair) {
	if p.OldDeprecated == p.NewDeprecated {
		return
	}
	f := about(p.New, nameOf(p.New)+" is marked as deprecated")
	f.args = []string{p.Old.Digest, p.New.Digest}
	id := "tool-deprecated-marked"
	if p.OldDeprecated {
		id, f.message = "tool-deprecated-unmarked", nameOf(p.New)+" is no longer marked as deprecated"
	}
	j.add(id, f)
}

// isHarmful reports a tool whose name says that it does harm.
func isHarmful(name string) string {
	for _, word := range air.Words(name) {
		for _, power := range powers {
			if word == power {
				return word
			}
		}
	}
	return ""
}
