package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/internal/config"
)

// What a flag lacks is said in the flag's own words.
func TestHeaderHints(t *testing.T) {
	getenv := func(name string) (string, bool) {
		return map[string]string{"SPACED": "planted token"}[name], name == "SPACED"
	}
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--header", "planted"}, "--header: want a name, a colon and a value in one word: --header 'Name: value'"},
		{[]string{"--header", "X-Key:", "planted"}, "--header: X-Key: there is no value; write --header 'Name: value' in quotes, and see that what the shell puts in is set"},
		{[]string{"--bearer-env="}, "--bearer-env: want the name of a variable that holds the token, not the token: --bearer-env TOKEN"},
		{[]string{"--bearer-env", "NOSUCH"}, "--bearer-env: the variable NOSUCH is not set, or empty; put the token into it, and give its name: --bearer-env TOKEN"},
		{[]string{"--bearer-env", "SPACED"}, "--bearer-env: the variable SPACED is set to text with a space in it, which is no bearer token; give another scheme with --header 'Authorization: ${VAR}'"},
		{[]string{"--header", "Host: planted"}, "--header: the header Host is for anvil to set; leave it out"},
	} {
		var stderr strings.Builder
		sh := &shell{ctx: t.Context(), out: &resultWriter{w: &stderr}, err: &stderr, getenv: getenv, now: time.Now}
		code := sh.run(append([]string{"anvil", "mcp", "inspect", "http://127.0.0.1:1/mcp"}, tt.flags...))
		if diff := cmp.Diff("anvil: "+tt.want+"\n", stderr.String()); diff != "" || code != exitUsage {
			t.Errorf("%q: exit code %d (-want +got)\n%s", tt.flags, code, diff)
		}
	}
}

func TestHeadersAreForURLs(t *testing.T) {
	key, twice := config.Header{Name: "X-Key", Value: "planted", Written: "planted"}, config.Header{Name: "Authorization", Value: "planted", Written: "planted"}
	bearer := config.Header{Name: "Authorization", Value: "Bearer planted", Written: "Bearer ${TOKEN}", Variable: "TOKEN"}
	url := config.Target{Kind: config.KindURL, Server: config.Server{URL: "http://h/"}}
	for _, tt := range []struct {
		name    string
		target  config.Target
		headers []config.Header
		want    string
	}{
		{"one of each", url, []config.Header{bearer, key}, ""},
		{"none", config.Target{Kind: config.KindPack, Path: "pack"}, nil, ""},
		{"a command", config.Target{Kind: config.KindCommand, Server: config.Server{Command: "x"}}, []config.Header{key}, "are for a server reached by URL; one that is started gets its secrets in env of the configuration"},
		{"a snapshot", config.Target{Kind: config.KindSnapshot, Path: "r.json"}, []config.Header{key}, "are for a server reached by URL; r.json is a snapshot"},
		{"a pack", config.Target{Kind: config.KindPack, Path: "pack"}, []config.Header{bearer}, "are for a server reached by URL; pack is a pack"},
		{"both flags", url, []config.Header{bearer, twice}, "both --bearer-env and --header say what Authorization is; give one"},
		{"the same twice", url, []config.Header{key, twice, key}, "--header gives X-Key twice; give it once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := withHeaders(tt.target, tt.headers)
			if tt.want == "" {
				if err != nil || len(got.Server.GivenHeaders()) != len(tt.headers) {
					t.Errorf("given are %d headers, error %v", len(got.Server.GivenHeaders()), err)
				}
				return
			}
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || strings.Contains(err.Error(), "planted") || exitCode(err) != exitUsage {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// On another command line, values stand as variables: those that they are taken from, or one to put them in.
func TestHeaderWords(t *testing.T) {
	s := config.Server{URL: "http://h/"}.WithHeaders([]config.Header{
		{Name: "Authorization", Value: "Bearer planted", Written: "Bearer ${TOKEN}", Variable: "TOKEN"},
		{Name: "Cookie", Value: "a=planted", Written: "a=${TOKEN}"},
		{Name: "X-Key", Value: "planted", Written: "planted"},
	})
	want := []string{"--bearer-env", "TOKEN", "--header", "Cookie: a=${TOKEN}", "--header", "X-Key: ${X_KEY}"}
	if diff := cmp.Diff(want, headerWords(s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, err := portable(s)
	if err == nil || err.Error() != "the value of the header X-Key is written out; set the variable X_KEY to it and write --header 'X-Key: ${X_KEY}'" {
		t.Error(err)
	}
}
