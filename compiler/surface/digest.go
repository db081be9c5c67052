package surface

import (
	"maps"
	"slices"
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// seal computes every digest of s from its content.
func (s *McpSurfaceSnapshot) seal() {
	s.Digests = Digests{
		Surface:  s.digest(func(b *builder) { s.visible(b) }),
		Contract: s.digest(func(b *builder) { s.contract(b) }),
		Text:     s.digest(func(b *builder) { s.text(b) }),
		Identity: s.digest(func(b *builder) { s.identity(b) }),
		Tools:    s.toolDigests(),
	}
	s.Digest = s.digest(func(b *builder) {
		b.text("surface", s.Digests.Surface)
		b.text("contract", s.Digests.Contract)
		b.text("text", s.Digests.Text)
		b.text("identity", s.Digests.Identity)
		b.text("era", s.Era)
		b.texts("supportedVersions", s.SupportedVersions)
		b.text("clientProfile", s.ClientProfile)
		b.node("extra", s.Extra)
	})
}

func (s *McpSurfaceSnapshot) digest(fill func(*builder)) string {
	var b builder
	fill(&b)
	return canon.Digest(canon.MustCanonical(b.close()))
}

// visible is everything a model or a caller can see.
func (s *McpSurfaceSnapshot) visible(b *builder) {
	b.node("capabilities", s.Capabilities)
	b.node("instructions", s.Instructions)
	for _, kind := range Kinds {
		b.list(kind.List(), s.Items[kind], Item.visible)
	}
}

// contract is what a machine relies on.
func (s *McpSurfaceSnapshot) contract(b *builder) {
	b.node("capabilities", s.Capabilities)
	for _, kind := range Kinds {
		b.list(kind.List(), s.Items[kind], Item.contract)
	}
}

// text is every string a model reads.
func (s *McpSurfaceSnapshot) text(b *builder) {
	b.node("instructions", s.Instructions)
	for _, kind := range Kinds {
		b.list(kind.List(), s.Items[kind], Item.text)
	}
}

// identity is who the server says it is, and how it was spoken to.
func (s *McpSurfaceSnapshot) identity(b *builder) {
	b.node("server", s.Server)
	b.text("protocolVersion", s.ProtocolVersion)
	b.text("transport", s.Transport)
}

// toolDigests maps each tool name to its digest; tools that share a name share one digest over all of them.
func (s *McpSurfaceSnapshot) toolDigests() map[string]string {
	byName := map[string][][]byte{}
	digests := map[string]string{}
	for _, it := range s.Tools() {
		byName[it.Name] = append(byName[it.Name], it.visible())
		digests[it.Name] = it.Digest
	}
	for name, texts := range byName {
		if len(texts) > 1 {
			digests[name] = canon.Digest(join(texts))
		}
	}
	return digests
}

// ContractDigest covers what a machine relies on in this one item: for a tool its name, schemas, hints after the protocol's defaults, and
// execution mode. Approvals are bound to it.
func (it Item) ContractDigest() string { return canon.Digest(it.contract()) }

// TextDigest covers every string of this one item that a model reads.
func (it Item) TextDigest() string { return canon.Digest(it.text()) }

// visible is the whole item with the order of `required` and `type` in its schemas left out.
func (it Item) visible() []byte {
	if it.Kind != Tool || !it.Node.IsObject() {
		return it.JSON
	}
	var b builder
	for _, m := range it.Node.Members {
		if isSchema(m.Name) {
			b.raw(m.Name, schema.Ordered(m.Value))
		} else {
			b.raw(m.Name, m.Value.Raw)
		}
	}
	return canon.MustCanonical(b.close())
}

func isSchema(name string) bool { return name == "inputSchema" || name == "outputSchema" }

func (it Item) contract() []byte {
	n := it.Node
	if !n.IsObject() {
		return it.JSON
	}
	var b builder
	b.node(it.Kind.Key(), n.Get(it.Kind.Key()))
	switch it.Kind {
	case Tool:
		b.raw("inputSchema", schema.Contract(n.Get("inputSchema")))
		b.raw("outputSchema", schema.Contract(n.Get("outputSchema")))
		b.raw("hints", HintsOf(n).canonical())
		b.node("execution", n.Get("execution"))
	case Resource, ResourceTemplate:
		b.node("mimeType", n.Get("mimeType"))
	case Prompt:
		b.raw("arguments", promptArguments(n.Get("arguments")))
	}
	return canon.MustCanonical(b.close())
}

// promptArguments keeps name and requiredness of each argument, by name.
func promptArguments(n *canon.Node) []byte {
	if !n.IsArray() {
		return n.Canonical()
	}
	var arguments [][]byte
	for _, arg := range n.Items {
		var b builder
		b.node("name", arg.Get("name"))
		if required, _ := arg.Get("required").Bool(); required {
			b.raw("required", []byte("true"))
		}
		arguments = append(arguments, canon.MustCanonical(b.close()))
	}
	return join(sortTexts(arguments))
}

// text lists the strings of the item, each under its pointer.
func (it Item) text() []byte {
	var b builder
	yield := func(pointer, text string) { b.text(pointer, text) }
	if !it.Node.IsObject() {
		schema.Strings(it.Node, "", yield)
	}
	for _, m := range it.Node.Members {
		if it.Kind == Tool && isSchema(m.Name) {
			schema.Text(m.Value, "/"+m.Name, yield)
		} else {
			schema.Strings(m.Value, canon.Pointer(m.Name), yield)
		}
	}
	return canon.MustCanonical(b.close())
}

// builder collects the members of one JSON object; absent values leave no member.
type builder struct{ members []byte }

func (b *builder) raw(name string, value []byte) {
	if value == nil {
		return
	}
	b.members = append(append(append(append(b.members, ','), canon.Quote(name)...), ':'), value...)
}

func (b *builder) node(name string, n *canon.Node) {
	if n != nil {
		b.raw(name, n.Raw)
	}
}

func (b *builder) text(name, value string) { b.raw(name, canon.Quote(value)) }

func (b *builder) texts(name string, values []string) {
	var quoted [][]byte
	for _, v := range values {
		quoted = append(quoted, canon.Quote(v))
	}
	b.raw(name, join(sortTexts(quoted)))
}

func (b *builder) list(name string, items []Item, form func(Item) []byte) {
	var texts [][]byte
	for _, it := range items {
		texts = append(texts, form(it))
	}
	b.raw(name, join(sortTexts(texts)))
}

func (b *builder) close() []byte {
	if len(b.members) == 0 {
		return []byte("{}")
	}
	b.members[0] = '{'
	return append(b.members, '}')
}

func join(texts [][]byte) []byte {
	out := []byte{'['}
	for i, t := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, t...)
	}
	return append(out, ']')
}

func sortTexts(texts [][]byte) [][]byte {
	slices.SortFunc(texts, func(a, b []byte) int { return slices.Compare(a, b) })
	return texts
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Hints are a tool's annotations after the protocol's defaults: what a client must assume (schema of ToolAnnotations).
type Hints struct {
	ReadOnly    bool // default false
	Destructive bool // default true
	Idempotent  bool // default false
	OpenWorld   bool // default true
}

// HintsOf reads the hints of a tool; a member that is absent or no boolean has its default.
func HintsOf(tool *canon.Node) Hints {
	annotations := tool.Get("annotations")
	hint := func(name string, fallback bool) bool {
		if v, ok := annotations.Get(name).Bool(); ok {
			return v
		}
		return fallback
	}
	return Hints{hint("readOnlyHint", false), hint("destructiveHint", true), hint("idempotentHint", false), hint("openWorldHint", true)}
}

func (h Hints) canonical() []byte {
	return []byte(`{"destructive":` + strconv.FormatBool(h.Destructive) + `,"idempotent":` + strconv.FormatBool(h.Idempotent) +
		`,"openWorld":` + strconv.FormatBool(h.OpenWorld) + `,"readOnly":` + strconv.FormatBool(h.ReadOnly) + `}`)
}
