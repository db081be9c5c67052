package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anvil/internal/postgres"
	"anvil/learn"
	"anvil/learn/storetest"
)

// Assertion 38.
func TestMigrationsAreDoneOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var key string
		for range 3 {
			s := opened(t, url)
			// What is committed outlives the process: by a write-ahead log in a file of SQLite's, and by a synchronous commit to PostgreSQL's, which may be told not to.
			var mode string
			asked, want := "PRAGMA journal_mode", "wal"
			if s.dialect.numbered {
				asked, want = "SHOW synchronous_commit", "on"
			}
			if err := s.writer.QueryRow(asked).Scan(&mode); err != nil || mode != want {
				t.Errorf("%s is %q, %v", asked, mode, err)
			}
			var versions, greatest int
			if err := s.writer.QueryRow(`SELECT COUNT(*), MAX(version) FROM migration`).Scan(&versions, &greatest); err != nil || versions != len(migrations) || greatest != len(migrations) {
				t.Errorf("%d versions up to %d, %v", versions, greatest, err)
			}
			if key == "" {
				key = string(s.Key())
			}
			if string(s.Key()) != key || len(key) != keyBytes {
				t.Errorf("a key of %d bytes, or another than before", len(s.Key()))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if other := opened(t, ":memory:"); string(other.Key()) == key {
			t.Error("two stores have one key")
		}
	})
}

// TestMigrationsGoOnFromEachVersion: a database of an earlier anvil gets what it lacks, and keeps what it has. Assertion 64, its second half: a newer one is told
// by its version, and nothing is written to it.
func TestMigrationsGoOnFromEachVersion(t *testing.T) {
	whole := migrations
	defer func() { migrations = whole }()
	each(t, func(t *testing.T, url string) {
		for version := 1; version <= len(whole); version++ {
			migrations = whole[:version]
			s, err := Open(t.Context(), url, Options{Now: noon})
			if err != nil {
				t.Fatal(err)
			}
			done, err := s.Record(t.Context(), []learn.Event{storetest.Event(version)})
			if err := errors.Join(err, s.Close()); err != nil || done.Kept != 1 {
				t.Fatal(done, err)
			}
		}
		r, err := opened(t, url).Find(t.Context(), "vault", "rotate_keys")
		if err != nil || r.Cell(learn.All, learn.Dimensions{}).Invocations != int64(len(whole)) {
			t.Errorf("%+v, %v", r, err)
		}
		// An anvil that is older than the database.
		migrations = whole[:2]
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, learn.ErrNewerSchema) || !strings.Contains(err.Error(), "version 3 (imports), and this anvil knows 2") {
			t.Errorf("%v", err)
		}
		var versions, events int
		other := openedByAll(t, whole, url)
		if err := other.writer.QueryRow(`SELECT (SELECT COUNT(*) FROM migration), (SELECT COUNT(*) FROM event)`).Scan(&versions, &events); err != nil || versions != len(whole) || events != len(whole) {
			t.Errorf("%d versions and %d events behind the refusal, %v", versions, events, err)
		}
		// One whose migration says something else.
		migrations = append([]migration{}, whole...)
		migrations[1].schema += " "
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, learn.ErrForeign) || !strings.Contains(err.Error(), "migration 2 (conclusions)") {
			t.Errorf("%v", err)
		}
	})
}

// openedByAll opens a database by all migrations for a while.
func openedByAll(t *testing.T, whole []migration, url string) *Store {
	t.Helper()
	was := migrations
	defer func() { migrations = was }()
	migrations = whole
	return opened(t, url)
}

func TestMigrationFailsWhole(t *testing.T) {
	whole := migrations
	defer func() { migrations = whole }()
	each(t, func(t *testing.T, url string) {
		migrations = append(append([]migration{}, whole...), migration{"broken", "CREATE TABLE half (id {int});\nCREATE TABLE half (id {int})"})
		if _, err := Open(t.Context(), url, Options{}); err == nil || !strings.Contains(err.Error(), "migration 4 (broken)") {
			t.Errorf("%v", err)
		}
		migrations = whole
		s := opened(t, url)
		if _, err := s.writer.Exec(`SELECT * FROM half`); err == nil {
			t.Error("half of a migration is there")
		}
	})
}

