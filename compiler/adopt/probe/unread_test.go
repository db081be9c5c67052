//go:build linux

package probe

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/internal/trapserver"
	"anvil/wire"
)

// webServer answers over HTTP what reply makes of a request's id, method and parameters, in one of three ways: as JSON, as a stream that
// stays open, or by HTTP+SSE.
func webServer(t *testing.T, way string, reply func(id, method, params string) string) func(wire.Spool) func(context.Context) (wire.Link, error) {
	replies := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && way == "sse" {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: endpoint\ndata: /post\n\n")
			for {
				w.(http.Flusher).Flush()
				select {
				case body := <-replies:
					io.WriteString(w, "data: "+body+"\n\n")
				case <-r.Context().Done():
					return
				}
			}
		}
		body, err := io.ReadAll(r.Body)
		e, scanErr := wire.Scan(body)
		if err != nil || scanErr != nil || !e.IsRequest() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := reply(string(e.Bytes(e.ID)), e.MethodName(), string(e.Bytes(e.Params)))
		switch way {
		case "json":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: "+answer+"\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.WriteHeader(http.StatusAccepted)
			replies <- answer
		}
	}))
	t.Cleanup(server.Close)
	return func(spool wire.Spool) func(context.Context) (wire.Link, error) {
		o := wire.HTTPOptions{URL: server.URL, MaxFrame: trapserver.FrameLimit, Spool: spool}
		return func(context.Context) (wire.Link, error) {
			if way == "sse" {
				return wire.DialSSE(o)
			}
			return wire.DialHTTP(o)
		}
	}
}

// TestUnreadAnswersOverHTTP answers tools/list with what cannot be read, or in a way that should not be: the finding and the failure are those
// of a process that does so, and no deadline is waited for.
func TestUnreadAnswersOverHTTP(t *testing.T) {
	large := strings.Repeat("x", trapserver.FrameLimit)
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, tt := range []struct{ name, answer, rule, failure string }{
		{"too deep", `{"jsonrpc":"2.0","id":ID,"result":{"tools":[` + deep + `]}}`, "too-deep-message", "nests too deep"},
		{"too deep, id last", `{"result":{"tools":[` + deep + `]},"jsonrpc":"2.0","id":ID}`, "too-deep-message", "nests too deep"},
		{"broken", `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"},]}}`, "broken-reply", "malformed JSON"},
		{"oversized", `{"jsonrpc":"2.0","id":ID,"result":{"tools":[],"x":"` + large + `"}}`, "oversized-message", "larger than the limit of 1048576 bytes"},
		{"oversized, id last", `{"result":{"tools":[],"x":"` + large + `"},"jsonrpc":"2.0","id":ID}`, "oversized-message", "larger than the limit of 1048576 bytes"},
		{"batch", `[{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"}]}}]`, "batch-reply", ""},
		{"joined", `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"}]}}{"jsonrpc":"2.0","method":"notifications/x"}`, "joined-messages", ""},
	} {
		for _, way := range []string{"json", "stream", "sse"} {
			t.Run(tt.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				usual := lists(map[string]string{})
				link := webServer(t, way, func(id, method, params string) string {
					if method == "tools/list" {
						return strings.ReplaceAll(tt.answer, "ID", id)
					}
					return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, usual(nil, method, params))
				})
				evidence := filepath.Join(t.TempDir(), "evidence.json")
				r, err := Capture(t.Context(), Options{Dial: link(Spool(evidence)), Timeout: time.Minute})
				if tt.failure == "" && err != nil || tt.failure != "" && (err == nil || !strings.Contains(err.Error(), tt.failure)) {
					t.Errorf("got %v, want %q", err, tt.failure)
				}
				if tt.failure != "" {
					wantFailure(t, err, BrokenList, "tools/list")
				}
				if len(r.Findings) != 1 || r.Findings[0].Rule != tt.rule {
					t.Errorf("findings: %+v", r.Findings)
				}
				if tt.rule == "oversized-message" {
					wantKept(t, r, evidence, 1)
				}
			})
		}
	}
}

// wantKept demands that the first oversized message is kept beside the evidence, whole, and that so many files are there.
func wantKept(t *testing.T, r Result, evidence string, files int) {
	t.Helper()
	name := evidence + ".oversized-1.json"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if n, parseErr := canon.Parse(data); err != nil || parseErr != nil || n.Get("jsonrpc").Text() != "2.0" || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("kept %d bytes with mode %s: %v, %v", len(data), info.Mode(), err, parseErr)
	}
	want := Oversized{Limit: trapserver.FrameLimit, Bytes: int64(len(data)), Whole: true, Kept: name}
	if len(r.Evidence.Oversized) == 0 {
		t.Fatal("the evidence tells of none")
	}
	if diff := cmp.Diff(want, r.Evidence.Oversized[0]); diff != "" {
		t.Errorf("evidence (-want +got)\n%s", diff)
	}
	if f := r.Findings[0]; !strings.Contains(f.Message, fmt.Sprintf("a message of %d bytes", len(data))) ||
		!strings.Contains(f.Hint, name) || strings.Contains(f.Hint, "--evidence") {
		t.Errorf("%s; %s", f.Message, f.Hint)
	}
	if there, err := os.ReadDir(filepath.Dir(evidence)); err != nil || len(there) != files {
		t.Errorf("files: %v, %v", there, err)
	}
}

// TestOversizedLinesAreKept captures processes that send oversized messages, with and without a place to keep them.
func TestOversizedLinesAreKept(t *testing.T) {
	for mode, files := range map[string]int{"oversized-reply": 1, "oversized-id-last": 1, "oversized-often": spooledFiles} {
		evidence := filepath.Join(t.TempDir(), "evidence.json")
		o := trap{mode: mode, limit: trapserver.FrameLimit}.options()
		r, _ := Capture(t.Context(), o)
		if f := r.Findings[0]; !strings.Contains(f.Hint, "capture again with --evidence FILE to keep it") || !strings.Contains(f.Message, "the limit of 1048576 bytes") {
			t.Errorf("%s: %s; %s", mode, f.Message, f.Hint)
		}
		command := trap{mode: mode, limit: trapserver.FrameLimit}.command()
		command.Spool = Spool(evidence)
		o.Dial = func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, command) }
		kept, _ := Capture(t.Context(), o)
		wantKept(t, kept, evidence, files)
		if kept.Findings[0].Fingerprint != r.Findings[0].Fingerprint {
			t.Errorf("%s: whether it is kept tells two findings apart", mode)
		}
	}
}

func TestSpool(t *testing.T) {
	if Spool("") != nil || Spool("-") != nil {
		t.Error("something is kept beside no file")
	}
	dir := t.TempDir()
	taken := filepath.Join(dir, "e.oversized-1.json")
	if err := os.WriteFile(taken, []byte("of an earlier run"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Spool(filepath.Join(dir, "e"))()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "{}")
	if old, _ := os.ReadFile(taken); string(old) != "of an earlier run" {
		t.Errorf("replaced before the message is complete: %s", old)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(taken); string(data) != "{}" {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Stat(taken); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := Spool(filepath.Join(dir, "none", "e"))(); err == nil || !strings.Contains(err.Error(), "keep a message in") {
		t.Errorf("no folder: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "f.oversized-1.json", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if w, err = Spool(filepath.Join(dir, "f"))(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a folder was replaced")
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != 2 {
		t.Errorf("left behind: %v, %v", there, err)
	}
}
