package surface

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadFiles holds what is read together against what is read alone, and what is wrong with one file against what the other says.
func TestReadFiles(t *testing.T) {
	good := string(frozenV1(t))
	changed := strings.Replace(good, "Asks for a review", "Skips a review", 1)
	var next *McpSurfaceSnapshot
	s, err := Decode([]byte(good))
	if err == nil {
		c := Capture{Era: s.Era, ProtocolVersion: s.ProtocolVersion, Transport: s.Transport, ClientProfile: s.ClientProfile, Initialize: []byte("{}"), Lists: map[Kind][][]byte{}}
		for i, it := range s.Tools() {
			text := string(it.JSON)
			if i == 0 {
				text = strings.Replace(text, `"description":"`, `"description":"Once more: `, 1)
			}
			c.Lists[Tool] = append(c.Lists[Tool], []byte(text))
		}
		next, err = New(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	first, second, bad := path("first", good), path("second", string(encode(t, next))), path("bad", changed)
	together, err := ReadFiles(first, second, first)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range []string{first, second, first} {
		alone, err := ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(encode(t, alone)), string(encode(t, together[i]))); diff != "" {
			t.Errorf("file %d (-alone +together)\n%s", i, diff)
		}
	}
	for _, files := range [][]string{{first, bad}, {bad, first}, {second, first, bad}} {
		if _, err := ReadFiles(files...); !errors.Is(err, ErrDigest) || !strings.Contains(err.Error(), bad) {
			t.Errorf("%v: %v", files, err)
		}
	}
	if _, err := ReadFiles(first, filepath.Join(dir, "absent")); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file that is absent: %v", err)
	}
}
