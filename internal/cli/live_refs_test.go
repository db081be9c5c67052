package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"anvil/compiler/canon"
)

// TestSchemaReferencesAreNeverFetched lists tools whose schemas lead to another server, which must not be asked, and to files, of which
// nothing must be read.
func TestSchemaReferencesAreNeverFetched(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"type":"object","properties":{"planted_remote":{"type":"string"}}}`)
	}), nil)
	outside := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(outside, []byte(`{"type":"object","properties":{"planted_file":{"type":"string"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	roots := []string{
		`"$ref":"` + other.URL + `/root.json"`,
		`"$ref":"file://` + outside + `"`,
		`"$ref":"` + outside + `"`,
		`"$schema":"` + other.URL + `/draft.json"`,
		`"$id":"` + other.URL + `/base.json","properties":{"a":{"$ref":"part.json#/a"}}`,
		`"$dynamicRef":"` + other.URL + `/dynamic.json#x"`,
		`"properties":{"a":{"$ref":"` + other.URL + `/a.json"},"b":{"items":{"$ref":"file://` + outside + `#/properties"}}}`,
	}
	url := start(t, listing(roots), nil).URL + "/mcp"
	dir := t.TempDir()
	accepted := []string{"{rule: unknown-dialect, tool: look3, until: 2199-01-01, reason: it leads to the other server}"}
	for i := range roots {
		if i != 3 {
			accepted = append(accepted, fmt.Sprintf("{rule: remote-ref, tool: look%d, until: 2199-01-01, reason: it leads to the other server}", i))
		}
	}
	write(t, filepath.Join(dir, "anvil.yaml"), "mcpServers:\n  desk: {url: '"+url+"'}\ngate: {accept: ["+strings.Join(accepted, ", ")+"]}\n")
	for _, line := range [][]string{
		{"inspect", "desk"}, {"inspect", "desk", "--format", "json", "--out", "r.json"}, {"snapshot", "desk"}, {"check", "--update"}, {"check"},
		{"diff", "desk", url}, {"adopt", "--out", "pack", "desk"}, {"adopt", "--mode", "facade", "--approve", "all", "--by", "t", "--reason", "t", "--out", "facade", "desk"},
		{"call", "desk", "look0", "--arg", "a=1"}, {"call", "facade", "look0", "--arg", "a=1", "--confirm"},
	} {
		runAnvil(t, dir, nil, with([]string{"mcp"}, line...)...).want(t, 0)
	}
	report := readFile(t, filepath.Join(dir, "r.json"))
	for i := range roots {
		tool := fmt.Sprintf("look%d", i)
		if !strings.Contains(report, `"name": "`+tool+`"`) {
			t.Errorf("%s was not inspected", tool)
		}
		runInProcess(t, dir, "mcp", "call", url, tool, "--arg", "a=1").want(t, 0, "seen")
		runInProcess(t, dir, "mcp", "call", filepath.Join(dir, "facade"), tool, "--arg", "a=1", "--confirm").want(t, 0, "seen")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

// runInProcess runs the program without starting one, for what is too many otherwise. The folder is where it writes, if it does.
func runInProcess(t *testing.T, folder string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	sh := &shell{ctx: t.Context(), in: strings.NewReader(""), out: &resultWriter{w: &out}, err: &errs, getenv: func(string) (string, bool) { return "", false }, now: time.Now}
	code := sh.run(append([]string{"anvil"}, args...))
	return ran{code, out.String(), errs.String(), folder}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// listing is a server that lists one tool for each text, whose schemas have its members beside their type.
func listing(members []string) http.Handler {
	var tools []string
	for i, text := range members {
		schema := `{"type":"object",` + text + `}`
		tools = append(tools, fmt.Sprintf(`{"name":"look%d","description":"Look at it from side %d.","inputSchema":%s,"outputSchema":%s}`, i, i, schema, schema))
	}
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
			answer = `"result":{"tools":[` + strings.Join(tools, ",") + `]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"seen"}],"structuredContent":{"a":1}}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id.Raw, answer)
	})
}
