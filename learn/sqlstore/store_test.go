package sqlstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"anvil/internal/postgres"
	"anvil/learn"
	"anvil/learn/storetest"
)

// noon is what the clocks of the tests show: a day after the events.
func noon() time.Time { return storetest.Morning.AddDate(0, 0, 2) }

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

// cluster is the one PostgreSQL of this test binary.
var cluster = &postgres.Shared{}

func database(t testing.TB) string { return cluster.Database(t) }

func opened(t testing.TB, url string, change ...func(*Options)) *Store {
	t.Helper()
	o := Options{Now: noon}
	for _, c := range change {
		c(&o)
	}
	s, err := Open(context.Background(), url, o)
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

func twoModels(o *Options) { o.Caps.Models = 2 }

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "learn ü#?%.db") }

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) learn.Store { return opened(t, file(t), twoModels) })
}

func TestSQLiteInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) learn.Store { return opened(t, ":memory:", twoModels) })
}

func TestPostgreSQL(t *testing.T) {
	storetest.Run(t, func(t *testing.T) learn.Store { return opened(t, database(t), twoModels) })
}

// each runs a test on both databases, with an address of an empty one.
func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, "sqlite:"+file(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, database(t)) })
}