func TestForeignDatabases(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		for _, statement := range []string{`DROP TABLE meta`, `CREATE TABLE meta (k integer)`} {
			if _, err := s.writer.Exec(statement); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, learn.ErrForeign) || !strings.Contains(err.Error(), s.name) {
				t.Errorf("%v", err)
			}
		}
	})
	for name, text := range map[string]string{"note.txt": "Dear diary, today I was no database at all.", "short": "x", "like": "SQLite format 3\x00" + strings.Repeat("no", 300)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, learn.ErrForeign) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s was touched: %v", name, err)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, empty)
}

func TestPlacesThatAreNone(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "folder.db")
	if _, err := Open(t.Context(), missing, Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "make its folder first") {
		t.Errorf("%v", err)
	}
	if _, err := Open(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("a folder is a database")
	}
	word := "hunter" + "2hunter2"
	for _, url := range []string{"postgres://u:" + word + "@127.0.0.1:1/x?connect_timeout=1", "postgres://u:" + word + "@[::bad/x"} {
		if _, err := Open(t.Context(), url, Options{}); err == nil || strings.Contains(err.Error(), word) {
			t.Errorf("%v", err)
		}
	}
}

// Assertion 64.
func TestCorruptRowsAreNamed(t *testing.T) {
	for _, c := range []struct{ table, statement, row string }{
		{"cell", `UPDATE cell SET duration = CAST('nonsense' AS {blob})`, "1"},
		{"cell", `UPDATE cell SET recent = CAST('nonsense' AS {blob}) WHERE win = 'all'`, "1"},
		{"insight", `UPDATE insight SET value = '{"a":'`, `"k" of tool 1`},
		{"recommendation", `UPDATE recommendation SET payload = ''`, "0 of tool 1"},
		{"annotation", `UPDATE annotation SET tags = '{}'`, "vault/rotate_keys"},
		{"annotation", `UPDATE annotation SET risk = 'harmless'`, "vault/rotate_keys"},
	} {
		each(t, func(t *testing.T, url string) {
			s := opened(t, url)
			keep(t, s, storetest.Event(1))
			_, err := s.Conclude(t.Context(), noon(), []learn.Conclusions{{Tool: storetest.Vault, Insights: []learn.Insight{{Key: "k", Value: []byte("1")}},
				Recommendations: []learn.Recommendation{{Type: "model", Payload: []byte("1")}}}})
			if err := errors.Join(err, s.Annotate(t.Context(), "vault", "rotate_keys", learn.Annotation{Tags: []string{"a"}})); err != nil {
				t.Fatal(err)
			}
			if _, err := s.writer.Exec(s.db.Declared(c.statement)); err != nil {
				t.Fatal(err)
			}
			var corrupt *learn.CorruptError
			if _, err := s.Find(t.Context(), "vault", "rotate_keys"); !errors.As(err, &corrupt) || corrupt.Table != c.table || corrupt.Row != c.row || !strings.Contains(err.Error(), "anvil learn reset") {
				t.Errorf("%s: %v", c.table, err)
			}
			for _, err := range s.Records(t.Context(), learn.Filter{}) {
				if !errors.As(err, &corrupt) {
					t.Errorf("%s: %v", c.table, err)
				}
			}
			if c.table != "cell" {
				return
			}
			if _, err := s.Record(t.Context(), []learn.Event{storetest.Event(2), storetest.Event(3, func(e *learn.Event) { e.Tool.Name = "new" })}); !errors.As(err, &corrupt) {
				t.Errorf("%v", err)
			}
			var events, tools, invocations int
			if err := s.writer.QueryRow(`SELECT (SELECT COUNT(*) FROM event), (SELECT COUNT(*) FROM tool), (SELECT SUM(invocations) FROM cell)`).Scan(&events, &tools, &invocations); err != nil || events != 1 || tools != 1 || invocations != 2 {
				t.Errorf("partly written: %d events, %d tools, %d invocations, %v", events, tools, invocations, err)
			}
			// What cannot be read can be forgotten.
			if n, err := s.Reset(t.Context(), learn.Filter{}, false); err != nil || n != 1 {
				t.Errorf("%d, %v", n, err)
			}
			keep(t, s, storetest.Event(2))
		})
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "learn.db")
	s := opened(t, path)
	keep(t, s, storetest.Event(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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
	var corrupt *learn.CorruptError
	if _, err := Open(t.Context(), path, Options{}); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func keep(t testing.TB, s *Store, events ...learn.Event) {
	t.Helper()
	if done, err := s.Record(context.Background(), events); err != nil || done.Kept != len(events) {
		t.Fatalf("%+v, %v", done, err)
	}
}

// TestFullDisk: a batch that finds no room is told of by type, leaves nothing behind, and is taken when there is room.
func TestFullDisk(t *testing.T) {
	s := opened(t, file(t))
	keep(t, s, storetest.Event(0))
	var pages int
	if err := s.writer.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		if _, err := s.writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 4)
	var list []learn.Event
	for n := range 2000 {
		list = append(list, storetest.Event(n+1, func(e *learn.Event) { e.Tool.Name = fmt.Sprint("tool", n) }))
	}
	if _, err := s.Record(t.Context(), list); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), s.name) {
		t.Errorf("%v", err)
	}
	count := 0
	for r, err := range s.Records(t.Context(), learn.Filter{}) {
		if err != nil || r.Cell(learn.All, learn.Dimensions{}).Invocations != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		count++
	}
	if count != 1 {
		t.Errorf("%d tools", count)
	}
	limit(1 << 30)
	keep(t, s, list...)
}

