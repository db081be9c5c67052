package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/internal/config"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 tools", 1: "1 tool", 2: "2 tools"} {
		if got := counted(n, "tool"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	tests := []struct {
		name   string
		server config.Server
		text   string
		want   string
	}{
		{"environment", config.Server{Env: map[string]string{"A": "planted-1"}}, "no planted-1 here", "no *** here"},
		{"header", config.Server{Headers: map[string]string{"Authorization": "Bearer planted-2"}}, "got planted-2", "got ***"},
		{"longest first", config.Server{Env: map[string]string{"A": "planted", "B": "planted-long"}}, "planted-long planted", "*** ***"},
		{"flag and value", config.Server{Args: []string{"--token", "planted-3", "plain-word"}}, "planted-3 plain-word", "*** plain-word"},
		{"joined flag", config.Server{Args: []string{"--token=planted-4"}}, "bad token planted-4", "bad token ***"},
		{"scheme of a header", config.Server{Headers: map[string]string{"Authorization": "Bearer planted-5"}}, "Bearer planted-5 Bearer", "*** Bearer"},
		{"cut in the middle", config.Server{Env: map[string]string{"A": "planted-long"}}, "said planted-l... (planted-x...)", "said ***... (planted-x...)"},
		{"url", config.Server{URL: "http://planteduser:planted%20pass@h/e?k=planted+value"}, "planteduser planted pass planted%20pass planted value planted+value",
			"*** *** *** *** ***"},
		{"basic authentication", config.Server{URL: "http://user:planted@h/"}, "got dXNlcjpwbGFudGVk", "got ***"},
		{"too short to tell", config.Server{Env: map[string]string{"A": "1"}}, "port 1", "port 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s secrets
			s.add(tt.server)
			s.add(tt.server)
			if got := s.mask(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A server's text cannot steer the terminal, and a block that repeats the structured content is not printed twice.
func TestPrintContent(t *testing.T) {
	tests := []struct{ name, result, want string }{
		{"text", `{"content":[{"type":"text","text":"a\nb\n"}]}`, "a\nb\n"},
		{"escape", `{"content":[{"type":"text","text":"\u001b[31mred"}]}`, "\\u001b[31mred\n"},
		{"same twice", `{"content":[{"type":"text","text":"{\"b\": 1.0, \"a\": 2}"}],"structuredContent":{"a":2,"b":1.00}}`, "{\n  \"a\": 2,\n  \"b\": 1.00\n}\n"},
		{"text beside it", `{"content":[{"type":"text","text":"two"}],"structuredContent":{"a":2}}`, "two\n{\n  \"a\": 2\n}\n"},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "(image, image/png, about 3 bytes; see it with --format json)\n"},
		{"link", `{"content":[{"type":"resource_link","uri":"x://y"}]}`, "(resource_link x://y)\n"},
		{"resource", `{"content":[{"type":"resource","resource":{"uri":"x://y","text":"t"}}]}`, "(resource x://y)\nt\n"},
		{"new kind", `{"content":[{"type":"hologram"}]}`, "(hologram; see it with --format json)\n"},
		{"nothing", `{"content":[]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			node, err := canon.Parse([]byte(tt.result))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			sh := &shell{out: &resultWriter{w: &out}}
			sh.printContent(node)
			if out.String() != tt.want {
				t.Errorf("got %q, want %q", out.String(), tt.want)
			}
		})
	}
}

func TestChooseLeavesBlockedAndHeld(t *testing.T) {
	held := &air.Approval{TextDigest: "t1"}
	d := air.Document{Operations: []air.Operation{
		{ID: "s.a", MCP: air.MCP{ToolName: "a"}, Effect: air.Effect{Kind: air.Read}, State: air.StateGenerated},
		{ID: "s.b", MCP: air.MCP{ToolName: "b"}, Effect: air.Effect{Kind: air.Mutation}, State: air.StateReviewRequired},
		{ID: "s.c", MCP: air.MCP{ToolName: "c"}, Effect: air.Effect{Kind: air.Read}, State: air.StateBlocked, ReviewNotes: []string{"two tools of that name"}},
		{ID: "s.d", MCP: air.MCP{ToolName: "d"}, Effect: air.Effect{Kind: air.Read}, State: air.StateApproved, Approval: held, TextDigest: "t1"},
		{ID: "s.f", MCP: air.MCP{ToolName: "f"}, Effect: air.Effect{Kind: air.Read}, State: air.StateGenerated}, // a file says so, and nothing else
		{ID: "s.g", MCP: air.MCP{ToolName: "g"}, Effect: air.Effect{Kind: air.Read}, State: air.StateReviewRequired, Lapsed: &air.Lapse{}},
	}}
	for i, o := range d.Operations {
		if o.Effect.Kind == air.Read && o.ID != "s.f" {
			d.Operations[i].Evidence = []air.Claim{
				{Subject: o.ID, Predicate: air.PredicateKind, Value: air.ValueOf(air.Read), Source: air.FromHint, Confidence: 0.9, Review: air.Unreviewed},
				{Subject: o.ID, Predicate: air.PredicateRisk, Value: air.ValueOf(air.RiskLow), Source: air.FromHint, Confidence: 0.9, Review: air.Unreviewed},
			}
		}
	}
	tests := []struct {
		name   string
		choice selection
		want   string
	}{
		{"nothing", selection{}, ""},
		{"reads", selection{readOnly: true}, "s.a"},
		{"all", selection{all: true}, "s.a s.b s.f s.g"},
		{"by tool and by id", selection{operations: []string{"b", "s.a"}}, "s.b s.a"},
		{"a held one by name", selection{operations: []string{"d"}}, "s.d"},
		{"name and kind", selection{operations: []string{"a"}, readOnly: true}, "s.a"},
		{"blocked by name", selection{operations: []string{"c"}}, "operation s.c is blocked and cannot be approved: two tools of that name; nothing was approved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chosen, _, err := tt.choice.choose(d)
			got := ""
			for _, o := range chosen {
				got = strings.TrimSpace(got + " " + o.ID)
			}
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is gone") }

func TestMainReportsALostResult(t *testing.T) {
	var stderr bytes.Buffer
	if code := Main([]string{"anvil", "version"}, strings.NewReader(""), brokenWriter{}, &stderr); code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "pipe is gone") {
		t.Errorf("stderr: %s", stderr.String())
	}
}

// Being told to stop is no server's failure.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	sh := &shell{
		ctx: ctx, in: strings.NewReader(""), out: &resultWriter{w: &bytes.Buffer{}}, err: &stderr, now: time.Now,
		getenv: func(string) (string, bool) { return "", false },
	}
	if code := sh.run([]string{"anvil", "mcp", "inspect", "--", "cat"}); code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	if want := "anvil: interrupted; what was under way was given up\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

// An id means one rule, whichever stage it belongs to; allRules panics otherwise.
func TestRulesOfAllStages(t *testing.T) {
	for _, r := range allRules() {
		if r.Title == "" || r.Doc == "" || r.Class == "" || r.Since == "" {
			t.Errorf("rule %s is not filled in", r.ID)
		}
	}
}

// What two readers could take differently is an error.
func TestReportsError(t *testing.T) {
	for result, want := range map[string]bool{
		`{}`: false, `{"isError":false}`: false, `{"isError":true}`: true, `{"isError":"false"}`: true, `{"isError":null}`: true, `{"isError":0}`: true,
		`{"isError":false,"isError":false}`: true, `{"isError":true,"isError":false}`: true,
	} {
		node, err := canon.Parse([]byte(result))
		if err != nil {
			t.Fatal(err)
		}
		if got := gate.ReportsError(node); got != want {
			t.Errorf("%s: got %v", result, got)
		}
	}
}
