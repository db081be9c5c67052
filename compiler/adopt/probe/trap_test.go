//go:build linux

package probe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/trapserver"
	"anvil/wire"
)

// within is how long the capture of a server may take that does not keep it waiting, its start and its end included.
const within = 10 * time.Second

// trap is what is to come of capturing a server in one mode.
type trap struct {
	mode     string
	findings []string // rules of the probe's findings
	gate     string   // rule and subject of the gate's only error or security finding about an item
	code     Code     // of the failure; without one the surface is what was served
	text     []string // in the failure's text

	timeout   time.Duration // of the capture, 0 for the probe's own
	within    time.Duration // bound of the whole, 0 for within
	limit     int           // of one message, 0 for wire's own
	heap      uint64        // bound of the growth of this process's heap, in bytes; 0 does not measure
	respelled bool          // items come with other white space than they have in trapserver.Items
	bulky     bool          // the snapshot's file is large, and not tested
	check     func(t *testing.T, r Result)
}

// hanging is how long a capture lasts of a server that stops answering.
const hanging = 2 * time.Second

var endless = []string{"did not finish answering within"}

// traps has a line for every mode; those that measure memory come first and run alone.
var traps = []trap{
	{mode: "large-line", heap: 6 * trapserver.LargeBytes, bulky: true},
	{mode: "stderr-flood", heap: 8 << 20},
	{mode: "line-without-end", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"stdout-noise"}, code: BrokenList,
		text: []string{"larger than the limit", "read until then: 4 tools"}},
	{mode: "oversized-reply", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, code: BrokenList,
		text: []string{"larger than the limit of 1048576 bytes", "read until then: 4 tools"}},
	{mode: "oversized-id-last", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, code: BrokenList,
		text: []string{"larger than the limit"}},
	{mode: "oversized-notice", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"stdout-noise"}},
	{mode: "deep-9000", heap: 64 << 20, bulky: true},

	{mode: "plain"},
	{mode: "noise-before", findings: []string{"stdout-noise"}, check: func(t *testing.T, r Result) {
		if n := r.Evidence.Noise[noiseStdout]; n != 5 || !strings.Contains(r.Findings[0].Message, "(5 times)") {
			t.Errorf("%d lines, %s", n, r.Findings[0].Message)
		}
	}},
	{mode: "noise-during", findings: []string{"stdout-noise"}},
	{mode: "says-goodbye", findings: []string{"stdout-noise"}},
	{mode: "json-log", findings: []string{"stdout-noise"}},
	{mode: "bom", findings: []string{"byte-order-mark"}},
	{mode: "blank-lines"},
	{mode: "crlf"},
	{mode: "spaced"},
	{mode: "pretty", respelled: true},
	{mode: "too-deep-to-be-read", findings: []string{"stdout-noise"}, timeout: hanging, code: Unreachable, text: endless},

	{mode: "no-jsonrpc", findings: []string{"missing-jsonrpc"}},
	{mode: "old-jsonrpc", findings: []string{"missing-jsonrpc"}},
	{mode: "string-ids", findings: []string{"loosely-typed-id"}},
	{mode: "decimal-ids", findings: []string{"loosely-typed-id"}},
	{mode: "id-last"},
	{mode: "escaped-id"},
	{mode: "null-id-error", findings: []string{"null-id-error"}},
	{mode: "unknown-id", findings: []string{"unknown-reply-id"}},
	{mode: "duplicate-reply", findings: []string{"duplicate-reply"}},
	{mode: "duplicate-member", findings: []string{"duplicate-envelope-member"}},
	{mode: "both-members", findings: []string{"ambiguous-message"}},
	{mode: "batch"}, // a link over stdio takes batches apart in silence
	{mode: "odd-code"},
	{mode: "odd-code-of-list", code: BrokenList, text: []string{"prompts/list", "the prompts are on fire", "read until then: 10 tools, 2 resources, 1 resourceTemplate"}},
	{mode: "server-requests", check: func(t *testing.T, r Result) {
		want := map[string]int{"ping": 1, "roots/list": 1, "sampling/createMessage": 1, "elicitation/create": 1, "vendor/unheard-of": 1}
		if diff := cmp.Diff(want, r.Evidence.ServerRequests); diff != "" {
			t.Errorf("requests (-want +got)\n%s", diff)
		}
	}},

	{mode: "cursor-cycle", findings: []string{"paging-loop"}},
	{mode: "endless-cursors", findings: []string{"paging-loop"}},
	{mode: "changed-during", check: func(t *testing.T, r Result) {
		if r.Evidence.Restarts == 0 || r.Evidence.ListChanged == 0 {
			t.Errorf("%+v", r.Evidence)
		}
	}},
	{mode: "change-storm", findings: []string{"list-change-storm"}, within: within + maxSettle},
	{mode: "change-storm-moving", code: BrokenList, text: []string{"kept changing"}, within: within + maxSettle},
	{mode: "crash-mid-list", code: Unreachable, text: []string{"tools/list", "exited with code 7", "out of pages", "read until then: 4 tools"}, check: func(t *testing.T, r Result) {
		if diff := cmp.Diff(trapserver.Items("plain", "tools")[:4], texts(r.Capture.Lists[surface.Tool])); diff != "" {
			t.Errorf("pages kept (-want +got)\n%s", diff)
		}
	}},
	{mode: "hang-tools", timeout: hanging, code: Unreachable, text: append([]string{"tools/list"}, endless...)},
	{mode: "hang-resources", timeout: hanging, code: Unreachable, text: append([]string{"resources/list", "10 tools"}, endless...)},
	{mode: "hang-templates", timeout: hanging, code: Unreachable, text: append([]string{"resources/templates/list", "2 resources"}, endless...)},
	{mode: "hang-prompts", timeout: hanging, code: Unreachable, text: append([]string{"prompts/list"}, endless...)},

	{mode: "hang-initialize", timeout: hanging, code: Unreachable, text: append([]string{"handshake"}, endless...)},
	{mode: "hang", timeout: hanging, code: Unreachable, text: append([]string{"handshake"}, endless...)},
	{mode: "never-starts", code: Unreachable, text: []string{"exited with code 7", "the key is missing"}},
	{mode: "refuses", code: NotMCP, text: []string{"error -32000: go away"}},
	{mode: "no-version", code: NotMCP, text: []string{"no protocolVersion"}},
	{mode: "ignores-unknown", findings: []string{"ignores-unknown-method"}},
	{mode: "reversed", findings: []string{"ignores-unknown-method"}},
	{mode: "slow-to-refuse", findings: []string{"slow-to-refuse-discover"}},
	{mode: "dies-on-unknown", findings: []string{"dies-on-unknown-method"}},
	{mode: "unknown-version", findings: []string{"unknown-protocol-version"}},
	{mode: "stateless-version"},

	{mode: "deep-1000"},
	{mode: "invalid-utf8", gate: "inexact-json tool/odd"},
	{mode: "lone-surrogate", gate: "inexact-json tool/odd"},
	{mode: "duplicate-keys", gate: "inexact-json tool/odd"},
	{mode: "wrong-types", gate: "root-not-object tool/odd"},
	{mode: "no-object", gate: "malformed-item tool/74234e98afe7"},
	{mode: "huge-numbers", gate: "inexact-json tool/odd"},
	{mode: "null-tools", findings: []string{"list-malformed"}},

	{mode: "stays"},
	{mode: "environment", check: func(t *testing.T, r Result) {
		for _, tool := range r.Capture.Lists[surface.Tool] {
			if bytes.Contains(tool, []byte(plantedSecret)) {
				t.Errorf("the server was given %s", tool)
			}
		}
	}},
	{mode: "leaves-child", check: childIsGone},
}

