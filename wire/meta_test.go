package wire

import (
	"testing"

	"anvil/compiler/canon"
)

var testMeta = newMeta(Hello{Name: "n", Version: "1", Capabilities: []byte(`{"roots":{}}`)}, LatestStateless)

func TestMetaParams(t *testing.T) {
	const (
		version      = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		client       = `"io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"}`
		capabilities = `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
		all          = version + "," + client + "," + capabilities
	)
	for _, tt := range []struct{ name, params, want string }{
		{"absent", "", `{"_meta":{` + all + `}}`},
		{"null", "null", `{"_meta":{` + all + `}}`},
		{"empty", "{}", `{"_meta":{` + all + `}}`},
		{"empty, spaced", " { } ", ` {"_meta":{` + all + `} } `},
		{"no meta", `{ "name" : "x", "arguments":{"_meta":1.0}}`, `{"_meta":{` + all + `}, "name" : "x", "arguments":{"_meta":1.0}}`},
		{"empty meta", `{"a":1,"_meta": {},"b":1.0}`, `{"a":1,"_meta": {` + all + `},"b":1.0}`},
		{"null meta", `{"_meta":null}`, `{"_meta":{` + all + `}}`},
		{"own members", `{"_meta": { "progressToken" : 1.0} }`, `{"_meta": {` + all + `, "progressToken" : 1.0} }`},
		{"escaped name", `{"\u005fmeta":{"t":1}}`, `{"\u005fmeta":{` + all + `,"t":1}}`},
		{"own client and capabilities", `{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other"},"t":1,"io.modelcontextprotocol/clientCapabilities":{}}}`,
			`{"_meta":{` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"other"},"t":1,"io.modelcontextprotocol/clientCapabilities":{}}}`},
		{"another version", `{"_meta":{"t":1,"io.modelcontextprotocol/protocolVersion" : "2099-01-01" , "u":2}}`,
			`{"_meta":{` + client + `,` + capabilities + `,"t":1,"io.modelcontextprotocol/protocolVersion" : "2026-07-28" , "u":2}}`},
		{"complete", `{"_meta":{` + all + `}}`, `{"_meta":{` + all + `}}`},
		{"meta of another type", `{"_meta":[1]}`, `{"_meta":[1]}`},
		{"no object", `[1]`, `[1]`},
		{"no JSON", `{"a"`, `{"a"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			params := []byte(tt.params)
			if tt.params == "" {
				params = nil
			}
			if got := string(testMeta.params(params)); got != tt.want || string(params) != tt.params {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// FuzzMeta holds the splice against a merge of trees: valid JSON in, valid JSON out, and the same value.
func FuzzMeta(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"_meta":{}}`, `{"_meta":{"t":1},"a":[1.0]}`, `{"_meta":null}`, `{"_meta":[]}`, ` { "a" : "\u005f" } `, `[]`, `null`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`, `{"_meta":{"io.modelcontextprotocol/clientInfo":{},"x":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		before, err := canon.Parse(params)
		if err != nil || len(before.Flaws()) > 0 {
			testMeta.params(params) // must not panic
			return
		}
		got := testMeta.params(params)
		if !isObject(params) && string(params) != "null" {
			if string(got) != string(params) {
				t.Fatalf("%q became %q", params, got)
			}
			return
		}
		after, err := canon.Canonical(got)
		if err != nil {
			t.Fatalf("%q became %q: %v", params, got, err)
		}
		if want := mergedTree(before); string(after) != string(want) {
			t.Fatalf("%q became\n%s\nwant\n%s", params, after, want)
		}
	})
}

// mergedTree does to a tree what meta.params does to bytes.
func mergedTree(params *canon.Node) []byte {
	own := params.Get("_meta")
	var all, inner canon.Builder
	for _, m := range params.Members {
		if m.Name != "_meta" {
			all.AddNode(m.Name, m.Value)
		}
	}
	if own != nil && !own.IsObject() && !own.Is(canon.Null) {
		all.AddNode("_meta", own)
		return all.Bytes()
	}
	defaults := map[string][]byte{metaClient: testMeta.client, metaCapabilities: testMeta.capabilities, metaVersion: testMeta.version}
	if own.IsObject() {
		for _, m := range own.Members {
			if m.Name == metaVersion {
				continue
			}
			inner.AddNode(m.Name, m.Value)
			delete(defaults, m.Name)
		}
	}
	for name, value := range defaults {
		inner.Add(name, canon.MustCanonical(value))
	}
	all.Add("_meta", inner.Bytes())
	return all.Bytes()
}
