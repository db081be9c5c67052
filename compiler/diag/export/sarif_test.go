package export

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	published "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// TestSARIFIsValid validates against the published schema, and has the library that carries it read the log: what it keeps of the log must be
// the log.
func TestSARIFIsValid(t *testing.T) {
	schema := publishedSchema(t)
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			data, err := SARIF(r, testTool())
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, schema, string(data)); err != nil {
				t.Errorf("%.2000v", err)
			}
			log, err := published.FromBytes(data)
			if err != nil {
				t.Fatal(err)
			}
			var kept strings.Builder
			if err := log.Write(&kept); err != nil {
				t.Fatal(err)
			}
			within(t, "", mustParse(t, string(data)), mustParse(t, kept.String()))
		})
	}
}

// TestSARIFSchemaRefuses shows that the check above can fail.
func TestSARIFSchemaRefuses(t *testing.T) {
	schema := publishedSchema(t)
	data, err := SARIF(several(), testTool())
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"level": "error"`: `"level": "breaking"`, `"startLine": 1`: `"startLine": 0`, `"version": "2.1.0"`: `"version": "2"`, `"ruleIndex"`: `"ruleindex"`,
		`"uri": "gone`: `"uri": "%gone`, `"executionSuccessful": false,`: ``,
	} {
		if !strings.Contains(string(data), from) {
			t.Fatalf("the log lacks %s", from)
		}
		if validate(t, schema, strings.ReplaceAll(string(data), from, to)) == nil {
			t.Errorf("%s is taken", to)
		}
	}
}

// publishedSchema compiles the schema that stands in the source of the library: its own validation reads a log into types first, and judges what
// these make of it.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[published.Report]().PkgPath()).Output()
	if err != nil {
		t.Fatalf("find the library: %v", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := strconv.Unquote(file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarifSchema, document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(sarifSchema)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, log string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

// within reports what of a is not in b.
func within(t *testing.T, at string, a, b *canon.Node) {
	t.Helper()
	switch {
	case b == nil:
		t.Errorf("%s: unknown to the schema's types", at)
	case a.IsObject():
		for _, m := range a.Members {
			within(t, at+"/"+m.Name, m.Value, b.Get(m.Name))
		}
	case a.IsArray() && len(a.Items) == len(b.Items):
		for i, e := range a.Items {
			within(t, at, e, b.Items[i])
		}
	case !canon.Equal(a.Raw, b.Raw):
		t.Errorf("%s: kept as %.100s", at, b.Raw)
	}
}

func mustParse(t *testing.T, text string) *canon.Node {
	t.Helper()
	node, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return node
}

// TestSARIFForCodeScanning holds every log to what code scanning asks for beyond the schema.
func TestSARIFForCodeScanning(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			run := sarifRunOf(t, r, testTool())
			rules := run.Get("tool").Get("driver").Get("rules").Elements()
			for _, rule := range rules {
				for _, text := range []*canon.Node{rule.Get("shortDescription"), rule.Get("fullDescription"), rule.Get("help")} {
					if line := text.Get("text").Text(); line == "" || strings.Contains(line, "\n") {
						t.Errorf("rule %s: a text is empty or broken: %q", rule.Get("id").Text(), line)
					}
				}
			}
			results := run.Get("results").Elements()
			if len(results) != len(r.Findings) {
				t.Fatalf("%d results of %d findings", len(results), len(r.Findings))
			}
			for i, result := range results {
				checkResult(t, rules, result, r.Findings[i])
			}
		})
	}
}

func checkResult(t *testing.T, rules []*canon.Node, result *canon.Node, f diag.Finding) {
	t.Helper()
	index, ok := result.Get("ruleIndex").Int()
	if !ok || index < 0 || int(index) >= len(rules) || rules[index].Get("id").Text() != result.Get("ruleId").Text() || result.Get("ruleId").Text() != shown(f.Rule) {
		t.Errorf("ruleIndex %d is not that of %.100q", index, result.Get("ruleId").Text())
	}
	if text := result.Get("message").Get("text").Text(); text == "" || strings.Contains(text, "](") {
		t.Errorf("the message is empty or has a link: %.200q", text)
	}
	locations := result.Get("locations").Elements()
	if len(locations) != 1 || len(locations[0].Get("logicalLocations").Elements()) != 1 {
		t.Fatalf("%d locations", len(locations))
	}
	physical := locations[0].Get("physicalLocation")
	uri, err := url.Parse(physical.Get("artifactLocation").Get("uri").Text())
	if err != nil || uri.IsAbs() || uri.Host != "" || strings.HasPrefix(uri.Path, "/") || uri.Path == "" || strings.HasPrefix(uri.Path, "../") || uri.RawQuery != "" || uri.Fragment != "" {
		t.Errorf("URI %v (%v) is not one within the repository", uri, err)
	}
	if line, ok := physical.Get("region").Get("startLine").Int(); !ok || line != 1 {
		t.Errorf("line %d", line)
	}
	prints := result.Get("partialFingerprints")
	if print := prints.Get("primaryLocationLineHash").Text(); print == "" || print != prints.Get("anvil/1").Text() {
		t.Errorf("fingerprints %s", prints.Raw)
	}
}

func sarifRunOf(t *testing.T, r diag.Report, tool Tool) *canon.Node {
	t.Helper()
	data, err := SARIF(r, tool)
	if err != nil {
		t.Fatal(err)
	}
	runs := mustParse(t, string(data)).Get("runs").Elements()
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	return runs[0]
}

func TestSARIFSays(t *testing.T) {
	removed := diag.Finding{Rule: "tool-removed", Class: diag.Risky, Axis: "client:x", Radius: "tool", Refuses: true, Server: "s", Subject: "tool/x", Pointer: "/p", Message: "gone",
		Before: canon.Raw(`[1,2]`), After: canon.Raw(`[1]`), Hint: "Look."}.Sealed()
	run := sarifRunOf(t, diag.NewReport("diff", []diag.Finding{removed}), testTool())
	result := run.Get("results").Elements()[0]
	want := "gone\non client:x (takes down this tool)\n- [1,2]\n+ [1]\n-> Look."
	if diff := cmp.Diff(want, result.Get("message").Get("text").Text()); diff != "" {
		t.Errorf("message (-want +got)\n%s", diff)
	}
	if got := result.Get("level").Text(); got != "warning" {
		t.Errorf("level %s, want that of the finding, not of its rule", got)
	}
	rule := run.Get("tool").Get("driver").Get("rules").Elements()[0]
	if got, want := rule.Get("help").Get("text").Text(), "Calls of it fail. Move callers."; got != want {
		t.Errorf("help %q, want %q", got, want)
	}
	if got := rule.Get("defaultConfiguration").Get("level").Text(); got != "error" {
		t.Errorf("the rule's level is %s", got)
	}
	if string(run.Get("invocations").Elements()[0].Get("executionSuccessful").Raw) != "true" {
		t.Error("the run is called a failure")
	}
}

func TestSARIFTellsOfBrokenServers(t *testing.T) {
	run := sarifRunOf(t, several(), testTool())
	invocation := run.Get("invocations").Elements()[0]
	if string(invocation.Get("executionSuccessful").Raw) != "false" {
		t.Error("a run with an unreachable server is called a success")
	}
	notes := invocation.Get("toolExecutionNotifications").Elements()
	if len(notes) != 1 {
		t.Fatalf("%d notifications, want one", len(notes))
	}
	if got, want := notes[0].Get("message").Get("text").Text(), "gone: unreachable: exited with code 3"; got != want || notes[0].Get("level").Text() != "error" {
		t.Errorf("notification %q, want %q", got, want)
	}
}
