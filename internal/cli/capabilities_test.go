package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// wordy writes the snapshot of a server with 14 tools of about 1,800 tokens each, all in one capability.
func wordy(t *testing.T, path string) {
	t.Helper()
	c := surface.Capture{
		Era: "handshake", ProtocolVersion: "2025-11-25", Transport: "stdio", ClientProfile: "full",
		Initialize: []byte(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"wordy","version":"1"},"capabilities":{"tools":{}}}`),
		Lists:      map[surface.Kind][][]byte{},
	}
	for i := range 14 {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], fmt.Appendf(nil, `{"name":"get_thing_%c","description":"Reads thing number %d.%s","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
			'a'+rune(i), i, strings.Repeat(" It has a number of parts.", 300)))
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestApprovalsStayWithinTheBudget: nothing more of a capability is approved once it would be too much, unless an acceptance with a reason and a day lets it.
func TestApprovalsStayWithinTheBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("USER", "tester")
	wordy(t, "wordy.snapshot.json")
	if out := mustExit(t, 0, "mcp", "inspect", "wordy.snapshot.json", "--format", "json"); !bytes.Contains(out, []byte(`"capability-token-budget-exceeded"`)) {
		t.Errorf("inspect does not say that it would be too much:\n%s", out)
	}
	mustExit(t, 0, "mcp", "adopt", "wordy.snapshot.json", "--out", "pack")
	_, refused := exits(t, 1, "mcp", "approve", "pack", "--all")
	if !strings.Contains(refused, "nothing was approved") || !strings.Contains(refused, "wordy.all") {
		t.Errorf("refused with %s", refused)
	}
	proposed := regexp.MustCompile(`\{rule: capability-token-budget-exceeded.*\}`).FindString(refused)
	if proposed == "" {
		t.Fatalf("no acceptance is proposed: %s", refused)
	}
	exits(t, 1, "mcp", "adopt", "wordy.snapshot.json", "--out", "other", "--approve", "all")
	if _, err := os.Stat("other"); err == nil {
		t.Error("adopt wrote a pack that it refuses to approve")
	}
	if out, _ := exits(t, 0, "mcp", "approve", "pack", "get_thing_a", "get_thing_b"); !strings.Contains(out, "2 of 14") {
		t.Errorf("two are not approved: %s", out)
	}
	sh := &shell{now: time.Now}
	f := diag.Finding{Rule: "capability-token-budget-exceeded", Pointer: "/x"}
	until := time.Now().AddDate(1, 0, 0)
	waivers := []gate.Acceptance{{Rule: "capability-tool-budget-exceeded", Server: "desk", At: "/x", Until: until}, {Rule: f.Rule, Server: "desk", Until: until}}
	if sh.waived(f, waivers) || !sh.waived(f, append(waivers, gate.Acceptance{Rule: f.Rule, Server: "desk", At: "/x", Until: until})) {
		t.Error("the server of one acceptance is taken for another's")
	}
	if err := os.WriteFile("anvil.yaml", []byte("gate:\n  accept:\n    - "+proposed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := exits(t, 0, "mcp", "approve", "pack", "--all"); !strings.Contains(out, "14 of 14") {
		t.Errorf("the acceptance lets nothing pass: %s", out)
	}
	if out, _ := exits(t, 0, "mcp", "inspect", "pack"); strings.Contains(out, "acceptance-unused") {
		t.Errorf("the acceptance is told to be of no use:\n%s", out)
	}
	mustExit(t, 0, "pack", "verify", "pack")
}

// exits runs a command that must end so, and returns what it wrote.
func exits(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := Main(append([]string{"anvil"}, args...), strings.NewReader(""), &out, &errs); got != code {
		t.Fatalf("%q exits %d, not %d: %s%s", args, got, code, out.String(), errs.String())
	}
	return out.String(), errs.String()
}
