//go:build linux

package probe

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
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

// prompt is how long the capture of a server may take whose answer cannot be read: the probe's own deadline plays no part in it.
const prompt = 5 * time.Second

// trap is what is to come of capturing a server in one mode.
type trap struct {
	mode     string
	findings []string // rules of the probe's findings
	gate     string   // rule and subject of the gate's only error or security finding about an item, or anything
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

// anything stands for what the gate holds against members of a wrong type, which is tested with the gate.
const anything = "anything"

var endless = []string{"did not finish answering within"}

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
			if took := time.Since(start); took > tr.bound() {
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

// bound is how long the whole may take.
func (tr trap) bound() time.Duration {
	if tr.within != 0 {
		return tr.within
	}
	return within
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
	if tr.gate == anything {
		return
	}
	if tr.gate != "" && !slices.Equal(held, []string{tr.gate}) || tr.gate == "" && len(held) > 0 {
		t.Errorf("the gate holds %q against it, want %q", held, tr.gate)
	}
}

// freshHeap is what a program that holds nothing allocates before its garbage is collected, in bytes.
const freshHeap = 4 << 20

// heapPeak watches the heap; the returned function tells by how much it had grown at its largest, garbage included. What was on the heap before, such
// as what the gate keeps, would let more garbage gather: it is collected as often as in a program that holds nothing.
func heapPeak(on bool) func() uint64 {
	if !on {
		return func() uint64 { return 0 }
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	runtime.GC()
	before := read()
	percent := debug.SetGCPercent(max(1, int(100*freshHeap/before)))
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
		debug.SetGCPercent(percent)
		return peak - before
	}
}
