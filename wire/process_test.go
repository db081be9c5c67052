//go:build linux

package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func startServer(t testing.TB, mode string) *Process {
	t.Helper()
	return startCommand(t, testCommand(mode))
}

func startCommand(t testing.TB, c Command) *Process {
	t.Helper()
	p, err := Start(testContext(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// hello receives the announcement of a test server and returns its params.
func hello(t *testing.T, p *Process) []byte {
	t.Helper()
	frame, err := p.Recv(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := Member(frame, "params")
	if !ok {
		t.Fatalf("no params in %s", frame)
	}
	return frame[s.Start:s.End]
}

func helloPid(t *testing.T, p *Process) int {
	t.Helper()
	pid, err := strconv.Atoi(string(hello(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestProcessEcho(t *testing.T) {
	for _, mode := range []string{"normal", "noise", "bom", "idlast", "loose", "twice"} {
		t.Run(mode, func(t *testing.T) {
			c := NewClient(startServer(t, mode), ClientOptions{})
			for i := range 20 {
				params := fmt.Sprintf(`{"n":%d,"big":9007199254740993,"one":1.0}`, i)
				got, err := c.Call(testContext(t), "echo", []byte(params))
				if err != nil {
					t.Fatal(err)
				}
				if s, _ := Member(got, "echo"); string(got[s.Start:s.End]) != params {
					t.Errorf("got %s, want %s", got, params)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProcessRecordsNoise(t *testing.T) {
	p := startServer(t, "noise")
	c := NewClient(p, ClientOptions{})
	if _, err := c.Call(testContext(t), "echo", nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"Starting server...", `{"level":"info"}`}
	var got []string
	for _, line := range p.Noise() {
		got = append(got, string(line))
	}
	if diff := cmp.Diff(want, got); diff != "" || p.NoiseCount() != 2 || p.BOM() {
		t.Errorf("count %d, byte order mark %v (-want +got)\n%s", p.NoiseCount(), p.BOM(), diff)
	}
	b := startServer(t, "bom")
	if _, err := NewClient(b, ClientOptions{}).Call(testContext(t), "echo", nil); err != nil || !b.BOM() {
		t.Errorf("byte order mark: got %v, %v", b.BOM(), err)
	}
}

func TestProcessSendKeepsFraming(t *testing.T) {
	p := startServer(t, "normal")
	if err := p.Send(testContext(t), []byte("{\"id\":1,\r\n \"method\":\"echo\",\n\"params\":[1,\n2]\n}")); err != nil {
		t.Fatal(err)
	}
	got, err := p.Recv(testContext(t))
	if want := `{"jsonrpc":"2.0","id":1,"result":{"echo":[1, 2]}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestProcessExit(t *testing.T) {
	p := startServer(t, "exit")
	_, err := p.Recv(testContext(t))
	var exit *ExitError
	if !errors.As(err, &exit) || !errors.Is(err, io.EOF) {
		t.Fatalf("got %v, want an ExitError that is io.EOF", err)
	}
	if exit.Code != 3 || exit.Signal != "" {
		t.Errorf("got code %d signal %q, want 3 and none", exit.Code, exit.Signal)
	}
	if diff := cmp.Diff([]string{"first", "no \x1b[31mtoken\x1b[0m", "last"}, p.Stderr()); diff != "" {
		t.Errorf("stderr (-want +got)\n%s", diff)
	}
	const want = "the server exited with code 3; its last words on stderr: first | no  [31mtoken [0m | last"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if code, exited := p.Exit(); code != 3 || !exited {
		t.Errorf("Exit: got %d, %v", code, exited)
	}
	if err := p.Send(testContext(t), []byte(frameA)); !errors.Is(err, io.EOF) {
		t.Errorf("Send to a dead server: got %v, want io.EOF", err)
	}
}

func TestProcessCrashFailsCalls(t *testing.T) {
	p := startServer(t, "crash")
	c := NewClient(p, ClientOptions{})
	_, err := c.Call(testContext(t), "echo", nil)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Signal != "SIGKILL" || exit.Code != -1 {
		t.Errorf("got %v, want an ExitError with SIGKILL", err)
	}
	<-c.Done()
	if !errors.As(c.Err(), &exit) {
		t.Errorf("Err: got %v", c.Err())
	}
	if _, err := c.Call(testContext(t), "echo", nil); !errors.As(err, &exit) {
		t.Errorf("a later call: got %v", err)
	}
}

func TestProcessBurstBeforeExit(t *testing.T) {
	p := startServer(t, "burst")
	<-p.gone // everything is in the pipe, and nobody is left to write
	for i := range 500 {
		if got := string(hello(t, p)); got != strconv.Itoa(i) {
			t.Fatalf("message %d: got %s", i, got)
		}
	}
	if _, err := p.Recv(testContext(t)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestProcessOversize(t *testing.T) {
	command := testCommand("oversized")
	command.MaxFrame = 100 << 10
	p := startCommand(t, command)
	var noise []string
	c := NewClient(p, ClientOptions{OnNoise: func(kind string, _ []byte) { noise = append(noise, kind) }})
	for _, method := range []string{"large-id-first", "large-id-last", "large-no-id"} {
		_, err := c.Call(testContext(t), method, nil)
		var tooLarge *FrameTooLargeError
		if !errors.As(err, &tooLarge) || tooLarge.Limit != 100<<10 {
			t.Errorf("%s: got %v, want a FrameTooLargeError", method, err)
		}
	}
	if _, err := c.Call(testContext(t), "echo", nil); err != nil { // the link survives
		t.Error(err)
	}
	if diff := cmp.Diff([]string{NoiseOversized, NoiseOversized, NoiseOversized}, noise); diff != "" || p.NoiseCount() != 1 {
		t.Errorf("%d lines of noise (-want +got)\n%s", p.NoiseCount(), diff)
	}
	for i, e := range p.Oversized() {
		if e.Limit != 100<<10 || e.Size < 1<<20 || e.Size > 1<<20+100 || !e.Whole || e.Kept != "" || i > 3 {
			t.Errorf("message %d: %+v", i, e)
		}
	}
}

func TestProcessRecvHonoursContext(t *testing.T) {
	p := startServer(t, "normal")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Recv(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := NewClient(p, ClientOptions{}).Call(testContext(t), "echo", nil); err != nil {
		t.Errorf("the link did not survive: %v", err)
	}
}

func TestProcessSendHonoursContext(t *testing.T) {
	p := startServer(t, "deaf")
	ctx, cancel := context.WithCancel(testContext(t))
	big := bytes.Repeat([]byte("x"), 1<<20)
	failed := make(chan error)
	go func() {
		for {
			if err := p.Send(ctx, big); err != nil {
				failed <- err
				return
			}
		}
	}()
	if _, err := p.Recv(testContext(t)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkClientCallStdio(b *testing.B) {
	c := NewClient(startServer(b, "normal"), ClientOptions{})
	defer c.Close()
	benchmarkCalls(b, c)
}
