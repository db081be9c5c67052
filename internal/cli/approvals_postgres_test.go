package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"anvil/facade/state"
	"anvil/internal/postgres"
)

// TestApprovalsOnPostgres: what waits in a database of several facades is listed and decided as in a folder, and its password is printed by nothing.
func TestApprovalsOnPostgres(t *testing.T) {
	c := &postgres.Shared{}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	secret := "open" + "-sesame-" + "9431"
	db := withQuery(t, c.Database(t), "password", secret)
	s, err := state.Open(t.Context(), db, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := s.Ask(t.Context(), state.Question{Binding: state.Binding{Operation: "desk.pay", Contract: "c", Arguments: "a"}, Shown: `{"name":"pay"}`, Expires: time.Now().Add(time.Hour)})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line, db, want string
		code           int
	}{
		{"", db, asked.ID + "  desk.pay", 0},
		{"deny " + asked.ID + " --by ada", db, "refused " + asked.ID, 0},
		{"deny " + asked.ID + " --by ada", db, "it is refused already, by ada", 1},
		{"", withQuery(t, db, "dbname", "nothing_here"), "make the database first", 2},
		{"", withQuery(t, db, "user", "nobody_here"), "give user and password in the address", 5},
		{"", withQuery(t, db, "default_transaction_read_only", "on"), state.ErrReadOnly.Error(), 3},
	} {
		code, stdout, stderr := ranLearn(append(append([]string{"mcp", "approvals"}, strings.Fields(tt.line)...), "--state", tt.db)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) || strings.Contains(stdout+stderr, secret) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.line, code, tt.code, tt.want, stdout, stderr)
		}
	}
}
