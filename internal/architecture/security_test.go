package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPageNamesTests holds that docs/security.md has a test for each threat, and that each test it names exists where it says.
func TestSecurityPageNamesTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, threats, _ := strings.Cut(string(page), "\n## Threats\n")
	threats, _, _ = strings.Cut(threats, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (.+) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(threats, -1)
	if len(rows) < 20 {
		t.Fatalf("%d threats were found", len(rows))
	}
	functions := map[string]string{} // the source of the tests of a package
	for _, row := range rows[1:] {
		tests := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[3], -1)
		if len(tests) == 0 {
			t.Errorf("no test stands for: %s", row[1])
		}
		for _, test := range tests {
			if strings.HasSuffix(test[1], ".txtar") {
				if _, err := os.Stat(filepath.Join("../cli/testdata/script", test[1])); err != nil {
					t.Errorf("%s: %v", row[1], err)
				}
				continue
			}
			at, name, _ := strings.Cut(test[1], ".")
			if functions[at] == "" {
				functions[at] = testsOf(t, at)
			}
			if !strings.Contains(functions[at], "\nfunc "+name+"(t *testing.T) {") {
				t.Errorf("%s: there is no test %s in %s", row[1], name, at)
			}
		}
	}
}

func testsOf(t *testing.T, at string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(at), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", at, err)
	}
	text := "\n"
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(source)
	}
	return text
}
