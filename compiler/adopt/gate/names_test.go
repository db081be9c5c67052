package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

func parsed(t testing.TB, text string) *surface.McpSurfaceSnapshot {
	t.Helper()
	node, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return snapshotOf(t, node)
}

// listing is a surface of n tools with the given names: "t%d".
func listing(t testing.TB, n int, name string) *surface.McpSurfaceSnapshot {
	var tools []string
	for i := range n {
		tools = append(tools, `{"name":`+string(canon.Quote(fmt.Sprintf(name, i)))+`,"inputSchema":{"type":"object"}}`)
	}
	return parsed(t, `{"tools":[`+strings.Join(tools, ",")+`]}`)
}

func TestFloating(t *testing.T) {
	for _, tt := range []struct {
		command string // words apart by blanks
		word    string // what is at fault; "" for a line that is pinned, or no launcher
		hint    string
	}{
		{"npx -y @modelcontextprotocol/server-filesystem /srv", "@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-filesystem@1.2.3"},
		{"npx -y server@latest", "server@latest", "server@1.2.3"},
		{"npx server@^1.2.0", "server@^1.2.0", "server@1.2.3"},
		{"npx server@1", "server@1", "server@1.2.3"},
		{"npx server@next", "server@next", "server@1.2.3"},
		{"npx -y server@1.2.3 --root @latest", "", ""},
		{"npx @scope/server@2.0.0-rc.1", "", ""},
		{"npx --package=server@1.2.3 other", "", ""},
		{"npx -p server -y run", "server", "server@1.2.3"},
		{"npx --registry http://127.0.0.1:4873 server@1.2.3", "", ""},
		{"npx ./server", "", ""},
		{"npx owner/server", "owner/server", "commit"},
		{"npx github:owner/server#main", "github:owner/server#main", "commit"},
		{"npx github:owner/server#0123456789abcdef0123456789abcdef01234567", "", ""},
		{"/usr/local/bin/npx server", "server", "server@1.2.3"},
		{`C:\nodejs\npx.cmd -y server`, "server", "server@1.2.3"},
		{"cmd /c npx -y server", "server", "server@1.2.3"},
		{"env DEBUG=1 npx server", "server", "server@1.2.3"},
		{"npm exec -- server@latest", "server@latest", "server@1.2.3"},
		{"npm run start", "", ""},
		{"pnpm dlx server", "server", "server@1.2.3"},
		{"bunx server@1.0.0", "", ""},
		{"bun x server", "server", "server@1.2.3"},
		{"uvx mcp-server-git", "mcp-server-git", "mcp-server-git==1.2.3"},
		{"uvx mcp-server-git@latest", "mcp-server-git@latest", "mcp-server-git==1.2.3"},
		{"uvx mcp-server-git==0.6.2 --repository .", "", ""},
		{"uvx mcp-server-git@0.6.2", "", ""},
		{"uvx mcp-server-git>=0.6", "mcp-server-git>=0.6", "mcp-server-git==1.2.3"},
		{"uvx mcp-server-git==0.6.*", "mcp-server-git==0.6.*", "mcp-server-git==1.2.3"},
		{"uvx --python 3.12 --from mcp-server-git[all]==0.6.2 mcp-server-git", "", ""},
		{"uvx --from git+https://github.com/owner/server server", "git+https://github.com/owner/server", "commit"},
		{"uvx --from git+https://u:s3cret@github.com/owner/server@main server", "git+https://github.com/owner/server@main", "commit"},
		{"uvx --from git+https://github.com/owner/server@0123456789abcdef0123456789abcdef01234567 server", "", ""},
		{"uv tool run server", "server", "server==1.2.3"},
		{"uv run server.py", "", ""},
		{"pipx run --spec server==1.0 server", "", ""},
		{"pipx run server", "server", "server==1.2.3"},
		{"docker run -i --rm mcp/git", "mcp/git", "mcp/git@sha256:"},
		{"docker run -i --rm -e TOKEN -v /a:/b mcp/git:latest", "mcp/git:latest", "mcp/git@sha256:"},
		{"docker run -i mcp/git:3", "mcp/git:3", "mcp/git@sha256:"},
		{"docker run -i mcp/git:1.4.2", "", ""},
		{"docker run -i localhost:5000/git", "localhost:5000/git", "localhost:5000/git@sha256:"},
		{"podman container run --env=A=b ghcr.io/o/s@sha256:" + strings.Repeat("ab", 32), "", ""},
		{"docker compose up", "", ""},
		{"node server.js", "", ""},
		{"npx", "", ""},
		{"uvx --from", "", ""},
		{"", "", ""},
	} {
		fault, hint, _ := floating(strings.Fields(tt.command))
		switch {
		case tt.word == "" && (fault != "" || hint != ""):
			t.Errorf("%s: %s (%s)", tt.command, fault, hint)
		case tt.word != "" && (!strings.Contains(fault, fmt.Sprintf("%q", tt.word)) || !strings.Contains(hint, tt.hint)):
			t.Errorf("%s: fault %q, hint %q; want %q and %q", tt.command, fault, hint, tt.word, tt.hint)
		case strings.Contains(fault+hint, "s3cret"):
			t.Errorf("%s: repeats what may be a secret: %s, %s", tt.command, fault, hint)
		}
	}
}

