package adopt

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/internal/corpus"
)

var update = flag.Bool("update", false, "rewrite golden files")

// snapshotOf makes a snapshot of a server with these raw tools.
func snapshotOf(t testing.TB, server string, tools ...string) *surface.McpSurfaceSnapshot {
	t.Helper()
	name, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	c := surface.Capture{Initialize: fmt.Appendf(nil, `{"serverInfo":{"name":%s,"version":"1.0.0"}}`, name), Lists: map[surface.Kind][][]byte{}}
	for _, tool := range tools {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], []byte(tool))
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkDocument holds whatever was lowered: one operation per tool, valid distinct ids, nothing approved, nothing unsafe, and bytes that
// read back.
func checkDocument(t testing.TB, s *surface.McpSurfaceSnapshot, d air.Document) {
	t.Helper()
	if len(d.Operations) != len(s.Tools()) {
		t.Fatalf("%d operations for %d tools", len(d.Operations), len(s.Tools()))
	}
	if !air.ValidServiceID(d.Service.ID) {
		t.Errorf("service id %q is malformed", d.Service.ID)
	}
	seen, names := map[string]bool{}, map[string]int{}
	for _, tool := range s.Tools() {
		names[valid(tool.Name)]++
	}
	for _, o := range d.Operations {
		if seen[o.ID] || o.ID != d.Service.ID+"."+o.CanonicalName || o.CanonicalName == "" || strings.Trim(o.CanonicalName, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Errorf("operation id %q is malformed or given twice", o.ID)
		}
		seen[o.ID] = true
		names[o.MCP.ToolName]--
		checkPosture(t, o)
	}
	for name, n := range names {
		if n != 0 {
			t.Errorf("tool name %q is not kept verbatim", name)
		}
	}
	if found := air.Validate(d); len(found) > 0 {
		t.Errorf("a lowered document does not validate: %+v", found[0])
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := air.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.Encode()
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("the document does not round-trip: %v\n%s", err, cmp.Diff(string(text), string(again)))
	}
	checkYAML(t, text)
}

// checkYAML holds a document in JSON against what its YAML reads back as.
func checkYAML(t testing.TB, text []byte) {
	t.Helper()
	asYAML, err := yaml.FromJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := yaml.ToJSON(asYAML)
	if err != nil {
		t.Fatal(err)
	}
	d, err := air.Decode(back)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.Encode()
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("the document does not round-trip by YAML: %v\n%s", err, cmp.Diff(string(text), string(again)))
	}
}

// checkPosture holds the promises about every operation that nobody approved.
func checkPosture(t testing.TB, o air.Operation) {
	t.Helper()
	unproven := o.Idempotency.Mode == air.IdempotencyNone && o.Retries.Mode == air.RetryNone && o.Confirmation.Required
	if !unproven || o.State == air.StateApproved {
		t.Errorf("operation %q is retried, unconfirmed or approved with nobody's word for it", o.ID)
	}
	if o.Effect.Kind == air.Mutation && (o.Effect.Reversible || o.Effect.Risk.Rank() < air.RiskMedium.Rank() || o.State == air.StateGenerated) {
		t.Errorf("mutation %q is reversible, of %s risk, in state %s", o.ID, o.Effect.Risk, o.State)
	}
	if settled := o.Settled(); !reflect.DeepEqual(o, settled) {
		t.Errorf("operation %q is not what its evidence says (-have +settled):\n%s", o.ID, cmp.Diff(o, settled))
	}
}

