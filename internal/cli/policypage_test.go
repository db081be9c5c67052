package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"anvil/facade/policy"
)

// TestPolicyPageIsFresh holds the table of variables against the variables, and each worked rule against the script that tests it.
func TestPolicyPageIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "policy.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- variables -->\n", "<!-- end of variables -->\n"
	before, rest, ok := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("docs/policy.md has no place for the table of variables")
	}
	want := "\n| variable | type | from | what it is |\n|---|---|---|---|\n"
	for _, v := range policy.Variables {
		want += fmt.Sprintf("| `%s` | %s | %s | %s |\n", v.Name, v.Type, v.Phase, v.Doc)
	}
	want += "\n"
	if *updateDocs {
		have = want
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have != want {
		t.Error("the variables in docs/policy.md are not those there are; run: go test ./internal/cli -run TestPolicyPageIsFresh -update-docs")
	}
	script, err := os.ReadFile(filepath.Join("testdata", "script", "policy_worked.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	worked := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(worked) != 5 {
		t.Errorf("docs/policy.md has %d worked rules, want 5", len(worked))
	}
	for _, rule := range worked {
		if !strings.Contains(string(script), " --\n"+rule[1]) {
			t.Errorf("no script tests this rule of docs/policy.md word for word:\n%s", rule[1])
		}
	}
}
