package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
	"anvil/internal/atomicfile"
)

const (
	maxTokens = 1 << 20 // bytes of a file of tokens

	// settled is how long ago a file was written of which a second look at its time tells whether it was written again: file systems count in steps.
	settled = 2 * time.Second
)

// Tokens are bearer tokens in a file: a YAML list of {name, sha256, expires}. sha256 is the digest of the token in 64 digits, expires a last day or a moment, which may
// be left out. A caller may have several, so that one can take the place of another without a break. The tokens have to be random and long (32 bytes): digests of
// others can be guessed.
//
// The file is read anew whenever it changes. While it cannot be read, or others can read or change it, every token is refused.
type Tokens struct {
	path string
	now  func() time.Time
	log  func(string)

	mu      sync.Mutex
	seen    os.FileInfo // of the file that was read; nil when none was
	read    time.Time
	entries []entry
	err     error
	told    string // the last error that was logged
}

type entry struct {
	name   string
	digest [sha256.Size]byte
	end    time.Time // zero: never
}

// OpenTokens reads the file at path. It fails on one that could not be used. now is the clock, and log gets a line when the file can be used no more, and again.
func OpenTokens(path string, now func() time.Time, log func(string)) (*Tokens, error) {
	t := &Tokens{path: path, now: now, log: func(string) {}} // what is wrong at the start is returned
	if _, err := t.current(); err != nil {
		return nil, err
	}
	t.log = log
	return t, nil
}

// Verify compares the token with every one in the file, in a time that does not tell with which it agrees.
func (t *Tokens) Verify(_ context.Context, token string) (string, error) {
	if len(token) > maxToken {
		return "", refused("it is too long")
	}
	entries, err := t.current()
	if err != nil {
		return "", fmt.Errorf("%w: the tokens cannot be read", ErrUnavailable)
	}
	digest, at := sha256.Sum256([]byte(token)), -1
	for i := range entries {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], entries[i].digest[:]), i, at)
	}
	switch now := t.now(); {
	case at < 0:
		return "", refused("it is not known")
	case !entries[at].end.IsZero() && !now.Before(entries[at].end):
		return "", refused("it has expired")
	}
	return entries[at].name, nil
}

// current returns what the file says now.
func (t *Tokens) current() ([]entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	if err == nil && t.seen != nil && os.SameFile(info, t.seen) && info.ModTime().Equal(t.seen.ModTime()) && info.Size() == t.seen.Size() && info.Mode() == t.seen.Mode() &&
		t.read.Sub(info.ModTime()) > settled {
		return t.entries, t.err
	}
	t.read, t.entries, t.seen = t.now(), nil, info // another file may take its place from here on: that is noticed the next time
	var text []byte
	if err != nil {
		err = fmt.Errorf("the tokens cannot be read: %w", err)
	} else {
		text, err = readPrivate(t.path, info)
	}
	if err == nil {
		t.entries, err = parseTokens(t.path, text)
	}
	t.err = err
	t.tell()
	return t.entries, t.err
}

// tell logs what became of the file, where that is something else than before.
func (t *Tokens) tell() {
	problem := ""
	if t.err != nil {
		problem = t.err.Error()
	}
	if problem == t.told {
		return
	}
	t.told = problem
	if problem == "" {
		problem = t.path + " can be used again"
	} else {
		problem = "every token is refused: " + problem
	}
	t.log(problem)
}

// readPrivate reads a file, of which info is known, if nobody else can read or change it.
func readPrivate(path string, info os.FileInfo) ([]byte, error) {
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read or changed by others (mode %04o): run `chmod 600 %s`", path, mode.Perm(), diag.ShellPath(path))
	}
	text, err := atomicfile.ReadFile(path, maxTokens)
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	return text, nil
}

// parseTokens reads the list. What is wrong with it is told by line, without what stands there: somebody may have written a token.
func parseTokens(path string, text []byte) ([]entry, error) {
	json, lines, err := yaml.ToJSON(text)
	if wrong := (*yaml.Error)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s:%d: this is no YAML that is read here; write a list of {name, sha256, expires}", path, wrong.Line)
	} else if err != nil {
		return nil, fmt.Errorf("%s is no YAML that is read here", path)
	}
	list, err := canon.Parse(json)
	if err != nil || !list.IsArray() {
		return nil, fmt.Errorf("%s must be a list of {name, sha256, expires}", path)
	}
	var entries []entry
	for i, item := range list.Items {
		at := canon.Pointer(strconv.Itoa(i))
		e, problem := parseEntry(item)
		if problem == "" && slices.ContainsFunc(entries, func(o entry) bool { return bytes.Equal(o.digest[:], e.digest[:]) }) {
			problem = "this sha256 is given twice; every caller needs a token of its own"
		}
		if problem != "" {
			return nil, fmt.Errorf("%s:%d: %s", path, lines.At(at), problem)
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s has no token; add an entry {name, sha256}", path)
	}
	return entries, nil
}

func parseEntry(item *canon.Node) (e entry, problem string) {
	if !item.IsObject() {
		return e, "an entry must be a map of name, sha256 and, if it ends, expires"
	}
	for _, m := range item.Members {
		text, _ := m.Value.Str()
		switch m.Name {
		case "name":
			if e.name = text; !isName(text) {
				return e, "name must be a text that can be read, of at most " + strconv.Itoa(maxName) + " bytes"
			}
		case "sha256":
			digest, err := hex.DecodeString(text)
			if err != nil || len(digest) != sha256.Size {
				return e, "sha256 must be the digest of the token, 64 digits 0 to 9 and a to f in quotes, and not the token: printf %s TOKEN | sha256sum"
			}
			copy(e.digest[:], digest)
		case "expires":
			var err error
			if e.end, err = air.ParseEnd(text); err != nil {
				return e, "expires must be a day such as 2027-01-31, or a time in RFC 3339"
			}
		default:
			return e, "an entry has name, sha256 and expires, and nothing else"
		}
	}
	if item.Get("name") == nil || item.Get("sha256") == nil {
		return e, "an entry needs a name and the sha256 of its token"
	}
	return e, ""
}
