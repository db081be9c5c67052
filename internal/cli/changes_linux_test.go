package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// On a terminal the words that a reader looks for first have colours, unless the user wants none; a file has none.
func TestColourOnATerminal(t *testing.T) {
	server := filepath.Join(buildRefunds(t), "refunds")
	dir := t.TempDir()
	old := filepath.Join(dir, "old.snapshot.json")
	mustExit(t, 0, "mcp", "snapshot", "--dir", dir, "--name", "old", "--", server)
	shown := func(environment map[string]string) string {
		screen, terminal := openTerminal(t)
		sh := &shell{ctx: t.Context(), out: &resultWriter{w: terminal}, err: &strings.Builder{}, getenv: func(name string) (string, bool) {
			value, ok := environment[name]
			return value, ok
		}, now: time.Now}
		if code := sh.run([]string{"anvil", "mcp", "diff", old, "--", server, "-surface", "v2"}); code != 1 {
			t.Fatalf("exits %d: %s", code, sh.err)
		}
		// Whatever was written before it is on the screen once this is.
		if _, err := terminal.WriteString("that is all"); err != nil {
			t.Fatal(err)
		}
		screen.waitFor(t, "that is all")
		return screen.text()
	}
	painted := "\x1b[1;31mbreaking\x1b[0m in-enum-value-removed"
	if text := shown(nil); !strings.Contains(text, painted) || !strings.Contains(text, "\x1b[1;35m[security]\x1b[0m") {
		t.Errorf("no colours: %q", text)
	}
	for _, environment := range []map[string]string{{"NO_COLOR": "1"}, {"TERM": "dumb"}} {
		if text := shown(environment); strings.Contains(text, "\x1b[") || !strings.Contains(text, "breaking in-enum-value-removed") {
			t.Errorf("with %v: %q", environment, text)
		}
	}
	if text := string(mustExit(t, 1, "mcp", "diff", old, "--", server, "-surface", "v2")); strings.Contains(text, "\x1b[") {
		t.Errorf("what is no terminal is sent %q", text)
	}
}
