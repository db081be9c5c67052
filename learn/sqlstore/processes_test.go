package sqlstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"anvil/learn"
	"anvil/learn/storetest"
)

// The test binary runs itself as other processes: jobVariable holds the job, a number and the address.
const jobVariable = "ANVIL_STORE_JOB"

func runJob(job string) int {
	parts := strings.SplitN(job, " ", 3)
	number, err := strconv.Atoi(parts[1])
	if err == nil {
		err = map[string]func(string, int) error{"share": jobShare, "storm": jobStorm, "write": jobWrite, "read": jobRead}[parts[0]](parts[2], number)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func job(t *testing.T, name string, number int, url string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", jobVariable, name, number, url))
	return cmd
}

// jobShare records every fourth of a thousand events, and every fourth behind those: each event is told by two processes.
func jobShare(url string, number int) error {
	s, err := Open(context.Background(), url, Options{Now: noon})
	if err != nil {
		return err
	}
	for n := number; n < 1000; n += 4 {
		if _, err := s.Record(context.Background(), []learn.Event{storetest.Event(n), storetest.Event((n + 1) % 1000)}); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

// Assertion 42, its second half. The processes make the schema together as well.
func TestProcessesShareADatabase(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var group sync.WaitGroup
		for number := range 4 {
			cmd := job(t, "share", number, url)
			group.Go(func() {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("process %d: %v: %s", number, err, out)
				}
			})
		}
		group.Wait()
		r, err := opened(t, url).Find(t.Context(), "vault", "rotate_keys")
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Cell(learn.All, learn.Dimensions{}); c.Invocations != 1000 || c.Duration.Count() != 1000 {
			t.Errorf("%d invocations, %d durations", c.Invocations, c.Duration.Count())
		}
	})
}

const stormBatch = 20

// jobStorm records batches without end, and says so when one is kept.
func jobStorm(url string, number int) error {
	s, err := Open(context.Background(), url, Options{Now: noon})
	if err != nil {
		return err
	}
	for n := number; ; n++ {
		var list []learn.Event
		for i := range stormBatch {
			list = append(list, storetest.Event(n*stormBatch+i, func(e *learn.Event) { e.At = storetest.Morning }))
		}
		if _, err := s.Record(context.Background(), list); err != nil {
			return err
		}
		fmt.Println("kept", n)
	}
}

// TestKilledInAStorm: what was acknowledged is there, what was not is there whole or not at all, and the file opens.
func TestKilledInAStorm(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		r, next := rand.New(rand.NewPCG(9, 42)), 0
		for range 6 {
			next = storm(t, url, next, 1+r.IntN(25))
			kept := 0
			s := opened(t, url)
			for _, err := range s.Events(t.Context(), learn.Query{}) {
				if err != nil {
					t.Fatal(err)
				}
				kept++
			}
			found, err := s.Find(t.Context(), "vault", "rotate_keys")
			if err != nil {
				t.Fatal(err)
			}
			c := found.Cell(learn.All, learn.Dimensions{})
			if kept < next*stormBatch || kept%stormBatch != 0 || c.Invocations != int64(kept) || c.Duration.Count() != int64(kept) {
				t.Fatalf("%d batches were acknowledged; %d events are there, %d in cells, %d in sketches", next, kept, c.Invocations, c.Duration.Count())
			}
			next = kept / stormBatch
			if !s.dialect.numbered {
				var answer string
				if err := s.writer.QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
					t.Fatal(answer, err)
				}
			}
		}
	})
}

// storm runs a storm from a batch on until some are acknowledged, kills it and returns how many batches there must be.
func storm(t *testing.T, url string, from, until int) int {
	t.Helper()
	cmd := job(t, "storm", from, url)
	out, err := cmd.StdoutPipe()
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if acknowledged++; acknowledged == until {
			if err := cmd.Process.Kill(); err != nil { // SIGKILL
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || acknowledged < until {
		t.Fatalf("the storm ended by itself after %d: %v, %s", acknowledged, err, trouble.String())
	}
	return from + acknowledged
}

// jobWrite opens a store and records one event.
func jobWrite(url string, number int) error {
	s, err := Open(context.Background(), url, Options{Now: noon})
	if err != nil {
		return err
	}
	_, err = s.Record(context.Background(), []learn.Event{storetest.Event(number)})
	return errors.Join(err, s.Close())
}

// jobRead opens a store for reading, says what is in it, and that it takes nothing.
func jobRead(url string, number int) error {
	s, err := Open(context.Background(), url, Options{Now: noon, Reading: true})
	if err != nil {
		return err
	}
	r, err := s.Find(context.Background(), "vault", "rotate_keys")
	_, refused := s.Record(context.Background(), []learn.Event{storetest.Event(number)})
	fmt.Printf("%d calls, refused %v\n", r.Cell(learn.All, learn.Dimensions{}).Invocations, errors.Is(refused, ErrReadOnly))
	return errors.Join(err, s.Close())
}
