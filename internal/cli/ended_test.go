package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/facade"
	"anvil/wire"
)

// soon is how long anvil may take to end once nobody waits for it, on a busy machine. Judging the surfaces below takes longer.
const soon = 15 * time.Second

// heavyServer writes the file of a server that is made to cost: thousands of tools whose names look alike and which no client takes.
func heavyServer(t *testing.T, folder string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"name":"heavy","listed":%s,"tools":[`, canon.Quote(filepath.Join(folder, "listed")))
	for i := range 20_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"%sore:%d","description":"d","inputSchema":{"type":"string"}}`, []string{"c", "\\u0441"}[i%2], i/3)
	}
	writeFile(t, filepath.Join(folder, "heavy.json"), b.String()+"]}")
}

// TestSignalEndsJudging interrupts the real program when a heavy surface has just been handed to it, and once more a while later.
func TestSignalEndsJudging(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	heavyServer(t, folder)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := os.RemoveAll(filepath.Join(folder, "listed")); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "anvil", "mcp", "snapshot", "--name", "heavy", "--", "fakeserver", "heavy.json")
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for there := false; !there; { // the server has sent its tools
			select {
			case err := <-ended:
				t.Fatalf("it ended by itself: %v\n%s", err, errs.String())
			case <-time.After(10 * time.Millisecond):
				_, err := os.Stat(filepath.Join(folder, "listed"))
				there = err == nil
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(soon):
			_ = cmd.Process.Kill()
			t.Fatalf("%v: it goes on", sig)
		}
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted; what was under way was given up") {
			t.Errorf("%v: exit code %d, %d bytes on stdout, %s", sig, code, out.Len(), errs.String())
		}
		if _, err := os.Stat(filepath.Join(folder, "testdata")); err == nil {
			t.Errorf("%v: a snapshot was written", sig)
		}
	}
}

// TestTimeoutEndsJudging gives the gate a millisecond for the snapshot of a heavy surface, of which all other work has no end: the exit code is that of
// work that could not be done, and nothing is written. The gate is what the time is for, since no server is asked.
func TestTimeoutEndsJudging(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := largeSnapshot(t, folder)
	start := time.Now()
	r := runAnvil(t, folder, nil, "mcp", "inspect", "--timeout", "1ms", s)
	r.want(t, exitFailed, "judge the surface: context deadline exceeded: it is so large that this took longer than --timeout 1ms; give it more time, or have the server list less")
	if took := time.Since(start); took > soon || r.out != "" {
		t.Errorf("it took %s, and printed %d bytes", took, len(r.out))
	}
	r = runAnvil(t, folder, nil, "mcp", "adopt", "--timeout", "1ms", "--out", "pack", s)
	r.want(t, exitFailed, "longer than --timeout 1ms")
	if _, err := os.Stat(filepath.Join(folder, "pack")); err == nil {
		t.Error("a pack was written")
	}
}

// TestInterruptedWhileJudging gives the command up at the moment when it reads the clock to judge.
func TestInterruptedWhileJudging(t *testing.T) {
	folder := t.TempDir()
	file := largeSnapshot(t, folder)
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	var out, errs bytes.Buffer
	sh := &shell{ctx: ctx, out: &resultWriter{w: &out}, err: &errs, getenv: os.LookupEnv, now: func() time.Time {
		if reads++; reads == 2 { // the options are read once before the surface is
			time.AfterFunc(time.Millisecond, cancel)
		}
		return time.Now()
	}}
	start := time.Now()
	code := sh.run([]string{"anvil", "mcp", "inspect", file})
	if took := time.Since(start); code != exitFailed || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted") || took > soon {
		t.Errorf("exit code %d after %s, %d bytes on stdout, %s", code, took, out.Len(), errs.String())
	}
}

// TestAFacadeThatIsClosedEarlyIsNoTrouble: a call whose time is up before its session began is told as that, and not as a server that is gone.
func TestAFacadeThatIsClosedEarlyIsNoTrouble(t *testing.T) {
	f, err := facade.New(facade.Options{Name: "pack", Dial: func(context.Context) (wire.Link, error) {
		return nil, errors.New("nobody is to be dialed")
	}})
	if err != nil {
		t.Fatal(err)
	}
	sh := &shell{ctx: context.Background()}
	dial, ended := sh.connectFacade(f)
	f.Close() // before the session's goroutine has run
	if _, err := dial(sh.ctx); err != nil {
		t.Fatal(err)
	}
	if err := ended(); err != nil {
		t.Errorf("the session ended with %v, and nothing but its own end was asked for", err)
	}
}

// TestACallSaysThatTheApprovalEnded calls an operation whose approval has run out since the pack was built: whose it was and when it ended is told, and nobody is
// asked for a yes first.
func TestACallSaysThatTheApprovalEnded(t *testing.T) {
	server := filepath.Join(buildRefunds(t), "refunds")
	t.Chdir(t.TempDir())
	mustExit(t, 0, "mcp", "adopt", "--mode", "facade", "--out", "pack", "--", server)
	mustExit(t, 0, "mcp", "approve", "pack", "cancel_refund", "--by", "ada", "--reason", "on call", "--expires", "30")
	var out, errs bytes.Buffer
	sh := &shell{ctx: t.Context(), in: strings.NewReader(""), out: &resultWriter{w: &out}, err: &errs, getenv: os.LookupEnv, now: func() time.Time {
		return time.Now().AddDate(0, 0, 60)
	}}
	code := sh.run([]string{"anvil", "mcp", "call", "pack", "cancel_refund", "--arg", "refundId=rf-1001"})
	told := regexp.MustCompile(`the tool is part of pack pack and not approved any more: its approval by ada on \d{4}-\d\d-\d\d: on call ended at \d{4}-\d\d-\d\dT00:00:00Z; to allow it again run: anvil mcp approve pack cancel_refund`)
	if code != exitFindings || !told.Match(errs.Bytes()) {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