// changing names the modes whose tools are made in the server, so that nothing here can say what they are.
var changing = []string{"environment", "leaves-child"}

func childIsGone(t *testing.T, r Result) {
	n, err := canon.Parse(r.Capture.Lists[surface.Tool][0])
	if err != nil || n.Get("name").Text() != trapserver.ChildTool {
		t.Fatalf("no child is told of: %v", err)
	}
	pid := n.Get("description").Text()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if _, state, ok := strings.Cut(string(stat), ") "); !ok || state[0] != 'Z' && state[0] != 'X' {
		t.Errorf("child %s is still there: %s", pid, stat)
	}
}

// command runs this test binary as a server. Under the race detector a program lingers for a second after its end unless told not to, longer
// than closing waits.
func (tr trap) command() wire.Command {
	env := wire.BaseEnv(map[string]string{trapserver.Env: tr.mode, "GORACE": "atexit_sleep_ms=0"})
	return wire.Command{Args: []string{os.Args[0]}, Env: env, MaxFrame: tr.limit}
}

func (tr trap) options() Options {
	return Options{
		Dial:    func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, tr.command()) },
		Timeout: tr.timeout,
	}
}

// TestTraps captures a server in every mode, as a process of its own.
func TestTraps(t *testing.T) {
	covered := map[string]bool{"sleeper": true} // the child of another mode
	for _, tr := range traps {
		covered[tr.mode] = true
		t.Run(tr.mode, func(t *testing.T) {
			if tr.heap == 0 {
				t.Parallel()
			}
			start, peak := time.Now(), heapPeak(tr.heap > 0)
			r, err := Capture(t.Context(), tr.options())
			if took := time.Since(start); took > max(tr.within, within) {
				t.Errorf("took %s", took)
			}
			if grown := peak(); grown > tr.heap {
				t.Errorf("the heap grew by %d bytes", grown)
			}
			tr.judge(t, r, err)
		})
	}
	for _, mode := range trapserver.Modes() {
		if !covered[mode] {
			t.Errorf("mode %s is not tested", mode)
		}
	}
}

