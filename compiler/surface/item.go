package surface

import (
	"bytes"
	"slices"
	"strings"
	"sync"

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

	contract, text string // of this item in the digests of a snapshot
	said           string // see TextDigest
}

// NewItem reads one list item as a server sent it; any JSON value is taken, so it fails on text that is not JSON only.
func NewItem(kind Kind, raw []byte) (Item, error) {
	node, err := canon.ParseCanonical(raw)
	if err != nil {
		return Item{}, err
	}
	it := Item{Kind: kind, Name: node.Get(kind.Key()).Text(), JSON: node.Raw, Node: node}
	scratch := scratches.Get().(*[]byte)
	if *scratch = it.digest(*scratch); cap(*scratch) <= maxScratch {
		scratches.Put(scratch)
	}
	return it, nil
}

// scratches are room for the texts that items are digested from.
const maxScratch = 1 << 20 // bytes of room that is kept

var scratches = sync.Pool{New: func() any { return new([]byte) }}

// Subject returns the stable path of the item in findings: "tool/search".
func (it Item) Subject() string { return string(it.Kind) + "/" + it.Name }

// ModelForm returns what a client hands a model of a tool on every turn: its name, description and input schema, as compact JSON with sorted
// members. It is nil for the other kinds, which clients show to people or on request, and for what is no object.
func (it Item) ModelForm() []byte {
	if it.Kind != Tool || !it.Node.IsObject() {
		return nil
	}
	b := canon.Within(make([]byte, 0, it.ModelSize()))
	for _, member := range modelMembers {
		if n := it.Node.Get(member); n != nil {
			b.Add(member, n.Raw)
		}
	}
	return b.Bytes()
}

var modelMembers = []string{"description", "inputSchema", "name"}

// ModelSize returns how many bytes ModelForm has.
func (it Item) ModelSize() int {
	if it.Kind != Tool || !it.Node.IsObject() {
		return 0
	}
	size, members := len("{}"), 0
	for _, member := range modelMembers {
		if n := it.Node.Get(member); n != nil {
			size += len(member) + len(`"":`) + len(n.Raw)
			members++
		}
	}
	return size + max(0, members-1)
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
