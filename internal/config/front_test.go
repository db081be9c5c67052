package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFront(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		text, tokens string
		want         Front
		problem      string
	}{
		{"facade:\n", "", Front{}, ""},
		{"facade: {tokens: t.yaml, allowHosts: [a.example, b.example], rate: 20}", filepath.Join(dir, "t.yaml"), Front{Hosts: []string{"a.example", "b.example"}, Rate: 20}, ""},
		{"facade: {tokens: '${HOME_OF}/t.yaml'}", "/etc/t.yaml", Front{}, ""},
		{"facade: {issuer: 'https://login.example.com', audience: aud}", "", Front{Issuer: "https://login.example.com", Audience: "aud"}, ""},
		{"facade:\n  tokens: 7", "", Front{}, ":2: facade.tokens must be the path"},
		{"facade:\n  issuer: ''", "", Front{}, ":2: facade.issuer must be the URL"},
		{"facade:\n  audience: []", "", Front{}, ":2: facade.audience must be what"},
		{"facade:\n  allowHosts: a.example", "", Front{}, ":2: facade.allowHosts must be a list"},
		{"facade:\n  rate: 0", "", Front{}, ":2: facade.rate must be how many"},
		{"facade:\n  rate: 9999999999999999999999", "", Front{}, ":2: facade.rate must be how many"},
		{"facade:\n  token: t.yaml", "", Front{}, ":2: unknown key \"token\" in facade; known are allowHosts, audience, audit, issuer,"},
		{"facade:\n  issuer: https://login.example.com\n  tokens: t.yaml", "", Front{}, ":3: facade.tokens and facade.issuer exclude each other"},
	} {
		path := filepath.Join(dir, "anvil.yaml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, func(name string) (string, bool) { return "/etc", name == "HOME_OF" })
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%s: %v, want %s", tt.text, err, tt.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		tokens, err := f.FacadeTokens()
		if diff := cmp.Diff(tt.want, f.Front, cmpopts.IgnoreUnexported(Front{})); diff != "" || tokens != tt.tokens || err != nil {
			t.Errorf("%s: %q, %v (-want +got)\n%s", tt.text, tokens, err, diff)
		}
	}
}
