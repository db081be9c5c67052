package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
)

// TestMain lets the test binary write a log in a process of its own.
func TestMain(m *testing.M) {
	if path := os.Getenv("ANVIL_AUDIT_STORM"); path != "" {
		storm(path)
		return
	}
	os.Exit(m.Run())
}

var clock = time.Date(2026, 11, 30, 12, 0, 0, 5000, time.UTC)

func open(t testing.TB, o Options) *Log {
	t.Helper()
	o.Now = func() time.Time { return clock }
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func put(l *Log, n int) {
	for i := range n {
		e := l.Entry()
		arguments := fmt.Appendf(nil, `{"a":%d}`, i)
		e.Time, e.Session, e.Tool, e.Operation, e.Contract = clock, "5e55", "add", "calc.add", canon.Digest([]byte("contract"))
		e.Arguments, e.Digest = true, sha256.Sum256(arguments)
		e.Outcome, e.Attempts, e.Duration, e.Request, e.Response = "succeeded", 1, 1500*time.Microsecond, 90, 120
		l.Put(e)
	}
}

// written makes a log of n calls in one process and returns its lines.
func written(t testing.TB, path string, n int) []string {
	t.Helper()
	l := open(t, Options{Path: path, Pack: "demo", PackDigest: canon.Digest([]byte("pack"))})
	put(l, n)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return lines(t, path)
}

func lines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := strings.SplitAfter(string(text), "\n")
	return l[:len(l)-1]
}

