package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// proposed gathers the aliases that findings propose: by server, tool and rule.
func proposed(findings []diag.Finding) map[string]string {
	by := map[string]string{}
	for _, f := range findings {
		if f.Fix != nil && f.Fix.Alias != "" {
			by[strings.TrimPrefix(f.Server+"/"+f.Tool+" "+f.Rule, "/")] = f.Fix.Alias
		}
	}
	return by
}

// Whichever rule asks, a tool has one alias, and no two tools have the same: not within a server, and not across two.
func TestOneAliasPerTool(t *testing.T) {
	long := strings.Repeat("x", 64)
	listed := `{"tools":[{"name":"fs.read"},{"name":"fs_read"},{"name":"fsRead"},{"name":"` + long + `a"},{"name":"` + long + `b"},{"name":"search"}]}`
	a, b := parsed(t, listed), parsed(t, listed)
	var all []diag.Finding
	for _, s := range []Surface{{Server: "a", Snapshot: a}, {Server: "b", Snapshot: b}} {
		for _, f := range Check(s.Snapshot, Options{Server: s.Server}).Findings {
			all = append(all, f.On(s.Server))
		}
	}
	all = append(all, checkTogether([]Surface{{Server: "a", Snapshot: a}, {Server: "b", Snapshot: b}}, Options{})...)
	by := map[string][]string{}
	rules := map[string]bool{}
	for place, alias := range proposed(all) {
		tool, rule, _ := strings.Cut(place, " ")
		rules[rule] = true
		by[alias] = append(by[alias], tool)
		if _, name, _ := strings.Cut(tool, "/"); alias == name {
			t.Errorf("%s is its own alias", place)
		}
	}
	tools := map[string]bool{}
	for alias, of := range by {
		slices.Sort(of)
		if of = slices.Compact(of); len(of) > 1 || tools[of[0]] {
			t.Errorf("alias %s is of %v", alias, of)
		}
		tools[of[0]] = true
	}
	want := []string{"a/fs.read", "a/fs_read", "a/" + long + "a", "a/" + long + "b", "b/fs.read", "b/fsRead", "b/fs_read", "b/search", "b/" + long + "a", "b/" + long + "b"}
	for _, tool := range want {
		if !tools[tool] {
			t.Errorf("%.20s has no alias", tool)
		}
	}
	for _, rule := range []string{"name-charset", "name-length", "canonical-collision", "truncation-collision", "name-across-servers"} {
		if !rules[rule] {
			t.Errorf("%s proposes no alias", rule)
		}
	}
}

// A client that refuses long names does not cut them; one that cuts is judged by what it makes of them, and those that nobody knows by what most take.
func TestWhoCuts(t *testing.T) {
	head := strings.Repeat("x", 60)
	for _, tt := range []struct {
		name  string
		tools []string
		want  []string
	}{
		{"alike behind 64", []string{head + "1234a", head + "1234b"}, []string{"warning ", "info client:vscode-copilot"}},
		{"alike behind 64 with a prefix", []string{head + "a", head + "b"}, []string{"info client:vscode-copilot"}},
		{"alike once a dot is replaced", []string{"a.b", "a_b"}, []string{"info client:vscode-copilot"}},
		{"as a real server lists them", []string{"agency-hosting_createAgencyPlanWebsiteDatabaseUserV1", "agency-hosting_createAgencyPlanWebsiteDatabaseV1"}, []string{"info client:vscode-copilot"}},
		{"short", []string{head[:40] + "a", head[:40] + "b"}, nil},
	} {
		var tools, got []string
		for _, name := range tt.tools {
			tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
		}
		s := parsed(t, `{"initialize":{"serverInfo":{"name":"hostinger-api-mcp","version":"1"}},"tools":[`+strings.Join(tools, ",")+`]}`)
		for _, f := range only(Check(s, Options{}).Findings, "truncation-collision") {
			got = append(got, string(f.Class)+" "+f.Axis)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// What a client minds and takes all the same is no refusal, whether the client counts or not.
func TestRefuses(t *testing.T) {
	for _, counts := range [][]string{nil, everyClient()} {
		refuses := map[string]bool{}
		s := parsed(t, `{"tools":[`+tool("a.b", plainInput)+`,`+tool(strings.Repeat("x", 60), plainInput)+strings.Repeat(`,`+tool("t", plainInput), 20)+`]}`)
		for _, f := range Check(s, Options{Server: "f", Clients: counts}).Findings {
			if strings.HasPrefix(f.Axis, profiles.ClientAxis) {
				refuses[f.Rule+" "+f.Axis] = f.Refuses
			}
		}
		for place, want := range map[string]bool{
			"name-charset client:bedrock": true, "name-length client:claude-code": false, "name-length client:cursor": true, "tool-budget client:openai-chat": false,
		} {
			if got, found := refuses[place]; !found || got != want {
				t.Errorf("counting %v: %s refuses: %t, found %t", counts, place, got, found)
			}
		}
	}
}

// A budget's proposal fits the budget: near-duplicates go first, then what takes most tokens, then by name.
func TestBudgetProposesASubset(t *testing.T) {
	text := func(name, description string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{}}}`, name, description)
	}
	s := parsed(t, `{"tools":[`+strings.Join([]string{
		text("b", "Reads the first file of a folder."), text("a", "Reads the first file of a folder."), text("c", "Counts the words of a book, and tells how many there are in each of its chapters."),
		text("d", "Paints a house."), text("e", "Sinks a ship."),
	}, ",")+`]}`)
	for limit, want := range map[int]*diag.Fix{
		4: {LeaveOut: []string{"b"}},
		3: {LeaveOut: []string{"b", "c"}},
		2: {Keep: []string{"e", "d"}},
	} {
		f := only(Check(s, Options{MaxTools: limit}).Findings, "tool-budget")
		if len(f) != 1 {
			t.Fatalf("%d findings", len(f))
		}
		if diff := cmp.Diff(want, f[0].Fix); diff != "" {
			t.Errorf("%d of 5 (-want +got)\n%s%s", limit, diff, f[0].Hint)
		}
	}
	many := checkTogether([]Surface{{Server: "b", Snapshot: listing(t, 10, "b%d")}, {Server: "a", Snapshot: listing(t, 32, "a%d")}}, Options{})
	fixes := map[string]*diag.Fix{}
	for _, f := range only(many, "tool-budget") {
		fixes[f.Axis] = f.Fix
	}
	if diff := cmp.Diff(&diag.Fix{LeaveOut: []string{"a: a0", "a: a1"}}, fixes["client:cursor"]); diff != "" {
		t.Errorf("42 of two servers (-want +got)\n%s", diff)
	}
	if fix := fixes["client:openai-chat"]; fix == nil || len(fix.Keep) != 20 || fix.Keep[0] != "b: b9" {
		t.Errorf("20 of two servers: %+v", fix)
	}
}
