package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFacadeState(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) (string, bool) { return "sesame", name == "PW" }
	for _, tt := range []struct{ text, want, problem string }{
		{"facade:\n", "", ""},
		{"facade: {state: st}", filepath.Join(dir, "st"), ""},
		{"facade: {state: /var/lib/anvil}", "/var/lib/anvil", ""},
		{"facade: {state: 'postgres://u:${PW}@db/x'}", "postgres://u:sesame@db/x", ""},
		{"facade:\n  state: '${NONE}'", "", ":2: facade.state needs NONE, which is not set"},
		{"facade:\n  state: 7", "", ":2: facade.state must say where"},
	} {
		path := filepath.Join(dir, "anvil.yaml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, env)
		got := ""
		if err == nil {
			got, err = f.FacadeState()
		}
		if got != tt.want || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: %q, %v; want %q, %q", tt.text, got, err, tt.want, tt.problem)
		}
	}
}
