//go:build unix

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"anvil/internal/atomicfile"
	"anvil/internal/config"
)

// Nobody waits for a pipe: given as a configuration, as .env beside one, as a target, or as the manifest of a pack.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := errors.Join(unix.Mkfifo(pipe, 0o644), unix.Mkfifo(filepath.Join(dir, "anvil-pack.json"), 0o644), unix.Mkfifo(filepath.Join(dir, ".env"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(pipe, os.LookupEnv); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("Load: %v", err)
	}
	file := load(t, put(t, dir, "mcp.json", `{"mcpServers": {"a": {"command": "x", "args": ["${NOT_SET}"]}}}`), nil)
	if _, err := file.Server("a"); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf(".env: %v", err)
	}
	for _, path := range []string{pipe, dir, filepath.Join(dir, "anvil-pack.json")} {
		if _, err := config.ParseTarget([]string{path}, nil, nil, ""); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("target %s: %v", path, err)
		}
	}
}
