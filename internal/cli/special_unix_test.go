//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What cannot be replaced is written into, and is still what it was.
func TestResultIntoAPipe(t *testing.T) {
	sh := &shell{ctx: t.Context()}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := errors.Join(unix.Mkfifo(pipe, 0o644), os.Symlink("pipe", pipe+"-link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, pipe + "-link"} {
		got := make(chan []byte, 1)
		go func() {
			data, _ := os.ReadFile(path)
			got <- data
		}()
		if err := sh.writeResult(path, []byte("report")); err != nil {
			t.Fatal(err)
		}
		if data := <-got; string(data) != "report" {
			t.Errorf("%s: got %q", path, data)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("it is no pipe any more: %v, %v", info, err)
	}
}

func TestResultIntoAPipeThatNobodyReads(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&shell{ctx: ctx}).writeResult(pipe, []byte("report")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if f, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0); err == nil { // lets the waiting writer go
		defer f.Close()
	}
}

func TestResultIntoASocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "anvil") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan []byte, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			got <- nil
			return
		}
		data, _ := io.ReadAll(conn)
		got <- data
	}()
	if err := (&shell{ctx: t.Context()}).writeResult(filepath.Join(dir, "s"), []byte("report")); err != nil {
		t.Fatal(err)
	}
	if data := <-got; string(data) != "report" {
		t.Errorf("got %q", data)
	}
}

// The first signal ends anvil in order, which takes this server's time to die; the second ends it at once, and the server too.
func TestSignalsLeaveNothingBehind(t *testing.T) {
	caught := make(chan os.Signal, 1) // under nohup SIGHUP is ignored, by children too unless it is caught here
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, times := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d times", sig, times), func(t *testing.T) {
				t.Parallel()
				signalled(t, sig, times)
			})
		}
	}
}

func signalled(t *testing.T, sig syscall.Signal, times int) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	cmd := exec.Command("anvil", "mcp", "inspect", "--", "sh", "-c", "trap '' TERM INT HUP QUIT; echo $$ >"+started+".new; mv "+started+".new "+started+"; exec sleep 60")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	server := 0
	waitUntil(t, "the server has started", func() bool {
		text, err := os.ReadFile(started)
		server, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && server > 0
	})
	for range times {
		_ = cmd.Process.Signal(sig)
		time.Sleep(20 * time.Millisecond) // a person takes longer
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it does not end")
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	bySignal := status.Signaled() && status.Signal() == sig || sig == syscall.SIGQUIT && status.ExitStatus() == 2 // as Go programs end by it
	if !(times > 1 && bySignal) && status.ExitStatus() != exitFailed {
		t.Errorf("it ended with %s: %s", cmd.ProcessState, &stderr)
	}
	waitUntil(t, "the server is gone", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", server))
		return syscall.Kill(server, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20s: %s", what)
		}
	}
}