func verify(t testing.TB, head string, paths ...string) Verified {
	t.Helper()
	v, err := Verify(paths, head)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rules are the ids of what was found, each once.
func rules(v Verified) string {
	var ids []string
	for _, f := range v.Findings {
		if len(ids) == 0 || ids[len(ids)-1] != f.Rule {
			ids = append(ids, f.Rule)
		}
	}
	return strings.Join(ids, " ")
}

func TestEntriesAreRecordedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, Options{Path: path, Anvil: "1.2", Pack: "demo", PackDigest: "sha256:p", PolicyDigest: "sha256:q", Payloads: true})
	token := "ghp_" + strings.Repeat("a1B2", 9)
	e := l.Entry()
	e.Time, e.Tool, e.Made, e.Caller, e.Code, e.Rule, e.Outcome, e.By, e.Token = clock, "x\x1b[31m\"\n"+token, true, "ann", "policy_denied", "no-prod", "refused", "bob", "t1"
	e.Keep([]byte(`{"key":"`+token+`"}`), []byte(`{"ok":true}`))
	l.Put(e)
	l.Serving("sha256:p2", "")
	put(l, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got []Record
	for _, text := range lines(t, path) {
		r, err := parse([]byte(strings.TrimSuffix(text, "\n")))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got = append(got, r)
	}
	text, _ := os.ReadFile(path)
	if bytes.Contains(text, []byte(token)) || bytes.ContainsRune(text, '\x1b') {
		t.Errorf("a credential or a control character is kept: %s", text)
	}
	if o := got[0]; o.Kind != "open" || o.Seq != 1 || o.Format != Format || o.Anvil != "1.2" || o.Pack != "demo" || o.PackDigest != "sha256:p" || o.PolicyDigest != "sha256:q" || o.File != 1 || o.Prev != noHash {
		t.Errorf("%+v", o)
	}
	if c := got[1]; c.Decision != "refused" || c.Code != "policy_denied" || c.Rule != "no-prod" || c.Caller != "ann" || *c.Approval != (Approval{"bob", "t1"}) || c.ResultText != `{"ok":true}` || !strings.HasPrefix(c.Tool, "x") {
		t.Errorf("%+v", c)
	}
	if p := got[2]; p.Kind != "pack" || p.PackDigest != "sha256:p2" {
		t.Errorf("%+v", p)
	}
	want := Record{Seq: 4, Time: "2026-11-30T12:00:00.000005Z", Kind: "call", Session: "5e55", Tool: "add", Operation: "calc.add", Contract: canon.Digest([]byte("contract")),
		Arguments: canon.Digest([]byte(`{"a":0}`)), Decision: "allowed", Outcome: "succeeded", Attempts: 1, DurationNs: 1500000, RequestBytes: 90, ResponseBytes: 120, Prev: got[2].Hash, Hash: got[3].Hash}
	if got[3] != want {
		t.Errorf("%+v", got[3])
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if v := verify(t, "", path); rules(v) != "" || v.Head != got[4].Hash || v.Calls != 2 {
		t.Errorf("%+v", v)
	}
}

// TestTamperingIsFound changes a log in every way that it knows.
func TestTamperingIsFound(t *testing.T) {
	forge := func(old, new string) string { // with its own hash made right again
		line := strings.Replace(strings.TrimSuffix(old, "\n"), `"tool":"add"`, new, 1)
		body := line[:len(line)-hashLength]
		hash := sha256.Sum256([]byte(body))
		return body + `,"hash":"` + sum(&hash) + "\"}\n"
	}
	tests := []struct {
		name   string
		change func(l []string) []string
		want   string
		first  string // FILE:LINE
	}{
		{"untouched", func(l []string) []string { return l }, "", ""},
		{"edited", func(l []string) []string {
			l[3] = strings.Replace(l[3], `"add"`, `"sub"`, 1)
			return l
		}, "audit-record-altered audit-chain-broken", "4"},
		{"edited, with a new hash", func(l []string) []string {
			l[3] = forge(l[3], `"tool":"sub"`)
			return l
		}, "audit-chain-broken", "5"},
		{"deleted", func(l []string) []string { return append(l[:3], l[4:]...) }, "audit-chain-broken", "4"},
		{"first deleted", func(l []string) []string { return l[1:] }, "audit-chain-broken", "1"},
		{"moved", func(l []string) []string {
			l[3], l[4] = l[4], l[3]
			return l
		}, "audit-chain-broken", "4"},
		{"given twice", func(l []string) []string { return append(l[:4], l[3:]...) }, "audit-chain-broken", "5"},
		{"put in", func(l []string) []string {
			return append(l[:4], append([]string{forge(l[3], `"tool":"sub"`)}, l[4:]...)...)
		}, "audit-chain-broken", "5"},
		{"text put in", func(l []string) []string {
			return append(l[:4], append([]string{"all is well\n"}, l[4:]...)...)
		}, "audit-record-altered", "5"},
		{"an empty line", func(l []string) []string { l[4] = "\n" + l[4]; return l }, "audit-record-altered", "5"},
		{"a member more", func(l []string) []string { l[4] = strings.Replace(l[4], `{`, `{"x":1,`, 1); return l }, "audit-record-altered audit-chain-broken", "5"},
		{"cut in the middle", func(l []string) []string { l[5] = l[5][:40]; return l[:6] }, "audit-cut-short audit-not-closed", "6"},
		{"the newline cut off", func(l []string) []string { l[5] = strings.TrimSuffix(l[5], "\n"); return l[:6] }, "audit-cut-short audit-not-closed", "6"},
		{"lines cut off", func(l []string) []string { return l[:6] }, "audit-not-closed", ""},
		{"all gone", func([]string) []string { return nil }, "audit-chain-broken", "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			l := written(t, path, 8)
			head := verify(t, "", path).Head
			if err := os.WriteFile(path, []byte(strings.Join(tt.change(l), "")), 0o600); err != nil {
				t.Fatal(err)
			}
			v := verify(t, "", path)
			if got := rules(v); got != tt.want {
				t.Errorf("found %s, want %s: %+v", got, tt.want, v.Findings)
			}
			if want := tt.first; want != "" && v.FirstBad != path+":"+want || want == "" && v.FirstBad != "" {
				t.Errorf("first bad line %s, want %s", v.FirstBad, want)
			}
			if kept := verify(t, head, path); strings.Contains(tt.name, "cut") != strings.Contains(rules(kept), "audit-head-missing") {
				t.Errorf("with the head: %s", rules(kept))
			}
		})
	}
}

// TestEveryFlippedByteIsFound: there is no byte of a log that does not count.
func TestEveryFlippedByteIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	written(t, path, 1)
	text, _ := os.ReadFile(path)
	for i := range text {
		flipped(t, path, text, i, 1<<(i%8))
	}
}

