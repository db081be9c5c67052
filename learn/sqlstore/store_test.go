package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
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
	if err := cluster.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// cluster is the one PostgreSQL of this test binary, started by the first test that needs it.
var cluster = &lazyCluster{}

type lazyCluster struct {
	once    sync.Once
	running *postgres.Cluster
	err     error
}

func (l *lazyCluster) stop() error {
	l.once.Do(func() {})
	if l.running == nil {
		return nil
	}
	return l.running.Stop()
}

// database is the address of an empty PostgreSQL database. Without PostgreSQL's programs the test is skipped by name, and fails where CI is true.
func database(t testing.TB) string {
	t.Helper()
	cluster.once.Do(func() { cluster.running, cluster.err = postgres.Start(context.Background()) })
	if errors.Is(cluster.err, postgres.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(cluster.err)
	}
	if cluster.err != nil {
		t.Fatal(cluster.err)
	}
	url, err := cluster.running.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

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
