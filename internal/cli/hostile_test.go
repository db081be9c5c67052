package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostileLimit is how long a command may take over schemas that are made to take long: no more than it may wait for a server.
const hostileLimit = time.Minute

// TestSchemasThatTakeLong compares tools whose schemas cost a prover dearly, as processes, from the server to the report. Each has a finding, and
// what is given up is said to be undecided.
func TestSchemasThatTakeLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	schemas := hostileSchemas()
	var accepted []string
	for _, side := range []string{"old", "new"} {
		var tools []string
		for name, schema := range schemas {
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Reads a thing.","inputSchema":%s}`, name, schema(side == "new")))
		}
		write(t, filepath.Join(dir, side+".json"), `{"name":"shop","tools":[`+strings.Join(tools, ",")+`]}`)
		write(t, filepath.Join(dir, side+".yaml"), `mcpServers: {shop: {command: fakeserver, args: [`+side+`.json]}}`)
	}
	for name := range schemas {
		accepted = append(accepted, "--accept", "schema-size/"+name+":2099-01-01:that is the point")
	}
	bin := buildProgram(t, "anvil/cmd/anvil") // the time is that of users, without the race detector
	inTime := func(want int, args ...string) string {
		start := time.Now()
		code, out := run(t, dir, bin, args...)
		took := time.Since(start)
		t.Logf("%v anvil %s", took.Round(time.Millisecond), strings.Join(args[:3], " "))
		if code != want || took > hostileLimit {
			t.Errorf("anvil %v: exit %d, want %d, in %v\n%.3000s", args, code, want, took, out)
		}
		return out
	}
	if out := inTime(exitFindings, "mcp", "snapshot", "shop", "--config", "old.yaml"); !strings.Contains(out, "schema-size") {
		t.Errorf("the gate takes schemas of any size:\n%.2000s", out)
	}
	inTime(exitClean, append([]string{"mcp", "snapshot", "shop", "--config", "old.yaml"}, accepted...)...)
	for _, out := range []string{
		inTime(exitFindings, "mcp", "diff", filepath.Join("testdata", "snapshots", "shop.snapshot.json"), "shop", "--config", "new.yaml"),
		inTime(exitFindings, "mcp", "check", "shop", "--config", "new.yaml"),
	} {
		for name := range schemas {
			if !strings.Contains(out, "tool/"+name+" /inputSchema") {
				t.Errorf("nothing is said of %s:\n%.3000s", name, out)
			}
		}
		if !strings.Contains(out, "is not decided, since ") {
			t.Errorf("10,000 branches were proven, or passed over in silence:\n%.3000s", out)
		}
	}
}

// hostileSchemas are schemas that cost a prover dearly, by the name of their tool: before and after a change.
func hostileSchemas() map[string]func(changed bool) string {
	return map[string]func(changed bool) string{
		"many_words": func(changed bool) string {
			return `{"type":"object","properties":{"a":{"anyOf":[` + branches(changed, `{"const":"v#"}`) + `]}}}`
		},
		"many_objects": func(changed bool) string {
			return `{"type":"object","anyOf":[` + branches(changed, `{"properties":{"k#":{"type":"string","minLength":#}},"required":["k#"]}`) + `]}`
		},
		"recursion": func(changed bool) string { // every definition refers to all others
			var defs []string
			for i := range 60 {
				var members []string
				for j := range 60 {
					members = append(members, fmt.Sprintf(`"m%d":{"$ref":"#/$defs/d%d"}`, j, j))
				}
				defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"n":{"type":"integer","minimum":%d},%s}}`, i, raised(changed && i == 59), strings.Join(members, ",")))
			}
			return `{"type":"object","properties":{"start":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
		},
	}
}

// branches are 10,000 of the form, the last of them gone when changed.
func branches(changed bool, form string) string {
	n := 10_000
	if changed {
		n--
	}
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(form, "#", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

func raised(changed bool) int {
	if changed {
		return 1
	}
	return 0
}
