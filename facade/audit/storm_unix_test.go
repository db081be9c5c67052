//go:build unix

package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// storm writes a log from several goroutines until it is killed, and tells of every thousandth call. With ANVIL_AUDIT_LIMIT the system lets no file grow
// beyond so many bytes, and it tells how that ended.
func storm(path string) {
	limit, _ := strconv.ParseUint(os.Getenv("ANVIL_AUDIT_LIMIT"), 10, 64)
	if limit > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
	l, err := Open(context.Background(), Options{Path: path, MaxSize: 1 << 20})
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	var work sync.WaitGroup
	var calls atomic.Int64
	for range 4 {
		work.Go(func() {
			for l.Room(context.Background()) == nil {
				put(l, 1)
				if n := calls.Add(1); n%1000 == 0 {
					fmt.Println(n)
				}
			}
		})
	}
	work.Wait()
	var failed *UnwritableError
	fmt.Println("ended:", errors.As(l.Room(context.Background()), &failed), errors.Is(failed, syscall.EFBIG), errors.As(l.Close(), &failed), l.lost.Load() > 0)
}

func stormCommand(path string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "ANVIL_AUDIT_STORM="+path), env...)
	return cmd
}

// TestKilledInAStorm kills a process that writes as fast as it can, again and again: the chain holds through all of it.
func TestKilledInAStorm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	heads := []string{}
	for round := range 4 {
		cmd := stormCommand(path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		told := bufio.NewScanner(out)
		for range 1 + 3*round {
			if !told.Scan() || strings.Contains(told.Text(), "open") {
				t.Fatalf("round %d: %q", round, told.Text())
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		files, _ := filepath.Glob(path + "*")
		v := verify(t, "", files...)
		for _, f := range v.Findings {
			if f.Rule == altered.ID || f.Rule == broken.ID {
				t.Fatalf("round %d: %+v", round, f)
			}
		}
		heads = append(heads, v.Head)
	}
	l := open(t, Options{Path: path})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(path + "*")
	for _, head := range heads {
		v := verify(t, head, files...)
		if got := strings.ReplaceAll(strings.ReplaceAll(rules(v), "audit-not-closed", ""), "audit-record-torn", ""); strings.TrimSpace(got) != "" {
			t.Errorf("%+v", v.Findings)
		}
		if v.Calls < 1000 {
			t.Errorf("%d calls", v.Calls)
		}
	}
}

// TestFullDisk: what cannot be written is told at once, and for good; the file can be gone on with where there is room again.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	out, err := stormCommand(path, "ANVIL_AUDIT_LIMIT=30000").Output()
	if err != nil || !strings.Contains(string(out), "ended: true true true true") {
		t.Fatalf("%s, %v", out, err)
	}
	if v := verify(t, "", path); !strings.HasPrefix(rules(v), "audit-cut-short") || v.Calls == 0 {
		t.Fatalf("%+v", v)
	}
	open(t, Options{Path: path}).Close()
	if v := verify(t, "", path); rules(v) != "audit-record-torn" {
		t.Errorf("%+v", v)
	}
}

// TestFullQueueHoldsCallsUp: with a disk that takes nothing, calls wait for so long and are refused then; nothing that was handed over is lost.
func TestFullQueueHoldsCallsUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, Options{Path: path, Queue: 100, Patience: 30 * time.Millisecond})
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l.file.Close()
	l.file = write // nobody reads it yet, so it blocks as a disk that hangs does
	total := 0
	for l.Room(context.Background()) == nil && total < 100_000 {
		put(l, 50)
		total += 50
	}
	if err := l.Room(context.Background()); !errors.Is(err, ErrBehind) {
		t.Fatalf("after %d: %v", total, err)
	}
	put(l, 1) // of a call that was under way
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("left"))
	if err := l.Room(ctx); err == nil || err.Error() != "left" {
		t.Errorf("a client that left: %v", err)
	}
	l.options.Patience = time.Minute
	waited := make(chan error)
	go func() { waited <- l.Room(context.Background()) }()
	records := make(chan int)
	go func() {
		n := 0
		for lines := bufio.NewScanner(read); lines.Scan(); n++ {
		}
		records <- n
	}()
	if err := <-waited; err != nil {
		t.Errorf("once it is read: %v", err)
	}
	if err := l.Close(); err != nil { // a pipe cannot be synced
		t.Log(err)
	}
	if got := <-records; got < total+1 {
		t.Errorf("%d records of %d calls", got, total+1)
	}
}

func BenchmarkPut(b *testing.B) {
	l := open(b, Options{Path: filepath.Join(b.TempDir(), "audit.jsonl"), MaxSize: 1 << 40})
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Room(context.Background()); err != nil {
			b.Fatal(err)
		}
		e := l.Entry()
		e.Time, e.Session, e.Tool, e.Operation, e.Contract, e.Outcome, e.Attempts = clock, "5e55", "add", "calc.add", noHash, "succeeded", 1
		l.Put(e)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}
