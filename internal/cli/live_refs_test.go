package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"anvil/compiler/canon"
)

// TestSchemaReferencesAreNeverFetched lists a tool whose schemas lead to another server, which must not be asked, and to files, of which
// nothing must be read.
func TestSchemaReferencesAreNeverFetched(t *testing.T) {
	var asked atomic.Int32
	other := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"type":"object","properties":{"planted_remote":{"type":"string"}}}`)
	}), nil)
	outside := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(outside, []byte(`{"type":"object","properties":{"planted_file":{"type":"string"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, root := range []string{
		`"$ref":"` + other.URL + `/root.json"`,
		`"$ref":"file://` + outside + `"`,
		`"$ref":"` + outside + `"`,
		`"$schema":"` + other.URL + `/draft.json"`,
		`"$id":"` + other.URL + `/base.json","properties":{"a":{"$ref":"part.json#/a"}}`,
		`"$dynamicRef":"` + other.URL + `/dynamic.json#x"`,
		`"properties":{"a":{"$ref":"` + other.URL + `/a.json"},"b":{"items":{"$ref":"file://` + outside + `#/properties"}}}`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			url := start(t, listing(root), nil).URL + "/mcp"
			dir := t.TempDir()
			text := "mcpServers:\n  desk: {url: '" + url + "'}\n"
			if err := os.WriteFile(filepath.Join(dir, "anvil.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, line := range [][]string{
				{"inspect", "desk"}, {"inspect", "desk", "--format", "json", "--out", "r.json"}, {"snapshot", "desk"}, {"check", "--update"}, {"check"},
				{"diff", "desk", url}, {"adopt", "--out", "pack", "desk"}, {"adopt", "--mode", "facade", "--approve", "all", "--by", "t", "--reason", "t", "--out", "facade", "desk"},
				{"call", "desk", "look", "--arg", "a=1"}, {"call", "facade", "look", "--arg", "a=1", "--confirm"},
			} {
				runAnvil(t, dir, nil, with([]string{"mcp"}, line...)...).want(t, 0)
			}
			if !strings.Contains(readFile(t, filepath.Join(dir, "r.json")), `"name": "look"`) {
				t.Error("the tool was not inspected")
			}
		})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// listing is a server that lists one tool whose schemas have the given members beside their type.
func listing(members string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		message, err := canon.Parse(body)
		if r.Method != http.MethodPost || err != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		id := message.Get("id")
		if id == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch message.Get("method").Text() {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"desk","version":"1"},"capabilities":{"tools":{}}}`
		case "tools/list":
			schema := `{"type":"object",` + members + `}`
			answer = `"result":{"tools":[{"name":"look","description":"Look at it.","inputSchema":` + schema + `,"outputSchema":` + schema + `}]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"seen"}],"structuredContent":{"a":1}}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id.Raw, answer)
	})
}