// TestReadOnlyFile runs as somebody who may not write, since root may.
func TestReadOnlyFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "anvil-store-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "learn.db")
	s := opened(t, path)
	keep(t, s, storetest.Event(1))
	binary, err := os.ReadFile(os.Args[0])
	err2 := os.WriteFile(filepath.Join(dir, "other"), binary, 0o755)
	if err := errors.Join(s.Close(), err, err2, os.Chmod(path, 0o444)); err != nil {
		t.Fatal(err)
	}
	cmd := job(t, "write", 2, path)
	cmd.Path = filepath.Join(dir, "other")
	if _, err := postgres.AsOther(cmd, dir); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), path) || !strings.Contains(string(out), ErrReadOnly.Error()) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestADimensionOfNoKindIsTold(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		keep(t, s, storetest.Event(1))
		if _, err := s.writer.Exec(`INSERT INTO dimension (tool, kind, name) SELECT id, 9, 'x' FROM tool`); err != nil {
			t.Fatal(err)
		}
		again := opened(t, url)
		var corrupt *learn.CorruptError
		if _, err := again.Record(t.Context(), []learn.Event{storetest.Event(2)}); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), "there is no dimension of kind 9") {
			t.Errorf("%v", err)
		}
	})
}

// Assertion 64: figures that no calls make are told by their row, and forgotten with their tool; sums that are full stay so in the database as well.
func TestCellsThatNoCallsMakeAreNamed(t *testing.T) {
	for _, set := range []string{"failures = 9223372036854775807, invocations = 1", "failures = -5", "timed = 3, invocations = 0", "bytes = -60"} {
		each(t, func(t *testing.T, url string) {
			s := opened(t, url)
			keep(t, s, storetest.Event(1))
			if _, err := s.writer.Exec(`UPDATE cell SET ` + set + ` WHERE win = 'all' AND client = '' AND model = ''`); err != nil {
				t.Fatal(err)
			}
			var corrupt *learn.CorruptError
			if _, err := s.Find(t.Context(), "vault", "rotate_keys"); !errors.As(err, &corrupt) || corrupt.Table != "cell" || corrupt.Row != "1" || !strings.Contains(err.Error(), "anvil learn reset") {
				t.Errorf("%s: %v", set, err)
			}
			keep(t, s, storetest.Event(2))
			if n, err := s.Reset(t.Context(), learn.Filter{}, false); err != nil || n != 1 {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		keep(t, s, storetest.Event(1, func(e *learn.Event) { e.Output = learn.Payload{Bytes: 7} }))
		if _, err := s.writer.Exec(fmt.Sprintf(`UPDATE cell SET bytes = %d`, int64(learn.MaxSum)-1)); err != nil {
			t.Fatal(err)
		}
		keep(t, s, storetest.Event(2, func(e *learn.Event) { e.Output = learn.Payload{Bytes: 7} }))
		r, err := s.Find(t.Context(), "vault", "rotate_keys")
		if c := r.Cell(learn.All, learn.Dimensions{}); err != nil || c.Bytes != learn.MaxSum || c.Sized != 2 {
			t.Errorf("%d bytes of %d results, %v", c.Bytes, c.Sized, err)
		}
	})
}
