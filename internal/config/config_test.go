package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"anvil/compiler/canon"
	"anvil/internal/config"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if path, ok := config.Find(dir); ok {
		t.Fatalf("found %s in an empty folder", path)
	}
	if err := os.Mkdir(filepath.Join(dir, "anvil.yaml"), 0o755); err != nil {
		t.Fatal(err) // a folder is no configuration
	}
	for _, name := range []string{".mcp.yaml", "mcp.yaml", ".mcp.json", "mcp.json"} {
		put(t, dir, name, "")
		if path, ok := config.Find(dir); !ok || path != filepath.Join(dir, name) {
			t.Errorf("found %q, %v; want %s, which comes before what was there", path, ok, name)
		}
	}
}

func TestShapesInTheWild(t *testing.T) {
	stdio := config.Server{Name: "fs", Transport: "stdio", Command: "npx", Args: []string{"-y", "server-filesystem", "/tmp"}, Shown: "npx -y server-filesystem /tmp"}
	remote := config.Server{Name: "docs", Transport: "http", URL: "https://h/mcp", Headers: map[string]string{"X-Key": "k"}, Shown: "https://h/mcp"}
	tests := []struct {
		name, file, src string
		want            []config.Server
	}{
		{"Claude and Cursor", ".mcp.json", `{"mcpServers": {
			"fs": {"command": "npx", "args": ["-y", "server-filesystem", "/tmp"]},
			"docs": {"type": "http", "url": "https://h/mcp", "headers": {"X-Key": "k"}}}}`, []config.Server{remote, stdio}},
		{"VS Code, with comments", "mcp.json", `// servers of this folder
		{
			"inputs": [{"type": "promptString", "id": "key"}],
			"servers": {
				"fs": {"type": "stdio", "command": "npx", "args": ["-y", "server-filesystem", "/tmp",],}, /* a // b */
				"docs": {"type": "http", "url": "https://h/mcp", "headers": {"X-Key": "k"}},
			},
		}`, []config.Server{remote, stdio}},
		{"VS Code settings", "settings.json", `{"editor.tabSize": 2, "mcp": {"inputs": [], "servers": {"fs": {"command": "npx", "args": ["-y", "server-filesystem", "/tmp"]}}}}`, []config.Server{stdio}},
		{"dynmcp in YAML", "mcp.yaml", "# yaml-language-server: x\nenv: process\nmcp:\n  fs:\n    transport: stdio\n    command: npx\n    args: [-y, server-filesystem, /tmp]\n  docs:\n    transport: streamable-http\n    url: https://h/mcp\n    headers: {X-Key: k}\n", []config.Server{remote, stdio}},
		{"a dynmcp server called servers", "mcp.json", `{"mcp": {"servers": {"transport": "sse", "url": "http://h/sse"}}}`,
			[]config.Server{{Name: "servers", Transport: "sse", URL: "http://h/sse", Shown: "http://h/sse"}}},
		{"ADK", "mcp.json", `{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "server-filesystem", "/tmp"], "env": {}, "disabled": false, "autoApprove": ["a"], "restartPolicy": {"maxRestartAttempts": 1e1}}}}`,
			[]config.Server{with(stdio, func(s *config.Server) {
				s.Env = map[string]string{}
				s.Extra = map[string]canon.Raw{"disabled": canon.Raw("false"), "autoApprove": canon.Raw(`["a"]`), "restartPolicy": canon.Raw(`{"maxRestartAttempts": 1e1}`)}
			})}},
		{"anvil.yaml, a url without type, numbers as text", "anvil.yaml", "gate: {maxTools: 40}\ndiff: {failOn: any}\nmcpServers:\n  a:\n    url: http://h:1/\n    description: null\n    headers: {V: 1.10, B: true}\n",
			[]config.Server{{Name: "a", URL: "http://h:1/", Headers: map[string]string{"V": "1.10", "B": "true"}, Shown: "http://h:1/"}}},
		{"a plugin brings a server, which another tool says in its own way", "mcp.json", `{"servers": {"a": {"url": "http://a", "plugin": "${KIT:-kit}"}, "b": {"url": "http://b", "plugin": {"id": 1}}}}`,
			[]config.Server{{Name: "a", URL: "http://a", Plugin: "kit", Shown: "http://a"}, {Name: "b", URL: "http://b", Extra: map[string]canon.Raw{"plugin": canon.Raw(`{"id": 1}`)}, Shown: "http://b"}}},
		{"two shapes in one file", "mcp.json", `{"servers": {"b": {"url": "http://b"}}, "mcpServers": {"a": {"url": "http://a"}}}`,
			[]config.Server{{Name: "a", URL: "http://a", Shown: "http://a"}, {Name: "b", URL: "http://b", Shown: "http://b"}}},
		{"empty", "anvil.yaml", "# nothing yet\n", nil},
		{"empty maps", "mcp.json", `{"mcp": {}, "servers": null}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := load(t, put(t, t.TempDir(), tt.file, tt.src), nil)
			var got []config.Server
			for _, name := range file.Names() {
				server, err := file.Server(name)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, server)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(config.Server{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func with(s config.Server, change func(*config.Server)) config.Server {
	change(&s)
	return s
}

func TestSections(t *testing.T) {
	file := load(t, put(t, t.TempDir(), "anvil.yaml", "gate:\n  maxTools: 40\ndiff:\n  failOn: security\npolicy:\n"), nil)
	if file.Gate.MaxTools != 40 || file.Diff.FailOn != "security" {
		t.Errorf("gate %+v, diff %+v", file.Gate, file.Diff)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		name, file, src string
		want            []string // lines; FILE stands for the path
	}{
		{"unknown top-level key", "anvil.yaml", "mcpServers: {}\ngates: {}\n", []string{`FILE:2: unknown key "gates"; known are $schema, env, mcpServers, servers, mcp, gate, diff, policy, learn, facade, annotations`}},
		{"everything at once", "anvil.yaml", "gate:\n  maxTool: 1\n  maxTools: 0\ndiff:\n  failOn: never\n  x: 1\npolicy:\n  allow: []\nlearn: 1\nenv: no\n", []string{
			`FILE:2: unknown key "maxTool" in gate; known are accept, clients and maxTools`,
			`FILE:3: gate.maxTools must be a whole number of at least 1`,
			`FILE:5: diff.failOn must be one of breaking, risky, security, any`,
			`FILE:6: unknown key "x" in diff; known are accept and failOn`,
			`FILE:8: unknown key "allow" in policy; known are default and rules`,
			`FILE:9: learn must be a map`,
			`FILE:10: env must be enable, dotenv, process or disable`}},
		{"sections not there yet", "anvil.yaml", "facade: {a: 1}\nannotations:\n  b: 1\nlearn: {}\n", []string{
			`FILE:1: unknown key "a" in facade; known are allowHosts, audience, audit, issuer, metadata, onDrift, rate, reports, state, timeout and tokens`, `FILE:3: annotations of a server must be a map from a tool's name to what is stated of it`}},
		{"own section in a shared file", "mcp.json", "{\n\"other\": 1,\n\"gate\": {\n\"maxTools\": 1.5}}", []string{`FILE:4: gate.maxTools must be a whole number of at least 1`}},
		{"server given twice", "mcp.json", "{\"servers\": {\"a\": {}},\n\"mcp\": {\n\"a\": {}}}", []string{`FILE:3: server "a" is already given at FILE:1`}},
		{"duplicate key", "mcp.json", "{\"mcpServers\": {\n\"a\": {},\n\"a\": {}}}", []string{`FILE:3: key "a" was already given on line 2`}},
		{"servers are a list", "mcp.yaml", "servers:\n- a\n", []string{`FILE:1: servers must be a map from a server's name to its settings`}},
		{"not a map", "anvil.yaml", "- a\n", []string{`FILE:1: the configuration must be a map`}},
		{"not YAML", "anvil.yaml", "a: 1\nb: [\nc: *x\n", []string{`FILE:`}},
		{"alias", "anvil.yaml", "mcpServers:\n  a: &x {}\n", []string{`FILE:2: anchor &x is not allowed; write the value out where it is needed`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := put(t, t.TempDir(), tt.file, tt.src)
			_, err := config.Load(path, noEnv)
			checkLines(t, path, err, tt.want)
		})
	}
}

func TestLoadOfAMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.yaml")
	if _, err := config.Load(path, noEnv); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}

