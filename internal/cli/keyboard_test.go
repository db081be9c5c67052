package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Where a terminal gives whole lines only, the first letter of a line is the key, and the rest of the line is none.
func TestKeyboardOfWholeLines(t *testing.T) {
	var out bytes.Buffer
	sh := &shell{ctx: t.Context(), in: strings.NewReader("\n a now\non call \nq\n"), out: &resultWriter{w: &out}}
	k, restore := sh.newKeyboard()
	defer restore()
	if !k.lines {
		t.Fatal("text that is no terminal is read a key at a time")
	}
	if key, err := k.key(); key != 'a' || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
	if text, ok, err := k.line("why? "); text != "on call " || !ok || err != nil {
		t.Errorf("line %q, %v, %v", text, ok, err)
	}
	if key, err := k.key(); key != 'q' || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
	if _, err := k.key(); err != errHungUp {
		t.Errorf("at the end: %v", err)
	}
	if out.String() != "why? " {
		t.Errorf("%q was shown, which the terminal shows by itself", out.String())
	}
}
