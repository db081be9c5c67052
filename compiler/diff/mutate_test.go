package diff

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

const mutated = `{"initialize":{"protocolVersion":"2025-11-25","serverInfo":{"name":"shop","version":"1.2.0","title":"Shop","icons":[{"src":"https://a.example/i"}]},
 "capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"experimental":{"x":{}},"extensions":{"a/b":{"k":[1]}}},"instructions":"Ask first.","_meta":{"k":1}},
"tools":[{"name":"search","title":"Search","description":"Find ` + "`it`" + `.","inputSchema":{"$schema":"x","type":"object","description":"in","properties":{"q":{"type":["string","null"],"enum":["a","b"],"default":"a","description":"q"},
 "n":{"type":"integer","minimum":0,"const":3},"o":{"type":"object","properties":{"p":{"type":"array","items":{"type":"string"}}},"required":["p"],"additionalProperties":false},"r":{"$ref":"#/$defs/d"}},
 "required":["q","n"],"anyOf":[{"required":["q"]},{"required":["n"]}],"not":{"required":["z"]},"$defs":{"d":{"type":"string"}},"patternProperties":{"^x":{"type":"string"}},"dependencies":{"a":["b","c"],"d":{}}},
 "outputSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]},"annotations":{"title":"S","readOnlyHint":true,"destructiveHint":false,"x":1},
 "execution":{"taskSupport":"optional"},"_meta":{"ui":{"a":[1,2]}},"icons":[{"src":"https://a.example/i"}],"x-unknown":[1,{"a":2}]},
 {"name":"order","inputSchema":{"type":"object"}},{"name":"order","inputSchema":{}},{"name":5},7,null],
"resources":[{"uri":"shop://a","name":"a","title":"A","mimeType":"text/plain","size":12,"annotations":{"audience":["user"],"priority":1}},{"uri":"shop://b","name":"b"}],
"resourceTemplates":[{"uriTemplate":"https://h.example/{a}/{+b}","name":"t","description":"T"}],
"prompts":[{"name":"ask","title":"A","description":"d","arguments":[{"name":"x","required":true,"description":"the x"},{"name":"y"}]}]}`

// TestNoSilentMutation changes one random place of a surface at a time. When the digest moves there is a finding, otherwise there is none;
// the finding that compares version and surface does not count, since it knows nothing of the change.
func TestNoSilentMutation(t *testing.T) {
	base, err := canon.Parse([]byte(mutated))
	if err != nil {
		t.Fatal(err)
	}
	moved := hold(t, "sample", base, 1200)
	if moved < 800 {
		t.Errorf("only %d mutations moved the digest", moved)
	}
}

func TestNoSilentMutationOfRealSurfaces(t *testing.T) {
	for _, name := range corpus.Names(t) {
		if _, node := corpus.Read(t, name); len(node.Raw) < 15_000 {
			hold(t, name, node, 10)
		}
	}
}

func hold(t *testing.T, name string, base *canon.Node, rounds int) (moved int) {
	old := capture(t, base.Raw)
	total := count(base)
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		at := r.IntN(total)
		text := rewrite(base, &at, func(n *canon.Node) []byte { return mutation(r, n) })
		if c := canon.MustCanonical(text); c[0] != '{' {
			continue
		}
		now := capture(t, text)
		d := compared(old, now)
		findings := slices.DeleteFunc(Judge(d), func(f diag.Finding) bool { return f.Rule == "srv-version-same-surface-changed" })
		if moves := old.Digest != now.Digest; moves != (len(findings) > 0) || moves == d.Empty() {
			t.Fatalf("%s, seed %d: digest moved %v, delta empty %v, findings %d\n%s", name, seed, moves, d.Empty(), len(findings), text)
		}
		if old.Digest != now.Digest {
			moved++
		}
		checkFilled(t, findings)
		Markdown(old, now, findings, diag.PageOptions{All: "changes.json"})
		if t.Failed() {
			t.Fatalf("%s, seed %d\n%s", name, seed, text)
		}
	}
	return moved
}

func count(n *canon.Node) int {
	total := 1
	for _, item := range n.Items {
		total += count(item)
	}
	for _, m := range n.Members {
		total += count(m.Value)
	}
	return total
}

// rewrite returns the text of n with the value at position *at, in reading order, replaced.
func rewrite(n *canon.Node, at *int, replace func(*canon.Node) []byte) []byte {
	if *at--; *at == -1 {
		return replace(n)
	}
	switch n.Kind {
	case canon.Object:
		return objectText(n.Members, func(v *canon.Node) []byte { return rewrite(v, at, replace) })
	case canon.Array:
		return array(n.Items, func(v *canon.Node) []byte { return rewrite(v, at, replace) })
	}
	return n.Raw
}

