package sqlstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/internal/postgres"
	"anvil/learn"
	"anvil/learn/storetest"
)

// TestReadingWhatCannotBeWritten: in a folder that takes no file, a database is read as it is, with a log beside it and without.
func TestReadingWhatCannotBeWritten(t *testing.T) {
	for _, logged := range []bool{false, true} {
		dir, err := os.MkdirTemp("", "anvil-store-")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = errors.Join(os.Chmod(dir, 0o755), os.RemoveAll(dir)) }()
		path := filepath.Join(dir, "learn.db")
		s := opened(t, path)
		keep(t, s, storetest.Event(1))
		binary, err := os.ReadFile(os.Args[0])
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "other"), binary, 0o755))
		if !logged {
			err = errors.Join(err, s.Close())
		}
		for _, name := range []string{"learn.db", "learn.db-wal", "learn.db-shm"} {
			if e := os.Chmod(filepath.Join(dir, name), 0o444); !errors.Is(e, os.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := job(t, "read", 2, path)
		cmd.Path = filepath.Join(dir, "other")
		_, err = postgres.AsOther(cmd, dir)
		if err := errors.Join(err, os.Chmod(dir, 0o555)); err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "1 calls, refused true\n" {
			t.Errorf("with a log %v: %v: %s", logged, err, out)
		}
	}
}

// TestADeletedFileIsTold: what is written to a file that is gone is written for nobody.
func TestADeletedFileIsTold(t *testing.T) {
	path := file(t)
	s := opened(t, path)
	keep(t, s, storetest.Event(1))
	text, err := os.ReadFile(path)
	if err := errors.Join(err, os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"deleted", "replaced"} {
		if done, err := s.Record(t.Context(), []learn.Event{storetest.Event(2)}); !errors.Is(err, ErrGone) || done.Kept != 0 || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v", what, done, err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsForgottenIsNotInTheFile looks for it byte by byte, in the file and its log.
func TestWhatIsForgottenIsNotInTheFile(t *testing.T) {
	path := file(t)
	s := opened(t, path)
	var list []learn.Event
	for n := range 3000 {
		list = append(list, storetest.Event(n, func(e *learn.Event) {
			e.Tool.Name, e.Session, e.ID = fmt.Sprint("forgot-", n%300), fmt.Sprint("forgot-s", n), fmt.Sprint("forgot-e", n)
			e.At = storetest.Morning.Add(time.Duration(n) * time.Second)
		}))
	}
	for len(list) > 0 {
		keep(t, s, list[:100]...)
		list = list[100:]
	}
	keep(t, s, storetest.Event(1))
	left := func() (n int) {
		for _, of := range []string{path, path + "-wal"} {
			text, err := os.ReadFile(of)
			if err != nil {
				t.Fatal(err)
			}
			n += strings.Count(string(text), "forgot-")
		}
		return n
	}
	if left() == 0 {
		t.Fatal("nothing was there")
	}
	for n := range 300 {
		if n%10 > 0 {
			continue
		}
		if _, err := s.Reset(t.Context(), learn.Filter{Name: fmt.Sprint("forgot-", n)}, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Prune(t.Context(), noon(), learn.Retention{Most: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reset(t.Context(), learn.Filter{}, false); err != nil || left() != 0 {
		t.Errorf("%v, %d are left", err, left())
	}
}

func TestABrokenHistoryOfMigrationsIsTold(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		if _, err := s.writer.Exec(`DELETE FROM migration WHERE version > 1`); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, learn.ErrForeign) || !strings.Contains(err.Error(), "does not say that migration 2 (conclusions) was done") {
			t.Errorf("%v", err)
		}
	})
}
