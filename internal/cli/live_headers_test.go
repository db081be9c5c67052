package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const token = "planted-token-1"

// locked is a desk that wants a token and a key.
func locked(description string) *desk {
	d := newDesk(description)
	d.admit = func(r *http.Request) bool {
		return r.Header.Get("Authorization") == "Bearer "+token && r.Header.Get("X-Key") == "planted-key"
	}
	return d
}

var (
	tokenEnv = []string{"TOKEN=" + token, "KEY=planted-key"}
	keyFlags = []string{"--bearer-env", "TOKEN", "--header", "x-key: ${KEY}"}
)

func with(words []string, more ...string) []string {
	return append(words[:len(words):len(words)], more...)
}

func TestHeadersOfTheCommandLine(t *testing.T) {
	t.Parallel()
	overEach(t, func(t *testing.T, flag, path string) {
		url := start(t, locked("look at it"), nil).URL + path
		flags := with(keyFlags, flag)
		dir := t.TempDir()
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "inspect", url)...).want(t, 0, "desk 1", "[headers Authorization X-Key]",
			"--bearer-env TOKEN --header 'X-Key: ${KEY}' "+url, "anvil mcp adopt --mode facade --out DIR --transport ")
		for _, format := range []string{"json", "yaml", "markdown"} {
			runAnvil(t, dir, tokenEnv, with(flags, "mcp", "inspect", url, "--format", format, "--out", "r."+format, "--evidence", "e."+format)...).want(t, 0)
		}
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "snapshot", "--name", "desk", url)...).want(t, 0)
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "call", url, "look")...).want(t, 0, "seen")
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "call", url, "nothing")...).want(t, 6, "`anvil mcp inspect --bearer-env TOKEN --header 'X-Key: ${KEY}' "+url+"`")
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "diff", "testdata/snapshots/desk.snapshot.json", url)...).want(t, 0, "no difference")
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "diff", url, "testdata/snapshots/desk.snapshot.json")...).want(t, 0, "no difference")
		runAnvil(t, dir, tokenEnv, with(flags, "mcp", "diff", url, url)...).want(t, 2, "are for one server, and both of these are reached by URL")
	})
}

// What the server repeats of a refused credential is not printed, and the advice says how to give one.
func TestHeadersRefusedByTheServer(t *testing.T) {
	t.Parallel()
	url := start(t, locked(""), nil).URL + "/mcp"
	for _, command := range [][]string{{"inspect", url}, {"call", url, "look"}, {"snapshot", url, "--name", "x"}, {"adopt", url, "--out", "pack"}} {
		line := with([]string{"mcp"}, command...)
		runAnvil(t, t.TempDir(), nil, line...).want(t, 5, "by the name of a variable, --bearer-env TOKEN")
		flags := []string{"--bearer-env", "WRONG", "--header", "X-Key: planted-literal", "--header", "X-Team: planted-team"}
		runAnvil(t, t.TempDir(), []string{"WRONG=planted-wrong"}, with(line, flags...)...).want(t, 5, "X-Team: ***")
		basic := []string{"--header", "Authorization: Basic dXNlcjpwbGFudGVkLXBhc3N3b3Jk"}
		if r := runAnvil(t, t.TempDir(), nil, with(line, basic...)...); r.code != 5 || strings.Contains(r.err, "dXNlcjpwb") {
			t.Errorf("exit code %d\n%s", r.code, r.err)
		}
	}
}