func flipped(t *testing.T, path string, text []byte, at int, bit byte) {
	t.Helper()
	changed := bytes.Clone(text)
	changed[at] ^= bit
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, "", path); v.FirstBad == "" {
		t.Fatalf("byte %d, bit %d: %s", at, bit, rules(v))
	}
}

func FuzzFlip(f *testing.F) {
	f.Add(uint32(0), uint8(0))
	f.Add(uint32(700), uint8(7))
	path := filepath.Join(f.TempDir(), "audit.jsonl")
	written(f, path, 5)
	text, _ := os.ReadFile(path)
	f.Fuzz(func(t *testing.T, at uint32, bit uint8) {
		flipped(t, filepath.Join(t.TempDir(), "a"), text, int(at)%len(text), 1<<(bit%8))
	})
}

// FuzzParse: whatever a file holds, reading it does not fail, and what is taken for a record says its own hash.
func FuzzParse(f *testing.F) {
	path := filepath.Join(f.TempDir(), "audit.jsonl")
	for _, line := range written(f, path, 1) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, "", path); v.Records == 0 && v.FirstBad == "" {
			t.Errorf("nothing is wrong with %q", text)
		}
	})
}

// TestFullFilesChainOn: a log of several files is one chain, over two processes, in whatever order the files are given.
func TestFullFilesChainOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for range 2 {
		l := open(t, Options{Path: path, MaxSize: 3000})
		for range 4 { // so that there are several writes
			put(l, 5)
			for l.backlog.Load() > 0 {
				time.Sleep(time.Millisecond) // the writer tells nobody
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(path + "*")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	v := verify(t, "", files...) // the file that goes on comes first
	if rules(v) != "" || v.Calls != 40 || v.Files[0].Path != path+".000001" || v.Files[len(files)-1].Path != path {
		t.Fatalf("%s: %+v", rules(v), v)
	}
	without := append(append([]string{}, files[:2]...), files[3:]...)
	if got := rules(verify(t, "", without...)); got != "audit-chain-broken" {
		t.Errorf("without a file: %s", got)
	}
	if got := rules(verify(t, "", files[3])); got != "audit-starts-late" {
		t.Errorf("one file alone: %s", got)
	}
	before := verify(t, "", files[1]).Head // the first of all
	if v := verify(t, before, append(files[2:], path)...); rules(v) != "" {
		t.Errorf("with the head of the file before: %s", rules(v))
	}
	if v := verify(t, before, files...); rules(v) != "" || v.Behind == 0 {
		t.Errorf("with an old head: %s, %d behind", rules(v), v.Behind)
	}
	last := lines(t, files[2])
	os.WriteFile(files[2], []byte(strings.Join(last[:len(last)-2], "")), 0o600)
	if got := rules(verify(t, "", files...)); got != "audit-chain-broken" {
		t.Errorf("a file cut off: %s", got)
	}
}

// TestTornRecordsAreNoted: what a process that ended in the middle of a record left behind stays, and the chain goes on, wherever it ended.
func TestTornRecordsAreNoted(t *testing.T) {
	for _, records := range []int{0, 1, 3} {
		for _, left := range []int{1, 60, 200} {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			l := written(t, path, 3)
			torn := strings.Join(l[:records], "") + l[records][:left]
			os.WriteFile(path, []byte(torn), 0o600)
			again, err := Open(context.Background(), Options{Path: path})
			if records == 0 && left == 1 { // it could be anything
				if !errors.Is(err, ErrNoLog) {
					t.Errorf("%q: %v", torn, err)
				}
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			put(again, 2)
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			v := verify(t, "", path)
			if rules(v) != "audit-record-torn" || v.FirstBad != fmt.Sprintf("%s:%d", path, records+1) || v.Calls != 2+max(0, records-1) {
				t.Errorf("%d records and %d bytes: %+v", records, left, v)
			}
			text, _ := os.ReadFile(path)
			if !bytes.HasPrefix(text, []byte(torn+"\n")) {
				t.Errorf("what was torn did not stay")
			}
			edited := bytes.Replace(text, []byte(torn), []byte(torn[:len(torn)-1]), 1)
			os.WriteFile(path, edited, 0o600)
			if v := verify(t, "", path); !strings.Contains(rules(v), "audit-record-altered") {
				t.Errorf("what was torn was edited: %s", rules(v))
			}
		}
	}
}
