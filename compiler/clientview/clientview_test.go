package clientview

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

func snapshot(t *testing.T, instructions string, tools ...string) *surface.McpSurfaceSnapshot {
	t.Helper()
	c := surface.Capture{Initialize: []byte(`{"instructions":` + string(canon.Quote(instructions)) + `}`), Lists: map[surface.Kind][][]byte{}}
	for _, tool := range tools {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], []byte(tool))
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func client(t *testing.T, id string) *profiles.Profile {
	t.Helper()
	p, err := profiles.All().Client(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func of(t *testing.T, p *profiles.Profile, plugin string, s *surface.McpSurfaceSnapshot) View {
	t.Helper()
	v, err := Of(p, "files", plugin, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOf(t *testing.T) {
	s := snapshot(t, "Be careful.",
		`{"name":"read","title":"Read","description":"Reads 1.50","inputSchema":{"type":"object","properties":{"n":{"default":1.50}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"odd","description":5}`, `{"description":"no name"}`, `null`)
	text, err := canon.EncodeCompact(of(t, client(t, "claude-code"), "kit", s))
	if err != nil {
		t.Fatal(err)
	}
	members := `"client":"claude-code","instructions":"Be careful.","plugin":"kit","schemaVersion":1,"server":"files","tools":[` +
		`{"description":5,"name":"mcp__plugin_kit_files__odd","tool":"odd"},` +
		`{"description":"Reads 1.50","inputSchema":{"properties":{"n":{"default":1.5}},"type":"object"},"name":"mcp__plugin_kit_files__read","tool":"read"}]`
	want := fmt.Sprintf(`{%s,"digest":%q}`, members, canon.Digest([]byte("{"+members+"}")))
	if diff := cmp.Diff(string(canon.MustCanonical([]byte(want))), string(canon.MustCanonical(text))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTextsAreCutAtACharacter(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Cut
	}{
		{strings.Repeat("a", 2048), Cut{}},
		{strings.Repeat("a", 2049), Cut{2048, 2049}},
		{strings.Repeat("é", 1024), Cut{}},
		{"a" + strings.Repeat("é", 1024), Cut{2047, 2049}},
		{"ab" + strings.Repeat("😀", 600), Cut{2046, 2402}},
	} {
		v := of(t, client(t, "claude-code"), "", snapshot(t, tt.text, `{"name":"a","description":`+string(canon.Quote(tt.text))+`}`))
		for what, got := range map[string]struct {
			raw canon.Raw
			cut *Cut
		}{"instructions": {v.Instructions, v.InstructionsCut}, "description": {v.Tools[0].Description, v.Tools[0].DescriptionCut}} {
			node, err := canon.Parse(got.raw)
			if err != nil {
				t.Fatal(err)
			}
			kept := node.Text()
			if tt.want == (Cut{}) {
				if got.cut != nil || kept != tt.text {
					t.Errorf("%s of %d bytes is cut: %+v", what, len(tt.text), got.cut)
				}
			} else if got.cut == nil || *got.cut != tt.want || kept != tt.text[:tt.want.Kept] || !utf8.ValidString(kept) {
				t.Errorf("%s of %d bytes: cut %+v, %d bytes kept; want %+v", what, len(tt.text), got.cut, len(kept), tt.want)
			}
		}
	}
}

func TestFirstToolsAlone(t *testing.T) {
	var tools []string
	for i := range 42 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%02d"}`, 41-i))
	}
	v := of(t, client(t, "cursor"), "", snapshot(t, "", tools...))
	if len(v.Tools) != 40 || v.Tools[39].Name != "t39" || !cmp.Equal(v.Hidden, []string{"t40", "t41"}) {
		t.Errorf("%d tools, hidden %v", len(v.Tools), v.Hidden)
	}
}

func TestKeywordsAreDropped(t *testing.T) {
	s := snapshot(t, "", `{"name":"a","inputSchema":{"type":"object","$defs":{"x":{"type":"string"}},"properties":{
		"$defs":{"type":"string","enum":[{"$defs":1}],"default":{"definitions":2}},
		"list":{"items":{"definitions":{},"$ref":"#/$defs/x"}},"any":{"anyOf":[{"$defs":{}},true]}},
		"dependencies":{"definitions":{"$defs":{}},"a":["$defs"]},"example":{"$defs":3}}}`)
	tool := of(t, client(t, "claude-desktop-older"), "", s).Tools[0]
	want := `{"dependencies":{"a":["$defs"],"definitions":{}},"example":{"$defs":3},"properties":{"$defs":{"default":{"definitions":2},"enum":[{"$defs":1}],"type":"string"},"any":{"anyOf":[{},true]},` +
		`"list":{"items":{"$ref":"#/$defs/x"}}},"type":"object"}`
	if diff := cmp.Diff(want, string(tool.InputSchema)); diff != "" || !cmp.Equal(tool.Dropped, map[string]int{"$defs": 3, "definitions": 1}) {
		t.Errorf("dropped %v (-want +got)\n%s", tool.Dropped, diff)
	}
}

// Clients of each kind see every surface: the view is the same each time, and a client that does nothing to
// schemas and texts gets them as they were sent.
func TestCorpus(t *testing.T) {
	plain := client(t, "bedrock")
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		if strings.Contains(name, "/") {
			return
		}
		for _, id := range []string{"claude-code", "cursor", "claude-desktop-older"} {
			p := client(t, id)
			v := of(t, p, "", s)
			if again := of(t, p, "", s); v.Digest != again.Digest || !canon.IsDigest(v.Digest) {
				t.Errorf("%s: digests %s and %s", p.ID, v.Digest, again.Digest)
			}
			if len(v.Tools)+len(v.Hidden) != len(s.Tools()) {
				t.Errorf("%s shows %d of %d tools and hides %d", p.ID, len(v.Tools), len(s.Tools()), len(v.Hidden))
			}
		}
		for i, tool := range of(t, plain, "", s).Tools {
			it := s.Tools()[i]
			var b canon.Builder
			b.Add("description", tool.Description)
			b.Add("inputSchema", tool.InputSchema)
			b.AddText("name", tool.Name)
			if got := string(b.Bytes()); got != string(it.ModelForm()) {
				t.Errorf("%s:\n%s\n%s", it.Name, got, it.ModelForm())
			}
		}
	})
}
