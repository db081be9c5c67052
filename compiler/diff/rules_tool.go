package diff

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var toolRules = []entry{
	{"tool-removed", diag.Breaking, false, "A tool is gone that was marked as deprecated",
		"Calls to it fail, and prompts or scripts that name it stop working.", "Move callers to another tool, or stay with the version that has it."},
	{"tool-removed-without-deprecation", diag.Breaking, false, "A tool is gone, and nothing had said that it would go",
		"Calls to it fail, and prompts or scripts that name it stop working.", "Move callers to another tool, or stay with the version that has it."},
	{"tool-added", diag.Safe, true, "A tool was added",
		"Existing calls are not touched, but a model may choose it over an approved one; that it is read-only, or harmless, is the server's word alone.", "Review it; until it is approved it is not callable through the facade."},
	{"tool-renamed", diag.Breaking, true, "A tool is the same under another name",
		"Allow lists and pins go by name: callers break, and a pin no longer covers the tool.", "Update callers, allow lists and approvals to the new name."},
	{"tool-name-case-changed", diag.Breaking, true, "A tool's name differs in case only",
		"Names are case-sensitive: callers break, and the old pin no longer covers the tool.", "Update callers, allow lists and approvals to the new spelling."},
	{"tool-reintroduced-changed", diag.Risky, true, "A tool that had gone is back as another one",
		"Hiding a tool and bringing it back changed slips past a comparison with the last capture.", "Review it as a new tool; do not carry an old approval over."},
	{"tool-description-changed", diag.Risky, false, "A tool's description changed",
		"Descriptions decide when a model calls a tool and with what.", "Read the new text as if it were your own prompt, then accept or refuse it."},
	{"tool-description-whitespace", diag.Safe, false, "A tool's description is spaced or pointed differently",
		"The words are the same: white space, first letters, articles or the last full stop differ.", "Nothing to do."},
	{"tool-description-removed", diag.Risky, false, "A tool has no description any more",
		"A model has only the name to go by.", "Ask for the description back, or override it in the facade."},
	{"tool-title-changed", diag.Safe, false, "A tool's title changed",
		"Approval dialogs show the title to people.", "Check that the title still says what the tool does."},
	{"tool-icons-changed", diag.Safe, false, "A tool's icons changed",
		"Clients fetch and show them; a new web origin learns who looks.", "Look at the new address once."},
	{"tool-meta-changed", diag.Risky, false, "A tool's metadata changed",
		"Clients act on it: user interface bindings, size limits.", "Read both values and decide whether it matters."},
	{"tool-exec-mode-changed", diag.Breaking, false, "How a tool may be run changed",
		"A client that runs it the old way is refused, or has to wait for a task.", "Check that your clients support the new mode."},
	{"tool-member-changed", diag.Risky, false, "Something else about a tool changed",
		"No rule knows what this member means.", "Read both values and decide whether it matters."},
	{"tool-header-binding-added", diag.Breaking, false, "An argument of a tool is sent in a request header", "Clients drop a tool whose binding is invalid, and everything between client and server reads the value.",
		"Check that the value may be seen on the way, and that your clients send the header."},
	{"tool-header-binding-renamed", diag.Breaking, false, "An argument of a tool is sent in another request header", "Gateways that route by the old header miss it.",
		"Change whatever reads the header."},
	{"tool-header-binding-removed", diag.Breaking, false, "An argument of a tool is no longer sent in a request header", "Gateways that route by the header miss it.",
		"Change whatever reads the header."},
	{"list-name-duplicated", diag.Risky, true, "A name is listed more than once",
		"Which of the namesakes a call reaches is the server's choice; one can shadow the other.", "Refuse the surface until the names are unique."},
	{"list-duplicate-removed", diag.Risky, false, "One of several namesakes is gone",
		"Which of them answered calls before cannot be told.", "Check that the one that stayed is the one you approved."},
}

// noun names a kind in messages.
var nouns = map[surface.Kind]string{surface.Tool: "tool", surface.Prompt: "prompt", surface.Resource: "resource", surface.ResourceTemplate: "resource template"}

