package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/compare"
	"anvil/learn/evaluate"
	"anvil/learn/view"
)

// reportKinds are the shapes that a report has, and the commands whose reports have it.
var reportKinds = []struct {
	name, about string
	value       any
	reports     []string
}{
	{"Inspection", "What inspect says of one server.", inspection{}, []string{"inspect"}},
	{"Inspections", "What inspect --all says of all configured servers.", inspections{}, []string{"inspect"}},
	{"SnapshotReport", "What snapshot wrote, or why it wrote nothing.", snapshotReport{}, []string{"snapshot"}},
	{"AdoptReport", "What adopt wrote, or why it wrote nothing.", adoptReport{}, []string{"adopt"}},
	{"PackDiffReport", "How two packs differ: the findings are the differences of their surfaces.", packDiffReport{}, []string{"pack-diff"}},
	{"PolicyReport", "What the rules decide of every operation of a pack.", policyReport{}, []string{"policy"}},
	{"PackShow", "What is in a pack.", shownPack{}, []string{"pack-show"}},
	{"PackExplanation", "What a rebuild regenerates between two packs, and why.", explanation{}, []string{"pack-explain"}},
	{"PackArchive", "What was written of a pack: an archive, or a folder from one.", archiveView{}, []string{"pack-archive", "pack-open"}},
	{"ReviewReport", "What review shows of the operations of a pack: findings about their tools, and everything else a person decides by.", reviewReport{}, []string{"review"}},
	{"CertifyReport", "What certify checked of a pack, and the certification that it wrote.", certifyReport{}, []string{"certify"}},
	{"VerifyReport", "What pack verify found of a pack, and with a trust file of its certificate.", verifyReport{}, []string{"verify"}},
	{"AuditReport", "What audit verify found in an audit log.", auditReport{}, []string{"audit"}},
	{"LearnStats", "What learn stats says of each tool, and of one that is named all that is known.", learnStats{}, []string{"learn-stats"}},
	{"LearnEvaluated", "Which insights came, changed or went.", learnEvaluated{}, []string{"learn-evaluate"}},
	{"LearnImported", "What became of the files that were brought.", learnImported{}, []string{"learn-import"}},
	{"LearnCompared", "How tools behave otherwise than an earlier view says.", learnCompared{}, []string{"learn-compare"}},
	{"LearnDrift", "How each tool's latest hour stands to all calls before it.", learnDrifts{}, []string{"learn-drift"}},
	{"LearnAnomalies", "The calls that took or cost far more than their tool's calls do.", learnAnomalies{}, []string{"learn-anomalies"}},
	{"LearnGraph", "What a session waited for, what failed because of what, and how it may end.", learnGraph{}, []string{"learn-graph"}},
	{"LearnWorkflow", "What the sessions of a workflow were like.", learnWorkflow{}, []string{"learn-workflow"}},
	{"LearnSessions", "The sessions and workflows that are known.", learnSessions{}, []string{"learn-sessions"}},
	{"LearnPruned", "What was forgotten since it was old.", learnPruned{}, []string{"learn-prune"}},
	{"LearnForgotten", "What was forgotten since somebody said so.", learnForgotten{}, []string{"learn-reset"}},
	{"Approvals", "The calls that wait for a person, and the writes whose outcome is unknown.", approvalsReport{}, []string{"approvals"}},
	{"Approval", "What was decided about one of those.", approvalReport{}, []string{"approval"}},
	{"Report", "What diff and check found, and what inspect says of a server that shows no surface.", diag.Report{},
		[]string{"inspect", "diff", "check"}},
}

const (
	aDigest      = "^sha256:[0-9a-f]{64}$"
	aFingerprint = "^[0-9a-f]{16,64}$"
	aDay         = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
	aMonth       = "^[0-9]{4}-[0-9]{2}$"
	aRule        = "^[a-z0-9-]+$"
)

var allClasses = []any{diag.Error, diag.Breaking, diag.Risky, diag.Warning, diag.Safe, diag.Info}

