package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestCheckShowsProgress checks two servers of which one does not answer before a person has waited too long: the terminal shows how many are done and which
// is not, and nothing is left of it beside the result.
func TestCheckShowsProgress(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "fine.json", `{"name": "fine", "tools": [{"name": "get_thing", "description": "Reads one thing by its id."}]}`)
	writeFile(t, "anvil.yaml", "mcpServers:\n  quick: {command: fakeserver, args: [fine.json]}\n"+
		"  slow: {command: sh, args: [-c, 'while [ ! -e answer ]; do sleep 0.05; done; exec fakeserver fine.json']}\n")
	screen, terminal := openTerminal(t)
	var out bytes.Buffer
	sh := &shell{ctx: t.Context(), out: &resultWriter{w: &out}, err: terminal, getenv: os.LookupEnv, now: time.Now}
	code := make(chan int)
	go func() { code <- sh.run([]string{"anvil", "mcp", "check", "--update", "--timeout", "2m"}) }()
	screen.waitFor(t, "waiting for slow", "1/2")
	writeFile(t, "answer", "")
	if got := <-code; got != exitClean || !strings.Contains(out.String(), "quick                accepted") || !strings.Contains(out.String(), "slow                 accepted") {
		t.Errorf("exit %d\n%s", got, out.String())
	}
	if _, err := terminal.WriteString("that is all"); err != nil {
		t.Fatal(err)
	}
	screen.waitFor(t, "that is all")
	lines := strings.Split(screen.text(), "\r")
	if last := lines[len(lines)-1]; last != "that is all" || strings.Trim(lines[len(lines)-2], " ") != "" {
		t.Errorf("the terminal was left with %q", lines[max(0, len(lines)-3):])
	}
}
