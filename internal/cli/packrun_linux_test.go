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
	}{
		{"yes", "y\n", run, exitClean},
		{"the whole word", " YES \n", run, exitClean},
		{"no", "n\n", run, exitFindings},
		{"nothing", "\n", run, exitFindings},
		{"something else", "yess\n", run, exitFindings},
		{"the end of the input", "\x04", run, exitFindings},
		{"a flag is no yes", "n\n", append(run, "--confirm"), exitFindings},
		{"by call", "yes\n", call, exitClean},
		{"no by call, whatever the flag", "n\n", append(call, "--confirm"), exitFindings},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen, terminal := openTerminal(t)
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
