package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func planted(name string) (string, bool) {
	value, ok := map[string]string{"TOKEN": "planted-token", "EMPTY": "", "LINES": "planted\nplanted"}[name]
	return value, ok
}

func TestParseHeader(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Header
		err  string
	}{
		{"x-api-key: abc", Header{Name: "X-Api-Key", Value: "abc", Written: "abc"}, ""},
		{"X-Time:12:30", Header{Name: "X-Time", Value: "12:30", Written: "12:30"}, ""},
		{"X-Key:  ${TOKEN}/${env:TOKEN} ", Header{Name: "X-Key", Value: "planted-token/planted-token", Written: "${TOKEN}/${env:TOKEN}"}, ""},
		{"X-Key: ${EMPTY:-spare}", Header{Name: "X-Key", Value: "spare", Written: "${EMPTY:-spare}"}, ""},
		{"X-Key: $${TOKEN}", Header{Name: "X-Key", Value: "${TOKEN}", Written: "$${TOKEN}"}, ""},
		{"X-Key: ${EMPTY}", Header{}, "EMPTY is not set, or empty"},
		{"X-Key: ${EMPTY:-}", Header{}, "there is no value"},
		{"X-Key: ${LINES}", Header{}, "a line break"},
		{"Über: planted", Header{}, "a header's name is none"},
		{"MCP-session-id: planted", Header{}, "Mcp-Session-Id is for anvil to set"},
	} {
		got, err := ParseHeader(tt.text, planted)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "planted")) {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestBearerHeader(t *testing.T) {
	got, err := BearerHeader("TOKEN", planted)
	want := Header{Name: "Authorization", Value: "Bearer planted-token", Written: "Bearer ${TOKEN}", Variable: "TOKEN"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := BearerHeader("LINES", planted); err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("a line break: %v", err)
	}
}

// headed is a server by URL with headers of the command line.
func headed(t *testing.T, texts ...string) Server {
	t.Helper()
	var headers []Header
	for _, text := range texts {
		h, err := ParseHeader(text, planted)
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
	target, err := Target{Kind: KindURL, Server: Server{URL: "http://h/${mcp}"}}.WithHeaders(headers)
	if err != nil {
		t.Fatal(err)
	}
	return target.Server
}

func TestHeadersByReferenceArePortable(t *testing.T) {
	for text, portable := range map[string]bool{
		"X-Key: ${TOKEN}": true, "Authorization: Token ${TOKEN}": true, "Cookie: a=${TOKEN}; b=${TOKEN}": true, "X-Pair: ${TOKEN}:${TOKEN}": true, "X-Key: ${env:TOKEN}": true,
		"X-Key: abc": false, "X-Key: abc${TOKEN}": false, "X-Key: ${TOKEN}abc": false, "X-Key: ${EMPTY:-abc}": false, "Cookie: a=abc; b=${TOKEN}": false,
		"Cookie: a=${TOKEN}; b=abc": false, "X-Key: $${TOKEN}": false, "Authorization: abc ${TOKEN}": false, "X-Key: Bearer abc": false,
	} {
		s := headed(t, text)
		p, err := s.Portable()
		if (err == nil) != portable {
			t.Errorf("%q: %v", text, err)
		}
		name, written, _ := strings.Cut(text, ": ")
		flag := text
		if !portable {
			flag = name + ": ${" + variableFor(name) + "}"
		} else if p.Headers[name] != written || p.URL != "http://h/$${mcp}" {
			t.Errorf("%q: portable are %q and %s", text, p.Headers, p.URL)
		}
		if diff := cmp.Diff([]string{"--header", flag}, s.HeaderFlags()); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

func TestHeadersOfTheCommandLineAreSecret(t *testing.T) {
	s := headed(t, "X-Team: blue-team", "Authorization: Basic dXNlcjpodW50ZXIy")
	for _, want := range []string{"blue-team", "dXNlcjpodW50ZXIy", "user:hunter2", "hunter2"} {
		if !slices.Contains(s.Secrets(), want) {
			t.Errorf("%q is not among the secrets %q", want, s.Secrets())
		}
	}
	if shown := s.Redacted(); strings.Contains(shown, "blue") || !strings.Contains(shown, "[headers Authorization X-Team]") {
		t.Errorf("shown as %s", shown)
	}
}

// A default is a value that is written out.
func TestPortableLeavesOutDefaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anvil.yaml")
	text := "mcpServers:\n  s:\n    url: http://h/\n    headers: {X-Key: '${K:-planted}', Authorization: 'Bearer ${K:-}', X-Team: '${T:-blue}'}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, planted)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Server("s")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Portable()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"X-Key": "${X_KEY}", "Authorization": "Bearer ${K:-}", "X-Team": "${T:-blue}"}
	if diff := cmp.Diff(want, got.Headers); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if value, ok := s.Lookup("X_KEY"); !ok || value != "planted" {
		t.Errorf("found again: %q, %v", value, ok)
	}
}

func TestProxies(t *testing.T) {
	env := map[string]string{"HTTP_PROXY": "http://joe:hunter2@h:1", "https_proxy": "joe:hunter3@h:1"}
	var secrets []string
	for _, p := range Proxies(func(name string) (string, bool) { v, ok := env[name]; return v, ok }) {
		secrets = append(secrets, p.Secrets()...)
	}
	slices.Sort(secrets)
	for _, want := range []string{"hunter2", "hunter3", "joe:hunter3"} {
		if _, ok := slices.BinarySearch(secrets, want); !ok {
			t.Errorf("%q is not among %q", want, secrets)
		}
	}
	got := Proxies(func(string) (string, bool) { return "", false })
	if diff := cmp.Diff([]Server(nil), got, cmpopts.IgnoreUnexported(Server{})); diff != "" {
		t.Errorf("without proxies (-want +got)\n%s", diff)
	}
}