// stems leads the rule ids of a kind.
var stems = map[surface.Kind]string{surface.Tool: "tool", surface.Prompt: "prompt", surface.Resource: "resource", surface.ResourceTemplate: "template"}

func nameOf(it surface.Item) string {
	if it.Name == "" {
		return nouns[it.Kind] + " without a name"
	}
	return nouns[it.Kind] + " " + quoted(it.Name)
}

// existence judges what came and went, for every kind.
func (j *judge) existence(list ListDelta) {
	stem := stems[list.Kind]
	for _, r := range list.Removed {
		f := about(r.Item, nameOf(r.Item)+" was removed")
		f.before = r.Item.JSON
		if r.Duplicate {
			f.message = "one of the items called " + nameOf(r.Item) + " was removed"
			j.add("list-duplicate-removed", f)
			continue
		}
		if list.Kind == surface.Tool && !r.Announced {
			j.add("tool-removed-without-deprecation", f)
			continue
		}
		j.add(stem+"-removed", f)
	}
	for _, a := range list.Added {
		j.arrival(stem, a)
	}
}

func (j *judge) arrival(stem string, a Arrival) {
	f := about(a.Item, nameOf(a.Item)+" was added")
	f.after = a.Item.JSON
	switch {
	case a.Duplicate:
		f.message = "a second item called " + nameOf(a.Item) + " was added"
		j.add("list-name-duplicated", f)
		return
	case a.LastDigest != "" && a.LastDigest != a.Item.Digest:
		f.message = nameOf(a.Item) + " had gone and is back, changed"
		if a.GoneAs != "" {
			f.message = nameOf(a.Item) + " had gone as " + quoted(a.GoneAs) + " and is back under a name that differs in case only"
		}
		f.args = []string{a.LastDigest}
		j.add(stem+"-reintroduced-changed", f)
		return
	case a.LastDigest != "":
		f.message = nameOf(a.Item) + " had gone and is back, unchanged"
	}
	switch {
	case a.Item.Kind == surface.Tool:
		f.message += arrived(a.Hints)
	case a.Exposed:
		f.security = true
		f.message += "; its address leads to local files or a private host"
	}
	if a.Words != nil && len(a.Words.Cues) > 0 {
		s := a.Words.Cues[0]
		f.security = true
		f.message += "; a text of it " + cueWords[s.What] + ": " + quoted(s.Quote)
	}
	j.add(stem+"-added", f)
	j.reach(a)
	if a.Words != nil {
		j.texts(&TextDelta{Hidden: a.Words.Hidden}, a.Item)
	}
}

// arrived says what a new tool can do. A hint that claims less is the server's word: it is told, and takes nothing back.
func arrived(h surface.Hints) string {
	switch {
	case !h.ReadOnly && h.Destructive:
		return "; it does not rule out that it changes or deletes data"
	case !h.ReadOnly:
		return "; it says itself that it changes data and deletes none"
	case h.OpenWorld:
		return "; it says itself that it is read-only, and does not rule out that it reaches beyond the server"
	}
	return "; that it is read-only and keeps to the server is its own word"
}

// reach reports the arguments by which a new tool is told to do more than its name says, in one finding.
func (j *judge) reach(a Arrival) {
	if len(a.Params) == 0 {
		return
	}
	var parts []string
	for i, p := range a.Params {
		if i == maxPointers {
			parts = append(parts, fmt.Sprintf("%d more", len(a.Params)-i))
			break
		}
		parts = append(parts, quoted(p.Name)+" ("+strings.TrimPrefix(sinkWords[p.Sink], "it takes ")+")")
	}
	f := about(a.Item, "new "+nameOf(a.Item)+" takes "+strings.Join(parts, ", "))
	f.pointer, f.args = a.Params[0].Pointer, []string{a.Item.Digest}
	for _, p := range a.Params[1:] {
		f.pointer = commonPointer(f.pointer, p.Pointer)
	}
	j.add("in-sensitive-param-introduced", f)
}