func TestUnknownKeysAreLeftToOtherTools(t *testing.T) {
	for _, name := range []string{"mcp.json", ".mcp.json", "mcp.yaml", ".mcp.yml", "settings.json"} {
		load(t, put(t, t.TempDir(), name, `{"globalShortcut": "x", "mcpServers": {}}`), nil)
	}
	for _, name := range []string{"anvil.yaml", "ci.yml"} {
		if _, err := config.Load(put(t, t.TempDir(), name, "globalShortcut: x\n"), noEnv); err == nil {
			t.Errorf("%s: an unknown key passed", name)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	src := `{"mcpServers": {
"both": {"command": "x",
  "url": "http://h"},
"neither": {"args": []},
"list": ["x"],
"shapes": {"command": ["x"],
  "args": "y",
  "env": {"A": {}, "a/b": [],
    "B": null},
  "headers": {"H": "v"}, "cwd": 7},
"kind": {"type": "grpc", "url": "http://h"},
"kinds": {"type": "sse", "transport": "http", "url": "http://h"},
"stdio url": {"type": "stdio", "url": "http://h"},
"http command": {"transport": "http", "command": "x"},
"scheme": {"url": "ftp://user:hunter2@h/?k=hunter2"},
"address": {"url": "hunter2"},
"host": {"url": "https:///x?hunter2"},
"fine": {"command": "x"}
}}`
	tests := []struct {
		server string
		want   []string
	}{
		{"both", []string{`FILE:3: server "both": it has both a command and a url; give one`}},
		{"neither", []string{`FILE:4: server "neither": it has neither a command nor a url; give one`}},
		{"list", []string{`FILE:5: server "list": its settings must be a map`}},
		{"shapes", []string{
			`FILE:6: server "shapes": command must be a string`,
			`FILE:7: server "shapes": args must be a list of strings`,
			`FILE:8: server "shapes": env.A must be a string`,
			`FILE:8: server "shapes": env.a/b must be a string`,
			`FILE:9: server "shapes": env.B must be a string`}},
		{"kind", []string{`FILE:11: server "kind": its type is none of stdio, http and sse`}},
		{"kinds", []string{`FILE:12: server "kinds": type and transport differ; give one`}},
		{"stdio url", []string{`FILE:13: server "stdio url": transport stdio needs a command, not a url`}},
		{"http command", []string{`FILE:14: server "http command": transport http needs a url, not a command`}},
		{"scheme", []string{`FILE:15: server "scheme": the url has scheme "ftp"; only http and https are supported`}},
		{"address", []string{`FILE:16: server "address": the url cannot be read; it should look like https://host/path`}},
		{"host", []string{`FILE:17: server "host": the url names no host; it should look like https://host/path`}},
		{"none", []string{`no server "none" in FILE; it has address, both, fine, host, http command, kind, kinds, list, neither, scheme, shapes, stdio url`}},
	}
	path := put(t, t.TempDir(), "mcp.json", src)
	file := load(t, path, nil)
	for _, tt := range tests {
		t.Run(tt.server, func(t *testing.T) {
			_, err := file.Server(tt.server)
			checkLines(t, path, err, tt.want)
		})
	}
	if _, err := file.Server("fine"); err != nil {
		t.Errorf("an entry beside wrong ones: %v", err)
	}
}

func TestFolderOfAServer(t *testing.T) {
	dir := t.TempDir()
	file := load(t, put(t, dir, "mcp.json", `{"servers": {"a": {"command": "x", "cwd": "sub/../b"}, "b": {"command": "x", "cwd": "/abs"}, "c": {"command": "x"}}}`), nil)
	for name, want := range map[string]string{"a": filepath.Join(dir, "b"), "b": "/abs", "c": ""} {
		if server, err := file.Server(name); err != nil || server.Dir != want {
			t.Errorf("server %s runs in %q, error %v; want %q", name, server.Dir, err, want)
		}
	}
}

func noEnv(string) (string, bool) { return "", false }

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// load reads a configuration that must be right; env holds the process's variables.
func load(t *testing.T, path string, env map[string]string) *config.File {
	t.Helper()
	file, err := config.Load(path, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// checkLines compares the lines of err with want; a last want that ends with ":" is the start of a line.
func checkLines(t *testing.T, path string, err error, want []string) {
	t.Helper()
	text := strings.ReplaceAll(fmt.Sprint(err), path, "FILE")
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in the error: %s", text)
	}
	if len(want) == 1 && strings.HasSuffix(want[0], ":") {
		if !strings.HasPrefix(text, want[0]) {
			t.Errorf("error %s, want it to start with %s", text, want[0])
		}
		return
	}
	if diff := cmp.Diff(want, strings.Split(text, "\n")); diff != "" {
		t.Errorf("error (-want +got)\n%s", diff)
	}
}
