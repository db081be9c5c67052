package command_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/command"
	"anvil/compiler/surface"
)

func refunds(t *testing.T) air.Document {
	t.Helper()
	s, err := surface.ReadFile("../../../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	return adopt.Bridge(s)
}

func launcherOf(t *testing.T, d air.Document) []byte {
	t.Helper()
	files, err := command.Files(d)
	if err != nil || files[pack.CommandLine(d.Service.ID)] == nil {
		t.Fatalf("no launcher: %v", err)
	}
	return files[pack.CommandLine(d.Service.ID)]
}

func TestLauncher(t *testing.T) {
	d := refunds(t)
	text := launcherOf(t, d)
	if !strings.HasPrefix(string(text), "#!/bin/sh\n") || !strings.Contains(string(text), d.Signature().Digest) {
		t.Errorf("the launcher is no program, or does not state the signature:\n%s", text)
	}
	for i := range d.Operations {
		d.Operations[i].State = air.StateApproved
		for _, word := range []string{d.Operations[i].MCP.ToolName, d.Operations[i].Description} {
			if strings.Contains(string(text), word) {
				t.Errorf("the launcher holds a word of the server's: %q", word)
			}
		}
	}
	if diff := cmp.Diff(string(text), string(launcherOf(t, d))); diff != "" {
		t.Errorf("the launcher depends on approvals (-without +with)\n%s", diff)
	}
	for _, sh := range []string{"sh", "bash"} {
		check := exec.Command(sh, "-n")
		check.Stdin = strings.NewReader(string(text))
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", sh, err, out)
		}
	}
}
