package config_test

import (
	"strings"
	"testing"

	"anvil/internal/config"
)

// "hunter2" stands for a secret that nothing but its place gives away.
func TestRedacted(t *testing.T) {
	stdio := func(words ...string) config.Server {
		return config.Server{Transport: config.Stdio, Command: words[0], Args: words[1:]}
	}
	key := "gh" + "p_" + strings.Repeat("aB3d", 9)
	tests := []struct {
		name   string
		server config.Server
		want   string
	}{
		{"plain", stdio("npx", "-y", "@scope/server-filesystem@1.2.3", "/home/user/a b", ""), `npx -y @scope/server-filesystem@1.2.3 "/home/user/a b" ""`},
		{"python", stdio("python", "-u", "server.py", "--port", "8080"), "python -u server.py --port 8080"},
		{"flag=value", stdio("x", "--token=hunter2", "--apiKey=hunter2", "--db_password=hunter2", "-key=hunter2"), "x --token=*** --apiKey=*** --db_password=*** -key=***"},
		{"flag value", stdio("x", "--api-key", "hunter2", "--token", "abc=hunter2", "--secret", "a:hunter2", "-token", "-hunter2"), "x --api-key *** --token *** --secret *** -token ***"},
		{"flag without a value", stdio("x", "--auth", "--port", "1"), "x --auth --port 1"},
		{"last flag", stdio("x", "--token"), "x --token"},
		{"names that only look alike", stdio("x", "--keyboard", "us", "--monkey=1", "--author", "me"), "x --keyboard us --monkey=1 --author me"},
		{"environment of a container", stdio("docker", "run", "-e", "A=hunter2", "-e", "NAME", "--env", "B=hunter2", "--env=C=hunter2", "-eD=hunter2", "image"), "docker run -e A=*** -e NAME --env B=*** --env=*** -e*** image"},
		{"assignment", stdio("env", "A_B=hunter2", "x"), "env A_B=*** x"},
		{"header", stdio("npx", "mcp-remote", "https://h/mcp", "--header", "Authorization: Bearer hunter2", "-H", "hunter2", "--header=X:hunter2"), "npx mcp-remote https://h/mcp --header Authorization: *** -H *** --header=***"},
		{"keys of known shape", stdio("x", key, "sk-proj-hunter2hunter2", "a:"+key, "--x="+key, "eyJhbGciOiJIUzI1NiJ9.e30.hunter2"), "x *** *** *** --x=*** ***"},
		{"uuid and long run", stdio("x", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", strings.Repeat("a1", 16)), "x *** ***"},
		{"padding", stdio("x", "aHVudGVyMg=="), "x ***"},
		{"shell", stdio("sh", "-c", "TOKEN=hunter2 exec server"), "sh -c ***"},
		{"shell with a quoted value", stdio("sh", "-c", "server --password 'hun ter2'"), "sh -c ***"},
		{"shell without secrets", stdio("sh", "-c", "exec server --port 1"), `sh -c "exec server --port 1"`},
		{"address in an argument", stdio("x", "postgres://user:hunter2@h:5432/db?sslmode=hunter2", "--url=https://u:hunter2@h/"), "x postgres://h:5432/db?sslmode=*** --url=https://h/"},
		{"password joined to its flag", stdio("x", "-pHUNTER2", "-phunter2", "-p'hunter2'"), "x -p*** -p*** -p***"},
		{"no password joined to a flag", stdio("x", "-p", "8080", "-p8080:80", "-port", "-projectID", "-p", "-prod-mode", "-p8080/tcp", "--port=8080"),
			"x -p 8080 -p8080:80 -port -projectID -p -prod-mode -p8080/tcp --port=8080"},
		{"user and password", stdio("x", "-u", "admin:hunter2", "--user", "admin:hunter2", "--user=admin:hunter2", "-uadmin:hunter2"),
			"x -u admin:*** --user admin:*** --user=admin:*** -uadmin:***"},
		{"user and group", stdio("x", "-u", "1000:1000", "--user", "node", "--user=1000:1000"), "x -u 1000:1000 --user node --user=1000:1000"},
		{"json", stdio("x", `{"token":"hunter2"}`, `{"a": {"apiKey": ["hunter2"]}}`, `--config={"api_key":"hunter2"}`, "--config", `[{"pwd":"hunter2"}]`, "{token:hunter2}"),
			"x *** *** --config=*** --config *** ***"},
		{"json without secrets", stdio("x", `{"max_tokens":4096,"name":"x"}`, "[1]"), `x {"max_tokens":4096,"name":"x"} [1]`},
		{"name and colon", stdio("x", "api-key:hunter2", "--auth-token:hunter2", "PASSWORD:hunter2"), "x api-key:*** --auth-token:*** PASSWORD:***"},
		{"colons without secrets", stdio("x", "host:8080", "a:b:c", "read:user", "token:read", "/path:/path", "tokens:/run/tokens", "auth_server:app", "auth:1.2.3", "repo:status"),
			"x host:8080 a:b:c read:user token:read /path:/path tokens:/run/tokens auth_server:app auth:1.2.3 repo:status"},
		{"list", stdio("x", "--conn=Server=x;Pwd=hunter2", "Server=x;User Id=y;Password=hunter2;", "jdbc:sqlserver://h;user=a;password=hunter2"), "x --conn=*** *** ***"},
		{"list without secrets", stdio("x", "--conn=Server=x;Port=1", "a;b"), "x --conn=Server=x;Port=1 a;b"},
		{"creds", stdio("x", "--creds", "hunter2", "--cred=hunter2", "--credits", "5"), "x --creds *** --cred=*** --credits 5"},
		{"control characters", stdio("x", "a\nb\x1b[0m"), `x "a\nb\x1b[0m"`},
		{"environment and headers", config.Server{Command: "x", Env: map[string]string{"B": "hunter2", "A": "hunter2"}}, "x [env A B]"},
		{"url", config.Server{URL: "https://user:hunter2@h:8/mcp?key=hunter2&b=hunter2&hunter2#hunter2", Transport: config.SSE, Headers: map[string]string{"Authorization": "hunter2"}}, "https://h:8/mcp?key=***&b=***&*** (sse) [headers Authorization]"},
		{"secret in a path", config.Server{URL: "https://h/s/" + key + "/mcp"}, "https://h/s/***/mcp"},
		{"password with a slash", config.Server{URL: "https://user:hun/ter2@h/"}, "(unreadable-url)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.server.Redacted()
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\n\x1b") {
				t.Errorf("a secret, or a second line, in %q", got)
			}
		})
	}
}

func TestRedactedShowsNamesOfVariables(t *testing.T) {
	file := load(t, put(t, t.TempDir(), "mcp.json", `{"servers": {
		"a": {"command": "x", "args": ["${WHERE}", "--token", "${T}", "${W:-hunter2}", "plain"], "env": {"E": "${T}"}},
		"b": {"type": "http", "url": "${SCHEME:-https}://${T}@h/${W:-hunter2}?k=${T}", "headers": {"H": "${T}"}}}}`), map[string]string{"WHERE": "hunter2", "T": "hunter2"})
	for name, want := range map[string]string{
		"a": "x ${WHERE} --token *** ${W} plain [env E]",
		"b": "${SCHEME}://h/${W}?k=*** (http) [headers H]",
	} {
		server, err := file.Server(name)
		if err != nil || server.Redacted() != want {
			t.Errorf("%s is shown as %s, error %v; want %s", name, server.Redacted(), err, want)
		}
	}
}