func TestToolBudget(t *testing.T) {
	for _, tt := range []struct {
		name     string
		tools    int
		options  Options
		refused  bool
		findings []string // axes; "" is the gate's own budget
	}{
		{"at what one API advises", 20, Options{}, false, nil},
		{"above it", 21, Options{}, false, []string{"client:openai-chat", "client:openai-responses"}},
		{"at the default budget", 40, Options{}, false, []string{"client:openai-chat", "client:openai-responses"}},
		{"above it and above a configured one", 41, Options{MaxTools: 40}, true, []string{"", "client:cursor", "client:openai-chat", "client:openai-responses"}},
		{"above a small configured one", 6, Options{MaxTools: 5}, true, []string{""}},
		{"at a large configured one, above the default", 45, Options{MaxTools: 50}, false, []string{"client:cursor", "client:openai-chat", "client:openai-responses"}},
		{"118 with the client's own ten", 118, Options{Clients: []string{"vscode-copilot"}}, false,
			[]string{"", "client:cursor", "client:openai-chat", "client:openai-responses", "client:windsurf"}},
		{"119 with the client's own ten", 119, Options{Clients: []string{"vscode-copilot"}}, true,
			[]string{"", "client:cursor", "client:openai-chat", "client:openai-responses", "client:vscode-copilot", "client:windsurf"}},
	} {
		found, refused := only(Check(listing(t, tt.tools, "t%d"), tt.options).Findings, "tool-budget"), false
		var axes []string
		for _, f := range found {
			axes, refused = append(axes, f.Axis), refused || f.Class == diag.Error
		}
		if diff := cmp.Diff(tt.findings, axes); diff != "" || refused != tt.refused {
			t.Errorf("%s: refused %t (-want +got)\n%s", tt.name, refused, diff)
		}
	}
}

// A limit binds on the side that it names: one more and it is a finding, an error where the client counts.
func TestNameLengthAtEveryLimit(t *testing.T) {
	for _, p := range profiles.All().Clients {
		limit, ok := p.Limit("name-length")
		if !ok {
			continue
		}
		own := len(p.Counted(limit, profiles.Names{Server: "files", Plugin: "kit"}, ""))
		for _, tt := range []struct {
			characters int
			want       diag.Class
		}{{limit.Max, ""}, {limit.Max + 1, diag.Error}} {
			s := listing(t, 1, strings.Repeat("x", tt.characters-own-1)+"%d")
			class := diag.Class("")
			for _, f := range only(Check(s, Options{Server: "files", Plugin: "kit", Clients: []string{p.ID}}).Findings, "name-length") {
				if f.Axis == p.Axis() {
					class = f.Class
				}
			}
			if limit.Best > 0 && tt.want == "" {
				tt.want = diag.Warning
			}
			if class != tt.want {
				t.Errorf("%s: %d characters are %q, want %q", p.Axis(), tt.characters, class, tt.want)
			}
		}
	}
}

