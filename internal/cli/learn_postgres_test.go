package cli

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/internal/postgres"
	"anvil/learn"
	"anvil/learn/sqlstore"
)

// ranLearn is what a command of anvil's printed, and its exit code.
func ranLearn(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(append([]string{"anvil"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// withQuery is an address with one more parameter.
func withQuery(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestLearnOnPostgres: every command works on PostgreSQL as on a file, and whatever is wrong with a server has its exit code. Its password is printed by none.
func TestLearnOnPostgres(t *testing.T) {
	c, err := postgres.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	address, err := c.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secret := "open" + "-sesame-" + "9431"
	db := withQuery(t, address, "password", secret)
	lines := filepath.Join(t.TempDir(), "calls.jsonl")
	text := `{"format":"anvil-events","schemaVersion":1}` + "\n" +
		`{"at":"2026-03-02T08:00:00.000000Z","id":"a","outcome":"succeeded","server":"desk","session":"s1","tool":"get_refund"}` + "\n" +
		`{"at":"2026-03-02T08:00:01.000000Z","id":"b","outcome":"failed","parent":"a","server":"desk","session":"s1","tool":"pay"}` + "\n"
	if err := os.WriteFile(lines, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range postgresLines(lines, secret) {
		line := strings.NewReplacer("READONLY", withQuery(t, db, "default_transaction_read_only", "on"), "NOROLE", withQuery(t, db, "user", "nobody_here"),
			"NODB", withQuery(t, db, "dbname", "nothing_here"), "DB", db).Replace(tt.line)
		code, stdout, stderr := ranLearn(append([]string{"learn"}, strings.Fields(line)...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.line, code, tt.code, tt.want, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, secret) {
			t.Errorf("%s prints the password\n%s%s", tt.line, stdout, stderr)
		}
	}
}

// postgresLine is a command, its exit code, and what it prints.
type postgresLine struct {
	line string
	code int
	want string
}

func postgresLines(lines, secret string) []postgresLine {
	return []postgresLine{
		{"import " + lines + " --db DB", 0, "2 kept, 0 repeated"},
		{"import " + lines + " --db DB", 0, "0 kept, 2 repeated"},
		{"stats --db DB", 0, "desk/get_refund"},
		{"stats pay --db DB", 0, "of which 1 failed"},
		{"evaluate --db DB", 0, "2 tools and 1 session judged"},
		{"view --db DB", 0, "name: get_refund"},
		{"drift --db DB", 0, "0 of 2 tools regressing"},
		{"graph s1 --db DB", 0, "2 calls, 1 failed"},
		{"export --db DB", 0, `"id":"a"`},
		{"prune --db DB --events 365d", 0, "forgot 0 calls"},
		{"reset pay --db DB", 2, "1 tool with 1 call (desk/pay)"},
		{"import " + lines + " --db READONLY", 3, "it cannot be written to"},
		{"stats --db NOROLE", 5, "give user and password in the address"},
		{"stats --db NODB", 2, "make the database first"},
		{"stats --db postgres://ada:" + secret + "@127.0.0.1:1/x", 4, "is PostgreSQL running there?"},
		{"stats --db postgres://ada:" + secret + "@[::bad/x", 2, "postgres://USER:PASSWORD@HOST:PORT/DATABASE"},
		{"stats --db postgres:ada:" + secret + "@host/x", 2, "postgres://USER:PASSWORD@HOST:PORT/DATABASE"},
		{"reset --yes --db DB", 0, "forgot 2 tools"},
	}
}

// TestLearnReadOnlyFile: a database that its user may only read is told by name, and stays as it is.
func TestLearnReadOnlyFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "anvil-readonly-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755); _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "learned.db")
	s, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := learn.Event{ID: "a", Tool: learn.Tool{Server: "desk", Name: "pay"}, At: time.Now().Add(-time.Minute), Duration: time.Second, Outcome: learn.Succeeded, Attempts: 1,
		Input: learn.Unmeasured, Output: learn.Unmeasured}
	if _, err := s.Record(t.Context(), []learn.Event{e}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	anvil := filepath.Join(dir, "anvil")
	self, err := os.Executable() // which under this name is anvil, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(anvil, built, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, anvil, "learn", "prune", "--db", path)
	cmd.Dir = dir
	if _, err := postgres.AsOther(cmd, dir); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != exitFailed || !strings.Contains(string(out), path) || !strings.Contains(string(out), "cannot be written to") {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
}