func TestHeadersOfAFacade(t *testing.T) {
	t.Parallel()
	d := locked("look at it")
	url := start(t, d, nil).URL + "/mcp"
	dir := t.TempDir()
	adopt := []string{"mcp", "adopt", "--mode", "facade", "--approve", "all", "--by", "tester", "--reason", "test", "--out", "pack", url}
	runAnvil(t, dir, tokenEnv, with(adopt, keyFlags...)...).want(t, 0)
	facade, err := os.ReadFile(filepath.Join(dir, "pack", "facade.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Authorization: Bearer ${TOKEN}", "X-Key: ${KEY}"} {
		if !strings.Contains(string(facade), want) {
			t.Errorf("%q is not in\n%s", want, facade)
		}
	}
	d.headers()
	runAnvil(t, dir, tokenEnv, "mcp", "call", "pack", "look").want(t, 0, "seen")
	if seen := d.headers(); len(seen) == 0 {
		t.Error("the facade did not ask the server")
	}
	runAnvil(t, dir, nil, "mcp", "call", "pack", "look").want(t, 2, "TOKEN in headers.Authorization", "KEY in headers.X-Key")
	runAnvil(t, dir, []string{"TOKEN=planted\ntoken", "KEY=planted-key"}, "mcp", "call", "pack", "look").want(t, 2, "the value of Authorization holds a line break")
	runAnvil(t, dir, nil, "pack", "verify", "pack").want(t, 0)
}

// A value that is written out could be found again by nobody but in the pack.
func TestHeadersWrittenOut(t *testing.T) {
	t.Parallel()
	d := newDesk("look at it")
	url := start(t, d, nil).URL + "/mcp"
	dir := t.TempDir()
	for _, header := range []string{"X-Team: planted", "X-Key: ${KEY:-planted-default}", "Cookie: a=planted; b=${KEY}", "X-Key: planted-${KEY}", "X-Key: $${planted}"} {
		d.headers()
		name, _, _ := strings.Cut(header, ":")
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		runAnvil(t, dir, tokenEnv, "mcp", "adopt", "--mode", "facade", "--out", "pack", url, "--header", header).want(t, 2,
			"the value of the header "+name+" is written out; set the variable "+variable+" to it and write --header '"+name+": ${"+variable+"}'")
		if seen := d.headers(); len(seen) > 0 {
			t.Errorf("%s: the server was asked", name)
		}
		runAnvil(t, dir, tokenEnv, "mcp", "inspect", url, "--header", header).want(t, 0, "--header '"+name+": ${"+variable+"}' "+url)
		runAnvil(t, dir, tokenEnv, "mcp", "adopt", "--out", "plain", url, "--header", header).want(t, 0)
	}
}

func TestHeadersInTheSurface(t *testing.T) {
	t.Parallel()
	url := start(t, newDesk("whoever says planted-team may look"), nil).URL + "/mcp"
	dir := t.TempDir()
	for _, command := range [][]string{{"inspect", "--format", "json"}, {"snapshot", "--name", "x"}, {"adopt", "--out", "pack"}} {
		line := with([]string{"mcp"}, with(command, url, "--header", "X-Team: planted-team")...)
		runAnvil(t, dir, nil, line...).want(t, 1, "secret-in-surface", "tool/look")
	}
	if files := glob(t, dir); len(files) > 0 {
		t.Errorf("written: %q", files)
	}
}

func TestHeadersOverTheConfiguration(t *testing.T) {
	t.Parallel()
	d := locked("look at it")
	s := start(t, d, nil)
	dir := t.TempDir()
	text := "mcpServers:\n  desk:\n    url: " + s.URL + "/mcp\n    headers: {authorization: Bearer planted-configured, X-KEY: planted-configured, X-Team: blue, Accept: text/plain}\n"
	if err := os.WriteFile(filepath.Join(dir, "anvil.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	runAnvil(t, dir, tokenEnv, "mcp", "inspect", "desk").want(t, 5)
	d.headers()
	runAnvil(t, dir, tokenEnv, with(keyFlags, "mcp", "inspect", "desk")...).want(t, 0, "anvil mcp adopt --mode facade --out DIR --bearer-env TOKEN --header 'X-Key: ${KEY}' desk")
	for _, h := range d.headers() {
		if len(h.Values("Authorization")) != 1 || len(h.Values("X-Key")) != 1 || h.Get("X-Team") != "blue" || h.Get("Accept") == "text/plain" {
			t.Errorf("the server was sent %v", h)
		}
	}
	runAnvil(t, dir, tokenEnv, with(keyFlags, "mcp", "adopt", "--mode", "facade", "--out", "pack", "desk")...).want(t, 0)
	facade, err := os.ReadFile(filepath.Join(dir, "pack", "facade.yaml"))
	if err != nil || strings.Contains(strings.ToLower(string(facade)), "authorization: ${") || !strings.Contains(string(facade), "Authorization: Bearer ${TOKEN}") {
		t.Errorf("%v\n%s", err, facade)
	}
	runAnvil(t, dir, tokenEnv, with(keyFlags, "mcp", "inspect", "--all")...).want(t, 2, "--all inspects several")
}
