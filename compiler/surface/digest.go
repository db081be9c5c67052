package surface

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// seal computes every digest of s. Lists count as sets of their items' digests, so that each item is digested once.
func (s *McpSurfaceSnapshot) seal() {
	d := Digests{
		Surface:  s.listed(func(it Item) string { return it.Digest }, s.addCapabilities, s.addInstructions),
		Contract: s.listed(func(it Item) string { return it.contract }, s.addCapabilities),
		Text:     s.listed(func(it Item) string { return it.text }, s.addInstructions),
		Tools:    s.toolDigests(),
	}
	var identity, whole canon.Builder
	identity.AddNode("server", s.Server)
	identity.AddText("protocolVersion", s.ProtocolVersion)
	identity.AddText("transport", s.Transport)
	d.Identity = canon.Digest(identity.Bytes())

	whole.AddText("surface", d.Surface)
	whole.AddText("contract", d.Contract)
	whole.AddText("text", d.Text)
	whole.AddText("identity", d.Identity)
	whole.AddText("era", s.Era)
	whole.Add("supportedVersions", textSet(s.SupportedVersions))
	whole.AddText("clientProfile", s.ClientProfile)
	whole.AddNode("extra", s.Extra)
	s.Digests, s.Digest = d, canon.Digest(whole.Bytes())
}

// listed digests the four lists by one digest of each item, and what else is added.
func (s *McpSurfaceSnapshot) listed(digest func(Item) string, more ...func(*canon.Builder)) string {
	var b canon.Builder
	for _, kind := range Kinds {
		digests := make([]string, 0, len(s.Items[kind]))
		for _, it := range s.Items[kind] {
			digests = append(digests, digest(it))
		}
		slices.Sort(digests)
		b.Append(canon.Named(kind.List()), func(dst []byte) []byte { return appendDigests(dst, digests) })
	}
	for _, add := range more {
		add(&b)
	}
	return canon.Digest(b.Bytes())
}

// appendDigests appends a list of digests, in which nothing needs to be escaped.
func appendDigests(dst []byte, digests []string) []byte {
	dst = append(dst, '[')
	for i, d := range digests {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), d...), '"')
	}
	return append(dst, ']')
}

func (s *McpSurfaceSnapshot) addCapabilities(b *canon.Builder) {
	b.AddNode("capabilities", s.Capabilities)
}
func (s *McpSurfaceSnapshot) addInstructions(b *canon.Builder) {
	b.AddNode("instructions", s.Instructions)
}

func textSet(values []string) []byte {
	quoted := make([][]byte, 0, len(values))
	for _, v := range values {
		quoted = append(quoted, canon.Quote(v))
	}
	return canon.Set(quoted...)
}

// toolDigests maps each tool name to its digest; tools that share a name share one digest, of theirs in order.
func (s *McpSurfaceSnapshot) toolDigests() map[string]string {
	namesakes := map[string][][]byte{}
	for _, it := range s.Tools() {
		namesakes[it.Name] = append(namesakes[it.Name], canon.Quote(it.Digest))
	}
	digests := make(map[string]string, len(namesakes))
	for _, it := range s.Tools() {
		if _, done := digests[it.Name]; done {
			continue
		}
		if digests[it.Name] = it.Digest; len(namesakes[it.Name]) > 1 {
			slices.SortFunc(namesakes[it.Name], bytes.Compare)
			digests[it.Name] = canon.Digest(canon.List(namesakes[it.Name]...))
		}
	}
	return digests
}

// ContractDigest covers what a machine relies on in this one item: for a tool its name, schemas, hints after the protocol's defaults, and
// execution mode. Approvals are bound to it.
func (it Item) ContractDigest() string { return it.contract }

// TextDigest covers every string of this one item that a model reads, and of a tool what else is in neither digest of a snapshot: the marks that its schemas
// and its other members bear (`deprecated: true`, an example that is a number), under their pointers. Approvals are bound to it.
func (it Item) TextDigest() string { return it.said }

// digest fills in the digests of it, whose texts are written into scratch one after the other. It returns scratch, which may have grown.
func (it *Item) digest(scratch []byte) []byte {
	for _, d := range []struct {
		of    *string
		write func(dst []byte) []byte
	}{{&it.Digest, it.appendVisible}, {&it.contract, it.appendContract}, {&it.text, it.appendTexts}} {
		scratch = d.write(scratch[:0])
		*d.of = canon.Digest(scratch)
	}
	it.said = it.text
	marked := canon.Within(scratch[:0])
	marks := false
	it.eachMark(func(pointer []byte, n *canon.Node) {
		if !marks {
			marked.AddText("text", it.text)
			marks = true
		}
		marked.Add(string(pointer), n.Canonical())
	})
	if marks {
		scratch = marked.Bytes()
		it.said = canon.Digest(scratch)
	}
	return scratch
}

// appendVisible appends the whole item with the order of `required` and `type` in its schemas left out.
func (it *Item) appendVisible(dst []byte) []byte {
	if it.Kind != Tool || !it.Node.IsObject() {
		return append(dst, it.JSON...)
	}
	b := canon.Within(dst)
	for _, m := range it.Node.Members {
		b.Append(m, func(dst []byte) []byte {
			if isSchema(m.Name) {
				return schema.AppendOrdered(dst, m.Value)
			}
			return append(dst, m.Value.Raw...)
		})
	}
	return b.Bytes()
}

func isSchema(name string) bool { return name == "inputSchema" || name == "outputSchema" }

func (it *Item) appendContract(dst []byte) []byte {
	n := it.Node
	if !n.IsObject() {
		return append(dst, it.JSON...)
	}
	b := canon.Within(dst)
	switch it.Kind {
	case Tool:
		b.AddNode("execution", n.Get("execution"))
		b.Add("hints", HintsOf(n).canonical())
		for _, name := range []string{"inputSchema", "outputSchema"} {
			b.Append(canon.Named(name), func(dst []byte) []byte { return schema.AppendContract(dst, n.Get(name)) })
		}
	case Resource, ResourceTemplate:
		b.AddNode("mimeType", n.Get("mimeType"))
	case Prompt:
		b.Add("arguments", promptArguments(n.Get("arguments")))
	}
	b.AddNode(it.Kind.Key(), n.Get(it.Kind.Key()))
	return b.Bytes()
}

// promptArguments keeps name and requiredness of each argument, as a set.
func promptArguments(n *canon.Node) []byte {
	if !n.IsArray() {
		return n.Canonical()
	}
	var arguments [][]byte
	for _, arg := range n.Items {
		var b canon.Builder
		b.AddNode("name", arg.Get("name"))
		if required, _ := arg.Get("required").Bool(); required {
			b.AddNode("required", arg.Get("required"))
		}
		arguments = append(arguments, b.Bytes())
	}
	return canon.Set(arguments...)
}

// appendTexts lists the strings of the item, each under its pointer.
func (it *Item) appendTexts(dst []byte) []byte {
	b := canon.Within(dst)
	it.eachText(b.AddString)
	return b.Bytes()
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
