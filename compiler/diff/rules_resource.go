package diff

import (
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var resourceRules = []entry{
	{"resource-removed", diag.Breaking, false, "A resource is gone", "Reading it fails.", "Stop reading it, or stay with the version that has it."},
	{"resource-uri-changed", diag.Breaking, false, "A resource has another address", "Reading the old address fails; another host is another owner.", "Update whoever reads it, after a look at the new address."},
	{"resource-added", diag.Safe, false, "A resource was added", "Existing reads are not touched; local files and private hosts are new reach.", "Check what it exposes."},
	{"resource-reintroduced-changed", diag.Risky, true, "A resource that had gone is back as another one",
		"Hiding a resource and bringing it back changed slips past a comparison with the last capture.", "Review it as a new resource."},
	{"resource-mime-changed", diag.Risky, false, "The media type of a resource changed", "Readers parse or show it differently.", "Check that readers can handle the new type."},
	{"resource-description-changed", diag.Risky, false, "The description of a resource changed", "Models choose what to read by it.", "Read the new text, then accept or refuse it."},
	{"resource-meta-changed", diag.Safe, false, "Name, title, size or annotations of a resource changed", "They say how a resource is shown; the audience decides whether a model sees it.", "Look at it once."},
	{"resource-member-changed", diag.Risky, false, "Something else about a resource changed", "No rule knows what this member means.", "Read both values and decide whether it matters."},
}

var templateRules = []entry{
	{"template-removed", diag.Breaking, false, "A resource template is gone", "Reading what it named fails.", "Stop using it, or stay with the version that has it."},
	{"template-added", diag.Safe, false, "A resource template was added", "Existing reads are not touched; local files and private hosts are new reach.", "Check what it exposes."},
	{"template-reintroduced-changed", diag.Risky, true, "A resource template that had gone is back as another one",
		"Hiding a template and bringing it back changed slips past a comparison with the last capture.", "Review it as a new template."},
	{"template-var-added", diag.Breaking, false, "A resource template takes another variable", "Callers that do not fill it build a wrong address.", "Fill the variable wherever the template is used."},
	{"template-var-removed", diag.Breaking, false, "A variable of a resource template is gone", "What was passed in it no longer reaches the server.", "Check what the template names without it."},
	{"template-literal-changed", diag.Breaking, false, "The fixed part of a resource template changed", "Addresses built from the old one fail; another host is another owner.", "Build addresses from the new template, after a look at its host."},
	{"template-expansion-widened", diag.Risky, true, "A variable of a resource template reaches further", "It may now hold path separators, and so lead out of where it was kept.", "Check what the server does with `..` and slashes in it."},
	{"template-expansion-changed", diag.Breaking, false, "The expressions of a resource template are written differently", "The same values give another address.", "Build addresses from the new template."},
	{"template-mime-changed", diag.Risky, false, "The media type of a resource template changed", "Readers parse or show its resources differently.", "Check that readers can handle the new type."},
	{"template-description-changed", diag.Risky, false, "The description of a resource template changed", "Models choose what to read by it.", "Read the new text, then accept or refuse it."},
	{"template-meta-changed", diag.Safe, false, "Name, title or annotations of a resource template changed", "They say how it is shown; the audience decides whether a model sees it.", "Look at it once."},
	{"template-member-changed", diag.Risky, false, "Something else about a resource template changed", "No rule knows what this member means.", "Read both values and decide whether it matters."},
}

// resource judges the changes of a resource or a resource template.
func (j *judge) resource(p Pair) {
	stem := stems[p.New.Kind]
	var meta, other []Change
	for _, c := range p.Changes {
		switch path := canon.Tokens(c.Pointer); {
		case j.told[spot{p.New.Subject(), c.Pointer}]:
		case c.Pointer == "/mimeType":
			j.add(stem+"-mime-changed", p.at(c, "the media type of "+nameOf(p.New)+" changed from "+shown(c.Before)+" to "+shown(c.After)))
		case c.Pointer == "/description":
			f := p.at(c, "the description of "+nameOf(p.New)+" changed")
			if how := slight(c); how != "" {
				f.class, f.message = diag.Safe, "the description of "+nameOf(p.New)+" "+how
			}
			j.add(stem+"-description-changed", f)
		case len(path) > 1 && path[0] == "annotations" && path[1] == "audience" && shownToModels(c):
			f := p.at(c, "the audience of "+nameOf(p.New)+" changed from "+shown(c.Before)+" to "+shown(c.After)+", which takes in models")
			f.security = true
			j.add(stem+"-meta-changed", f)
		case len(path) > 0 && isShown(path):
			meta = append(meta, c)
		default:
			other = append(other, c)
		}
	}
	j.group(stem+"-meta-changed", p, "how "+nameOf(p.New)+" is shown changed", meta)
	j.group(stem+"-member-changed", p, nameOf(p.New)+" changed in a way that no rule knows", other)
}

// isShown reports a member that the protocol defines for display.
func isShown(path []string) bool {
	switch path[0] {
	case "name", "title", "size", "icons":
		return true
	case "annotations":
		return len(path) > 1 && (path[1] == "audience" || path[1] == "priority" || path[1] == "lastModified")
	}
	return false
}

// shownToModels reports an audience that takes in the assistant and did not. Without an audience a resource is for everyone.
func shownToModels(c Change) bool {
	const assistant = `"assistant"`
	has := func(raw canon.Raw) bool { return absent(raw) || strings.Contains(string(raw), assistant) }
	return has(c.After) && !has(c.Before)
}

// template judges a resource template whose text changed. f holds both texts.
func (j *judge) template(p Pair, f fact) {
	t := p.Template
	name := nameOf(surface.Item{Kind: p.Old.Kind, Name: p.Old.Name})
	about := func(message string, args ...string) fact {
		g := f
		g.message, g.args = name+" "+message, append(g.args, args...)
		return g
	}
	added, removed := len(t.AddedVars) > 0, len(t.RemovedVars) > 0
	switch {
	case added && removed:
		j.add("template-var-added", about("takes "+quotedAll(t.AddedVars)+" instead of "+quotedAll(t.RemovedVars), t.AddedVars...))
	case added:
		j.add("template-var-added", about("takes "+quotedAll(t.AddedVars)+" too", t.AddedVars...))
	case removed:
		j.add("template-var-removed", about("no longer takes "+quotedAll(t.RemovedVars), t.RemovedVars...))
	}
	if len(t.Widened) > 0 {
		j.add("template-expansion-widened", about("lets "+quotedAll(t.Widened)+" reach further", t.Widened...))
	}
	switch {
	case p.Moved:
		g := about("leads to another scheme or host")
		g.security = true
		j.add("template-literal-changed", g)
	case t.Literal && !added && !removed:
		j.add("template-literal-changed", about("has another fixed part"))
	case !t.Literal && !added && !removed && len(t.Widened) == 0:
		j.add("template-expansion-changed", about("is written differently"))
	}
}

func quotedAll(names []string) string {
	parts := make([]string, 0, len(names))
	for _, n := range names {
		parts = append(parts, quoted(n))
	}
	return strings.Join(parts, ", ")
}
