package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/internal/atomicfile"
)

// listing returns the snapshot of a server with the given tools.
func listing(t *testing.T, tools ...string) *McpSurfaceSnapshot {
	t.Helper()
	c := Capture{Initialize: []byte(`{"capabilities":{"tools":{}}}`), Lists: map[Kind][][]byte{}}
	for _, name := range tools {
		c.Lists[Tool] = append(c.Lists[Tool], fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, name))
	}
	return snapshot(t, c)
}

// known lists the tools that s shows or remembers.
func known(s *McpSurfaceSnapshot) map[string]bool {
	all := map[string]bool{}
	for _, it := range s.Tools() {
		all[it.Name] = true
	}
	for _, tomb := range s.Tombstones {
		all[tomb.Name] = true
	}
	return all
}

func checkOnlySnapshots(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), FileSuffix) {
			t.Errorf("%s was left in the folder", e.Name())
		}
	}
}

// TestReplace takes a base, lets something happen to the file, and replaces it. What is not written leaves the file as it was.
func TestReplace(t *testing.T) {
	base, next := listing(t, "a", "b"), listing(t, "b", "c")
	save := func(s *McpSurfaceSnapshot) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, encode(t, s), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Replace(encode(t, base), []byte(from), []byte(to), 1), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(t *testing.T, path string) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name      string
		base      *McpSurfaceSnapshot
		meanwhile func(t *testing.T, path string)
		want      error
		says      string
	}{
		{"nothing", base, func(*testing.T, string) {}, nil, ""},
		{"laid out anew", base, edit("  \"schemaVersion\"", "\"schemaVersion\""), nil, ""},
		{"somebody wrote the same", base, save(next.WithHistory(base)), nil, ""},
		{"somebody accepted another", base, save(listing(t, "a", "x")), ErrChanged, "it holds sha256:"},
		{"somebody removed a tool for a moment", base, save(base.WithHistory(listing(t, "a", "b", "x"))), ErrChanged, "it holds sha256:"},
		{"the file is gone", base, remove, ErrChanged, "it was removed; nothing was written; run the command again"},
		{"the folder is gone", base, func(t *testing.T, path string) { remove(t, filepath.Dir(path)) }, ErrChanged, "it was removed"},
		{"edited by hand", base, edit(`"name": "a"`, `"name": "A"`), ErrDigest, "digest does not match"},
		{"cut off", base, edit(`"tombstones": []`, ""), ErrFormat, "not a snapshot of this format"},
		{"of a newer anvil", base, edit(`"schemaVersion": 1`, `"schemaVersion": 9`), ErrFormat, "update anvil"},
		{"a folder in the way", base, func(t *testing.T, path string) { remove(t, path); os.Mkdir(path, 0o755) }, ErrFormat, "a folder"},
		{"a first one, and there is one", nil, func(*testing.T, string) {}, ErrChanged, "there was none, now one holds"},
		{"a first one, without the folder", nil, func(t *testing.T, path string) { remove(t, filepath.Dir(path)) }, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := Store{Dir: filepath.Join(t.TempDir(), "deep", "er")}
			if _, err := st.Replace(t.Context(), "s", nil, base); err != nil {
				t.Fatal(err)
			}
			tt.meanwhile(t, st.Path("s"))
			before, _ := os.ReadFile(st.Path("s"))
			stored, err := st.Replace(t.Context(), "s", tt.base, next)
			after, _ := os.ReadFile(st.Path("s"))
			if tt.want != nil {
				if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || !bytes.Equal(before, after) {
					t.Errorf("got %v; the file changed: %v", err, !bytes.Equal(before, after))
				}
				return
			}
			if err != nil || !bytes.Equal(after, encode(t, stored)) {
				t.Fatalf("%v, file %s", err, after)
			}
			if want := tt.base != nil; known(stored)["a"] != want {
				t.Errorf("the tombstone of what went away: %v, want %v", known(stored), want)
			}
			checkOnlySnapshots(t, st.Dir)
		})
	}
}

// TestReplaceWaitsForTheLock does not look before it may write.
func TestReplaceWaitsForTheLock(t *testing.T) {
	st, base := Store{Dir: t.TempDir()}, listing(t, "a")
	if err := save(st, "s", base); err != nil {
		t.Fatal(err)
	}
	unlock, err := atomicfile.Lock(t.Context(), st.Path("s"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := st.Replace(ended, "s", base, listing(t, "b")); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if names, err := st.Names(); err != nil || len(names) != 1 {
		t.Errorf("the lock counts as a snapshot: %v, %v", names, err)
	}
	if _, err := st.Replace(ended, "s", base, base); err != nil {
		t.Errorf("nothing to write, nothing to wait for: %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := st.Replace(t.Context(), "s", base, listing(t, "b"))
		done <- err
	}()
	// The holder writes, as another process would.
	if err := os.WriteFile(st.Path("s"), encode(t, listing(t, "c")), 0o644); err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := <-done; !errors.Is(err, ErrChanged) {
		t.Errorf("what was written under the lock is overwritten: %v", err)
	}
	checkOnlySnapshots(t, st.Dir)
}

// TestManyWriters lets several accept surfaces of their own, each on what it last read. Everything that was ever accepted is shown or remembered.
func TestManyWriters(t *testing.T) {
	st := Store{Dir: filepath.Join(t.TempDir(), "new")}
	var mutex sync.Mutex
	accepted, lost := map[string]bool{}, 0
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for round := range 6 {
				tool := fmt.Sprintf("w%d_%d", w, round)
				base, err := st.Load("s")
				if err != nil && !errors.Is(err, ErrNotFound) {
					t.Error(err)
					return
				}
				_, err = st.Replace(t.Context(), "s", base, listing(t, "common", tool))
				mutex.Lock()
				switch {
				case err == nil:
					accepted[tool] = true
				case errors.Is(err, ErrChanged):
					lost++
				default:
					t.Error(err)
				}
				mutex.Unlock()
			}
		})
	}
	wg.Wait()
	final, err := st.Load("s")
	if err != nil {
		t.Fatal(err)
	}
	have := known(final)
	for tool := range accepted {
		if !have[tool] {
			t.Errorf("%s was accepted and is forgotten", tool)
		}
	}
	if len(have) != len(accepted)+1 {
		t.Errorf("%d were accepted, %d are known", len(accepted), len(have)-1)
	}
	t.Logf("%d accepted, %d lost the race", len(accepted), lost)
	checkOnlySnapshots(t, st.Dir)
}

// save stores a first snapshot.
func save(st Store, name string, s *McpSurfaceSnapshot) error {
	_, err := st.Replace(context.Background(), name, nil, s)
	return err
}
