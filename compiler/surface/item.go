package surface

import (
	"bytes"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// Kind is one of the four lists of a surface. Its text is the singular used in subjects: "tool/search".
type Kind string

// The kinds, in the order of the file.
const (
	Tool             Kind = "tool"
	Resource         Kind = "resource"
	ResourceTemplate Kind = "resourceTemplate"
	Prompt           Kind = "prompt"
)

// Kinds lists all kinds in the order of the file.
var Kinds = []Kind{Tool, Resource, ResourceTemplate, Prompt}

// List returns the member that holds items of this kind, in the file and in the protocol's list results: "tools".
func (k Kind) List() string { return string(k) + "s" }

// Method returns the protocol's method that lists this kind.
func (k Kind) Method() string {
	if k == ResourceTemplate {
		return "resources/templates/list"
	}
	return k.List() + "/list"
}

// Capability returns the server capability that announces this kind.
func (k Kind) Capability() string {
	if k == ResourceTemplate {
		return "resources"
	}
	return k.List()
}

// Key returns the member by which items of this kind are told apart.
func (k Kind) Key() string {
	switch k {
	case Resource:
		return "uri"
	case ResourceTemplate:
		return "uriTemplate"
	}
	return "name"
}

// Item is one tool, resource, template or prompt, with every member the server sent.
type Item struct {
	Kind   Kind
	Name   string      // the name of a tool or prompt, the uri of a resource, the uriTemplate of a template; "" when the server gave none
	JSON   []byte      // canonical
	Node   *canon.Node // JSON, parsed
	Digest string      // of JSON, with the order of `required` and `type` in schemas left out

	contract, text string // see ContractDigest and TextDigest
}

// NewItem reads one list item as a server sent it; any JSON value is taken, so it fails on text that is not JSON only.
func NewItem(kind Kind, raw []byte) (Item, error) {
	text, err := canon.Canonical(raw)
	if err != nil {
		return Item{}, err
	}
	node, err := canon.Parse(text)
	if err != nil {
		return Item{}, err
	}
	it := Item{Kind: kind, Name: node.Get(kind.Key()).Text(), JSON: text, Node: node}
	it.Digest, it.contract, it.text = canon.Digest(it.visible()), canon.Digest(it.contractForm()), canon.Digest(it.textForm())
	return it, nil
}

// Subject returns the stable path of the item in findings: "tool/search".
func (it Item) Subject() string { return string(it.Kind) + "/" + it.Name }

// ModelForm returns what a client hands a model of a tool on every turn: its name, description and input schema, as compact JSON with sorted
// members. It is nil for the other kinds, which clients show to people or on request, and for what is no object.
func (it Item) ModelForm() []byte {
	if it.Kind != Tool || !it.Node.IsObject() {
		return nil
	}
	var b canon.Builder
	for _, member := range []string{"description", "inputSchema", "name"} {
		b.AddNode(member, it.Node.Get(member))
	}
	return b.Bytes()
}

// sortItems orders items by name, then by text, so that the order of arrival leaves no trace.
func sortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return bytes.Compare(a.JSON, b.JSON)
	})
}
