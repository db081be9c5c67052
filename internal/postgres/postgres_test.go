package postgres

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestClusterStartsAndIsGone(t *testing.T) {
	c, err := Start(t.Context())
	if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(c.folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", c.folder, err)
		}
		if c.server.ProcessState == nil {
			t.Error("the server was not waited for")
		}
	}()
	one, err := c.Database(t.Context())
	two, err2 := c.Database(t.Context())
	if err := errors.Join(err, err2); err != nil || one == two {
		t.Fatalf("%s and %s, %v", one, two, err)
	}
	if got, err := c.sql(context.Background(), "postgres", "SHOW listen_addresses"); got != "" || err != nil {
		t.Errorf("it listens on %q, %v", got, err)
	}
}
