//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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

// The first signal ends anvil in order, which takes this server's time to die; the second ends it at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	cmd := exec.Command("anvil", "mcp", "inspect", "--", "sh", "-c", "trap '' TERM; >"+started+"; exec sleep 3")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case <-tick.C:
			if _, err := os.Stat(started); err == nil {
				_ = cmd.Process.Signal(os.Interrupt)
			}
		case <-deadline:
			_ = cmd.Process.Kill()
			t.Fatal("it does not end")
		case <-ended:
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
				t.Errorf("it ended with %s, not by the second signal: %s", cmd.ProcessState, &stderr)
			}
			return
		}
	}
}
