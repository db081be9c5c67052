package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var (
	errForeign, errNewer, errFull, errReadOnly = errors.New("foreign"), errors.New("newer"), errors.New("full"), errors.New("read-only")

	tables = Room{
		Format: "a room", Migrations: []Migration{{"things", "CREATE TABLE thing (name {text} PRIMARY KEY NOT NULL, n {int} NOT NULL, b {blob} NOT NULL, r {real} NOT NULL)"}},
		Kinds:   Kinds{Foreign: errForeign, Newer: errNewer, Full: errFull, ReadOnly: errReadOnly},
		Damaged: func(_ string, err error) error { return err },
	}
)

const insert = `INSERT INTO thing (name, n, b, r) VALUES (?, ?, ?, ?)`

func opened(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "a.db"), tables, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// atOnce runs statements that all wait for their turn before the first of them gets it.
func atOnce(t *testing.T, db *DB, do ...func() (int64, error)) (touched []int64, errs []error) {
	t.Helper()
	touched, errs = make([]int64, len(do)), make([]error, len(do))
	var group sync.WaitGroup
	db.mu.Lock()
	for i := range do {
		group.Go(func() { touched[i], errs[i] = do[i]() })
	}
	for queued := 0; queued < len(do); {
		db.waiting.Lock()
		queued = len(db.queue)
		db.waiting.Unlock()
	}
	db.mu.Unlock()
	group.Wait()
	return touched, errs
}

// TestStatementsAreCommittedTogether: of many that wait, each gets its own answer, whatever the others come to.
func TestStatementsAreCommittedTogether(t *testing.T) {
	for _, trouble := range []string{"", "refused", "wrong", "cancelled"} {
		t.Run(trouble, func(t *testing.T) {
			db := opened(t, Options{Durable: true})
			var do []func() (int64, error)
			for n := range 2*maxBatch + 3 {
				do = append(do, func() (int64, error) { return db.Do(t.Context(), insert, fmt.Sprint(n), n, []byte{1}, 0.5) })
			}
			switch trouble {
			case "refused":
				do[7] = func() (int64, error) { return db.Do(t.Context(), insert, nil, 0, []byte{1}, 0.5) } // a key that is none
			case "wrong":
				do[7] = func() (int64, error) { return db.Do(t.Context(), `INSERT INTO nothing VALUES (1)`) }
			case "cancelled":
				ended, end := context.WithCancel(t.Context())
				end()
				do[7] = func() (int64, error) { return db.Do(ended, insert, "7", 7, []byte{1}, 0.5) }
			}
			touched, errs := atOnce(t, db, do...)
			for n := range do {
				if fails := n == 7 && trouble != ""; (errs[n] != nil) != fails || (touched[n] == 1) == fails {
					t.Errorf("%d touched %d rows, %v", n, touched[n], errs[n])
				}
			}
			want := len(do)
			if trouble != "" {
				want--
			}
			var n int
			if _, err := db.Row(t.Context(), []any{&n}, `SELECT COUNT(*) FROM thing`); err != nil || n != want {
				t.Errorf("%d rows, want %d: %v", n, want, err)
			}
		})
	}
}

// TestFull: statements that find no room together are each told so, and none of them is half there.
func TestFull(t *testing.T) {
	db := opened(t, Options{})
	if _, err := db.Do(t.Context(), `PRAGMA max_page_count = 8`); err != nil {
		t.Fatal(err)
	}
	big := []byte(strings.Repeat("x", 1<<16))
	_, errs := atOnce(t, db,
		func() (int64, error) { return db.Do(t.Context(), insert, "small", 1, []byte{1}, 0.5) },
		func() (int64, error) { return db.Do(t.Context(), insert, "big", 1, big, 0.5) })
	if errs[0] != nil || !errors.Is(errs[1], errFull) || !strings.Contains(errs[1].Error(), db.Name) {
		t.Errorf("%v", errs)
	}
	var name string
	if there, err := db.Row(t.Context(), []any{&name}, `SELECT name FROM thing`); err != nil || !there || name != "small" {
		t.Errorf("%q, %v", name, err)
	}
}

// TestOptions: what is asked of a file is so in the file.
func TestOptions(t *testing.T) {
	for _, on := range []bool{false, true} {
		db := opened(t, Options{Durable: on, Private: on})
		var synchronous, secure int
		err := errors.Join(db.Writer.QueryRow("PRAGMA synchronous").Scan(&synchronous), db.Writer.QueryRow("PRAGMA secure_delete").Scan(&secure))
		info, err2 := os.Stat(db.Name)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if (synchronous == 2) != on || secure != 1 || (info.Mode().Perm() == 0o600) != on {
			t.Errorf("%v: synchronous %d, secure_delete %d, %v", on, synchronous, secure, info.Mode())
		}
	}
}
