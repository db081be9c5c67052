package air

import (
	"slices"
	"sort"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// SchemaVersion is the version of the document format that this package reads and writes.
const SchemaVersion = 1

// Document is one service in the intermediate representation. Operations, capabilities and the lists of items are sorted by their ids.
type Document struct {
	SchemaVersion     int                `json:"schemaVersion"`
	Service           Service            `json:"service"`
	Operations        []Operation        `json:"operations"`
	Capabilities      []Capability       `json:"capabilities"`
	Resources         []Resource         `json:"resources"`
	ResourceTemplates []ResourceTemplate `json:"resourceTemplates"`
	Prompts           []Prompt           `json:"prompts"`
	Instructions      canon.Raw          `json:"instructions,omitzero"` // as the server sent them
	Blocks            []Block            `json:"blocks,omitempty"`      // of operations that are not there: they hold should one come back
	Lapsed            []Lapse            `json:"lapses,omitempty"`      // of operations that are not there: what changed is told should one come back
	Diagnostics       []diag.Finding     `json:"diagnostics"`           // doubts met while lowering
}

// Service is what the operations belong to.
type Service struct {
	ID      string `json:"id"`   // see ServiceID
	Name    string `json:"name"` // the server's own, verbatim; may be empty
	Version string `json:"version,omitzero"`
	Title   string `json:"title,omitzero"`
	Source  Source `json:"source"`
	Auth    Auth   `json:"auth"`
}

// Source says what a document was lowered from. Where the server is reached is no part of it.
type Source struct {
	Kind     SourceKind `json:"kind"`
	Snapshot string     `json:"snapshot"` // digest of the snapshot
}

// SourceKind is the kind of contract a document was lowered from.
type SourceKind string

// SourceMCP is a captured MCP server.
const SourceMCP SourceKind = "mcp"

// Capability groups operations that a person reviews together.
type Capability struct {
	ID           string   `json:"id"`
	DisplayName  string   `json:"displayName"`
	Description  string   `json:"description,omitzero"`
	Source       string   `json:"source"`       // what proposed the grouping: "prefix", "noun", "schema", "service" or "rest"
	OperationIDs []string `json:"operationIds"` // of all members, whatever their state, by id
	Evidence     []Claim  `json:"evidence"`     // one a member: why it is in
}

// Resource is one resource, kept whole. Item is left out when the server's text of it names a member twice.
type Resource struct {
	Name string    `json:"name"`
	URI  string    `json:"uri"`
	Item canon.Raw `json:"item,omitzero"`
}

// ResourceTemplate is one resource template, kept whole as Resource is.
type ResourceTemplate struct {
	Name        string    `json:"name"`
	URITemplate string    `json:"uriTemplate"`
	Item        canon.Raw `json:"item,omitzero"`
}

// Prompt is one prompt, kept whole as Resource is.
type Prompt struct {
	Name string    `json:"name"`
	Item canon.Raw `json:"item,omitzero"`
}

// Find returns the operation with the given id.
func (d Document) Find(id string) (Operation, bool) {
	n := len(d.Operations) // an operation is large: none but the one is copied
	i := sort.Search(n, func(i int) bool { return d.Operations[i].ID >= id })
	if i == n || d.Operations[i].ID != id {
		i = slices.IndexFunc(d.Operations, func(o Operation) bool { return o.ID == id }) // a document made by hand may be in no order
	}
	if i < 0 {
		return Operation{}, false
	}
	return d.Operations[i], true
}

// places returns where the first operation of each id stands, for who looks up many.
func (d Document) places() map[string]int {
	at := make(map[string]int, len(d.Operations))
	for i := range d.Operations {
		if _, has := at[d.Operations[i].ID]; !has {
			at[d.Operations[i].ID] = i
		}
	}
	return at
}

// Approved returns the part of d that may be exposed: approved operations only, and of each capability the approved members. A capability
// without any is left out.
func (d Document) Approved() Document {
	view := d
	view.Operations, view.Capabilities = nil, nil
	kept := map[string]bool{}
	for _, o := range d.Operations {
		if o.State == StateApproved {
			view.Operations = append(view.Operations, o)
			kept[o.ID] = true
		}
	}
	for _, c := range d.Capabilities {
		c.OperationIDs = slices.DeleteFunc(slices.Clone(c.OperationIDs), func(id string) bool { return !kept[id] })
		if len(c.OperationIDs) > 0 {
			view.Capabilities = append(view.Capabilities, c)
		}
	}
	return view
}

// sortOperations orders operations by id; equal ids, which Validate refuses, by tool name.
func sortOperations(operations []Operation) {
	slices.SortStableFunc(operations, func(a, b Operation) int {
		if c := strings.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return strings.Compare(a.MCP.ToolName, b.MCP.ToolName)
	})
}
