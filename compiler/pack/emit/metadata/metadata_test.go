package metadata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/learn/profile"
	"anvil/learn/view"
)

func built(t *testing.T, tools ...string) view.Document {
	t.Helper()
	c := surface.Capture{Initialize: []byte(`{"serverInfo":{"name":"shop"}}`), Lists: map[surface.Kind][][]byte{}}
	for _, tool := range tools {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], []byte(tool))
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Build(adopt.Bridge(s), profile.Document{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	reads   = `{"name":"get_item","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	deletes = `{"name":"delete_item","inputSchema":{"type":"object"}}`
)

// names are the members of an object in their order.
func names(n *canon.Node) []string {
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	return names
}

// TestLayout holds the members and their order against those of the extension, which come first; anvil's own stand behind.
func TestLayout(t *testing.T) {
	data, err := built(t, reads, deletes).JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"version", "etag", "generated_at", "tools", "snapshot", "canon"}, names(doc)); diff != "" {
		t.Errorf("document (-want +got)\n%s", diff)
	}
	tool := doc.Get("tools").Items[1]
	want := []string{"name", "server", "annotation", "insights", "recommendations", "metrics", "digest", "safety", "state"}
	if diff := cmp.Diff(want, names(tool)); diff != "" {
		t.Errorf("tool (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"risk", "tags", "description", "require_approval"}, names(tool.Get("annotation"))); diff != "" {
		t.Errorf("annotation (-want +got)\n%s", diff)
	}
	if len(doc.Get("etag").Text()) != 40 {
		t.Errorf("etag %s", doc.Get("etag").Raw)
	}
}

func TestYAMLAndJSONAreOneDocument(t *testing.T) {
	d := built(t, reads, deletes)
	asJSON, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := d.YAML()
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := yaml.ToJSON(asYAML)
	if err != nil || !canon.Equal(asJSON, back) {
		t.Errorf("%v\n%s", err, asYAML)
	}
}

func TestEtagFollowsTheToolsAlone(t *testing.T) {
	a, b := built(t, reads, deletes), built(t, deletes, reads)
	if a.Etag != b.Etag {
		t.Error("etag depends on the order of arrival")
	}
	if c := built(t, reads); c.Etag == a.Etag {
		t.Error("etag does not move with the tools")
	}
	if d := built(t, strings.Replace(reads, "Reads.", "Reads one.", 1), deletes); d.Etag == a.Etag {
		t.Error("etag does not move with a description")
	}
}

func TestRiskyToolsAskForApproval(t *testing.T) {
	d := built(t, reads, deletes)
	if got := d.Tools[0].Annotation; got.Risk != "high" || !*got.RequireApproval {
		t.Errorf("delete_item: %+v", got)
	}
	if f := d.Tools[0].Safety.Effect; string(f.Value) != `"mutation"` || len(f.Evidence) == 0 {
		t.Errorf("effect without evidence: %+v", f)
	}
}
