package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// role is what a string is for, as far as the rules of text care.
type role int

const (
	otherRole   role = iota // identifiers, addresses, _meta: read by programs
	nameRole                // the name of a member
	textRole                // descriptions, titles, instructions: read by models and people
	valueRole               // values of a schema that models copy: default, const, enum, examples
	patternRole             // of a schema
	wordRole                // any other word of a schema, its own syntax left out: a model is given all of them
)

// utterance is one string of the surface, and where it stands. It is valid during the call that it is given to.
type utterance struct {
	text     string
	role     role
	item     *surface.Item // nil for what the server says of itself
	property string        // the nearest property of a schema that it belongs to
	path     []string      // of the value; of the object that holds it for the name of a member
	told     bool          // a model is given it as words
}

func (u utterance) pointer() string { return canon.Pointer(u.path...) }

// fills reports a value that is used unless the model gives another.
func (u utterance) fills() bool {
	last := u.path[len(u.path)-1]
	return last == "default" || last == "const"
}

// finding starts a finding about the utterance. The value is not quoted: what these rules find is not to be repeated.
func (u utterance) finding(rule diag.Rule, message string) diag.Finding {
	f := rule.Finding("server", message)
	if u.item != nil {
		f = about(rule, *u.item, "", message, nil)
		f.Subject = subjectOf(*u.item)
		if len(wording.Secrets(u.item.Name)) > 0 { // its digest tells it apart
			f.Tool, f.Subject = "", fmt.Sprintf("%s/%s", u.item.Kind, strings.TrimPrefix(u.item.Digest, "sha256:")[:12])
		}
	}
	f.Pointer = u.pointer()
	if at := slices.IndexFunc(u.path, func(name string) bool { return len(wording.Secrets(name)) > 0 }); at >= 0 {
		f.Pointer = canon.Pointer(u.path[:at]...)
	}
	return f
}

// place names the utterance in a sentence: /description of tool "search".
func (u utterance) place() string {
	at := diag.Shorten(diag.Printable(wording.MaskAll(u.pointer())), 100)
	switch {
	case u.role == nameRole:
		at = "the name of a member of " + at
		if len(u.path) == 0 {
			at = "the name of a member"
		}
	case len(u.path) == 0:
		at = "the text"
	}
	if u.item == nil {
		return at + " of the server"
	}
	return at + " of " + shownName(*u.item)
}

// shownName names an item in a sentence, whose name may be long or hide something: tool "search".
func shownName(it surface.Item) string {
	if it.Name == "" {
		return fmt.Sprintf("a %s without a name", it.Kind)
	}
	return fmt.Sprintf("%s %s", it.Kind, quotedText(it.Name, maxName))
}

// maxName bounds the names that a message shows, in characters.
const maxName = 80

// eachUtterance calls f for every string of the surface, names of members included.
func (v *survey) eachUtterance(f func(utterance)) {
	w := speech{hear: f}
	for _, kind := range surface.Kinds {
		for i := range v.Items[kind] {
			w.item = &v.Items[kind][i]
			w.walk(w.item.Node, inItem, "")
		}
	}
	w.item = nil
	for _, part := range []struct {
		name string
		node *canon.Node
		in   context
	}{{"serverInfo", v.Server, inItem}, {"capabilities", v.Capabilities, inOther}, {"instructions", v.Instructions, inText}, {"extra", v.Extra, inOther}} {
		w.path = append(w.path[:0], part.name)
		w.walk(part.node, part.in, "")
	}
	for i, version := range append([]string{v.ProtocolVersion}, v.SupportedVersions...) {
		f(utterance{text: version, path: []string{"protocolVersions", strconv.Itoa(i)}})
	}
}

// context is what a value is part of; it decides what its strings are for.
type context int

const (
	inItem    context = iota // a tool, resource or prompt, its arguments, serverInfo
	inSchema                 //
	inSchemas                // an object whose members are schemas
	inText                   // of a description
	inValue                  // of a default
	inPattern                //
	inWords                  // of a keyword that is not known, or takes any text
	inSyntax                 // of a keyword whose texts are the schema's own: type, $ref
	inOther                  // of _meta
)

var roles = map[context]role{inSchema: wordRole, inSchemas: wordRole, inText: textRole, inValue: valueRole, inPattern: patternRole, inWords: wordRole}

// itemContexts say what stands in a member of an item; what is not listed is inOther.
var itemContexts = map[string]context{
	"description": inText, "title": inText, "inputSchema": inSchema, "outputSchema": inSchema, "arguments": inItem, "annotations": inItem,
}

// schemaContext says what stands under a keyword of a schema. Editors and form generators have words of their own, which no JSON Schema knows.
func schemaContext(name string) context {
	switch name {
	case "markdownDescription", "enumDescriptions", "enumNames", "errorMessage":
		return inText
	}
	keyword := schema.Lookup(name)
	switch {
	case keyword.Form.ByName():
		return inSchemas
	case keyword.Form.Schemas():
		return inSchema
	case keyword.Form.Data():
		return inValue
	case keyword.Speech == schema.Prose:
		return inText
	case keyword.Speech == schema.Regexp:
		return inPattern
	case keyword.Speech == schema.Syntax:
		return inSyntax
	}
	return inWords // names under required, formats and whatever else takes any text included
}

// within returns what the member called name is, in a value of this context.
func (c context) within(name string) context {
	switch c {
	case inItem:
		if in, ok := itemContexts[name]; ok {
			return in
		}
		return inOther
	case inSchema:
		return schemaContext(name)
	case inSchemas:
		return inSchema
	case inPattern, inSyntax: // which hold texts and lists of them; whatever else is in there is no syntax
		return inWords
	}
	return c
}

// speech walks a surface for its strings.
type speech struct {
	hear func(utterance)
	item *surface.Item
	path []string
}

func (w *speech) walk(n *canon.Node, in context, property string) {
	if n == nil {
		return
	}
	if text, ok := n.Str(); ok {
		w.say(text, roles[in], in, property)
	}
	for i, item := range n.Items {
		w.path = append(w.path, strconv.Itoa(i))
		w.walk(item, in, property)
		w.path = w.path[:len(w.path)-1]
	}
	for _, m := range n.Members {
		w.say(m.Name, nameRole, in, property)
		below := property
		if in == inSchemas {
			below = m.Name
		}
		w.path = append(w.path, m.Name)
		w.walk(m.Value, in.within(m.Name), below)
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *speech) say(text string, r role, in context, property string) {
	if text != "" {
		told := in != inItem && in != inOther && (r == nameRole || in != inSyntax && in != inPattern)
		w.hear(utterance{text, r, w.item, property, w.path, told})
	}
}
