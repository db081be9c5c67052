package cli

import (
	"bytes"
	"strings"
	"testing"

	"anvil/compiler/diag"
	"anvil/internal/config"
)

// TestFaultOfOneServer has a fault of anvil's own at one server, and hears of the others.
func TestFaultOfOneServer(t *testing.T) {
	sh := &shell{ctx: t.Context(), out: &resultWriter{w: &bytes.Buffer{}}, err: &bytes.Buffer{}, getenv: func(string) (string, bool) { return "", false }}
	outcomes := sh.sideBySide([]config.Server{{Name: "a"}, {Name: "b"}, {Name: "c"}}, 2, func(_ int, s config.Server) outcome {
		if s.Name == "b" {
			panic("index out of range")
		}
		return outcome{status: diag.Status{Server: s.Name, State: stateInspected}}
	})
	if outcomes[0].status.State != stateInspected || outcomes[2].status.State != stateInspected {
		t.Errorf("the others are %+v and %+v", outcomes[0].status, outcomes[2].status)
	}
	b := outcomes[1].status
	if b.Server != "b" || exitOf(b) != exitFailed || b.State != stateFailed {
		t.Errorf("the one with the fault is %+v", b)
	}
	for _, want := range []string{"fault of anvil", "index out of range", "report it with the server's snapshot"} {
		if !strings.Contains(b.Message, want) {
			t.Errorf("%q does not say %q", b.Message, want)
		}
	}
}
