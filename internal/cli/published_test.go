package cli

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/pack/emit/skill"
	"anvil/compiler/surface"
	"anvil/internal/packcli"
)

// root is the repository's folder.
const root = "../.."

// literals calls yield with every string literal of the program's sources below a folder, tests left out, and the file that has it.
func literals(t *testing.T, folder string, yield func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					yield(path, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var snakeCase = regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)

// TestErrorCodesAreThoseThatAreSent: the taxonomy, which the skill's page of errors prints, has every code that the facade or a pack's command line
// sends, and no other.
func TestErrorCodesAreThoseThatAreSent(t *testing.T) {
	known := map[string]bool{}
	for _, e := range air.Errors {
		known[string(e.Code)] = true
	}
	sent := map[string]bool{}
	literals(t, "facade", func(file, text string) {
		if snakeCase.MatchString(text) && !slices.Contains([]string{"conventions.go", "jwks.go"}, filepath.Base(file)) { // which have names of OpenTelemetry and of RFC 7517
			t.Errorf("%s names %q; codes of errors are those of air.Errors, taken from there", file, text)
		}
	})
	constants := map[string]string{} // value by name
	file, err := parser.ParseFile(gotoken.NewFileSet(), filepath.Join(root, "compiler/air/errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Err") && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				constants[spec.Names[0].Name], _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	for name, code := range constants {
		for _, folder := range []string{"internal/cli", "internal/packcli", "facade"} {
			files, _ := filepath.Glob(filepath.Join(root, folder, "*.go"))
			for _, path := range files {
				source, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(path, "_test.go") && regexp.MustCompile(`\bair\.`+name+`\b`).Match(source) {
					sent[code] = true
				}
			}
		}
		if !known[code] {
			t.Errorf("air.%s is not in air.Errors", name)
		}
	}
	for code := range known {
		if !sent[code] {
			t.Errorf("nothing sends %q", code)
		}
	}
}

var (
	named = regexp.MustCompile(`\banvil ([a-z]+)(?: ([a-z]+)\b)?`)
	// groups are the words of the design that begin a command: another word behind "anvil" is prose.
	groups = []string{"mcp", "pack", "keys", "rules", "schema", "version", "learn", "policy", "audit", "completion"}
)

// checkCommands finds the commands that a text names and anvil has not.
func checkCommands(t *testing.T, tree []*cli.Command, where, text string) (found int) {
	t.Helper()
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(groups, m[1]) {
			continue
		}
		found++
		i := slices.IndexFunc(tree, func(c *cli.Command) bool { return c.Name == m[1] })
		if i < 0 {
			t.Errorf("%s names `%s`, and there is no such command", where, m[0])
			continue
		}
		sub := tree[i].Subcommands
		if m[2] != "" && len(sub) > 0 && !slices.ContainsFunc(sub, func(c *cli.Command) bool { return c.HasName(m[2]) }) {
			t.Errorf("%s names `%s`, and there is no such command", where, m[0])
		}
	}
	return found
}

// TestCommandsThatAreNamedExist: in the skill, in the help of a pack's command line, in every message and in the pages.
func TestCommandsThatAreNamedExist(t *testing.T) {
	sh := &shell{ctx: t.Context(), out: &resultWriter{w: io.Discard}, err: io.Discard, now: time.Now}
	tree := sh.app().Commands
	found := 0
	for _, folder := range []string{"compiler", "facade", "internal", "wire", "learn"} {
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			continue
		}
		literals(t, folder, func(file, text string) { found += checkCommands(t, tree, file, text) })
	}
	for _, page := range []string{"README.md", "docs/architecture.md", "docs/ci.md", "docs/rules.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		found += checkCommands(t, tree, page, string(text))
	}
	d := refundsApproved(t)
	files, err := skill.Build(d)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		found += checkCommands(t, tree, path, string(text))
	}
	found += checkCommands(t, tree, "the help of a pack's command line", packcli.New(d, packcli.Options{Dir: "pack", Now: approvedAt}).Help(nil))
	if found < 100 {
		t.Errorf("only %d commands are named: the test sees nothing", found)
	}
}

var approvedAt = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// refundsApproved is the document of our own server with all of it approved.
func refundsApproved(t *testing.T) air.Document {
	t.Helper()
	s, err := surface.ReadFile(filepath.Join(root, "testdata/snapshots/refunds.snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	return approvedAll(adopt.Bridge(s))
}

// approvedAll is d with everything approved that can be.
func approvedAll(d air.Document) air.Document {
	var approvals []air.Approval
	for _, o := range d.Operations {
		approvals = append(approvals, air.Approval{Operation: o.ID, By: "ada", At: approvedAt.Format(time.RFC3339), ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	d, _ = d.WithApprovals(approvals, approvedAt)
	return d
}
