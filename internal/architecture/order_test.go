package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// order is the import order: a package imports only packages of rows above its own (DESIGN.md section 3; docs/architecture.md). A new
// package adds its line.
var order = [][]string{
	{"internal/atomicfile", "internal/lazy", "internal/near", "internal/nowait", "internal/workers", "docs"},
	{"compiler/canon", "compiler/ecma"},
	{"internal/sqldb"},
	{"internal/launch"},
	{"compiler/yaml"},
	{"compiler/diag"},
	{"compiler/diag/export", "compiler/tokens", "compiler/profiles", "compiler/lookalike"},
	{"compiler/wording"},
	{"compiler/schema"},
	{"compiler/schema/subtype"},
	{"wire"},
	{"compiler/surface"},
	{"learn/sketch", "learn/stat"},
	{"learn"},
	{"learn/evaluate", "learn/workflow", "learn/exchange", "learn/sqlstore"},
	{"learn/profile"},
	{"learn/advise", "learn/view"},
	{"learn/conclude", "learn/summary", "learn/invoke"},
	{"compiler/air", "compiler/clientview"},
	{"compiler/adopt/gate", "compiler/adopt/probe", "compiler/adopt/grouping"},
	{"compiler/adopt"},
	{"compiler/diff"},
	{"compiler/pack", "compiler/pack/commands"},
	{"compiler/pack/emit/metadata", "compiler/pack/emit/capability", "compiler/pack/emit/command", "compiler/pack/emit/skill"},
	{"compiler/pack/emit", "compiler/pack/affect", "compiler/pack/compare"},
	{"facade/state", "facade/policy", "facade/audit", "facade/telemetry", "facade/access"},
	{"facade"},
	{"compiler/certify"},
	{"internal/config", "internal/packcli"},
	{"internal/cli"},
	{"cmd/anvil"},
	// Beside the pipeline: nothing above imports these.
	{"internal/corpus", "internal/architecture", "internal/conformance", "internal/trapserver", "internal/e2e", "examples/refunds", "examples/learning",
		"learn/storetest", "internal/postgres"},
}

// servingPath must not reach the build path, not even through others.
var servingPath, buildPath = []string{"wire", "compiler/air", "facade"}, []string{"compiler/adopt", "compiler/pack/emit", "compiler/certify"}

// alone names the modules that one package uses and hides from the others.
var alone = map[string]string{
	"github.com/dlclark/regexp2":               "compiler/ecma",
	"github.com/go-json-experiment/json":       "compiler/canon",
	"gopkg.in/yaml.v3":                         "compiler/yaml",
	"github.com/tiktoken-go/tokenizer":         "compiler/tokens",
	"github.com/jstemmer/go-junit-report/v2":   "compiler/diag/export",
	"github.com/mtibben/confusables":           "compiler/lookalike",
	"golang.org/x/text":                        "compiler/lookalike",
	"github.com/santhosh-tekuri/jsonschema/v6": "compiler/schema",
	"github.com/schollz/progressbar/v3":        "internal/cli",
	"github.com/DataDog/sketches-go":           "learn/sketch",
	"github.com/jackc/pgx/v5":                  "internal/sqldb",
	"golang.org/x/oauth2":                      "learn/invoke",
	"modernc.org/sqlite":                       "internal/sqldb",

	"cel.dev/cel-go":               "facade/policy",
	"github.com/golang-jwt/jwt/v5": "facade/access",
	"golang.org/x/time":            "facade/access",

	"github.com/secure-systems-lab/go-securesystemslib": "compiler/certify",
	"github.com/urfave/cli/v2":                          "internal/cli",
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func load(t *testing.T) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "anvil/...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]goPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, "anvil/")] = p
	}
	return packages
}

func rows() map[string]int {
	row := map[string]int{}
	for i, names := range order {
		for _, name := range names {
			row[name] = i
		}
	}
	return row
}

func TestImportOrder(t *testing.T) {
	packages, row := load(t), rows()
	for name, p := range packages {
		at, known := row[name]
		if !known {
			t.Errorf("package %s has no line in the import order; add one", name)
			continue
		}
		for _, imported := range p.Imports {
			below, ours := strings.CutPrefix(imported, "anvil/")
			if ours && row[below] >= at {
				t.Errorf("%s imports %s, which does not stand above it", name, below)
			}
		}
	}
	for name := range row {
		if _, exists := packages[name]; !exists {
			t.Errorf("the import order has a line for %s, which does not exist", name)
		}
	}
}

func TestServingPathNeverReachesTheBuildPath(t *testing.T) {
	packages := load(t)
	for _, name := range servingPath {
		p, ok := packages[name]
		if !ok {
			t.Errorf("no package %s", name)
		}
		for _, dep := range p.Deps {
			dep, ours := strings.CutPrefix(dep, "anvil/")
			for _, forbidden := range buildPath {
				if ours && (dep == forbidden || strings.HasPrefix(dep, forbidden+"/")) {
					t.Errorf("%s reaches %s", name, dep)
				}
			}
		}
	}
}

func TestModulesUsedInOnePlace(t *testing.T) {
	for name, p := range load(t) {
		for module, home := range alone {
			uses := slices.ContainsFunc(p.Imports, func(i string) bool { return i == module || strings.HasPrefix(i, module+"/") })
			if uses && name != home {
				t.Errorf("%s imports %s, which only %s may", name, module, home)
			}
		}
	}
}

// TestArchitecturePageNamesEveryRoom keeps docs/architecture.md as fresh as the table above.
func TestArchitecturePageNamesEveryRoom(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range order {
		for _, name := range names {
			room := path.Base(name)
			if !regexp.MustCompile("`[^`\n]*\\b"+regexp.QuoteMeta(room)+"\\b[^`\n]*`").Match(page) && !strings.Contains(string(page), "/"+room) {
				t.Errorf("docs/architecture.md does not name %s", name)
			}
		}
	}
}
