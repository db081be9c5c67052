package clientview

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
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
	v, err := Of(p, Options{Names: profiles.Names{Server: "files", Plugin: plugin}}, s)
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

// finding is one of the gate's on the axis of a client.
func finding(p *profiles.Profile, rule string, radius profiles.Radius, tool string) diag.Finding {
	return diag.Finding{Rule: rule, Axis: p.Axis(), Radius: string(radius), Refuses: true, Tool: tool, Message: rule + " of " + tool}
}

// What a client leaves out is what the findings on its axis say, each with its reason, and nothing else.
func TestLosses(t *testing.T) {
	cursor, other := client(t, "cursor"), client(t, "windsurf")
	s := snapshot(t, "", `{"name":"a"}`, `{"name":"b"}`, `{"name":"c"}`, `{"description":"no name"}`)
	minded := finding(cursor, "name-length", profiles.RadiusTool, "a")
	minded.Refuses = false
	paged := finding(cursor, "page-size-below-count", profiles.RadiusTool, "")
	paged.Refuses, paged.Pointer = false, "/tools"
	prompts := paged
	prompts.Pointer = "/prompts"
	for _, tt := range []struct {
		name     string
		findings []diag.Finding
		listed   []string
		page     int
		tools    string
		hidden   []Reason
		refused  []Reason
	}{
		{name: "nothing", tools: "a b c"},
		{name: "of another client", findings: []diag.Finding{finding(other, "r", profiles.RadiusClient, "a")}, tools: "a b c"},
		{name: "minded", findings: []diag.Finding{minded}, tools: "a b c"},
		{name: "a tool", findings: []diag.Finding{finding(cursor, "name-length", profiles.RadiusTool, "b")}, tools: "a c", hidden: []Reason{{"b", "name-length", "name-length of b"}}},
		{name: "the server", findings: []diag.Finding{finding(cursor, "r", profiles.RadiusTool, "b"), finding(cursor, "q", profiles.RadiusServer, "c")}, tools: "",
			hidden: []Reason{{"a", "q", "q of c"}, {"b", "q", "q of c"}, {"c", "q", "q of c"}}},
		{name: "the client", findings: []diag.Finding{finding(cursor, "r", profiles.RadiusClient, "b"), finding(cursor, "r", profiles.RadiusClient, "b")}, tools: "a b c",
			refused: []Reason{{"b", "r", "r of b"}}},
		{name: "the first page", findings: []diag.Finding{paged}, listed: []string{"c", "", "a", "b"}, page: 3, tools: "a c",
			hidden: []Reason{{"b", "page-size-below-count", "page-size-below-count of "}}},
		{name: "the first page of prompts", findings: []diag.Finding{prompts}, listed: []string{"c", "", "a", "b"}, page: 3, tools: "a b c"},
	} {
		v, err := Of(cursor, Options{Findings: tt.findings, Listed: tt.listed, Page: tt.page}, s)
		if err != nil {
			t.Fatal(err)
		}
		var tools []string
		for _, tool := range v.Tools {
			tools = append(tools, tool.Tool)
		}
		if got := strings.Join(tools, " "); got != tt.tools {
			t.Errorf("%s: tools %q, want %q", tt.name, got, tt.tools)
		}
		if diff := cmp.Diff(tt.hidden, v.Hidden) + cmp.Diff(tt.refused, v.Refused); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// The first forty are those that the server lists first; where nobody saw that, those whose names come first, and the view says so.
func TestFirstToolsAlone(t *testing.T) {
	var tools, listed []string
	for i := range 43 {
		name := fmt.Sprintf("t%02d", 42-i)
		tools, listed = append(tools, `{"name":"`+name+`"}`), append(listed, name)
	}
	s, p := snapshot(t, "", tools...), client(t, "cursor")
	findings := []diag.Finding{finding(p, "tool-budget", profiles.RadiusTool, ""), finding(p, "name-length", profiles.RadiusTool, "t20")}
	for _, tt := range []struct {
		listed []string
		want   []string
		byName bool
	}{{nil, []string{"t20", "t41", "t42"}, true}, {listed, []string{"t00", "t01", "t20"}, false}} {
		v, err := Of(p, Options{Findings: findings, Listed: tt.listed}, s)
		if err != nil {
			t.Fatal(err)
		}
		var hidden []string
		for _, r := range v.Hidden {
			hidden = append(hidden, r.Tool)
		}
		if diff := cmp.Diff(tt.want, hidden); diff != "" || len(v.Tools) != 40 || v.ByName != tt.byName {
			t.Errorf("%d tools, by name %t (-want +got)\n%s", len(v.Tools), v.ByName, diff)
		}
	}
}

// The digest is of what is shown and hidden, and not of the words in which that is told.
func TestDigest(t *testing.T) {
	s, p := snapshot(t, "", `{"name":"a"}`, `{"name":"b"}`), client(t, "cursor")
	digest := func(findings ...diag.Finding) string {
		v, err := Of(p, Options{Findings: findings}, s)
		if err != nil {
			t.Fatal(err)
		}
		return v.Digest
	}
	hidden := finding(p, "name-length", profiles.RadiusTool, "b")
	reworded, all, refused := hidden, hidden, hidden
	reworded.Message = "other words"
	all.Radius, refused.Radius = string(profiles.RadiusServer), string(profiles.RadiusClient)
	if digest(hidden) != digest(reworded) {
		t.Error("other words are another digest")
	}
	seen := map[string]bool{digest(): true, digest(hidden): true, digest(all): true, digest(refused): true}
	if len(seen) != 4 {
		t.Errorf("%d digests of four views", len(seen))
	}
}

// A client that cuts names says so of each.
func TestNamesAreCut(t *testing.T) {
	long := strings.Repeat("x", 64)
	v := of(t, client(t, "vscode-copilot"), "", snapshot(t, "", `{"name":"`+long+`"}`, `{"name":"short"}`))
	if got := v.Tools[1]; got.Name != "mcp_files_"+long[:54] || *got.NameCut != (Cut{64, 74}) || v.Tools[0].NameCut != nil {
		t.Errorf("%s, cut %+v and %+v", got.Name, got.NameCut, v.Tools[0].NameCut)
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