func TestNameLengthWithoutAConfiguredName(t *testing.T) {
	s := parsed(t, `{"initialize":{"serverInfo":{"name":"The Very Long Name Of A Server"}},"tools":[{"name":"`+strings.Repeat("x", 40)+`"},{"name":"`+strings.Repeat("y", 60)+`"}]}`)
	var got []string
	for _, f := range only(Check(s, Options{}).Findings, "name-length") {
		got = append(got, fmt.Sprintf("%s %s %s: %s -> %s", f.Class, f.Axis, f.Tool[:min(1, len(f.Tool))], f.Message, f.Hint))
	}
	alias := profiles.Alias("The_Very_Long_Name_Of_A_Server", strings.Repeat("y", 60), 59-len("The_Very_Long_Name_Of_A_Server")-2)
	renamed := ` -> rename it in the server; every client takes "` + alias + `"`
	want := []string{
		`info client:claude-code : configured as "The_Very_Long_Name_Of_A_Server", the server's tools have names of up to 77 characters, "` + strings.Repeat("x", 40) +
			`" as the longest, and 1 of them more than 64 -> configure the server under a name of at most 17 characters`,
		`info client:copilot-cli : configured as "The_Very_Long_Name_Of_A_Server", the server's tools have names of up to 91 characters, "` + strings.Repeat("y", 60) +
			`" as the longest, and 2 of them more than 64 -> configure the server under a name of at most 3 characters`,
		`info client:cursor : configured as "The_Very_Long_Name_Of_A_Server", the server's tools have names of up to 70 characters, "` + strings.Repeat("x", 40) +
			`" as the longest, and 1 of them more than 59 -> configure the server under a name of at most 19 characters`,
		`info client:claude-code y: tool name "` + strings.Repeat("y", 60) + `" comes to 68 characters or more behind the name of a server; ` +
			`no more than 64 are advised: the tool search of the API behind it still ends at 64` + renamed,
		`info client:cursor y: tool name "` + strings.Repeat("y", 60) + `" comes to 61 characters or more behind the name of a server; at most 60 are taken` + renamed,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A server chooses names, texts and schemas, so none may take long: each of these would, compared pair by pair or character by character.
func TestHostileNamesAreBounded(t *testing.T) {
	var tried []time.Duration
	small, large := hostileNames(t, 1), hostileNames(t, 4)
	for linear := false; !linear; { // what is quadratic takes 16 times as long in every attempt
		few, many := namesJudgedIn(t, small), namesJudgedIn(t, large)
		tried = append(tried, few, many)
		if linear = many < 8*few+500*time.Millisecond; !linear && len(tried) > 6 {
			t.Fatalf("one size and four times that by turns: %v", tried)
		}
	}
}

// hostileNames are names as long and tools as many and as alike as size says.
func hostileNames(t *testing.T, size int) *surface.McpSurfaceSnapshot {
	t.Helper()
	var many strings.Builder
	for r := rune(0x4E00); r < rune(0x4E00+5000*size); r++ {
		many.WriteRune(r)
	}
	var properties []string
	for i := range 500 * size {
		properties = append(properties, fmt.Sprintf(`"p%d":{}`, i))
	}
	tools := []string{`{"name":"` + many.String() + `"}`, `{"name":"` + strings.Repeat("Ж", 12_500*size) + `"}`, `{"name":"` + strings.Repeat("x", size<<16) + `"}`}
	for i := range 8 {
		tools = append(tools, fmt.Sprintf(`{"name":"a%d","description":"does something","inputSchema":{"properties":{"q%d":{},%s}}}`, i, i,
			strings.Join(properties[i:len(properties)/8*(i+1)], ",")))
	}
	for i := range 1250 * size {
		tools = append(tools, fmt.Sprintf(`{"name":"b%d","description":"does something","inputSchema":{"properties":{"x%d":{},"y%d":{}}}}`, i, i, i))
	}
	return parsed(t, `{"tools":[`+strings.Join(tools, ",")+`]}`)
}

// namesJudgedIn is how long the rules of names take. None of their messages is long.
func namesJudgedIn(t *testing.T, s *surface.McpSurfaceSnapshot) time.Duration {
	t.Helper()
	counter := NewCounter(s)
	v, start := newSurvey(s, Options{Costs: counter}), time.Now()
	var findings []diag.Finding
	for _, check := range nameChecks {
		findings = append(findings, check(v)...)
	}
	findings = append(findings, checkTogether([]Surface{{Server: "a", Snapshot: s, Costs: counter}, {Server: "b", Snapshot: s, Costs: counter}}, Options{})...)
	took := time.Since(start)
	for _, f := range findings {
		if len(f.Message) > 1000 || len(f.Hint) > 1000 {
			t.Fatalf("a message of %d bytes, a hint of %d: %.300s", len(f.Message), len(f.Hint), f.Message)
		}
	}
	return took
}

func TestTogether(t *testing.T) {
	surfaces := []Surface{{Server: "b", Snapshot: listing(t, 70, "b%d")}, {Server: "a", Snapshot: listing(t, 70, "a%d")}}
	var got []string
	for _, f := range checkTogether(surfaces, Options{Clients: []string{"vscode-copilot"}}) {
		got = append(got, fmt.Sprintf("%s %s %s %s", f.Class, f.Subject, f.Axis, f.Message))
	}
	want := []string{
		"info configuration client:cursor 2 servers list 140 tools; at most 40 are taken",
		"info configuration client:openai-chat 2 servers list 140 tools; at most 128 are taken",
		"info configuration client:openai-responses 2 servers list 140 tools; at most 128 are taken",
		"error configuration client:vscode-copilot 2 servers list 140 tools, with 10 of the client's own 150; at most 128 are taken",
		"info configuration client:windsurf 2 servers list 140 tools; at most 100 are taken",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := checkTogether(surfaces[:1], Options{}); len(got) > 0 {
		t.Errorf("one surface alone: %v", got)
	}
	slices.Reverse(surfaces)
	if diff := cmp.Diff(len(want), len(checkTogether(surfaces, Options{}))); diff != "" {
		t.Error("the order of the servers matters")
	}
	spoof := checkTogether([]Surface{
		{Server: "bank", Snapshot: parsed(t, `{"tools":[{"name":"transfer"}]}`)},
		{Server: "games", Snapshot: parsed(t, `{"tools":[{"name":"trаnsfer"},{"name":"score"}]}`)},
	}, Options{})
	if len(spoof) != 1 || spoof[0].Rule != "confusable-name" || spoof[0].Class != diag.Error || spoof[0].Server != "games" ||
		spoof[0].Message != `tool name "tr\u0430nsfer" looks like "transfer" of server "bank"` {
		t.Errorf("a look-alike on another server: %+v", spoof)
	}
}

// Every finding of these rules on the surfaces of real servers was read, and is one that a person sees in the capture too. A rule that begins
// to say more there says something wrong, or has found something new to be read.
func TestCorpusNames(t *testing.T) {
	near, confusable, charset, costly := []string{}, []string{}, map[string]int{}, []string{}
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		if strings.Contains(name, "/") {
			return
		}
		v, findings := newSurvey(s, Options{}), []diag.Finding{}
		for _, check := range append(nameChecks, checkCanonicalCollision) {
			findings = append(findings, check(v)...)
		}
		diag.Sort(findings)
		for _, f := range findings {
			place := name + " " + f.Tool
			switch f.Rule {
			case "near-duplicate-tools":
				near = append(near, place)
			case "confusable-name", "truncation-collision", "canonical-collision":
				confusable = append(confusable, place)
			case "name-charset":
				charset[name]++
			case "token-budget":
				costly = append(costly, strings.TrimSpace(place))
			}
		}
	})
	if diff := cmp.Diff([]string{"hostinger reach_createNewContactsV1"}, near); diff != "" {
		t.Errorf("near-duplicate-tools (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{}, confusable); diff != "" {
		t.Errorf("confusable names and collisions (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"lark-dot": 19 * 7}, charset); diff != "" { // 19 names with dots, seven clients
		t.Errorf("name-charset (-want +got)\n%s", diff)
	}
	want := []string{"clarity list-session-recordings", "claude-flow", "drawio open_drawio_mermaid", "drawio open_drawio_xml", "figma-console", "gitlab-zereight",
		"grafana", "hostinger", "line-bot broadcast_flex_message", "line-bot push_flex_message", "mongodb", "mongodb aggregate", "mongodb atlas-streams-build",
		"mongodb create-index", "mongodb explain", "mongodb export", "postman", "postman createCollection", "postman createCollectionRequest", "postman patchCollection",
		"postman putCollection", "postman updateCollectionRequest"}
	if diff := cmp.Diff(want, costly); diff != "" {
		t.Errorf("token-budget (-want +got)\n%s", diff)
	}
}
