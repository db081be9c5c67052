package e2e

import (
	"os"
	"path/filepath"
	"strings"

	"anvil/compiler/canon"
)

// call is one tools/call; DIR in its arguments stands for the world's folder.
type call struct{ tool, arguments string }

// realServer is one of the pinned servers. Every program that starts it gets the same files and the same environment.
type realServer struct {
	name   string
	script string   // below the folder of packages
	args   []string // as call.arguments
	env    map[string]string
	files  map[string]string // in the world, put back before every side of a comparison; empty text removes one
	calls  []call            // their results follow from the files alone; the last is the tool under test
	denied call              // never approved, and its effect would show in the last call; empty where the server has one tool only
}

var realServers = []realServer{
	{
		name: "everything", script: "server-everything/dist/index.js", args: []string{"stdio"},
		calls:  []call{{"get-sum", `{"a":2,"b":3}`}, {"get-structured-content", `{"location":"New York"}`}},
		denied: call{"echo", `{"message":"hello"}`},
	},
	{
		name: "filesystem", script: "server-filesystem/dist/index.js", args: []string{"DIR/files"},
		files:  map[string]string{"files/hello.txt": "hello, Zürich \u2028 world\n"},
		calls:  []call{{"read_text_file", `{"path":"DIR/files/hello.txt"}`}},
		denied: call{"write_file", `{"path":"DIR/files/hello.txt","content":"overwritten"}`},
	},
	{
		name: "memory", script: "server-memory/dist/index.js", env: map[string]string{"MEMORY_FILE_PATH": "DIR/memory.jsonl"},
		files: map[string]string{"memory.jsonl": ""},
		calls: []call{
			{"create_entities", `{"entities":[{"name":"tea","entityType":"drink","observations":["green"]}]}`},
			{"search_nodes", `{"query":"tea"}`},
		},
		denied: call{"delete_entities", `{"entityNames":["tea"]}`},
	},
	{
		name: "sequential-thinking", script: "server-sequential-thinking/dist/index.js",
		calls: []call{{"sequentialthinking", `{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`}},
	},
}

// tested is the tool under test.
func (s realServer) tested() call { return s.calls[len(s.calls)-1] }

// tools names the tools that get approved.
func (s realServer) tools() (names []string) {
	for _, c := range s.calls {
		names = append(names, c.tool)
	}
	return names
}

func (w *world) fill(text string) string { return strings.ReplaceAll(text, "DIR", w.dir) }

// in returns the calls for a world.
func (c call) in(w *world) call { return call{c.tool, w.fill(c.arguments)} }

// params is the params of tools/call.
func (c call) params() []byte {
	return []byte(`{"name":` + string(canon.Quote(c.tool)) + `,"arguments":` + c.arguments + `}`)
}

// entry is how a configuration names the server.
func (s realServer) entry(w *world) entry {
	e := entry{Command: "node", Args: []string{filepath.Join(npm(w), filepath.FromSlash(s.script))}, Env: map[string]string{markVariable: w.dir}}
	for _, arg := range s.args {
		e.Args = append(e.Args, w.fill(arg))
	}
	for name, value := range s.env {
		e.Env[name] = w.fill(value)
	}
	return e
}

// command is the server's command line.
func (s realServer) command(w *world) []string {
	e := s.entry(w)
	return append([]string{e.Command}, e.Args...)
}

// reset puts the server's files back.
func (s realServer) reset(w *world) {
	w.Helper()
	for name, text := range s.files {
		if text != "" {
			w.write(name, text)
		} else if err := os.Remove(w.path(name)); err != nil && !os.IsNotExist(err) {
			w.Fatal(err)
		}
	}
}
