package postgres

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// Shared is the one cluster of a test binary, started by the first test that needs it. TestMain stops it.
type Shared struct {
	once    sync.Once
	running *Cluster
	err     error
}

// Database is the address of an empty database. Without PostgreSQL's programs the test is skipped by name, and fails where CI is true.
func (s *Shared) Database(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.running, s.err = Start(context.Background()) })
	if errors.Is(s.err, ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	url, err := s.running.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// Stop ends the cluster, if there is one.
func (s *Shared) Stop() error {
	s.once.Do(func() {})
	if s.running == nil {
		return nil
	}
	return s.running.Stop()
}
