package gate

import (
	"bytes"
	"cmp"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
)

// Counter counts what one surface takes of a model's context. It counts each tool once and loads the vocabulary at the first; the gate and the
// report of a surface share one. It is for one goroutine.
type Counter struct {
	surface      *surface.McpSurfaceSnapshot
	meter        *tokens.Meter
	tools        map[string]int // by digest
	instructions int            // -1 before they are counted
}

// NewCounter returns a counter of the surface. It counts nothing yet.
func NewCounter(s *surface.McpSurfaceSnapshot) *Counter {
	return &Counter{surface: s, meter: tokens.NewMeter(tokens.O200k), tools: map[string]int{}, instructions: -1}
}

// Tool returns the tokens of the tool's name, description and input schema, as clients send them on every turn.
func (c *Counter) Tool(it surface.Item) int {
	n, counted := c.tools[it.Digest]
	if !counted {
		n = c.meter.Count(string(it.ModelForm()))
		c.tools[it.Digest] = n
	}
	return n
}

// Tools returns the tokens of all tools.
func (c *Counter) Tools() int {
	sum := 0
	for _, it := range c.surface.Tools() {
		sum += c.Tool(it)
	}
	return sum
}

// Instructions returns the tokens of the server's instructions.
func (c *Counter) Instructions() int {
	if c.instructions < 0 {
		c.instructions = c.meter.Count(c.surface.Instructions.Text())
	}
	return c.instructions
}

// Partial reports that the surface is so large that a part was reckoned by its length.
func (c *Counter) Partial() bool { return c.meter.Partial() }

// Estimator says how was counted.
func (c *Counter) Estimator() string { return c.meter.Estimator() }

// atMost bounds the tokens of a tool without counting them. Random printable ASCII comes to three tokens for four bytes in o200k_base, and beyond
// ASCII there may be one a byte. Text that is made to cost most has one a byte in ASCII too: it can pass a budget by a third, unseen.
func atMost(it surface.Item) int {
	bytes, ascii := 0, 0
	for _, member := range []string{"name", "description", "inputSchema"} {
		value := it.Node.Get(member)
		if value == nil {
			continue
		}
		for _, c := range value.Raw {
			if c < 0x80 {
				ascii++
			}
		}
		bytes, ascii = bytes+len(value.Raw)+len(member)+4, ascii+len(member)+4
	}
	return (3*ascii+3)/4 + bytes - ascii
}

// The parts of a tool in a [Cost].
const (
	PartName        = "name"
	PartDescription = "description"
	PartProperties  = "property names"
	PartNotes       = "property descriptions" // and titles and comments, wherever they stand in the schema
	PartValues      = "values"                // enum, const, default and examples
	PartStructure   = "structure"             // what remains: types, bounds, keywords and punctuation
)

// Part is one part's share of the tokens of the whole table; the shares of a tool's parts add up to the tool's.
type Part struct {
	Part   string  `json:"part"`
	Tokens int     `json:"tokens"`
	Share  float64 `json:"share"` // 0 to 1
}

// Cost is what one tool takes.
type Cost struct {
	Tool   string  `json:"tool"`
	Tokens int     `json:"tokens"`
	Share  float64 `json:"share"`
	Parts  []Part  `json:"parts"` // the most costly first, without those that take nothing
}

// Costs is the table of what takes a model's context, the most costly first. The tokens of the tools and the instructions add up to Total.
type Costs struct {
	Estimator    string `json:"estimator"` // the vocabulary that was counted with
	Total        int    `json:"total"`
	Instructions Part   `json:"instructions"`
	Parts        []Part `json:"parts"` // of all tools together
	Tools        []Cost `json:"tools"`
}

