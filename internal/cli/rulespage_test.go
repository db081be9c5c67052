package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite docs/rules.md, and add to testdata/rule-ids.txt")

// The page of rules is made from the catalogue, and as fresh as that.
func TestRulesPageIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "rules.md")
	if *updateDocs {
		if err := os.WriteFile(path, rulesPage(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, rulesPage()) {
		t.Error("docs/rules.md is not what the catalogue says; run: go test ./internal/cli -run TestRulesPageIsFresh -update-docs")
	}
}
