package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/internal/postgres"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// lease is so long that none is renewed while a test runs, but where it says so.
const lease = 30 * time.Minute

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestMain(m *testing.M) {
	if job := os.Getenv(jobVariable); job != "" {
		os.Exit(runJob(job))
	}
	code := m.Run()
	if err := cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var cluster = &postgres.Shared{}

// each runs a test on both databases, with the place of an empty one.
func each(t *testing.T, test func(t *testing.T, where string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "st ü#?%")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, cluster.Database(t)) })
}

func opened(t testing.TB, where string, c *clock) *Store {
	t.Helper()
	s, err := Open(context.Background(), where, Options{Now: c.Now, Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// both opens two stores on one database, as two processes do.
func both(t testing.TB, where string) (a, b *Store, c *clock) {
	c = &clock{now: noon}
	return opened(t, where, c), opened(t, where, c), c
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("Dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	word := "hunter" + "2hunter2"
	for where, want := range map[string]error{
		"": ErrPlace, file: ErrPlace, "mysql://u:p@h/d": ErrPlace, "postgres://u:" + word + "@[::bad/x": nil, "postgres://u:" + word + "@127.0.0.1:1/x?connect_timeout=1": nil,
	} {
		s, err := Open(t.Context(), where, Options{})
		if err == nil || want != nil && !errors.Is(err, want) || strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, %v", where, s, err)
		}
	}
}

// TestRights: the folder and all files in it are their owner's alone.
func TestRights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "state")
	s := opened(t, dir, &clock{now: noon})
	mustReserve(t, s, "k", "f")
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
}

func TestForeignAndNewer(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := opened(t, where, &clock{now: noon})
		if _, err := s.db.Do(t.Context(), `INSERT INTO migration (version, name, checksum, applied) VALUES (2, 'later', '', 0)`); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), where, Options{}); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), s.Name()) {
			t.Errorf("%v", err)
		}
		for _, statement := range []string{`DELETE FROM migration WHERE version = 2`, `UPDATE meta SET value = 'anvil learn' WHERE key = 'format'`} {
			if _, err := s.db.Do(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(t.Context(), where, Options{}); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), s.Name()) {
			t.Errorf("%v", err)
		}
	})
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	if err := os.WriteFile(path, []byte("Dear diary, today I was no database at all."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(text); i++ {
		text[i] = 0xA5
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, err := Open(t.Context(), dir, Options{}); !errors.As(err, &damaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// TestFullDisk: a result that finds no room is told of by type, the write stays reserved, and its result is kept once there is room.
func TestFullDisk(t *testing.T) {
	s := opened(t, t.TempDir(), &clock{now: noon})
	r := mustReserve(t, s, "k", "f")
	var pages int
	if _, err := s.db.Row(t.Context(), []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		if _, err := s.db.Writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 1)
	result := []byte(strings.Repeat("x", 1<<19))
	if err := s.Complete(t.Context(), r, result); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), s.Name()) {
		t.Errorf("%v", err)
	}
	if f := reserve(t, s, "k", "f"); f.Standing != InProgress {
		t.Errorf("%+v", f)
	}
	limit(1 << 30)
	if err := s.Complete(t.Context(), r, result); err != nil {
		t.Error(err)
	}
	if f := reserve(t, s, "k", "f"); f.Standing != Replay || string(f.Result.Bytes) != string(result) {
		t.Errorf("%+v", f.Standing)
	}
}

// TestNothingIsHeldWhenOver: closing twice is nothing, and a store that was never used has nothing to end.
func TestNothingIsHeldWhenOver(t *testing.T) {
	for _, used := range []bool{false, true} {
		s, err := Open(t.Context(), t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if used {
			mustReserve(t, s, "k", "f")
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