// judge compares what came of the capture with what was to come.
func (tr trap) judge(t *testing.T, r Result, err error) {
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule)
		if f.Subject != "server" || f.Fingerprint == "" || f.Message == "" || f.Class == diag.Warning && f.Hint == "" {
			t.Errorf("finding is not whole: %+v", f)
		}
	}
	if diff := cmp.Diff(tr.findings, got); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	if tr.check != nil {
		tr.check(t, r)
	}
	if tr.code != "" {
		for _, text := range tr.text {
			wantFailure(t, err, tr.code, text)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	tr.compare(t, r.Capture)
}

// compare demands that the capture is what the server was told to serve, to the byte.
func (tr trap) compare(t *testing.T, c surface.Capture) {
	spelled := func(b []byte) string { return string(b) }
	if tr.respelled {
		spelled = func(b []byte) string { return string(canon.MustCanonical(b)) }
	}
	if got, want := spelled(c.Initialize), spelled([]byte(trapserver.Initialize(tr.mode))); got != want {
		t.Errorf("initialize: got %s\nwant %s", got, want)
	}
	for _, kind := range surface.Kinds {
		if kind == surface.Tool && slices.Contains(changing, tr.mode) {
			continue
		}
		want := trapserver.Items(tr.mode, kind.List())
		if len(c.Lists[kind]) != len(want) {
			t.Errorf("%d of %d %s", len(c.Lists[kind]), len(want), kind.List())
			continue
		}
		for i, got := range c.Lists[kind] {
			if want := spelled([]byte(want[i])); spelled(got) != want {
				t.Errorf("%s %d: got %.300s\nwant %.300s", kind, i, got, want)
			}
		}
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if tr.judgeSnapshot(t, s); !tr.bulky {
		readBack(t, s)
	}
}

// readBack demands that the file of a snapshot is read as what was written.
func readBack(t *testing.T, s *surface.McpSurfaceSnapshot) {
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := surface.Decode(data); err != nil || back.Digest != s.Digest {
		t.Errorf("the snapshot does not read back: %v", err)
	}
}

// judgeSnapshot demands that the gate holds against it what it should.
func (tr trap) judgeSnapshot(t *testing.T, s *surface.McpSurfaceSnapshot) {
	held := []string{}
	for _, f := range gate.Check(s, gate.Options{}).Findings {
		if about := f.Rule + " " + f.Subject; f.Subject != "server" && (f.Class == diag.Error || f.Security) && !slices.Contains(held, about) {
			held = append(held, about)
		}
	}
	if tr.gate != "" && !slices.Equal(held, []string{tr.gate}) || tr.gate == "" && len(held) > 0 {
		t.Errorf("the gate holds %q against it, want %q", held, tr.gate)
	}
}

// heapPeak watches the heap; the returned function tells by how much it had grown at its largest, garbage included.
func heapPeak(on bool) func() uint64 {
	if !on {
		return func() uint64 { return 0 }
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	runtime.GC()
	before := read()
	peak, stop, stopped := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, read())
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return peak - before
	}
}
