package diff

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

var promptRules = []entry{
	{"prompt-removed", diag.Breaking, false, "A prompt is gone", "Requests for it fail.", "Stop offering it, or stay with the version that has it."},
	{"prompt-renamed", diag.Breaking, false, "A prompt is the same under another name", "Requests for the old name fail.", "Update whoever asks for it by name."},
	{"prompt-added", diag.Safe, false, "A prompt was added", "Existing requests are not touched.", "Read it before you offer it."},
	{"prompt-reintroduced-changed", diag.Risky, true, "A prompt that had gone is back as another one",
		"Hiding a prompt and bringing it back changed slips past a comparison with the last capture.", "Review it as a new prompt."},
	{"prompt-arg-required-added", diag.Breaking, false, "A prompt takes a new required argument", "Requests that leave it out are rejected.", "Fill the argument wherever the prompt is used."},
	{"prompt-arg-became-required", diag.Breaking, false, "An argument of a prompt became required", "Requests that leave it out are rejected.", "Fill the argument wherever the prompt is used."},
	{"prompt-arg-became-optional", diag.Safe, false, "An argument of a prompt became optional", "Requests that fill it still work.", "Nothing to do."},
	{"prompt-arg-optional-added", diag.Safe, false, "A prompt takes a new optional argument", "Requests that leave it out still work.", "Nothing to do."},
	{"prompt-arg-removed", diag.Breaking, false, "An argument of a prompt is gone", "What was passed in it no longer reaches the prompt.", "Check what the prompt says without it."},
	{"prompt-arg-order-changed", diag.Safe, false, "The arguments of a prompt are listed in another order", "They are passed by name.", "Nothing to do."},
	{"prompt-text-changed", diag.Risky, false, "A title or description of a prompt changed", "People and models choose and fill prompts by it.", "Read the new text, then accept or refuse it."},
	{"prompt-member-changed", diag.Risky, false, "Something else about a prompt changed", "No rule knows what this member means.", "Read both values and decide whether it matters."},
}

func (j *judge) prompt(p Pair) {
	var other []Change
	for _, c := range p.Changes {
		path := canon.Tokens(c.Pointer)
		switch {
		case j.told[spot{p.New.Subject(), c.Pointer}]:
		case c.Argument != nil && (len(path) == 2 || c.Argument.OldRequired != c.Argument.NewRequired && path[2] == "required"):
			j.argument(p, c)
		case c.Argument != nil && (path[2] == "description" || path[2] == "title"):
			j.add("prompt-text-changed", p.at(c, "the "+path[2]+" of argument "+quoted(c.Argument.Name)+" of "+nameOf(p.New)+" changed"))
		case c.Argument != nil && path[2] == "required" && isFlag(c.Before) && isFlag(c.After):
			f := p.at(c, "argument "+quoted(c.Argument.Name)+" of "+nameOf(p.New)+" is optional, stated or not")
			f.class = diag.Safe
			j.add("prompt-member-changed", f)
		case len(path) == 1 && (path[0] == "description" || path[0] == "title"):
			j.promptText(p, c, path[0])
		case c.Reordered:
			j.add("prompt-arg-order-changed", p.at(c, "the arguments of "+nameOf(p.New)+" are listed in another order"))
		default:
			other = append(other, c)
		}
	}
	j.group("prompt-member-changed", p, nameOf(p.New)+" changed in a way that no rule knows", other)
}

func (j *judge) promptText(p Pair, c Change, what string) {
	f := p.at(c, "the "+what+" of "+nameOf(p.New)+" changed")
	if how := slight(c); how != "" {
		f.class, f.message = diag.Safe, "the "+what+" of "+nameOf(p.New)+" "+how
	}
	j.add("prompt-text-changed", f)
}

// argument judges an argument that came, went, or changed its requiredness.
func (j *judge) argument(p Pair, c Change) {
	name := "argument " + quoted(c.Argument.Name) + " of " + nameOf(p.New)
	switch whole := len(canon.Tokens(c.Pointer)) == 2; {
	case whole && absent(c.After):
		j.add("prompt-arg-removed", p.at(c, name+" was removed"))
	case whole && c.Argument.NewRequired:
		j.add("prompt-arg-required-added", p.at(c, name+" was added and is required"))
	case whole:
		j.add("prompt-arg-optional-added", p.at(c, "optional "+name+" was added"))
	case c.Argument.NewRequired:
		j.add("prompt-arg-became-required", p.at(c, name+" became required"))
	default:
		j.add("prompt-arg-became-optional", p.at(c, name+" became optional"))
	}
}