func TestBridgeHostileTools(t *testing.T) {
	tests := []struct {
		name   string
		server string
		tools  []string
		ids    []string
		states []air.State
		rules  []string
	}{
		{"null and numbers", "x", []string{`null`, `7`, `"a"`, `[]`},
			[]string{"x.tool_e3b0c442_797427cf", "x.tool_e3b0c442_b018d21d", "x.tool_e3b0c442_e443647f", "x.tool_e3b0c442_f370acc9"},
			[]air.State{air.StateBlocked, air.StateBlocked, air.StateBlocked, air.StateBlocked},
			[]string{"operation-uncallable", "operation-uncallable", "operation-uncallable", "operation-uncallable"}},
		{"nameless", "x", []string{`{}`}, []string{"x.tool_e3b0c442"}, []air.State{air.StateBlocked}, []string{"operation-uncallable"}},
		{"name is a number", "x", []string{`{"name":7}`}, []string{"x.tool_e3b0c442"}, []air.State{air.StateBlocked}, []string{"operation-uncallable"}},
		{"same name, same text", "x", []string{`{"name":"ping"}`, `{"name":"ping"}`}, []string{"x.ping_04b539ee", "x.ping_04b539ee_2"},
			[]air.State{air.StateBlocked, air.StateBlocked}, []string{"operation-name-ambiguous"}},
		{"names that fold to one", "x", []string{`{"name":"getUser"}`, `{"name":"get_user"}`, `{"name":"get.user"}`},
			[]string{"x.get_user", "x.get_user_9c0265de", "x.get_user_e28ebfde"},
			[]air.State{air.StateReviewRequired, air.StateReviewRequired, air.StateReviewRequired},
			[]string{"operation-id-collision", "operation-id-collision", "operation-id-collision"}},
		{"schema with a name twice", "x", []string{`{"name":"ping","inputSchema":{"type":"object","type":"string"}}`}, []string{"x.ping"},
			[]air.State{air.StateBlocked}, []string{"item-ambiguous"}},
		{"name beyond Unicode", "x", []string{`{"name":"ping\ud800"}`}, []string{"x.ping_"}, []air.State{air.StateBlocked}, []string{"operation-uncallable"}},
		{"everything of the wrong type", "x", []string{`{"name":"ping","title":[],"description":{},"inputSchema":[1],"outputSchema":3,"annotations":"yes"}`},
			[]string{"x.ping"}, []air.State{air.StateReviewRequired}, nil},
		{"no tools", "x", nil, nil, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := snapshotOf(t, test.server, test.tools...)
			d := Bridge(s)
			checkDocument(t, s, d)
			var ids []string
			var states []air.State
			for _, o := range d.Operations {
				ids, states = append(ids, o.ID), append(states, o.State)
			}
			for i := range min(len(ids), len(test.ids)) {
				if strings.HasSuffix(test.ids[i], "_") && strings.HasPrefix(ids[i], test.ids[i]) {
					ids[i] = test.ids[i]
				}
			}
			var rules []string
			for _, f := range d.Diagnostics {
				rules = append(rules, f.Rule)
			}
			if diff := cmp.Diff([]any{test.ids, test.states, test.rules}, []any{ids, states, rules}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// An id must not depend on which other tools there are, or approvals would move.
func TestBridgeIdsAreStable(t *testing.T) {
	find := func(d air.Document, tool string) string {
		for _, o := range d.Operations {
			if o.MCP.ToolName == tool {
				return o.ID
			}
		}
		return ""
	}
	alone := Bridge(snapshotOf(t, "s", `{"name":"get_user"}`))
	joined := Bridge(snapshotOf(t, "s", `{"name":"getUser"}`, `{"name":"get_user"}`, `{"name":"GetUser"}`))
	fewer := Bridge(snapshotOf(t, "s", `{"name":"GetUser"}`, `{"name":"get_user"}`))
	if find(alone, "get_user") != find(joined, "get_user") || find(joined, "GetUser") != find(fewer, "GetUser") {
		t.Error("an operation changed its id when another tool came or went")
	}
}

func TestBridgeKeepsTheRest(t *testing.T) {
	c := surface.Capture{
		Initialize: []byte(`{"serverInfo":{"name":"Docs","title":"The docs"},"instructions":"Read first."}`),
		Lists: map[surface.Kind][][]byte{
			surface.Resource:         {[]byte(`{"uri":"file:///a","name":"a","size":9007199254740993,"x-own":[1]}`)},
			surface.ResourceTemplate: {[]byte(`{"uriTemplate":"file:///{p}","name":"p"}`)},
			surface.Prompt:           {[]byte(`{"name":"hello","arguments":[{"name":"who","required":true}]}`), []byte(`{"name":"b","name":"c"}`)},
		},
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d := Bridge(s)
	checkDocument(t, s, d)
	if string(d.Instructions) != `"Read first."` || !strings.Contains(string(d.Resources[0].Item), `"size":9007199254740993,"uri":"file:///a","x-own":[1]`) {
		t.Errorf("instructions %s or resource %s is not kept whole", d.Instructions, d.Resources[0].Item)
	}
	if len(d.ResourceTemplates) != 1 || len(d.Prompts) != 2 || len(d.Capabilities) != 0 || d.Service.Title != "The docs" {
		t.Errorf("templates, prompts or title are lost: %+v", d)
	}
	if len(d.Diagnostics) != 1 || d.Diagnostics[0].Rule != itemAmbiguous.ID {
		t.Errorf("want one item-ambiguous finding, got %+v", d.Diagnostics)
	}
}

func TestBridgeGolden(t *testing.T) {
	s := snapshotOf(t, "Refunds",
		`{"name":"get_refund","title":"Get a refund","description":"Returns one refund.","annotations":{"readOnlyHint":true},
		  "inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"outputSchema":{"type":"object"}}`,
		`{"name":"create_refund","description":"Refunds a payment. This cannot be undone.","inputSchema":{"type":"object"}}`,
		`{"name":"purge_cache","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`)
	d := Bridge(s)
	checkDocument(t, s, d)
	got, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden", "refunds.air.json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The order in which a server lists its tools leaves no trace.
func TestBridgeIgnoresOrder(t *testing.T) {
	tools := []string{`{"name":"a"}`, `{"name":"b"}`, `{"name":"A"}`, `{"name":"a"}`, `null`, `{"name":"delete_it"}`}
	want, err := Bridge(snapshotOf(t, "s", tools...)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		got, err := Bridge(snapshotOf(t, "s", tools...)).Encode()
		if err != nil || string(got) != string(want) {
			t.Fatalf("order %v gives another document: %v", tools, err)
		}
	}
}

// loweredOnce is Bridge of a captured surface.
var loweredOnce = corpus.Memo(Bridge)

func TestBridgeCorpus(t *testing.T) {
	total, tools := map[string]int{}, 0
	corpus.EachOnce(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		d := loweredOnce(s)
		checkDocument(t, s, d)
		checkSurfaceHints(t, s)
		for _, o := range d.Operations {
			total[string(o.Effect.Kind)+" "+string(o.Effect.Risk)]++
			tools++
		}
	})
	t.Logf("%d tools: %v", tools, total)
}

func TestBridgeRules(t *testing.T) {
	for _, rule := range diag.NewCatalog(bridgeRules...) {
		if rule.Title == "" || rule.Doc == "" || rule.Class == "" || rule.Since == "" || hints[rule.ID] == "" {
			t.Errorf("rule %s lacks a title, a text, a class, a version or a hint", rule.ID)
		}
	}
}

func FuzzBridge(f *testing.F) {
	f.Add("srv", []byte(`{"name":"a"}`), []byte(`{"name":"A","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"sql":{}}}}`))
	f.Add("", []byte(`null`), []byte(`[7,{"name":"x","name":"y"}]`))
	f.Add("3scale", []byte(`{"name":"\ud800","description":"Deletes it; cannot be undone."}`), []byte(`{"name":"a","inputSchema":{"$ref":"#/"}}`))
	f.Add("服务", []byte(`{"name":"查询","title":"","description":". . ;;"}`), []byte(`{"name":"","inputSchema":{"properties":{"":{"$ref":"#/properties/"}}}}`))
	f.Fuzz(func(t *testing.T, server string, a, b []byte) {
		c := surface.Capture{Lists: map[surface.Kind][][]byte{}}
		name, err := json.Marshal(server)
		if err != nil {
			return // no capture can hold what is not JSON
		}
		c.Initialize = fmt.Appendf(nil, `{"serverInfo":{"name":%s},"instructions":%s}`, name, a)
		c.Lists[surface.Tool] = [][]byte{a, b, a}
		c.Lists[surface.Resource] = [][]byte{a, b}
		c.Lists[surface.Prompt] = [][]byte{b}
		s, err := surface.New(c)
		if err != nil {
			return // not JSON: no snapshot of it exists
		}
		checkDocument(t, s, Bridge(s))
	})
}
