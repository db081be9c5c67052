package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt/probe"
)

// BenchmarkInspector measures `anvil mcp inspect` against the official Inspector's command line on the same server, taking turns. The Inspector
// lists the tools; anvil captures the whole surface, gates it and counts its tokens. Both pay for the server's own start, so a third figure is
// the floor that neither can go below: a script that starts the server, shakes hands, lists the tools and waits for its end.
func BenchmarkInspector(b *testing.B) {
	node := nodeFor(b)
	b.Run("memory", func(b *testing.B) {
		w := newWorld(b, plainAnvil)
		realServers[2].reset(w)
		compareInspector(b, w, node, realServers[2].entry(w))
	})
	// A server that is there at once shows what the clients themselves take.
	b.Run("refunds", func(b *testing.B) {
		w := newWorld(b, plainAnvil)
		program, err := refunds()
		if err != nil {
			b.Fatal(err)
		}
		compareInspector(b, w, node, entry{Command: program, Env: map[string]string{markVariable: w.dir}})
	})
}

// inspectorScript is the Inspector's program below the folder that `make peers` fills.
const inspectorScript = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

func compareInspector(b *testing.B, w *world, node string, e entry) {
	w.configure(map[string]entry{"server": e})
	path := "PATH=" + filepath.Dir(node) + string(os.PathListSeparator) + os.Getenv("PATH") // every program starts the server with one Node.js
	command := append([]string{e.Command}, e.Args...)
	run := map[string]func() time.Duration{
		"anvil": func() time.Duration {
			return timed(b, w.command(b.Context(), w.env(path), "mcp", "inspect", "server", "--format", "json"))
		},
		"inspector": func() time.Duration {
			args := append([]string{filepath.Join(os.Getenv("ANVIL_PEERS"), inspectorScript), "--cli"}, command...)
			cmd := exec.Command(node, append(args, "--method", "tools/list")...)
			cmd.Dir, cmd.Env = w.dir, w.env(append(environment(e.Env), path)...)
			return timed(b, cmd)
		},
		"floor": func() time.Duration {
			cmd := exec.Command(os.Args[0], append([]string{"list", string(probe.Bare.Capabilities), "tools/list", "wait", "--"}, command...)...)
			cmd.Dir, cmd.Env = w.dir, w.env(append(environment(e.Env), path, floorVariable+"=list")...)
			return timed(b, cmd)
		},
	}
	besidePeer(b, "inspector", run)
}

// nodeFor is a Node.js that runs the Inspector, which needs 22: the one among the packages of `make npm`, where there is one for this platform.
func nodeFor(b *testing.B) string {
	b.Helper()
	modules := filepath.Dir(npm(b))
	if os.Getenv("ANVIL_PEERS") == "" {
		b.Skip("ANVIL_PEERS is not set: `make bench` installs the Inspector and sets it")
	}
	arch := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	node := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(node); err != nil {
		b.Fatal(err)
	}
	return node
}
