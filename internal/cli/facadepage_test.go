package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/pack"
	"anvil/internal/config"
)

// TestFacadePageIsFresh holds the table of keys against those that are read, and their flags and defaults against the code.
func TestFacadePageIsFresh(t *testing.T) {
	want := "\n| key | flag | default | where it stays | what it says |\n|---|---|---|---|---|\n"
	var flags []string
	for _, k := range config.FacadeKeys {
		where, flag := "configuration", "-"
		if k.Packed {
			where = "pack"
		}
		if k.Flag != "" {
			flag = "`" + k.Flag + "`"
			flags = append(flags, strings.TrimPrefix(k.Flag, "--"))
		}
		want += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", k.Name, flag, k.Default, where, k.About)
	}
	freshTable(t, "facade.md", "keys", want+"\n")
	var have []string
	for _, f := range (&shell{}).serveCommand().Flags {
		if usage := fmt.Sprint(f); strings.Contains(usage, "facade.") {
			have = append(have, f.Names()[0])
		}
	}
	slices.Sort(have)
	slices.Sort(flags)
	if !slices.Equal(have, flags) {
		t.Errorf("serve has the flags %q for keys, and the list has %q", have, flags)
	}
	if d := pack.DefaultOnDrift; d.Safe != pack.Serve || d.Risky != pack.Quarantine || d.Breaking != pack.Quarantine || d.Security != pack.Quarantine {
		t.Errorf("what comes of changes by default is %+v, and docs/facade.md says another", d)
	}
}
