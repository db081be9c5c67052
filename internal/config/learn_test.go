package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLearnStore(t *testing.T) {
	env := func(name string) (string, bool) {
		if name == "PW" {
			return "sesame", true
		}
		return "", false
	}
	dir := t.TempDir()
	tests := []struct{ text, want, problem string }{
		{"", "", ""},
		{"learn:\n", "", ""},
		{"learn: {store: learned.db}", filepath.Join(dir, "learned.db"), ""},
		{"learn: {store: 'sqlite:sub/learned.db'}", "sqlite:" + filepath.Join(dir, "sub", "learned.db"), ""},
		{"learn: {store: /var/learned.db}", "/var/learned.db", ""},
		{"learn: {store: 'postgres://u:${PW}@db/x'}", "postgres://u:sesame@db/x", ""},
		{"learn: {store: '${NONE:-a.db}'}", filepath.Join(dir, "a.db"), ""},
		{"learn: {store: '${NONE}'}", "", ":1: learn.store needs NONE, which is not set"},
		{"env: disable\nlearn: {store: '${PW}'}", filepath.Join(dir, "${PW}"), ""},
		{"learn: {store: 7}", "", ":1: learn.store must say where"},
		{"learn: {store: ' '}", "", ":1: learn.store must say where"},
		{"learn: {stores: x}", "", `:1: unknown key "stores" in learn; known is store`},
	}
	for _, tt := range tests {
		path := filepath.Join(dir, "anvil.yaml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, env)
		got := ""
		if err == nil {
			got, err = f.LearnStore()
		}
		if got != tt.want || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: %q, %v; want %q, %q", tt.text, got, err, tt.want, tt.problem)
		}
	}
}
