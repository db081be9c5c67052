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
	want := "\n| variable | type | from | what it is |\n|---|---|---|---|\n"
	for _, v := range policy.Variables {
		want += fmt.Sprintf("| `%s` | %s | %s | %s |\n", v.Name, v.Type, v.Phase, v.Doc)
	}
	freshTable(t, "policy.md", "variables", want+"\n")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "policy.md"))
	if err != nil {
		t.Fatal(err)
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
