package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/docs"
)

// keptVariable names the folder where the anvil of a script keeps what it prints as JSON.
const keptVariable = "ANVIL_KEPT_REPORTS"

// kept is one JSON that a command printed.
type kept struct {
	Args []string        `json:"args"`
	JSON json.RawMessage `json:"json"`
}

// keeping runs anvil as a process of its own does. What it prints as JSON is kept for the test that runs the scripts, where that asks for it.
func keeping(args []string) int {
	folder := os.Getenv(keptVariable)
	if folder == "" || !slices.Contains(args, "--format=json") && !strings.Contains(strings.Join(args, " ")+" ", " --format json ") {
		return Main(args, os.Stdin, os.Stdout, os.Stderr)
	}
	var printed bytes.Buffer
	code := Main(args, os.Stdin, io.MultiWriter(os.Stdout, &printed), os.Stderr)
	if printed.Len() == 0 {
		return code // an error, or a file of --out
	}
	text, err := json.Marshal(kept{args, printed.Bytes()})
	file, made := os.CreateTemp(folder, "*.json")
	if err = errors.Join(err, made); err != nil {
		panic(err)
	}
	if _, err = file.Write(text); errors.Join(err, file.Close()) != nil {
		panic(err)
	}
	return code
}

// reportValidator holds reports to the published schema. It loads no other document.
func reportValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return validatorOf(t, docs.ReportSchema, "urn:anvil:report:1")
}

// validatorOf compiles a published schema.
func validatorOf(t *testing.T, text []byte, id string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fault is what the schema has against a report; nil when it takes it.
func fault(t *testing.T, s *jsonschema.Schema, report []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

// checkKept holds every report that the scripts made anvil print to the published schema.
func checkKept(t *testing.T, folder string) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Error(err)
	}
	s := reportValidator(t)
	kinds := map[string]int{}
	for _, name := range names {
		var k kept
		text, err := os.ReadFile(name)
		if err = errors.Join(err, json.Unmarshal(text, &k)); err != nil {
			t.Fatal(err)
		}
		n, err := canon.Parse(k.JSON)
		if err != nil {
			t.Errorf("%q prints what is no JSON: %v", k.Args, err)
			continue
		}
		if n.Get("report") == nil {
			// The result of a tool, what a pack's command line prints, what a client hands its model, and tools-metadata, are no reports.
			if !slices.Contains(k.Args, "call") && !slices.Contains(k.Args, "view") && !slices.Contains(k.Args, "run") && !slices.Contains(k.Args, "--as") {
				t.Errorf("%q prints JSON that is no report", k.Args)
			}
			continue
		}
		kinds[n.Get("report").Text()]++
		if err := fault(t, s, k.JSON); err != nil {
			t.Errorf("%q: %v", k.Args, err)
		}
	}
	if filter := flag.Lookup("test.run").Value.String(); filter != "" && filter != "TestScripts" {
		return // a part of the scripts
	}
	for _, kind := range []string{"inspect", "snapshot", "adopt", "diff", "check", "verify", "certify", "audit", "review", "pack-show", "pack-diff", "pack-explain", "pack-archive",
		"learn-stats", "learn-evaluate", "learn-compare", "learn-drift", "learn-anomalies", "learn-graph", "learn-workflow", "learn-sessions", "learn-import", "learn-prune", "learn-reset"} {
		if kinds[kind] == 0 {
			t.Errorf("no script prints a report of %s as JSON", kind)
		}
	}
}