func objectText(members []canon.Member, value func(*canon.Node) []byte) []byte {
	parts := make([][]byte, 0, len(members))
	for _, m := range members {
		parts = append(parts, append(append(slices.Clone(m.RawName), ':'), value(m.Value)...))
	}
	return append(append([]byte{'{'}, bytes.Join(parts, []byte{','})...), '}')
}

func array(items []*canon.Node, value func(*canon.Node) []byte) []byte {
	parts := make([][]byte, 0, len(items))
	for _, item := range items {
		parts = append(parts, value(item))
	}
	return append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']')
}

var values = []string{`null`, `true`, `false`, `0`, `1`, `"x"`, `""`, `[]`, `{}`, `["a","b"]`, `"object"`, `["string"]`, `{"type":"object"}`, `[{"name":"x"}]`, `"https://evil.example/"`}

var memberNames = []string{"name", "title", "description", "required", "type", "enum", "properties", "items", "additionalProperties", "default", "const", "$ref",
	"annotations", "readOnlyHint", "destructiveHint", "openWorldHint", "idempotentHint", "_meta", "icons", "execution", "taskSupport", "outputSchema", "anyOf",
	"listChanged", "subscribe", "extensions", "experimental", "version", "mimeType", "arguments", "x-any", "$comment", "minLength", "patternProperties", "$defs"}

// mutation returns another text in place of n.
func mutation(r *rand.Rand, n *canon.Node) []byte {
	itself := func(v *canon.Node) []byte { return v.Raw }
	value := values[r.IntN(len(values))]
	switch {
	case n.Kind == canon.Object && r.IntN(4) > 0:
		members := slices.Clone(n.Members)
		extra := canon.Member{RawName: canon.Quote(memberNames[r.IntN(len(memberNames))]), Value: &canon.Node{Raw: []byte(value)}}
		if i := r.IntN(len(members) + 1); i < len(members) && r.IntN(2) == 0 {
			members = slices.Delete(members, i, i+1)
		} else if i < len(members) && r.IntN(3) == 0 {
			members = append(members, canon.Member{RawName: members[i].RawName, Value: extra.Value})
		} else {
			members = append(members, extra)
		}
		return objectText(members, itself)
	case n.Kind == canon.Array && r.IntN(4) > 0:
		items := slices.Clone(n.Items)
		switch i := r.IntN(len(items) + 1); {
		case i < len(items) && r.IntN(3) == 0:
			items = slices.Delete(items, i, i+1)
		case i < len(items) && r.IntN(2) == 0:
			items[0], items[i] = items[i], items[0]
		case i < len(items) && r.IntN(2) == 0:
			items = append(items, items[i])
		default:
			items = append(items, &canon.Node{Raw: []byte(value)})
		}
		return array(items, itself)
	case n.Kind == canon.String && r.IntN(3) > 0:
		text := n.Text()
		return canon.Quote([]string{text + " ", text + "\u200b", text + "x", " " + text, strconv.Itoa(r.IntN(9)) + text, "`" + text}[r.IntN(6)])
	}
	return []byte(value)
}

// TestFactsBesideTheSurface changes what the capture says of itself.
func TestFactsBesideTheSurface(t *testing.T) {
	base := `{"protocolVersion":"2025-06-18","supportedVersions":["2025-06-18","2024-11-05"],"tools":[]`
	old := capture(t, []byte(base+`}`))
	for _, extra := range []string{`"era":"stateless"`, `"transport":"http"`, `"clientProfile":"bare"`, `"protocolVersion":""`, `"supportedVersions":[]`,
		`"supportedVersions":["2025-06-18"]`, `"initialize":{"serverInfo":{}}`, `"initialize":{"serverInfo":null}`, `"initialize":{"capabilities":{}}`,
		`"initialize":{"instructions":""}`, `"initialize":{"_meta":{}}`} {
		now := capture(t, []byte(base+`,`+extra+`}`))
		if old.Digest == now.Digest {
			t.Fatalf("%s moves no digest", extra)
		}
		for _, pair := range [][2]*surface.McpSurfaceSnapshot{{old, now}, {now, old}} {
			if d := compared(pair[0], pair[1]); len(Judge(d)) == 0 {
				t.Errorf("%s is silent", extra)
			}
		}
	}
}
