package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"anvil/internal/config"
)

// targetFile returns a configuration, and puts files and folders of several kinds into the current folder.
func targetFile(t *testing.T) *config.File {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, dir := range []string{"pack", "folder", "both"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, "pack", "anvil-pack.json", "{}")
	put(t, "both", "anvil-pack.json", "{}")
	put(t, ".", "a.snapshot.json", "{}")
	put(t, ".", "b.JSON", "{}")
	put(t, ".", "untitled", "\n {}")
	put(t, ".", "notes.txt", "hello")
	put(t, ".", "mcp.json", `{"servers": {
		"fs": {"command": "npx", "args": ["a"]}, "web": {"url": "https://h/mcp"}, "both": {"command": "x"}, "io.github/x": {"command": "y"},
		"broken": {"command": "${NONE}"}}}`)
	return load(t, "mcp.json", nil)
}

func TestParseTarget(t *testing.T) {
	file := targetFile(t)
	absolute, err := filepath.Abs("pack")
	if err != nil {
		t.Fatal(err)
	}
	named := func(s config.Server) config.Target { return config.Target{Kind: config.KindName, Server: s} }
	tests := []struct {
		name      string
		args      []string
		dashdash  []string
		transport string
		want      config.Target
	}{
		{"command", nil, []string{"npx", "-y", "x", "http://h"}, "", config.Target{Kind: config.KindCommand, Server: config.Server{Transport: "stdio", Command: "npx", Args: []string{"-y", "x", "http://h"}}}},
		{"command, forced", nil, []string{"npx"}, "stdio", config.Target{Kind: config.KindCommand, Server: config.Server{Transport: "stdio", Command: "npx"}}},
		{"url", []string{"https://h/mcp"}, nil, "", config.Target{Kind: config.KindURL, Server: config.Server{URL: "https://h/mcp"}}},
		{"url, forced", []string{"HTTP://h/mcp"}, nil, "sse", config.Target{Kind: config.KindURL, Server: config.Server{URL: "HTTP://h/mcp", Transport: "sse"}}},
		{"name", []string{"fs"}, nil, "", named(config.Server{Name: "fs", Transport: "stdio", Command: "npx", Args: []string{"a"}, Shown: "npx a"})},
		{"name of a url, forced", []string{"web"}, nil, "streamable-http", named(config.Server{Name: "web", Transport: "http", URL: "https://h/mcp", Shown: "https://h/mcp"})},
		{"name with a slash", []string{"io.github/x"}, nil, "", named(config.Server{Name: "io.github/x", Transport: "stdio", Command: "y", Shown: "y"})},
		{"name before path", []string{"both"}, nil, "", named(config.Server{Name: "both", Transport: "stdio", Command: "x", Shown: "x"})},
		{"forced path", []string{"./both"}, nil, "", config.Target{Kind: config.KindPack, Path: "./both"}},
		{"pack", []string{"pack"}, nil, "", config.Target{Kind: config.KindPack, Path: "pack"}},
		{"pack, absolute", []string{absolute}, nil, "", config.Target{Kind: config.KindPack, Path: absolute}},
		{"pack by its manifest", []string{"pack/anvil-pack.json"}, nil, "", config.Target{Kind: config.KindPack, Path: "pack"}},
		{"snapshot", []string{"a.snapshot.json"}, nil, "", config.Target{Kind: config.KindSnapshot, Path: "a.snapshot.json"}},
		{"JSON file", []string{"./b.JSON"}, nil, "", config.Target{Kind: config.KindSnapshot, Path: "./b.JSON"}},
		{"JSON by its content", []string{"untitled"}, nil, "", config.Target{Kind: config.KindSnapshot, Path: "untitled"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.ParseTarget(tt.args, tt.dashdash, file, tt.transport)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(config.Server{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseTargetRefuses(t *testing.T) {
	file := targetFile(t)
	const names = "mcp.json: it has both, broken, fs, io.github/x, web"
	tests := []struct {
		name      string
		args      []string
		dashdash  []string
		transport string
		noFile    bool
		want      string
	}{
		{"none", nil, nil, "", false, `no target; give -- COMMAND ARG..., a URL, a path, or a name from the configuration (` + names + `)`},
		{"none and no file", []string{""}, nil, "", true, `no target; give -- COMMAND ARG..., a URL, a path, or a name from the configuration (there is none: looked for anvil.yaml, mcp.json, .mcp.json, mcp.yaml, .mcp.yaml)`},
		{"two", []string{"fs", "https://u:hunter2@h/?hunter2"}, nil, "", false, `two targets: "fs" and "https://h/?***"; give one (a command with arguments goes behind --)`},
		{"name and command", []string{"fs"}, []string{"npx"}, "", false, `two targets: "fs", and the command behind --; give one`},
		{"no command", nil, []string{}, "", false, `no command behind --; give what to start, as in -- npx NAME`},
		{"unknown", []string{"fz"}, nil, "", false, `"fz" is neither a server of the configuration (` + names + `) nor a file`},
		{"unknown and no file", []string{"fs"}, nil, "", true, `"fs" is neither a server of the configuration (there is none: looked for anvil.yaml, mcp.json, .mcp.json, mcp.yaml, .mcp.yaml) nor a file`},
		{"address without scheme", []string{"localhost:80/mcp"}, nil, "", true, `"localhost:80/mcp" is neither a server of the configuration (there is none: looked for anvil.yaml, mcp.json, .mcp.json, mcp.yaml, .mcp.yaml) nor a file; an address needs http:// or https:// in front`},
		{"scheme", []string{"ws://u:hunter2@h"}, nil, "", false, `the url has scheme "ws"; only http and https are supported`},
		{"no host", []string{"https://"}, nil, "", false, `the url names no host; it should look like https://host/path`},
		{"no such path", []string{"./fs"}, nil, "", false, `no snapshot or pack there: stat ./fs: no such file or directory`},
		{"folder", []string{"folder"}, nil, "", false, `folder folder is no pack: it holds no anvil-pack.json`},
		{"other file", []string{"notes.txt"}, nil, "", false, `notes.txt is neither a snapshot (a JSON file) nor a pack (a folder with anvil-pack.json)`},
		{"configuration", []string{"mcp.json"}, nil, "", false, `mcp.json is a configuration; give it with --config and name one of its servers`},
		{"broken entry", []string{"broken"}, nil, "", false, "server \"broken\": a variable is not set (set it in the environment or in .env beside the file, or write ${NAME:-default})\n  mcp.json:3: NONE in command"},
		{"unknown transport", []string{"fs"}, nil, "tcp", false, `--transport: unknown transport "tcp"; known are stdio, http and sse`},
		{"http for a command", nil, []string{"npx"}, "http", false, `--transport http needs a URL, not a command`},
		{"http for a name", []string{"fs"}, nil, "sse", false, `--transport sse needs a URL, not a command`},
		{"stdio for a url", []string{"http://h"}, nil, "stdio", false, `--transport stdio needs a command; give it behind --`},
		{"transport for a file", []string{"pack"}, nil, "http", false, `--transport is for servers; pack is a pack`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			with := file
			if tt.noFile {
				with = nil
			}
			got, err := config.ParseTarget(tt.args, tt.dashdash, with, tt.transport)
			if err == nil {
				t.Fatalf("got %+v, want an error", got)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got)\n%s", diff)
			}
		})
	}
}
