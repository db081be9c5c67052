package surface

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestDamagedFile reads what editors, merges and transfers make of a snapshot file. Each refusal says what happened, and what to do.
func TestDamagedFile(t *testing.T) {
	const again = "restore the file from version control, or remove it and take the snapshot again"
	good := string(frozenV1(t))
	lines := strings.SplitAfter(good, "\n")
	merged := strings.Join(lines[:6], "") + "<<<<<<< HEAD\n" + lines[6] + "=======\n" + lines[6] + ">>>>>>> theirs\n" + strings.Join(lines[7:], "")
	twice := func(at, member string) string { return strings.Replace(good, at, at+member, 1) }
	tests := []struct {
		name, text, says, advice string
		want                     error
	}{
		{"empty", "", "the file is empty", again, ErrFormat},
		{"blank", " \r\n\t", "the file is empty", again, ErrFormat},
		{"byte order mark", "\xEF\xBB\xBF" + good, "it starts with a byte order mark", again, ErrFormat},
		{"UTF-16, little end first", wide(good, 0), "it is UTF-16", again, ErrFormat},
		{"UTF-16, big end first", wide(good, 1), "it is UTF-16", again, ErrFormat},
		{"cut off", good[:len(good)/2], "not valid JSON", again, ErrFormat},
		{"cut off between items", good[:strings.LastIndex(good, "\n  \"prompts\"")], "not valid JSON: expected a member name", again, ErrFormat},
		{"two files in one", good + good, "text behind the value", again, ErrFormat},
		{"merge conflict", merged, "line 7 is the mark of a merge conflict", "take the file of one side whole (git checkout --ours or --theirs)", ErrFormat},
		{"end of a merge conflict left over", strings.Join(lines[:6], "") + ">>>>>>> theirs\n" + strings.Join(lines[6:], ""), "line 7 is the mark", "", ErrFormat},
		{"an array", "[1]", "it has no schemaVersion, so it is no snapshot", again, ErrFormat},
		{"a string", `"text"`, "it has no schemaVersion, so it is no snapshot", again, ErrFormat},
		{"null", "null", "it has no schemaVersion, so it is no snapshot", again, ErrFormat},
		{"newer", strings.Replace(good, `"schemaVersion": 1`, `"schemaVersion": 2`, 1), "this anvil reads up to 1; update anvil", "update anvil", ErrFormat},
		{"older than any", strings.Replace(good, `"schemaVersion": 1`, `"schemaVersion": 0`, 1), "schemaVersion 0 is none that was ever written", again, ErrFormat},
		{"member given twice", twice(`"canon": "anvil-c14n/1",`, `"canon": "anvil-c14n/1",`), `duplicate object member name "canon"`, again, ErrFormat},
		{"list given twice", twice(`"tools": [`, `], "tools": [`), `member "tools" is given twice`, again, ErrFormat},
		{"digest given twice", twice(`"digests": {`, `"text": "sha256:0",`), "member /digests/text is given twice", again, ErrFormat},
		{"tool's digest given twice", twice(`"create_refund": "sha256:`, `0", "create_refund": "sha256:`), "member /digests/tools/create_refund is given twice", again, ErrFormat},
		{"tombstone's name given twice", twice(`"kind": "tool",`, `"name": "other",`), "member /tombstones/0/name is given twice", again, ErrFormat},
		{"tombstone without a name", strings.Replace(good, `"name": "export_ledger"`, `"names": "export_ledger"`, 1), "a tombstone is malformed", again, ErrFormat},
		{"edited text", strings.Replace(good, "Asks for a review", "Skips a review", 1),
			"its content gives other values for digest, digests.surface, digests.text", "re-bless a reviewed edit with `anvil mcp snapshot ", ErrDigest},
		{"edited digest", strings.Replace(good, `"reopen_refund": "sha256:1b34`, `"reopen_refund": "sha256:1b35`, 1), "its content gives other values for digests.tools.reopen_refund;", "re-bless", ErrDigest},
		{"digest of no tool", twice(`"tools": {`, `"none": "",`), "its content gives other values for digests.tools.none;", "re-bless", ErrDigest},
		{"digest left out", strings.Replace(good, `"digest": `, `"endpoint2": `, 1), "unknown", again, ErrFormat},
		{"digest of a kind left out", strings.Replace(good, `"text": "sha256:`, `"texts": "sha256:`, 1), "other values for digests.text, digests.texts;", "re-bless", ErrDigest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s"+FileSuffix)
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ReadFile(path)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), tt.advice) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v\nwant %q and %q", err, tt.says, tt.advice)
			}
		})
	}
}

