// Package clientview shows a surface as one client hands it to its model: names with the client's prefix, texts cut where it cuts them, and schemas
// without the keywords that it drops; without the tools that it leaves out, and with the reason why. Two views can be compared where two surfaces
// would say too much: what an update changes for the users of this client.
//
// It stands behind the surface and the profiles, whose data it applies. It judges nothing: what a client refuses it is told by findings, which are the
// gate's.
package clientview

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// SchemaVersion is the version of the JSON form of a [View].
const SchemaVersion = 1

// View is what one client hands its model of one server. Texts and schemas are in canonical form, and as sent but for what is said beside them.
type View struct {
	SchemaVersion   int       `json:"schemaVersion"`
	Client          string    `json:"client"` // the client's id
	Server          string    `json:"server"` // the configured name
	Plugin          string    `json:"plugin,omitzero"`
	Refused         []Reason  `json:"refused,omitzero"` // why every request of the client is refused: its model is handed nothing at all then
	Instructions    canon.Raw `json:"instructions,omitzero"`
	InstructionsCut *Cut      `json:"instructionsCut,omitzero"`
	Tools           []Tool    `json:"tools"` // that the client puts into its requests, by their own names
	Hidden          []Reason  `json:"hidden,omitzero"`
	ByName          bool      `json:"byName,omitzero"` // which tools come first was told by their names, since nobody saw the server list them
	Digest          string    `json:"digest"`          // of the canonical form of all of the above but the texts of reasons
}

// Reason is a tool that the model is not handed, and why.
type Reason struct {
	Tool string `json:"tool,omitzero"` // its own name; absent for what is about the server as a whole
	Rule string `json:"rule"`          // of the gate, or of whoever found it
	Text string `json:"text,omitzero"`
}

// Tool is one tool as the model sees it.
type Tool struct {
	Name           string         `json:"name"` // as exposed
	Tool           string         `json:"tool"` // its own name
	NameCut        *Cut           `json:"nameCut,omitzero"`
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

// Options are what is known beside the surface.
type Options struct {
	Names    profiles.Names
	Findings []diag.Finding // about the surface under these names; those on the client's axis tell what it leaves out and falls over
	Listed   []string       // own names of the tools in the order in which the server lists them; nil when nobody saw that
	Page     int            // how many of Listed are on the first page; 0 when nobody saw that
}

// Of returns the view that the client has of the surface. What is no tool with a name is not in it. The same arguments give the same view. The error
// says that the view could not be encoded.
func Of(p *profiles.Profile, o Options, s *surface.McpSurfaceSnapshot) (View, error) {
	v := View{SchemaVersion: SchemaVersion, Client: p.ID, Server: o.Names.Server, Plugin: o.Names.Plugin, Tools: []Tool{}}
	v.Instructions, v.InstructionsCut = cut(s.Instructions, p.Max(p.View.Instructions))
	l := lossesOf(p, o.Findings)
	for _, t := range inOrder(s, o.Listed) {
		why, byPlace := l.of(t.Name, t.place, len(v.Tools), p.Shown(), o.Page)
		if why == nil {
			v.Tools = append(v.Tools, toolOf(p, o.Names, t.Item))
			continue
		}
		v.Hidden = append(v.Hidden, Reason{t.Name, why.Rule, why.Text})
		v.ByName = v.ByName || byPlace && o.Listed == nil
	}
	v.Refused = slices.DeleteFunc(l.refused, func(r Reason) bool { return !v.sends(r.Tool) })
	slices.SortStableFunc(v.Tools, func(a, b Tool) int { return cmp.Compare(a.Tool, b.Tool) })
	slices.SortStableFunc(v.Hidden, func(a, b Reason) int { return cmp.Compare(a.Tool, b.Tool) })
	if err := v.seal(); err != nil {
		return View{}, fmt.Errorf("encode what %s shows of %s: %w", p.ID, o.Names.Server, err)
	}
	return v, nil
}

// sends reports whether the tool of that name is handed on, or any tool when the name is empty. What is not sent is not refused.
func (v *View) sends(name string) bool {
	if name == "" {
		return len(v.Tools) > 0
	}
	return slices.ContainsFunc(v.Tools, func(t Tool) bool { return t.Tool == name })
}

// seal sets the digest.
func (v *View) seal() error {
	facts := *v
	facts.Refused, facts.Hidden = wordless(v.Refused), wordless(v.Hidden)
	text, err := canon.EncodeCompact(facts)
	if err != nil {
		return err
	}
	b, err := canon.Parse(text)
	if err != nil {
		return err
	}
	v.Digest = canon.Digest(withoutDigest(b))
	return nil
}

// wordless are the reasons without their texts, which may be reworded.
func wordless(reasons []Reason) []Reason {
	var plain []Reason
	for _, r := range reasons {
		plain = append(plain, Reason{Tool: r.Tool, Rule: r.Rule})
	}
	return plain
}

// placed is a tool and its place in the list.
type placed struct {
	surface.Item
	place int
}

// inOrder returns the named tools in the order in which the server lists them, by name where that is not known.
func inOrder(s *surface.McpSurfaceSnapshot, listed []string) []placed {
	at := make(map[string]int, len(listed))
	for i, name := range listed {
		if _, twice := at[name]; !twice {
			at[name] = i
		}
	}
	var tools []placed
	for i, it := range s.Tools() {
		place, known := at[it.Name]
		if !known {
			place = i
		}
		if it.Node.IsObject() && it.Name != "" {
			tools = append(tools, placed{it, place})
		}
	}
	slices.SortStableFunc(tools, func(a, b placed) int { return a.place - b.place })
	return tools
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

func toolOf(p *profiles.Profile, n profiles.Names, it surface.Item) Tool {
	t := Tool{Name: p.Expose(n, it.Name), Tool: it.Name}
	if whole := p.Whole(n, it.Name); whole != t.Name {
		t.NameCut = &Cut{Kept: len(t.Name), Of: len(whole)}
	}
	t.Description, t.DescriptionCut = cut(it.Node.Get("description"), p.Max(p.View.Description))
	root, keywords := it.Node.Get("inputSchema"), p.Dropped()
	if len(keywords) == 0 || root == nil {
		t.InputSchema = root.Canonical()
		return t
	}
	d := dropper{keywords: keywords, dropped: map[string]int{}}
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
