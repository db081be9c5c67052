package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// On a terminal an operation that wants a person's yes asks for it whatever the flags say, and shows what would be sent; only a yes is one.
func TestConfirmationOnATerminal(t *testing.T) {
	dir, refunds := t.TempDir(), buildProgram(t, "anvil/examples/refunds")
	packDir := filepath.Join(dir, "pack")
	adopt := &shell{ctx: t.Context(), in: os.Stdin, out: &resultWriter{w: &screen{}}, err: &screen{}, getenv: os.LookupEnv, now: time.Now}
	if code := adopt.run([]string{"anvil", "mcp", "adopt", "--mode", "facade", "--out", packDir, "--approve", "all", "--by", "ada", "--", refunds}); code != 0 {
		t.Fatalf("adopt: exit %d", code)
	}
	run := []string{"pack", "run", packDir, "--", "cancel-refund", "--refund-id", "rf-1001"}
	call := []string{"mcp", "call", packDir, "cancel_refund", "--arg", "refundId=rf-1001"}
	tests := []struct {
		name, typed string
		line        []string
		want        int
		ahead       string // typed before the question
	}{
		{"yes", "y\n", run, exitClean, ""},
		{"the whole word", " YES \n", run, exitClean, ""},
		{"no", "n\n", run, exitFindings, ""},
		{"nothing", "\n", run, exitFindings, ""},
		{"something else", "yess\n", run, exitFindings, ""},
		{"the end of the input", "\x04", run, exitFindings, ""},
		{"a flag is no yes", "n\n", append(run, "--confirm"), exitFindings, ""},
		{"by call", "yes\n", call, exitClean, ""},
		{"a yes before the question", "n\n", run, exitFindings, "y\n"},
		{"a yes before the question, and one behind", "y\n", run, exitClean, "n\n"},
		{"no by call, whatever the flag", "n\n", append(call, "--confirm"), exitFindings, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen, terminal := openTerminal(t)
			if _, err := seen.keys.WriteString(tt.ahead); err != nil {
				t.Fatal(err)
			}
			out := &screen{}
			sh := &shell{ctx: t.Context(), in: terminal, out: &resultWriter{w: out}, err: terminal, getenv: os.LookupEnv, now: time.Now}
			code := make(chan int, 1)
			go func() { code <- sh.run(append([]string{"anvil"}, tt.line...)) }()
			seen.waitFor(t, "waits for a person's yes (this may destroy data). Call it? [y/N]")
			if _, err := seen.keys.WriteString(tt.typed); err != nil {
				t.Fatal(err)
			}
			if got := <-code; got != tt.want {
				t.Errorf("exit %d, want %d: %q", got, tt.want, seen.text())
			}
			if called := out.text() != ""; called != (tt.want == exitClean) {
				t.Errorf("the tool was called: %v; it said %q", called, out.text())
			}
			if text := seen.text(); !strings.Contains(text, "call \"cancel_refund\" with 1 argument, of ") || !strings.Contains(text, `  "refundId": "rf-1001"`) {
				t.Errorf("the question does not show the request: %q", text)
			}
		})
	}
}

// What stdin gave as arguments it did not give as a yes: whoever wrote the arguments may have written on.
func TestNoYesBehindArguments(t *testing.T) {
	dir, refunds := t.TempDir(), buildProgram(t, "anvil/examples/refunds")
	packDir := filepath.Join(dir, "pack")
	adopt := &shell{ctx: t.Context(), in: os.Stdin, out: &resultWriter{w: &screen{}}, err: &screen{}, getenv: os.LookupEnv, now: time.Now}
	if code := adopt.run([]string{"anvil", "mcp", "adopt", "--mode", "facade", "--out", packDir, "--approve", "all", "--by", "ada", "--", refunds}); code != 0 {
		t.Fatalf("adopt: exit %d", code)
	}
	for _, line := range [][]string{
		{"mcp", "call", packDir, "cancel_refund", "--json", "-", "--confirm"},
		{"pack", "run", packDir, "--", "cancel-refund", "--json", "-"},
	} {
		seen, terminal := openTerminal(t)
		if _, err := seen.keys.WriteString("{\"refundId\":\"rf-1001\"}\n\x04y\n\x04"); err != nil {
			t.Fatal(err)
		}
		out := &screen{}
		sh := &shell{ctx: t.Context(), in: terminal, out: &resultWriter{w: out}, err: terminal, getenv: os.LookupEnv, now: time.Now}
		if got := sh.run(append([]string{"anvil"}, line...)); got != exitFindings || out.text() != "" {
			t.Errorf("%q: exit %d, %q, %q", line, got, out.text(), seen.text())
		}
		if _, err := terminal.WriteString("that is all"); err != nil { // behind what the screen was sent before
			t.Fatal(err)
		}
		seen.waitFor(t, "that is all")
		if text := seen.text(); !strings.Contains(text, "stdin, where the answer would come from, gave arguments") {
			t.Errorf("%q: %q", line, text)
		}
	}
}
