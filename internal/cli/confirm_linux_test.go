package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"anvil/compiler/air"
)

// asking is a question on a terminal, and what comes of it.
type asking struct {
	t    *testing.T
	seen *screen
	err  chan error
}

func ask(t *testing.T, q question, set ...func(terminal *os.File)) asking {
	t.Helper()
	seen, terminal := openTerminal(t)
	for _, how := range set {
		how(terminal)
	}
	sh := &shell{ctx: t.Context(), in: terminal, out: &resultWriter{w: &screen{}}, err: terminal, getenv: os.LookupEnv}
	a := asking{t, seen, make(chan error, 1)}
	go func() { a.err <- sh.confirmed(q) }()
	return a
}

func (a asking) types(keys string) {
	a.t.Helper()
	if _, err := a.seen.keys.WriteString(keys); err != nil {
		a.t.Fatal(err)
	}
}

// padded has what matters behind a text that fills the screen, as a caller may order it.
func padded(length int) []byte {
	return callParams("pay", fmt.Appendf(nil, `{"note":"%s","to":"\u202eevil","amount":900000}`, strings.Repeat("x", length)))
}

// A person is shown the whole request, what is short first, page by page, and none of it is passed over by a yes that was typed too early.
func TestAPersonIsShownTheWholeRequest(t *testing.T) {
	asks := air.Confirmation{Required: true, HumanApproval: true, Reason: "this may move money"}
	a := ask(t, question{name: "pay", asks: asks, params: padded(15_000)})
	for n := range 7 {
		a.seen.waitFor(t, fmt.Sprintf("-- %d lines more: Enter shows them, anything else calls nothing > ", 134-20*n))
		if strings.Contains(a.seen.text(), "Call it?") {
			t.Fatal("it is asked before all is shown")
		}
		if n == 6 {
			break
		}
		a.types("\n")
	}
	text := a.seen.text()
	amount, to, note := strings.Index(text, `"amount": 900000`), strings.Index(text, `"to": "\u202eevil"`), strings.Index(text, `"note": "xx`)
	if amount < 0 || to < amount || note < to {
		t.Errorf("what is short is not seen first: %q", text[:min(len(text), 600)])
	}
	a.types("\n")
	a.seen.waitFor(t, "pay waits for a person's yes (this may move money). Call it? [y/N] ")
	if got := len(regexp.MustCompile(`x+`).ReplaceAllString(a.seen.text(), "")); len(a.seen.text())-got < 15_000 {
		t.Error("not all of the note is shown")
	}
	a.types("y\n")
	if err := <-a.err; err != nil {
		t.Error(err)
	}
	a = ask(t, question{name: "pay", asks: asks, params: padded(15_000)})
	a.seen.waitFor(t, "lines more")
	a.types("y\n")
	if err := <-a.err; err == nil {
		t.Error("a yes to the first page is taken for one to all of them")
	}
	a = ask(t, question{name: "pay", asks: asks, params: padded(20_000)})
	if err := <-a.err; err == nil || !strings.Contains(err.Error(), "of which a person is shown 20000 at the most; nothing was called; send less at a time") {
		t.Errorf("more than a person reads: %v", err)
	}
}

// Where a flag would do, the question is short, and says how much it leaves out.
func TestAQuestionSaysWhatItLeavesOut(t *testing.T) {
	asks := air.Confirmation{Required: true, Reason: "it changes something"}
	a := ask(t, question{name: "pay", asks: asks, params: padded(15_000)})
	a.seen.waitFor(t, "pay asks for confirmation (it changes something). Call it? [y/N] ")
	text := a.seen.text()
	if !strings.Contains(text, `"amount": 900000`) || !strings.Contains(text, `"to": "\u202eevil"`) || !strings.Contains(text, "(the first 200 of 15008 characters)") {
		t.Errorf("it shows %q", text)
	}
	a.types("n\n")
	if err := <-a.err; err == nil {
		t.Error("no is taken for yes")
	}
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, `,"a%02d":"%s"`, i, strings.Repeat("y", 90))
	}
	a = ask(t, question{name: "pay", asks: asks, params: callParams("pay", []byte("{"+many.String()[1:]+"}"))})
	a.seen.waitFor(t, "Call it?")
	if text := a.seen.text(); !strings.Contains(text, "not shown: 30 arguments more, of 2910 characters") {
		t.Errorf("it shows %q", text)
	}
	a.types("y\n")
	if err := <-a.err; err != nil {
		t.Error(err)
	}
}

// A terminal that hands over keys and not lines gives what was typed ahead to the reader of an earlier question: a yes in it is none.
func TestAYesTypedAheadIsNone(t *testing.T) {
	asks := air.Confirmation{Required: true, HumanApproval: true, Reason: "this may move money"}
	a := ask(t, question{name: "pay", asks: asks, params: padded(2_600)}, func(terminal *os.File) {
		modes, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		modes.Lflag &^= unix.ICANON
		if err := unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, modes); err != nil {
			t.Fatal(err)
		}
	})
	a.seen.waitFor(t, "anything else calls nothing > ")
	a.types("\ny\n")
	a.seen.waitFor(t, "Call it? [y/N] ")
	a.types("n\n")
	if err := <-a.err; err == nil {
		t.Error("a yes that was typed at the page before is taken for an answer")
	}
}
