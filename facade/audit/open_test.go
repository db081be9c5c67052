package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"anvil/internal/atomicfile"
)

func TestWhatIsNoLogIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "README.md")
	os.WriteFile(path, []byte("# Read me\n\nplease\n"), 0o644)
	if _, err := Open(context.Background(), Options{Path: path}); !errors.Is(err, ErrNoLog) {
		t.Errorf("a text: %v", err)
	}
	if _, err := Open(context.Background(), Options{Path: dir}); err == nil {
		t.Error("a folder is opened")
	}
	link := filepath.Join(dir, "link")
	os.Symlink(filepath.Join(dir, "new"), link)
	if _, err := Open(context.Background(), Options{Path: link}); err == nil {
		t.Error("a link is followed")
	}
	if text, _ := os.ReadFile(path); string(text) != "# Read me\n\nplease\n" {
		t.Errorf("it holds %q now", text)
	}
}

func TestOneProcessWritesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, Options{Path: path})
	if _, err := Open(context.Background(), Options{Path: path}); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	l.Close()
	open(t, Options{Path: path}).Close()
}