// narrower is what Go's types do not say of a member, by type and member.
var narrower = map[string]map[string]any{
	"Finding.rule": {"pattern": aRule}, "Finding.fingerprint": {"pattern": aFingerprint}, "Finding.confirmed": {"pattern": aMonth},
	"Finding.radius": {"enum": []any{"tool", "server", "client"}}, "Finding.axis": {"pattern": "^(spec|client):"}, "Accepted.until": {"pattern": aDay},
	"Summary.bump": {"enum": []any{"patch", "minor", "major"}}, "Status.bump": {"enum": []any{"patch", "minor", "major"}}, "Summary.counts": {"propertyNames": map[string]any{"enum": allClasses}},
	"SurfaceView.digest": {"pattern": aDigest}, "ToolView.digest": {"pattern": aDigest}, "SnapshotView.digest": {"pattern": aDigest}, "ShownArtifact.digest": {"pattern": aDigest}, "Side.digest": {"pattern": aDigest}, "PackView.digest": {"pattern": aDigest},
	"ReviewReport.pack": {"pattern": aDigest}, "ReviewedOperation.seen": {"pattern": aDigest},
	"CertifiedView.pack": {"pattern": aDigest}, "CertifiedView.policy": {"pattern": aDigest}, "Signer.keyid": {"pattern": "^[0-9a-f]{64}$"},
	"StatsRow.trend": {"enum": []any{evaluate.Regressing, evaluate.Improving, evaluate.Stable}}, "ChangeRow.change": {"enum": []any{"new", "changed", "withdrawn"}},
	"ImportedRow.from":         {"enum": []any{fromJSONL, fromOTLP, fromAdaptiveEvents, fromAdaptive}},
	"VerifyReport.certificate": {"enum": []any{certificateHolds, certificateRefused, certificateUnknown}},
	"SnapshotView.change":      {"enum": []any{"new", "changed", "unchanged"}}, "ClientVerdict.confirmed": {"pattern": aMonth},
}

// words are the values of types that are enumerations.
var words = map[reflect.Type][]any{
	reflect.TypeFor[diag.Class]():   allClasses,
	reflect.TypeFor[diag.Effect]():  {diag.Lapses, diag.Refused, diag.Retold, diag.Changed, diag.Removed},
	reflect.TypeFor[view.Measure](): {view.MeasureFailures, view.MeasureLatency, view.MeasureCost, view.MeasureRetries, view.MeasureApproval, view.MeasureAdvice, view.MeasureContract},
	reflect.TypeFor[pack.Mode]():    {pack.Adopt, pack.Facade, pack.Replace},

	reflect.TypeFor[compare.Impact]():      {compare.Compatible, compare.Additive, compare.Breaking, compare.Sensitive},
	reflect.TypeFor[certify.Level]():       {certify.StaticPassed, certify.Failed, certify.Expired},
	reflect.TypeFor[certify.Outcome]():     {certify.Pass, certify.Fail, certify.NotApplicable, certify.NotRecorded},
	reflect.TypeFor[certify.StepOutcome](): {certify.StepOK, certify.StepFailed, certify.StepSkipped},
}

// TestStatesAreDocumented has the schema of reports name every state that a server can come out in.
func TestStatesAreDocumented(t *testing.T) {
	schema, err := canon.Parse(reportSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	text := schema.Get("$defs").Get("Status").Get("properties").Get("state").Get("description").Text()
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) })
	for state := range stateExits {
		if !slices.Contains(words, state) {
			t.Errorf("%q does not name %s", text, state)
		}
	}
}

// schemaMaker makes the schema of Go types, with what their comments say of them.
type schemaMaker struct {
	t        *testing.T
	defs     map[string]any
	comments map[string]map[string]string // by package, of types and their members
	types    map[string]reflect.Type      // by their names in defs
	narrower map[string]map[string]any    // by type and member
	words    map[reflect.Type][]any
	used     map[string]bool // entries of narrower
}

func newSchemaMaker(t *testing.T, narrower map[string]map[string]any, words map[reflect.Type][]any) *schemaMaker {
	return &schemaMaker{t, map[string]any{}, map[string]map[string]string{}, map[string]reflect.Type{}, narrower, words, map[string]bool{}}
}

// text is a schema as it is published.
func (m *schemaMaker) text(schema map[string]any) []byte {
	m.t.Helper()
	for name := range m.narrower {
		if !m.used[name] {
			m.t.Errorf("%s is narrowed, and is no member", name)
		}
	}
	schema["$schema"], schema["$defs"] = "https://json-schema.org/draft/2020-12/schema", m.defs
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		m.t.Fatal(err)
	}
	return text.Bytes()
}

