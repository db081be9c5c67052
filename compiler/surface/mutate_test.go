package surface

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// refunds returns the committed snapshot of the example server as a capture.
func refunds(t *testing.T) Capture {
	t.Helper()
	s, err := ReadFile("../../testdata/snapshots/refunds" + FileSuffix)
	if err != nil {
		t.Fatal(err)
	}
	c := Capture{
		Endpoint: s.Endpoint, Era: s.Era, ProtocolVersion: s.ProtocolVersion, SupportedVersions: s.SupportedVersions, Transport: s.Transport,
		ClientProfile: s.ClientProfile, Lists: map[Kind][][]byte{},
	}
	c.Initialize = fmt.Appendf(nil, `{"_meta":{"%s":%s},"capabilities":%s,"instructions":%s}`, metaServerInfo, s.Server.Raw, s.Capabilities.Raw, s.Instructions.Raw)
	if s.Era != EraStateless || s.Extra != nil {
		t.Fatal("the snapshot is no longer of the stateless era, or has unknown members: read them here too")
	}
	for kind, items := range s.Items {
		for _, it := range items {
			c.Lists[kind] = append(c.Lists[kind], it.JSON)
		}
	}
	if again := snapshot(t, c); again.Digest != s.Digest {
		t.Fatal("the capture is not that of the snapshot")
	}
	return c
}