// Costs makes the table. Where a text is cut into tokens depends on what stands beside it, so parts that are counted alone may come to more than
// the tool they are of; they are then scaled down to it.
func (c *Counter) Costs() Costs {
	t := Costs{Instructions: Part{Part: "instructions", Tokens: c.Instructions()}, Parts: []Part{}, Tools: []Cost{}}
	together := map[string]int{}
	for _, it := range c.surface.Tools() {
		cost := Cost{Tool: it.Name, Tokens: c.Tool(it), Parts: c.parts(it)}
		for _, p := range cost.Parts {
			together[p.Part] += p.Tokens
		}
		t.Tools = append(t.Tools, cost)
		t.Total += cost.Tokens
	}
	t.Total += t.Instructions.Tokens
	for name, n := range together {
		t.Parts = append(t.Parts, Part{Part: name, Tokens: n})
	}
	t.Estimator = c.Estimator()
	t.divide()
	return t
}

// divide fills in the shares and puts the most costly first.
func (t *Costs) divide() {
	whole := float64(max(t.Total, 1))
	share := func(parts []Part) {
		for i := range parts {
			parts[i].Share = float64(parts[i].Tokens) / whole
		}
		slices.SortFunc(parts, func(a, b Part) int { return cmp.Or(b.Tokens-a.Tokens, cmp.Compare(a.Part, b.Part)) })
	}
	for i := range t.Tools {
		t.Tools[i].Share = float64(t.Tools[i].Tokens) / whole
		share(t.Tools[i].Parts)
	}
	share(t.Parts)
	t.Instructions.Share = float64(t.Instructions.Tokens) / whole
	slices.SortStableFunc(t.Tools, func(a, b Cost) int { return cmp.Or(b.Tokens-a.Tokens, cmp.Compare(a.Tool, b.Tool)) })
}

// parts divides the tokens of a tool among its parts.
func (c *Counter) parts(it surface.Item) []Part {
	texts := map[string]*bytes.Buffer{}
	add := func(part string, text []byte) {
		if texts[part] == nil {
			texts[part] = &bytes.Buffer{}
		}
		texts[part].Write(text)
		texts[part].WriteByte(' ')
	}
	add(PartName, it.Node.Get("name").Canonical())
	add(PartDescription, it.Node.Get("description").Canonical())
	schemaTexts(it.Node.Get("inputSchema"), add)
	var parts []Part
	sum, total := 0, c.Tool(it)
	for _, name := range []string{PartName, PartDescription, PartProperties, PartNotes, PartValues} {
		if text := texts[name]; text != nil && text.Len() > 1 {
			n := c.meter.Count(text.String())
			parts, sum = append(parts, Part{Part: name, Tokens: n}), sum+n
		}
	}
	if sum > total {
		return scaled(parts, sum, total)
	}
	if sum < total {
		parts = append(parts, Part{Part: PartStructure, Tokens: total - sum})
	}
	return parts
}

// scaled makes parts of the given sum add up to total: each but the first is rounded down, and the first takes the rest.
func scaled(parts []Part, sum, total int) []Part {
	rest := total
	for i := len(parts) - 1; i >= 0; i-- {
		n := parts[i].Tokens * total / sum
		if i == 0 {
			n = rest
		}
		parts[i].Tokens, rest = n, rest-n
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Tokens == 0 })
}

// schemaTexts hands over what stands in a schema, by part. Names under properties are no keywords, and values are no schemas.
func schemaTexts(n *canon.Node, add func(part string, text []byte)) {
	for _, item := range n.Elements() {
		schemaTexts(item, add)
	}
	if !n.IsObject() {
		return
	}
	for _, m := range n.Members {
		switch keyword := schema.Lookup(m.Name); {
		case keyword.Form.ByName():
			for _, property := range m.Value.Members {
				add(PartProperties, property.RawName)
				schemaTexts(property.Value, add)
			}
		case keyword.Speech == schema.Prose:
			add(PartNotes, m.Value.Raw)
		case keyword.Form.Data():
			add(PartValues, m.Value.Raw)
		default:
			schemaTexts(m.Value, add)
		}
	}
}