// reportSchema is the schema of every report.
func reportSchema(t *testing.T) []byte {
	t.Helper()
	m := newSchemaMaker(t, narrower, words)
	var kinds []any
	for _, k := range reportKinds {
		s := m.object(reflect.TypeOf(k.value))
		properties := s["properties"].(map[string]any)
		properties["schemaVersion"], properties["report"] = map[string]any{"const": diag.SchemaVersion}, map[string]any{"enum": k.reports}
		s["description"] = k.about
		m.defs[k.name] = s
		kinds = append(kinds, map[string]any{"$ref": "#/$defs/" + k.name})
	}
	return m.text(map[string]any{"$id": fmt.Sprintf("urn:anvil:report:%d", diag.SchemaVersion), "title": "A report of anvil in JSON", "oneOf": kinds})
}

// object is the schema of a struct: closed, and with every member required that is always written.
func (m *schemaMaker) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, tagged := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			inner := m.object(field.Type)
			maps.Copy(properties, inner["properties"].(map[string]any))
			required = append(required, inner["required"].([]string)...)
			continue
		case !field.IsExported() || name == "-":
			continue
		case name == "" || tagged && options != "omitzero" && options != "omitempty":
			m.t.Fatalf("%s.%s: cannot read the tag %q", t, field.Name, field.Tag)
		}
		s := m.schema(field.Type)
		if text := m.comment(t, field.Name); text != "" {
			s["description"] = text
		}
		key := title(t.Name()) + "." + name
		maps.Copy(s, m.narrower[key])
		m.used[key] = true
		properties[name] = s
		if options == "" {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": slices.Compact(required), "additionalProperties": false}
}

func (m *schemaMaker) schema(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[canon.Raw]() {
		return map[string]any{} // any value: a server's
	}
	if list := m.words[t]; list != nil {
		return map[string]any{"enum": list}
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Pointer:
		return m.schema(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": m.schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": m.schema(t.Elem())}
	case reflect.Struct:
		return m.define(t)
	case reflect.Interface:
		return map[string]any{}
	}
	m.t.Fatalf("no schema for %s", t)
	return nil
}

func (m *schemaMaker) define(t reflect.Type) map[string]any {
	if t.Name() == "" {
		return m.object(t)
	}
	name := title(t.Name())
	if m.types[name] == nil {
		m.types[name] = t
	} else if m.types[name] != t {
		m.t.Fatalf("%s and %s would have one name in the schema", m.types[name], t)
	}
	if _, known := m.defs[name]; !known {
		m.defs[name] = nil // while it is made
		s := m.object(t)
		if text := m.comment(t, ""); text != "" {
			s["description"] = text
		}
		m.defs[name] = s
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func title(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// comment is what the source says of a member of a type, or of the type.
func (m *schemaMaker) comment(t reflect.Type, member string) string {
	folder := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(t.PkgPath(), "anvil/")))
	if t.Name() == "" {
		return ""
	}
	if m.comments[folder] == nil {
		m.comments[folder] = commentsIn(m.t, folder)
	}
	return m.comments[folder][t.Name()+"."+member]
}

func commentsIn(t *testing.T, folder string) map[string]string {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	found := map[string]string{}
	oneLine := func(groups ...*ast.CommentGroup) string {
		for _, g := range groups {
			if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
				return text
			}
		}
		return ""
	}
	for _, name := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != gotoken.TYPE {
				return true
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				found[spec.Name.Name+"."] = oneLine(spec.Doc, decl.Doc)
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							found[spec.Name.Name+"."+name.Name] = oneLine(f.Doc, f.Comment)
						}
					}
				}
			}
			return true
		})
	}
	return found
}

// The schema of reports is made from their types, and as fresh as those.
func TestReportSchemaIsFresh(t *testing.T) { checkFresh(t, "report.schema.json", reportSchema(t)) }

// checkFresh holds a page of docs against what it is made of, and writes it with -update-docs.
func checkFresh(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", name)
	if *updateDocs {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("docs/%s is not what the types say; run: go test ./internal/cli -run %s -update-docs", name, t.Name())
	}
}
