//go:build linux

package nowait

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// What a full pipe does not take is left, and the end of the pipe shows once everybody who can write has left.
func TestWriterNeverWaits(t *testing.T) {
	r, f, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f.Fd() // from here on f waits, as a process's own stdout does
	w := Reopen(f)
	large := bytes.Repeat([]byte("x"), 1<<20)
	n := w.Write(large)
	if n == 0 || n == len(large) {
		t.Fatalf("an empty pipe took %d bytes of %d", n, len(large))
	}
	if more := w.Write(large); more != 0 {
		t.Errorf("a full pipe took %d bytes", more)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); len(got) != n || err != nil {
		t.Errorf("read %d bytes of %d, %v", len(got), n, err)
	}
	r.Close()
}

func TestNothingIsWrittenElsewhere(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Reopen(f); w != nil || w.Write([]byte("x")) != 0 || w.Close() != nil {
		t.Error("a file is taken for a pipe")
	}
	r, broken, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if n := To(broken).Write([]byte("x")); n != 0 {
		t.Errorf("a broken pipe took %d bytes", n)
	}
	broken.Close()
}
