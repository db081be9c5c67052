package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// book keeps what is logged.
type book struct {
	mu    sync.Mutex
	lines []string
}

func (b *book) add(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines, "\n")
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// verdict is what became of a token, in a word.
func verdict(v Verifier, token string) string {
	name, err := v.Verify(context.Background(), token)
	var r *Refusal
	switch {
	case errors.As(err, &r):
		return r.Reason
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case err != nil:
		return "error: " + err.Error()
	}
	return "is " + name
}

func TestTokensNameTheirCaller(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	put(t, path, fmt.Sprintf("- {name: ada, sha256: %q}\n- {name: ada, sha256: %q, expires: 2026-12-01}\n- name: bo\n  sha256: %q\n  expires: 2026-12-01T11:00:00Z\n",
		digest("first"), digest("second"), strings.ToUpper(digest("third"))))
	tokens, err := OpenTokens(path, func() time.Time { return now }, new(book).add)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ token, want string }{
		{"first", "is ada"}, {"second", "is ada"}, {"third", "it has expired"}, {"fourth", "it is not known"}, {"", "it is not known"}, {"firs", "it is not known"},
		{"first ", "it is not known"}, {digest("first"), "it is not known"}, {strings.Repeat("x", maxToken+1), "it is too long"},
	} {
		if got := verdict(tokens, tt.token); got != tt.want {
			t.Errorf("%.20q: %s, want %s", tt.token, got, tt.want)
		}
	}
	now = now.Add(12 * time.Hour)
	if got := verdict(tokens, "second"); got != "it has expired" {
		t.Errorf("after its last day: %s", got)
	}
}

// TestTokensAreReadAnew: what the file says holds at once, and while it says nothing that can be used nobody is let in.
func TestTokensAreReadAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	put(t, path, `[{name: ada, sha256: "`+digest("first")+`"}]`)
	b := new(book)
	tokens, err := OpenTokens(path, time.Now, b.add)
	if err != nil {
		t.Fatal(err)
	}
	want := func(step, token, want string) {
		t.Helper()
		if got := verdict(tokens, token); got != want {
			t.Errorf("%s: %s, want %s; log:\n%s", step, got, want, b)
		}
	}
	want("as opened", "first", "is ada")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, `[{name: bob, sha256: "`+digest("other")+`"}]`) // of the same size, and within one step of the clock of files
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	want("another one, the old token", "first", "it is not known")
	want("another one, the new token", "other", "is bob")
	put(t, path, `[{name: bob`)
	want("half written", "other", "unavailable")
	put(t, path, `[{name: bob, sha256: "`+digest("other")+`"}]`)
	want("whole again", "other", "is bob")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	want("readable by others", "other", "unavailable")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	want("private again", "other", "is bob")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want("gone", "other", "unavailable")
	want("still gone", "other", "unavailable")
	for _, line := range []string{":1: this is no YAML", "chmod 600", "every token is refused: the tokens cannot be read", "can be used again"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the log lacks %q:\n%s", line, b)
		}
	}
	if got := len(b.lines); got != 5 {
		t.Errorf("%d lines are logged, want each change once:\n%s", got, b)
	}
}

// TestTokensRefused: a file that cannot be used says where and why, without a word of what stands there, since that may be a token.
func TestTokensRefused(t *testing.T) {
	planted := "s3cr" + "et-t0ken"
	good := digest("x")
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"token for digest", "- {name: a, sha256: " + planted + "}", 0o600, ":1: sha256 must be the digest"},
		{"short", "- {name: a, sha256: '" + good[:62] + "'}", 0o600, ":1: sha256 must be the digest"},
		{"token beside", "-\n  name: a\n  sha256: '" + good + "'\n  token: " + planted, 0o600, ":2: an entry has name, sha256 and expires"},
		{"unreadable", "- {name: a, token: \"" + planted, 0o600, "no YAML"},
		{"no name", "- {sha256: '" + good + "'}", 0o600, ":1: an entry needs a name"},
		{"empty name", "- {name: ' ', sha256: '" + good + "'}", 0o600, ":1: name must be a text"},
		{"control in name", `- {name: "a\tb", sha256: '` + good + "'}", 0o600, ":1: name must be a text"},
		{"long name", "- {name: " + strings.Repeat("n", maxName+1) + ", sha256: '" + good + "'}", 0o600, ":1: name must be a text"},
		{"no end", "\n- {name: a, sha256: '" + good + "', expires: soon}", 0o600, ":2: expires must be a day"},
		{"twice", "- {name: a, sha256: '" + good + "'}\n- {name: b, sha256: '" + good + "'}", 0o600, ":2: this sha256 is given twice"},
		{"key twice", "- {name: a, name: b, sha256: '" + good + "'}", 0o600, ":1: this is no YAML that is read here"},
		{"a map", "{name: a, sha256: '" + good + "'}", 0o600, "must be a list"},
		{"empty", "[]", 0o600, "has no token"},
		{"read by the group", "- {name: a, sha256: '" + good + "'}", 0o640, "can be read or changed by others (mode 0640): run `chmod 600"},
		{"read by all", "- {name: a, sha256: '" + good + "'}", 0o604, "mode 0604"},
		{"changed by others", "- {name: a, sha256: '" + good + "'}", 0o602, "mode 0602"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens.yaml")
			put(t, path, tt.text)
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := OpenTokens(path, time.Now, new(book).add)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), planted) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	if _, err := OpenTokens(t.TempDir(), time.Now, new(book).add); err == nil {
		t.Error("a folder is taken for a file of tokens")
	}
}

func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	r := NewRates(10)
	count := func(key string) (n int) {
		for r.Allow(key, now) {
			n++
		}
		return n
	}
	if a, b := count("a"), count("b"); a != 20 || b != 20 {
		t.Errorf("%d and %d at once, want 20 each", a, b)
	}
	now = now.Add(time.Second)
	if a := count("a"); a != 10 {
		t.Errorf("%d in the next second, want 10", a)
	}
	for i := range 2 * maxRates {
		r.Allow(fmt.Sprint(i), now)
	}
	if n := len(r.by); n != maxRates {
		t.Errorf("%d are counted, want %d", n, maxRates)
	}
	if r.Allow("late", now) {
		t.Error("those beyond the bound have no bound")
	}
	now = now.Add(time.Minute)
	if late := count("late"); late != 20 || len(r.by) != 1 {
		t.Errorf("%d of one that came later, and %d are counted", late, len(r.by))
	}
}
