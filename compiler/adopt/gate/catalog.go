package gate

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var (
	canonicalCollision = diag.Rule{ID: "canonical-collision", Title: "Two tool names fold to one identifier", Class: diag.Error, Since: "0.1",
		Doc: `Commands, operation ids and files are named after a tool in lower case with underscores. Two tools that differ by case or
separators only would share them, and people and models confuse them. Rename one in the server; the hint gives a name that is free.`}
	duplicateName = diag.Rule{ID: "duplicate-name", Title: "A name is given twice", Class: diag.Error, Since: "0.1",
		Doc: `Names are unique within a server. Clients keep the first or the last of two, or refuse the whole list. Rename or remove one.`}
	inexactJSON = diag.Rule{ID: "inexact-json", Title: "Text that readers may read differently", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `A member is given twice, a text is not well-formed Unicode, or a number is beyond what readers hold. What one client shows is then not
what another acts on. anvil keeps such text as it came and never repairs it; a repeated member is refused.`}
	malformedItem = diag.Rule{ID: "malformed-item", Title: "A list item is no object, or has no name", Class: diag.Error, Since: "0.1",
		Doc: `Every tool, resource, template and prompt is an object with a name (uri, uriTemplate) that is text. Clients reject the item,
most of them the whole list. The server has to send a well-formed item.`}
	noTools = diag.Rule{ID: "no-tools", Title: "The server lists no tools", Class: diag.Error, Since: "0.1",
		Doc: `A server that announces tools and lists none is broken, or hides them from a client like this one (credentials, roots). One that does
not announce tools has nothing to adopt as operations; its resources and prompts are kept.`}
	rootNotObject = diag.Rule{ID: "root-not-object", Title: "An input schema is not an object schema", Class: diag.Error, Since: "0.1",
		Doc: `The protocol requires inputSchema to be a JSON Schema with "type": "object" at its root. Official SDKs reject the server's whole
list for one tool without it. The smallest fix is {"type": "object", "properties": {}}.`}
	toolBudget = diag.Rule{ID: "tool-budget", Title: "The server lists more tools than the budget", Class: diag.Warning, Since: "0.1",
		Doc: `Models choose worse among many tools, and clients cut long lists (some at about 40). Approve a part of the tools and serve them
through the facade, or split the server; the hint proposes which to do without: near-duplicates first, then those that take most tokens.
gate.maxTools in anvil.yaml sets a limit that is refused.`}
	wrongTypeMember = diag.Rule{ID: "wrong-type-member", Title: "A member has another type than the protocol's", Class: diag.Error, Since: "0.1",
		Doc: `A description that is a number, annotations that are a list, a hint that is text: SDKs that decode into types refuse the server's whole
list for one such member, or do not connect at all when it stands in the handshake. null is no text and no object either. The server has to
send the type that the protocol gives, or leave the member out.`}
)

// Rules lists the rules of the gate.
var Rules = diag.NewCatalog(slices.Concat(
	[]diag.Rule{canonicalCollision, duplicateName, inexactJSON, malformedItem, noTools, rootNotObject, toolBudget, wrongTypeMember},
	schemaRules, nameRules, textRules)...)

// about starts a finding about an item: at pointer, with the value found there.
func about(rule diag.Rule, it surface.Item, pointer, message string, value *canon.Node) diag.Finding {
	f := rule.Finding(it.Subject(), message)
	f.Pointer = pointer
	if it.Kind == surface.Tool {
		f.Tool = it.Name
	}
	f.After = shortValue(value)
	return f
}

// shortValue is what a finding quotes of a value: nothing when it is absent or long.
func shortValue(value *canon.Node) canon.Raw {
	if value == nil || len(value.Raw) > maxValue {
		return nil
	}
	return canon.Raw(value.Raw)
}

// subjectOf is the subject of an item, also of one without a name: by its digest.
func subjectOf(it surface.Item) string {
	if it.Name == "" {
		return fmt.Sprintf("%s/%s", it.Kind, strings.TrimPrefix(it.Digest, "sha256:")[:12])
	}
	return it.Subject()
}

// maxValue bounds the value that a finding quotes, in bytes.
const maxValue = 400