func (j *judge) renamed(kind surface.Kind, p Pair) {
	f := about(p.New, nameOf(p.Old)+" is now called "+quoted(p.New.Name))
	f.before, f.after = canon.Quote(p.Old.Name), canon.Quote(p.New.Name)
	f.args = []string{p.Old.Digest, p.New.Digest}
	switch {
	case kind == surface.Tool && p.CaseOnly:
		f.message += ", which differs in case only"
		j.add("tool-name-case-changed", f)
	case kind == surface.Tool:
		j.add("tool-renamed", f)
	case kind == surface.Prompt:
		j.add("prompt-renamed", f)
	case kind == surface.Resource:
		f.security = p.Moved
		j.add("resource-uri-changed", f)
	default:
		j.template(p, f)
	}
}

func (j *judge) tool(p Pair) {
	var titles, icons, meta, other, input, output []Change
	from := len(j.found)
	j.deprecation(p)
	j.hints(p, func(c Change) { other = append(other, c) })
	for _, c := range p.Changes {
		switch {
		case c.Schema == nil && j.told[spot{p.New.Subject(), c.Pointer}]:
		case c.Schema != nil && c.Schema.Side == Input:
			input = append(input, c)
		case c.Schema != nil:
			output = append(output, c)
		case head(c.Pointer) == "annotations" && c.Pointer != "/annotations/title": // judged with the hints
		case head(c.Pointer) == "title" || c.Pointer == "/annotations/title":
			titles = append(titles, c)
		case head(c.Pointer) == "description":
			j.description(p, c)
		case head(c.Pointer) == "icons":
			icons = append(icons, c)
		case head(c.Pointer) == "_meta":
			meta = append(meta, c)
		case c.Pointer == "/execution/taskSupport":
			j.execution(p, c)
		default:
			other = append(other, c)
		}
	}
	j.group("tool-title-changed", p, "the title of "+nameOf(p.New)+" changed", titles)
	j.group("tool-icons-changed", p, "the icons of "+nameOf(p.New)+" changed", icons)
	j.group("tool-meta-changed", p, "the metadata of "+nameOf(p.New)+" changed", meta)
	j.group("tool-member-changed", p, nameOf(p.New)+" changed in a way that no rule knows", other)
	j.schema(p, Input, p.Input, input)
	j.schema(p, Output, p.Output, output)
	if p.Hints == nil || !p.Hints.Old.ReadOnly || !p.Hints.New.ReadOnly {
		return
	}
	for i, f := range j.found[from:] {
		_, j.found[from+i].ReadOnly = f.Call()
	}
}

func (j *judge) description(p Pair, c Change) {
	switch {
	case absent(c.After):
		j.add("tool-description-removed", p.at(c, "the description of "+nameOf(p.New)+" is gone"))
	case slight(c) != "":
		j.add("tool-description-whitespace", p.at(c, "the description of "+nameOf(p.New)+" "+slight(c)))
	case absent(c.Before):
		j.add("tool-description-changed", p.at(c, nameOf(p.New)+" has a description now"))
	default:
		j.add("tool-description-changed", p.at(c, "the description of "+nameOf(p.New)+" changed"))
	}
}

// execution judges task support; a tool that says nothing forbids tasks.
func (j *judge) execution(p Pair, c Change) {
	mode := func(raw canon.Raw) string {
		if absent(raw) {
			return `"forbidden"`
		}
		return string(raw)
	}
	before, after := mode(c.Before), mode(c.After)
	f := p.at(c, "task support of "+nameOf(p.New)+" changed from "+shown(canon.Raw(before))+" to "+shown(canon.Raw(after)))
	switch {
	case before == after:
		f.class, f.message = diag.Safe, "task support of "+nameOf(p.New)+" is "+shown(canon.Raw(after))+", stated or not"
	case before == `"forbidden"` && after == `"optional"`:
		f.class = diag.Safe
	}
	j.add("tool-exec-mode-changed", f)
}