func parse(t *testing.T, raw []byte) *canon.Node {
	t.Helper()
	n, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// fork returns a copy of c whose lists can be changed.
func fork(c Capture) Capture {
	lists := map[Kind][][]byte{}
	for kind, items := range c.Lists {
		lists[kind] = slices.Clone(items)
	}
	c.Lists, c.SupportedVersions = lists, slices.Clone(c.SupportedVersions)
	return c
}

// nodes calls visit for root and every value in it, with its place: the member names and indexes that lead to it.
func nodes(root *canon.Node, visit func(place []string, n *canon.Node)) {
	var walk func(place []string, n *canon.Node)
	walk = func(place []string, n *canon.Node) {
		visit(place, n)
		for _, m := range n.Members {
			walk(append(slices.Clone(place), m.Name), m.Value)
		}
		for i, item := range n.Items {
			walk(append(slices.Clone(place), strconv.Itoa(i)), item)
		}
	}
	walk(nil, root)
}

// leaves calls visit for every scalar and every empty array or object in root.
func leaves(root *canon.Node, visit func(place []string, leaf *canon.Node)) {
	nodes(root, func(place []string, n *canon.Node) {
		if len(n.Members)+len(n.Items) == 0 {
			visit(place, n)
		}
	})
}

// replaceLeaf returns the text of root with other text in place of leaf.
func replaceLeaf(root, leaf *canon.Node, with string) string {
	if root == leaf {
		return with
	}
	var parts []string
	switch root.Kind {
	case canon.Array:
		for _, item := range root.Items {
			parts = append(parts, replaceLeaf(item, leaf, with))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case canon.Object:
		for _, m := range root.Members {
			parts = append(parts, string(m.RawName)+":"+replaceLeaf(m.Value, leaf, with))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(root.Raw)
}

// mutated returns another value of the leaf's own type.
func mutated(leaf *canon.Node) string {
	switch leaf.Kind {
	case canon.String:
		return string(leaf.Raw[:len(leaf.Raw)-1]) + `~"`
	case canon.Number:
		return strings.Replace("1"+string(leaf.Raw), "1-", "-1", 1)
	case canon.True:
		return "false"
	case canon.False:
		return "true"
	case canon.Array:
		return `["~"]`
	case canon.Object:
		return `{"~":1}`
	}
	return "0"
}

// The tables of ADR 0002, written down a second time: what each place counts in is derived from them and from nothing in the package.
var (
	toSchema       = []string{"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	toSchemaList   = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	toNamedSchemas = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
	schemaNotes    = []string{"$comment", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"}
	schemaSyntax   = []string{"$anchor", "$dynamicRef", "$id", "$ref", "$schema", "dependentRequired", "format", "pattern", "required", "type"}
	hintNames      = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
)

// keywordAt returns the keyword of a schema that a place below it belongs to, "" for a schema itself.
func keywordAt(place []string) string {
	for len(place) > 0 {
		skip := 1
		switch word := place[0]; {
		case slices.Contains(toSchema, word):
		case slices.Contains(toSchemaList, word), slices.Contains(toNamedSchemas, word):
			if skip = 2; len(place) < 2 {
				return word
			}
		default:
			return word
		}
		place = place[skip:]
	}
	return ""
}

// countsIn lists the digests that a leaf of an item counts in, as ADR 0002 has it.
func countsIn(kind Kind, place []string, leaf *canon.Node) string {
	digests := map[string]bool{"digest": true, "surface": true, "tools": kind == Tool, "text": leaf.Is(canon.String)}
	top, below := place[0], place[1:]
	switch {
	case top == kind.Key():
		digests["contract"] = true
	case kind == Tool && (top == "inputSchema" || top == "outputSchema"):
		word := keywordAt(below)
		digests["contract"] = !slices.Contains(schemaNotes, word)
		digests["text"] = leaf.Is(canon.String) && !slices.Contains(schemaSyntax, word)
	case kind == Tool && top == "annotations":
		digests["contract"] = slices.Contains(hintNames, below[0])
	case kind == Tool && top == "execution":
		digests["contract"] = true
	case (kind == Resource || kind == ResourceTemplate) && top == "mimeType":
		digests["contract"] = true
	case kind == Prompt && top == "arguments":
		digests["contract"] = slices.Contains([]string{"name", "required"}, below[len(below)-1])
	}
	return names(digests)
}

func names(set map[string]bool) string {
	maps.DeleteFunc(set, func(_ string, in bool) bool { return !in })
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}

// TestEveryLeafOfItems changes each leaf of each item of a real surface by itself. Exactly the digests it counts in move, and of the tools' digests
// that of its tool alone.
func TestEveryLeafOfItems(t *testing.T) {
	real := refunds(t)
	base := snapshot(t, real)
	changed, seen := 0, map[string]int{}
	for _, kind := range Kinds {
		for i, raw := range real.Lists[kind] {
			item := parse(t, raw)
			leaves(item, func(place []string, leaf *canon.Node) {
				c := fork(real)
				c.Lists[kind][i] = []byte(replaceLeaf(item, leaf, mutated(leaf)))
				s := snapshot(t, c)
				want := countsIn(kind, place, leaf)
				if got := moved(base, s); got != want {
					t.Errorf("%s %d %s: moved %q, want %q", kind, i, canon.Pointer(place...), got, want)
				}
				if others := movedTools(base, s, base.Items[kind][i].Name, s.Items[kind][i].Name); others > 0 {
					t.Errorf("%s %d %s: moved the digests of %d other tools", kind, i, canon.Pointer(place...), others)
				}
				seen[want]++
				changed++
			})
		}
	}
	t.Logf("%d leaves changed: %v", changed, seen)
	if changed < 250 || len(seen) < 6 {
		t.Errorf("only %d leaves in %d classes", changed, len(seen))
	}
}

// movedTools counts the tools whose digest is another, those of the given names left out.
func movedTools(a, b *McpSurfaceSnapshot, but ...string) (n int) {
	for name, digest := range a.Digests.Tools {
		if !slices.Contains(but, name) && b.Digests.Tools[name] != digest {
			n++
		}
	}
	return n
}

// TestEveryLeafOfTheServer does the same to what the server says of itself.
func TestEveryLeafOfTheServer(t *testing.T) {
	real := refunds(t)
	base := snapshot(t, real)
	domains := map[string]string{"_meta": "digest identity", "capabilities": "contract digest surface", "instructions": "digest surface text"}
	welcome := parse(t, real.Initialize)
	leaves(welcome, func(place []string, leaf *canon.Node) {
		c := fork(real)
		c.Initialize = []byte(replaceLeaf(welcome, leaf, mutated(leaf)))
		if got, want := moved(base, snapshot(t, c)), domains[place[0]]; got != want {
			t.Errorf("%s: moved %q, want %q", canon.Pointer(place...), got, want)
		}
	})
	for want, change := range map[string][]func(*Capture){
		"": {func(c *Capture) { c.Endpoint += "~" }, func(c *Capture) { slices.Reverse(c.SupportedVersions) }},
		"digest": {
			func(c *Capture) { c.ClientProfile += "~" }, func(c *Capture) { c.SupportedVersions = c.SupportedVersions[1:] },
			func(c *Capture) { c.Initialize = replaced(c.Initialize, `{"_meta":`, `{"x":1,"_meta":`) },
			func(c *Capture) { c.Initialize = replaced(c.Initialize, `{"_meta":{`, `{"_meta":{"x":1,`) },
		},
		"digest identity": {func(c *Capture) { c.ProtocolVersion += "~" }, func(c *Capture) { c.Transport += "~" }},
	} {
		for i, f := range change {
			c := fork(real)
			f(&c)
			if got := moved(base, snapshot(t, c)); got != want {
				t.Errorf("change %d: moved %q, want %q", i, got, want)
			}
		}
	}
}

// respelled writes n with its members the other way round, white space, escapes and other number spellings, and with the lists of schemas whose
// order means nothing the other way round too.
func respelled(n *canon.Node) string {
	var parts []string
	switch n.Kind {
	case canon.String:
		return escaped(n.Raw)
	case canon.Number:
		return string(n.Raw) + "e+00"
	case canon.Array:
		for _, item := range n.Items {
			parts = append(parts, respelled(item))
		}
		return "[ " + strings.Join(parts, " ,\n") + " ]"
	case canon.Object:
		for _, m := range slices.Backward(n.Members) {
			value := respelled(m.Value)
			if (m.Name == "required" || m.Name == "type") && m.Value.IsArray() {
				turned := slices.Clone(m.Value.Items)
				slices.Reverse(turned)
				value = respelled(&canon.Node{Kind: canon.Array, Items: turned})
			}
			parts = append(parts, escaped(m.RawName)+" : "+value)
		}
		return "{ " + strings.Join(parts, " ,\r\n") + "\t}"
	}
	return string(n.Raw)
}

// escaped spells the plain letters of a raw string as escapes.
func escaped(raw []byte) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\':
			b.Write(raw[i : i+2])
			i++
		case c >= 'a' && c <= 'z' && (i == 0 || raw[i-1] != '\\') && !bytes.Contains(raw, []byte(`\u`)):
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// TestSpellingMovesNothing writes the whole surface in another way, item by item and all at once, in another order: no digest moves, and the file is
// the same.
func TestSpellingMovesNothing(t *testing.T) {
	real := refunds(t)
	base, all := snapshot(t, real), fork(real)
	respell := func(raw []byte) []byte { return []byte(respelled(parse(t, raw))) }
	same := func(what string, c Capture) {
		if got := snapshot(t, c); moved(base, got) != "" {
			t.Errorf("%s: moved %s", what, moved(base, got))
		}
	}
	for _, kind := range Kinds {
		for i, raw := range real.Lists[kind] {
			c := fork(real)
			c.Lists[kind][i] = respell(raw)
			same(fmt.Sprintf("%s %d", kind, i), c)
			all.Lists[kind][i] = c.Lists[kind][i]
		}
		slices.Reverse(all.Lists[kind])
	}
	all.Initialize = respell(all.Initialize)
	slices.Reverse(all.SupportedVersions)
	same("all of it", all)
}
