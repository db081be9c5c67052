package affect

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

var now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

func capture(t *testing.T, text []byte) *surface.McpSurfaceSnapshot {
	t.Helper()
	return corpus.SnapshotOf(t, text, "")
}

// packOf is a pack of mode facade with every operation approved that can be.
func packOf(t *testing.T, s *surface.McpSurfaceSnapshot) *pack.Pack {
	t.Helper()
	in := emit.Inputs{Snapshot: s, Mode: pack.Facade, Upstream: &pack.Upstream{Transport: "stdio", Command: "server"}}
	for _, o := range adopt.Bridge(s).Operations {
		in.Approvals = append(in.Approvals, air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	built, err := emit.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	delete(built.Files, pack.ManifestFile)
	return &pack.Pack{Dir: "pack", Manifest: built.Manifest, Files: built.Files}
}

func marked(t *testing.T, p *pack.Pack, old, new *surface.McpSurfaceSnapshot) []diag.Finding {
	t.Helper()
	r, err := Open(p)
	if err != nil {
		t.Fatal(err)
	}
	d := diff.Compare(old, new, diff.Options{})
	findings, err := r.Mark(old, new, d, diff.Judge(d), now)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

func lines(findings []diag.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s%s: %s\n", f.Rule, f.Subject, f.Pointer, cmp.Or(diag.AffectsLine(f.Affects), "nothing"))
	}
	return b.String()
}

func TestMark(t *testing.T) {
	tools := func(list ...string) string {
		return `{"initialize":{"serverInfo":{"name":"shop","version":"1"},"capabilities":{"tools":{}}},"tools":[` + strings.Join(list, ",") + `]}`
	}
	const (
		find  = `{"name":"find","description":"Find goods in the shop.","inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"What."}}},"annotations":{"readOnlyHint":true}}`
		order = `{"name":"order","description":"Order goods from the shop.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`
	)
	change := func(tool, from, to string) string {
		if !strings.Contains(tool, from) {
			t.Fatalf("%s has no %s", tool, from)
		}
		return strings.Replace(tool, from, to, 1)
	}
	tests := []struct {
		name, new string
		want      string
	}{
		{"a schema and a description at once", tools(change(change(find, `"type":"string",`, `"type":"string","maxLength":9,`), "What.", "What to find."), order),
			"in-description-changed tool/find/inputSchema/properties/q/description: approval shop.find (lapses), capability shop.find (removed), cli find (removed), skill shop.find (removed)\n" +
				"in-bound-tightened tool/find/inputSchema/properties/q/maxLength: approval shop.find (lapses), capability shop.find (removed), cli find (removed), facade find (refused), skill shop.find (removed), tools-metadata find (changed)\n"},
		{"a description of an argument", tools(change(find, "What.", "What to find."), order),
			"in-description-changed tool/find/inputSchema/properties/q/description: approval shop.find (lapses), capability shop.find (removed), cli find (removed), facade find (refused), skill shop.find (removed), tools-metadata find (changed)\n"},
		{"a title", tools(change(order, `{"name"`, `{"title":"Order","name"`), find),
			"tool-title-changed tool/order/title: approval shop.order (lapses), capability shop.order (removed), cli order (removed), facade order (served with another text), skill shop.order (removed), tools-metadata order (changed)\n"},
		{"a hint", tools(find, change(order, `"inputSchema"`, `"annotations":{"readOnlyHint":true},"inputSchema"`)),
			"hint-readonly-gained tool/order/annotations/readOnlyHint: approval shop.order (lapses), capability shop.order (removed), cli order (removed), facade order (refused), skill shop.order (removed), tools-metadata order (changed)\n"},
		{"a hint that says the default", tools(find, change(order, `"inputSchema"`, `"annotations":{"readOnlyHint":false},"inputSchema"`)),
			"hint-made-explicit tool/order/annotations/readOnlyHint: tools-metadata order (changed)\n"},
		{"a tool is gone", tools(find),
			"tool-removed-without-deprecation tool/order: approval shop.order (lapses), capability shop.order (removed), cli order (removed), facade order (refused), skill shop.order (removed), tools-metadata order (removed)\n"},
		{"a tool has another name", tools(find, change(order, `"order"`, `"place_order"`)),
			"tool-renamed tool/place_order: approval shop.order (lapses), capability shop.order (removed), cli order (removed), facade order (refused), skill shop.order (removed), tools-metadata order (removed)\n"},
		{"a tool is new", tools(find, order, `{"name":"cancel"}`), "tool-added tool/cancel: nothing\n"},
		{"two of one name", tools(find, order, change(order, "goods", "things")),
			"list-name-duplicated tool/order: approval shop.order (lapses), capability shop.order (removed), cli order (removed), facade order (refused), skill shop.order (removed), tools-metadata order (changed)\n"},
		{"the server has another name", strings.Replace(tools(find, order), `"shop"`, `"store"`, 1),
			"srv-name-changed server/name: approval shop.find, shop.order (lapses), capability shop.find, shop.order (removed), cli find, order (removed), skill shop.find, shop.order (removed), tools-metadata find, order (changed)\n"},
	}
	old := capture(t, []byte(tools(find, order)))
	p := packOf(t, old)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := slices.DeleteFunc(marked(t, p, old, capture(t, []byte(tt.new))), func(f diag.Finding) bool { return f.Rule == "srv-version-same-surface-changed" })
			if d := gocmp.Diff(tt.want, lines(findings)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestEveryRuleIsAttributed goes through the fixtures of all rules of the diff: where the contract or the text of an approved tool is another one, some
// finding says that the approval lapses; where neither is, none does.
func TestEveryRuleIsAttributed(t *testing.T) {
	lapsed, kept := 0, 0
	for _, rule := range diff.Rules {
		for _, other := range []string{"rev.json", "near.json"} {
			dir := filepath.Join("..", "..", "diff", "testdata", "rules", rule.ID)
			old, new := capture(t, read(t, dir, "base.json")), capture(t, read(t, dir, other))
			p := packOf(t, old)
			d, err := p.Document()
			if err != nil {
				t.Fatal(err)
			}
			findings := marked(t, p, old, new)
			for _, o := range d.Approved().Operations {
				lapses := old.ServerName() != new.ServerName() || !slices.ContainsFunc(adopt.Bridge(new).Operations, func(is air.Operation) bool {
					return is.ID == o.ID && is.ContractDigest == o.ContractDigest && is.TextDigest == o.TextDigest && is.State != air.StateBlocked
				})
				told := slices.ContainsFunc(findings, func(f diag.Finding) bool {
					return slices.Contains(f.Affects, diag.Affected{Kind: "approval", Path: "air.yaml", Name: o.ID, Effect: diag.Lapses})
				})
				if lapses != told {
					t.Errorf("%s/%s: the approval of %s lapses %v, is told %v:\n%s", rule.ID, other, o.ID, lapses, told, lines(findings))
				}
				if lapses {
					lapsed++
				} else {
					kept++
				}
			}
			wordsAlone(t, rule.ID+"/"+other, findings)
		}
	}
	if lapsed < 100 || kept < 50 {
		t.Errorf("only %d approvals lapse and %d do not", lapsed, kept)
	}
}

// wordsAlone holds findings that are about neither the contract nor the text to ending no approval, and those about words alone to having the facade
// refuse no tool unless they are more than safe.
func wordsAlone(t *testing.T, name string, findings []diag.Finding) {
	t.Helper()
	words := []string{"tool-description-changed", "tool-description-whitespace", "tool-title-changed", "in-description-changed", "out-description-changed",
		"in-title-changed", "out-title-changed", "in-examples-changed", "tool-icons-changed", "tool-meta-changed"}
	for _, f := range findings {
		ends := slices.ContainsFunc(f.Affects, func(a diag.Affected) bool { return a.Effect == diag.Lapses || a.Effect == diag.Refused })
		refuses := slices.ContainsFunc(f.Affects, func(a diag.Affected) bool { return a.Effect == diag.Refused })
		if f.Rule == "hint-made-explicit" && ends || slices.Contains(words, f.Rule) && f.Class == diag.Safe && !f.Security && refuses {
			t.Errorf("%s: %s at %s is told to end an approval: %s", name, f.Rule, f.Pointer, diag.AffectsLine(f.Affects))
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const (
	twoTools = `{"initialize":{"serverInfo":{"name":"shop","version":"1"}},"tools":[{"name":"find","description":"Find goods in the shop.","inputSchema":{"type":"object"}},
{"name":"place-order","description":"Order goods from the shop.","inputSchema":{"type":"object"}}]}`
	otherFind = `{"initialize":{"serverInfo":{"name":"shop","version":"1"}},"tools":[{"name":"find","description":"Find goods in the shop.","inputSchema":{"type":"object","required":["q"]}},
{"name":"place-order","description":"Order goods from the shop.","inputSchema":{"type":"object"}}]}`
	otherWords = `{"initialize":{"serverInfo":{"name":"shop","version":"1"}},"tools":[{"name":"find","description":"Find all goods in the shop.","inputSchema":{"type":"object"}},
{"name":"place-order","description":"Order goods from the shop.","inputSchema":{"type":"object"}}]}`
)

// TestGeneratedArtifacts finds the entries of a command line and of a skill by what the manifest says of them and by the operations they name, wherever
// they stand.
func TestGeneratedArtifacts(t *testing.T) {
	old := capture(t, []byte(twoTools))
	p := packOf(t, old)
	for path := range p.Files { // those that the build makes are named by what is beside them here
		if strings.HasPrefix(path, "skill/") || strings.HasPrefix(path, "capabilities/") {
			delete(p.Files, path)
		}
	}
	for path, text := range map[string]string{
		"bin/shop.go": `var tools = []string{"find", "place-order"}`, "help/find.md": "Run shop.find to find goods.", "help/order.md": "Run `place-order`; find out more.",
		"help/index.md": "See shop.find and shop.place_order.", "notes.md": "shop.find is what we use.",
	} {
		p.Files[path] = []byte(text)
	}
	nodes := slices.DeleteFunc(slices.Clone(p.Manifest.Nodes), func(n pack.Node) bool { return n.Kind == "skill" || n.Kind == "capability" })
	for _, n := range []struct{ id, kind, from, path string }{
		{"cli", "cli", "air", "bin/shop.go"}, {"find", "skill", "air", "help/find.md"}, {"order", "skill", "air", "help/order.md"},
		{"index", "skill", "find", "help/index.md"}, {"notes", "notes", "base", "notes.md"},
	} {
		nodes = append(nodes, pack.Node{ID: n.id, Kind: n.kind, Inputs: []pack.Input{{Name: n.from}}, Outputs: []string{n.path}})
	}
	var err error
	if p.Manifest, err = pack.Seal(p.Manifest, p.Files, nodes); err != nil {
		t.Fatal(err)
	}
	want := []diag.Affected{
		{Kind: "approval", Path: "air.yaml", Name: "shop.find", Effect: diag.Lapses}, {Kind: "cli", Path: "bin/shop.go", Name: "find", Effect: diag.Removed},
		{Kind: "cli", Path: "cli/commands.json", Name: "find", Effect: diag.Removed},
		{Kind: "facade", Path: "facade.yaml", Name: "find", Effect: diag.Refused}, {Kind: "skill", Path: "help/find.md", Name: "shop.find", Effect: diag.Removed},
		{Kind: "skill", Path: "help/index.md", Name: "shop.find", Effect: diag.Removed},
		{Kind: "tools-metadata", Path: "tools-metadata.json", Name: "find", Effect: diag.Changed}, {Kind: "tools-metadata", Path: "tools-metadata.yaml", Name: "find", Effect: diag.Changed},
	}
	if d := gocmp.Diff(want, affectsOf(t, marked(t, p, old, capture(t, []byte(otherFind))), "tool/find")); d != "" {
		t.Errorf("a contract (-want +got)\n%s", d)
	}
	if d := gocmp.Diff(want, affectsOf(t, marked(t, p, old, capture(t, []byte(otherWords))), "tool/find")); d != "" {
		t.Errorf("a text (-want +got)\n%s", d)
	}
}

// affectsOf is what the one finding about a subject touches; the version that stays touches nothing.
func affectsOf(t *testing.T, findings []diag.Finding, subject string) (affects []diag.Affected) {
	t.Helper()
	found := 0
	for _, f := range findings {
		if f.Subject == subject {
			affects = f.Affects
			found++
		} else if f.Affects != nil {
			t.Errorf("%s of %s touches %s", f.Rule, f.Subject, diag.AffectsLine(f.Affects))
		}
	}
	if found != 1 {
		t.Fatalf("%d findings about %s:\n%s", found, subject, lines(findings))
	}
	return affects
}

// TestWhatWasVoidBefore tells nothing of an approval that did not hold before the difference: it had lapsed, or its day was over.
func TestWhatWasVoidBefore(t *testing.T) {
	p := packOf(t, capture(t, []byte(twoTools)))
	findings := marked(t, p, capture(t, []byte(otherFind)), capture(t, []byte(strings.Replace(otherFind, `["q"]`, `["q","r"]`, 1))))
	for _, a := range affectsOf(t, findings, "tool/find") {
		if a.Kind != "tools-metadata" && a.Kind != "cli" {
			t.Errorf("touches %+v", a)
		}
	}
	r, err := Open(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.approvals {
		r.approvals[i].Expires = "2026-11-30"
	}
	old, new := capture(t, []byte(twoTools)), capture(t, []byte(otherFind))
	d := diff.Compare(old, new, diff.Options{})
	for day, held := range map[int]bool{30: true, 31: false} {
		findings, err := r.Mark(old, new, d, diff.Judge(d), time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(lines(findings), "approval"); told != held {
			t.Errorf("on day %d the approval holds %v, and is told of %v", day, held, told)
		}
	}
}

func TestFits(t *testing.T) {
	r, err := Open(packOf(t, capture(t, []byte(twoTools))))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fits(capture(t, []byte(otherFind))) || r.Fits(capture(t, []byte(strings.Replace(otherFind, `"shop"`, `"shop2"`, 1)))) || r.Service() != "shop" {
		t.Error("a pack fits surfaces of the service it was made of, and no others")
	}
}

func TestMentions(t *testing.T) {
	o := air.Operation{ID: "shop.find", MCP: air.MCP{ToolName: "find"}, CLI: air.CLI{Command: "find-goods"}}
	for text, want := range map[string]bool{
		"shop.find": true, "(shop.find)": true, "shop.find_all": false, "my-shop.find": false, "find the goods": false, `"find"`: true, "`find`": true, `"find'`: false,
		"'find-goods'": true, "find-goods": false, "": false, "shop.findx shop.find": true,
	} {
		if got := mentions([]byte(text), o); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
