package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tests := []struct {
		name    string
		content string
		want    error
	}{
		{"empty", "", nil},
		{"at the limit", strings.Repeat("x", 1000), nil},
		{"above it", strings.Repeat("x", 1001), ErrTooLarge},
		{"missing", "", fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if tt.want != fs.ErrNotExist {
				if err := os.WriteFile(path, []byte(tt.content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			plain, plainErr := ReadFile(path, 1000)
			rooted, rootedErr := ReadIn(root, tt.name, 1000)
			if !errors.Is(plainErr, tt.want) || !errors.Is(rootedErr, tt.want) {
				t.Fatalf("got %v and %v, want %v", plainErr, rootedErr, tt.want)
			}
			if tt.want == nil && (string(plain) != tt.content || string(rooted) != tt.content) {
				t.Errorf("got %q and %q", plain, rooted)
			}
		})
	}
}

// What grows while it is read is bounded all the same: the size alone is not believed.
func TestReadIsBoundedWhateverTheSizeSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := readAll(f, 0, path, 4000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}
