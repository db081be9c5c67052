// Package clientview shows a surface as one client hands it to its model: names with the client's prefix, texts cut where it cuts them, the tools
// that it leaves out, and schemas without the keywords that it drops. Two views can be compared where two surfaces would say too much: what an
// update changes for the users of this client.
//
// It stands behind the surface and the profiles, whose data it applies. It judges nothing; the gate does.
package clientview

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/profiles"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// SchemaVersion is the version of the JSON form of a [View].
const SchemaVersion = 1

// View is what one client hands its model of one server. Texts and schemas are in canonical form, and as sent but for what is said beside them.
type View struct {
	SchemaVersion   int       `json:"schemaVersion"`
	Client          string    `json:"client"` // the profile's id
	Server          string    `json:"server"` // the configured name
	Plugin          string    `json:"plugin,omitzero"`
	Instructions    canon.Raw `json:"instructions,omitzero"`
	InstructionsCut *Cut      `json:"instructionsCut,omitzero"`
	Tools           []Tool    `json:"tools"`           // by their own names; the order in which the server lists them is in no snapshot
	Hidden          []string  `json:"hidden,omitzero"` // own names of the tools beyond those that the client shows
	Digest          string    `json:"digest"`          // of the canonical form of all of the above
}

// Tool is one tool as the model sees it.
type Tool struct {
	Name           string         `json:"name"` // as exposed
	Tool           string         `json:"tool"` // its own name
	Description    canon.Raw      `json:"description,omitzero"`
	DescriptionCut *Cut           `json:"descriptionCut,omitzero"`
	InputSchema    canon.Raw      `json:"inputSchema,omitzero"`
	Dropped        map[string]int `json:"dropped,omitempty"` // how often each schema keyword was left out
}

// Cut says that a text goes on: how many bytes of UTF-8 are kept, of how many. Nothing is put into the text itself.
type Cut struct {
	Kept int `json:"kept"`
	Of   int `json:"of"`
}

// Of returns the view that the client has of the surface, under the configured name of the server and of the plugin that brings it, if one does.
// What is no tool with a name is not in it. The same arguments give the same view. The error says that the view could not be encoded.
func Of(p *profiles.Profile, server, plugin string, s *surface.McpSurfaceSnapshot) (View, error) {
	v := View{SchemaVersion: SchemaVersion, Client: p.ID, Server: server, Plugin: plugin, Tools: []Tool{}}
	v.Instructions, v.InstructionsCut = cut(s.Instructions, p.View.Instructions)
	for _, it := range s.Tools() {
		if !it.Node.IsObject() || it.Name == "" {
			continue
		}
		if p.View.Tools > 0 && len(v.Tools) == p.View.Tools {
			v.Hidden = append(v.Hidden, it.Name)
			continue
		}
		v.Tools = append(v.Tools, toolOf(p, server, plugin, it))
	}
	text, err := canon.EncodeCompact(v)
	if err != nil {
		return View{}, fmt.Errorf("encode what %s shows of %s: %w", p.ID, server, err)
	}
	b, err := canon.Parse(text)
	if err != nil {
		return View{}, fmt.Errorf("encode what %s shows of %s: %w", p.ID, server, err)
	}
	v.Digest = canon.Digest(withoutDigest(b))
	return v, nil
}

func withoutDigest(view *canon.Node) []byte {
	var b canon.Builder
	for _, m := range view.Members {
		if m.Name != "digest" {
			b.AddMember(m, m.Value.Canonical())
		}
	}
	return b.Bytes()
}

func toolOf(p *profiles.Profile, server, plugin string, it surface.Item) Tool {
	t := Tool{Name: p.Expose(plugin, server, it.Name), Tool: it.Name}
	t.Description, t.DescriptionCut = cut(it.Node.Get("description"), p.View.Description)
	root := it.Node.Get("inputSchema")
	if len(p.View.Drop) == 0 || root == nil {
		t.InputSchema = root.Canonical()
		return t
	}
	d := dropper{keywords: p.View.Drop, dropped: map[string]int{}}
	t.InputSchema, t.Dropped = d.schema(nil, root), d.dropped
	return t
}

// cut returns a text of at most limit bytes, which ends with a whole character. What is no text stays as it is, and so does everything when the
// limit is 0.
func cut(n *canon.Node, limit int) (canon.Raw, *Cut) {
	text := n.Text()
	if limit <= 0 || len(text) <= limit {
		return n.Canonical(), nil
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return canon.Quote(text[:end]), &Cut{Kept: end, Of: len(text)}
}

// dropper writes schemas without some keywords.
type dropper struct {
	keywords []string
	dropped  map[string]int
}

// schema appends n to dst: a schema, or a list of some. What stands under a keyword that is not known is taken for one too, as clients do.
func (d *dropper) schema(dst []byte, n *canon.Node) []byte {
	switch {
	case n.IsArray():
		return d.list(dst, n)
	case !n.IsObject():
		return append(dst, n.Canonical()...)
	}
	b := canon.Within(dst)
	for _, m := range n.Members {
		switch form := schema.Lookup(m.Name).Form; {
		case slices.Contains(d.keywords, m.Name):
			d.dropped[m.Name]++
		case form.Data():
			b.AddMember(m, m.Value.Canonical())
		case form.ByName() && m.Value.IsObject():
			b.Append(m, func(dst []byte) []byte { return d.entries(dst, m.Value) })
		default:
			b.Append(m, func(dst []byte) []byte { return d.schema(dst, m.Value) })
		}
	}
	return b.Bytes()
}

func (d *dropper) list(dst []byte, n *canon.Node) []byte {
	dst = append(dst, '[')
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = d.schema(dst, item)
	}
	return append(dst, ']')
}

// entries appends an object whose members are schemas.
func (d *dropper) entries(dst []byte, n *canon.Node) []byte {
	b := canon.Within(dst)
	for _, m := range n.Members {
		b.Append(m, func(dst []byte) []byte { return d.schema(dst, m.Value) })
	}
	return b.Bytes()
}
