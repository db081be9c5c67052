package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

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
	return Server{URL: "http://h/${mcp}"}.WithHeaders(headers)
}

func TestHeadersByReferenceArePortable(t *testing.T) {
	for text, portable := range map[string]bool{
		"X-Key: ${TOKEN}": true, "Authorization: Token ${TOKEN}": true, "Cookie: a=${TOKEN}; b=${TOKEN}": true, "X-Pair: ${TOKEN}:${TOKEN}": true, "X-Key: ${env:TOKEN}": true,
		"X-Key: abc": false, "X-Key: abc${TOKEN}": false, "X-Key: ${TOKEN}abc": false, "X-Key: ${EMPTY:-abc}": false, "Cookie: a=abc; b=${TOKEN}": false,
		"Cookie: a=${TOKEN}; b=abc": false, "X-Key: $${TOKEN}": false, "Authorization: abc ${TOKEN}": false, "X-Key: Bearer abc": false,
	} {
		s := headed(t, text)
		p, err := s.Portable()
		if portable != (err == nil) || portable == errors.Is(err, ErrWrittenOut) || err != nil && strings.Contains(err.Error(), "abc") {
			t.Errorf("%q: %v", text, err)
		}
		name, want, _ := strings.Cut(text, ": ")
		wantVariable := ""
		if !portable {
			wantVariable = variableFor(name)
			want = "${" + wantVariable + "}"
		} else if p.Headers[name] != want || p.URL != "http://h/$${mcp}" {
			t.Errorf("%q: portable are %q and %s", text, p.Headers, p.URL)
		}
		if written, variable := s.GivenHeaders()[0].Portable(); written != want || variable != wantVariable {
			t.Errorf("%q: portable is %q of the variable %q, want %q of %q", text, written, variable, want, wantVariable)
		}
	}
}

// A configuration may write the name of a header in any case; the one of the command line takes its place.
func TestHeadersOfTheCommandLineComeFirst(t *testing.T) {
	configured := Server{URL: "http://h/", Headers: map[string]string{"x-KEY": "old", "X-Team": "blue"}}
	s := configured.WithHeaders([]Header{{Name: "X-Key", Value: "planted", Written: "${TOKEN}"}})
	if diff := cmp.Diff(map[string]string{"X-Key": "planted", "X-Team": "blue"}, s.Headers); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p, err := s.Portable()
	if diff := cmp.Diff(map[string]string{"X-Key": "${TOKEN}", "X-Team": "blue"}, p.Headers); diff != "" || err != nil {
		t.Errorf("portable: %v (-want +got)\n%s", err, diff)
	}
	if configured.Headers["x-KEY"] != "old" || len(configured.GivenHeaders()) > 0 {
		t.Errorf("the server of the configuration changed: %v", configured)
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
