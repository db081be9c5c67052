package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anvil/compiler/air"
)

// TestErrorsPageIsFresh holds the table of codes against the taxonomy.
func TestErrorsPageIsFresh(t *testing.T) {
	want := "\n| code | what it means | what to do |\n|---|---|---|\n"
	for _, e := range air.Errors {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", e.Code, e.Means, e.Does)
	}
	freshTable(t, "errors.md", "codes", want+"\n")
}

// freshTable holds the part of a page of docs between two marks against what it is to be, or writes it with -update-docs.
func freshTable(t *testing.T, name, mark, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", name)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->\n"
	before, rest, ok := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/%s has no place for the table of %s", name, mark)
	}
	if *updateDocs {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Errorf("the %s in docs/%s are not those there are; run: go test ./internal/cli -run %s -update-docs", mark, name, t.Name())
	}
}
