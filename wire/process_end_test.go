//go:build linux

package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watch returns a function that waits for process pid to end. The kernel tells, so there is no polling and no mistaking
// another process for it.
func watch(t *testing.T, pid int) func() {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d is not there: %v", pid, err)
	}
	return func() {
		t.Helper()
		defer unix.Close(fd)
		deadline := time.Now().Add(patience)
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(time.Until(deadline).Milliseconds()))
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil || n == 0 {
				t.Fatalf("process %d is still there", pid)
			}
			return
		}
	}
}

// livingMembers lists the processes of a group that are neither dead nor dying.
func livingMembers(t *testing.T, group int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var members []int
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it went away meanwhile
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			members = append(members, pid)
		}
	}
	return members
}

func TestProcessCloseIsBounded(t *testing.T) {
	for mode, wantCode := range map[string]int{"normal": 0, "hang": 0, "deaf": -1, "stubborn": -1, "grandchild": 0} {
		t.Run(mode, func(t *testing.T) {
			command := testCommand(mode)
			command.Grace, command.KillAfter = 5*time.Second, 200*time.Millisecond
			if wantCode != 0 {
				command.Grace = 50 * time.Millisecond
			}
			p := startCommand(t, command)
			gone := watch(t, p.Pid())
			if mode == "stubborn" {
				awaitStderr(t, p, "ready")
			}
			if mode == "deaf" {
				if _, err := p.Recv(testContext(t)); err != nil {
					t.Fatal(err)
				}
				// More than pipe and outbox take: the writer hangs when Close comes.
				_ = p.Send(testContext(t), bytes.Repeat([]byte("x"), 1<<20))
			}
			unblocked := make(chan error)
			go func() { _, err := p.Recv(context.Background()); unblocked <- err }()
			start := time.Now()
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 6*time.Second {
				t.Errorf("Close took %v", took)
			}
			gone()
			if err := <-unblocked; mode != "grandchild" && !errors.Is(err, ErrClosed) {
				t.Errorf("Recv: got %v, want ErrClosed", err)
			}
			if code, exited := p.Exit(); code != wantCode || !exited {
				t.Errorf("Exit: got %d %v, want %d", code, exited, wantCode)
			}
			if err := p.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
			if err := p.Send(context.Background(), []byte(frameA)); !errors.Is(err, ErrClosed) {
				t.Errorf("Send: got %v, want ErrClosed", err)
			}
		})
	}
}

// awaitStderr waits until the server has written line; the read side of stderr gives no other signal.
func awaitStderr(t *testing.T, p *Process, line string) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ctx := testContext(t); !slices.Contains(p.Stderr(), line); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("stderr is %q", p.Stderr())
		}
	}
}

func TestProcessGroupDiesAfterCleanClose(t *testing.T) {
	p := startServer(t, "grandchild")
	gone := watch(t, helloPid(t, p))
	if members := livingMembers(t, p.Pid()); len(members) != 2 {
		t.Fatalf("group before: %v, want two processes", members)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	gone()
	if members := livingMembers(t, p.Pid()); len(members) != 0 {
		t.Errorf("group after: %v", members)
	}
	if code, _ := p.Exit(); code != 0 {
		t.Errorf("the child left with %d, not cleanly", code)
	}
}

// The child leaves while a descendant holds its stdout: Recv must not wait for the descendant.
func TestProcessRecvEndsWithTheChild(t *testing.T) {
	p := startServer(t, "abandon")
	gone := watch(t, helloPid(t, p))
	_, err := p.Recv(testContext(t))
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 0 {
		t.Errorf("got %v, want an ExitError with code 0", err)
	}
	gone()
}

// A descendant in a session of its own must not hold Recv up either.
func TestProcessRecvEndsDespiteEscapee(t *testing.T) {
	p := startServer(t, "escapee")
	gone := watch(t, helloPid(t, p))
	if _, err := p.Recv(testContext(t)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want io.EOF", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	gone()
}

func TestProcessClosedStdout(t *testing.T) {
	command := testCommand("closed")
	command.Grace, command.KillAfter = 50*time.Millisecond, 50*time.Millisecond
	_, err := startCommand(t, command).Recv(testContext(t))
	if err == nil || !errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "the server closed its stdout and was stopped") {
		t.Errorf("got %v", err)
	}
}

func TestProcessDiesWithItsParent(t *testing.T) {
	parent := startServer(t, "parent")
	gone := watch(t, helloPid(t, parent))
	if err := syscall.Kill(parent.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone()
}