// wide is a text in UTF-16 with a byte order mark.
func wide(text string, bigEndFirst int) string {
	var b bytes.Buffer
	for _, unit := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		pair := [2]byte{byte(unit), byte(unit >> 8)}
		b.Write([]byte{pair[bigEndFirst], pair[1-bigEndFirst]})
	}
	return b.String()
}

// TestTruncated cuts a file off at every byte. Nothing short of the whole value is taken for a snapshot.
func TestTruncated(t *testing.T) {
	data := bytes.TrimSpace(encode(t, snapshot(t, sample())))
	for n := range data {
		if _, err := Decode(data[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
}

// TestLineEndings reads what a checkout with core.autocrlf makes of a file: no line ends inside a value, so the content is the same, and the next
// write is to the byte what anvil wrote before.
func TestLineEndings(t *testing.T) {
	good := frozenV1(t)
	for _, ending := range []string{"\r\n", "\r"} {
		st := Store{Dir: t.TempDir()}
		converted := bytes.ReplaceAll(good, []byte("\n"), []byte(ending))
		if err := os.WriteFile(st.Path("s"), converted, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := st.Load("s")
		if err != nil || bytes.Equal(converted, good) {
			t.Fatalf("%q: %v", ending, err)
		}
		if _, err := st.Replace(t.Context(), "s", s, s); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(st.Path("s")); err != nil || !bytes.Equal(after, good) {
			t.Errorf("%q: what is written is not what was committed: %v", ending, err)
		}
	}
}

// TestRebless writes an edited file under its own digests, and only while it is what was reviewed.
func TestRebless(t *testing.T) {
	old := listing(t, "a", "b").WithHistory(listing(t, "gone"))
	text := strings.Replace(string(encode(t, old)), `"name": "b"`, `"name": "c"`, 1)
	with := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name      string
		meanwhile func(t *testing.T, path string)
		want      error
		says      string
	}{
		{"nothing", with(text), nil, ""},
		{"laid out anew", with(strings.ReplaceAll(text, "\n", "\r\n")), nil, ""},
		{"restored", with(string(encode(t, old))), ErrChanged, "its digests fit now"},
		{"edited again", with(strings.Replace(text, `"name": "c"`, `"name": "d"`, 1)), ErrChanged, "it was edited again"},
		{"edited where no digest reaches", with(strings.Replace(text, `"name": "gone"`, `"name": "other"`, 1)), ErrChanged, "it was edited again"},
		{"removed", func(t *testing.T, path string) { os.Remove(path) }, ErrChanged, "it was removed"},
		{"broken", with("{"), ErrFormat, "not valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := Store{Dir: t.TempDir()}
			with(text)(t, st.Path("s"))
			var edited *EditedError
			if _, err := st.Load("s"); !errors.As(err, &edited) {
				t.Fatal(err)
			}
			tt.meanwhile(t, st.Path("s"))
			before, _ := os.ReadFile(st.Path("s"))
			stored, err := st.Rebless(t.Context(), "s", edited, old)
			if tt.want != nil {
				if after, _ := os.ReadFile(st.Path("s")); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || !bytes.Equal(before, after) {
					t.Errorf("got %v; the file changed: %v", err, !bytes.Equal(before, after))
				}
				return
			}
			now, loadErr := st.Load("s")
			if err != nil || loadErr != nil || now.Digest != stored.Digest || now.Digest == old.Digest {
				t.Fatalf("%v, %v", err, loadErr)
			}
			if got := fmt.Sprint(known(now)); got != "map[a:true b:true c:true gone:true]" {
				t.Errorf("known after the edit: %s", got)
			}
			checkOnlySnapshots(t, st.Dir)
		})
	}
}

// TestReblessKeepsTombstones of both: the file's, and what the trusted snapshot has and the file has not.
func TestReblessKeepsTombstones(t *testing.T) {
	edited := &EditedError{Content: listing(t, "a").WithHistory(listing(t, "mine"))}
	if got := fmt.Sprint(known(edited.Reblessed(listing(t, "b").WithHistory(listing(t, "theirs", "a"))))); got != "map[a:true b:true mine:true theirs:true]" {
		t.Error(got)
	}
}

func TestEditedErrorIsShort(t *testing.T) {
	e := &EditedError{}
	for i := range 1000 {
		e.Differs = append(e.Differs, fmt.Sprintf("digests.tools.t%d", i))
	}
	if got := e.Error(); len(got) > 400 || !strings.Contains(got, "digests.tools.t7 and 992 more") {
		t.Errorf("%d bytes: %.500s", len(got), got)
	}
}
