package state

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/internal/postgres"
)

// The test binary runs itself as other processes: jobVariable holds the job, what it works on, and the place.
const jobVariable = "ANVIL_STATE_JOB"

func runJob(job string) int {
	parts := strings.SplitN(job, " ", 3)
	err := map[string]func(where, name string) error{"hold": jobHold, "complete": jobComplete, "race": jobRace, "redeem": jobRedeem}[parts[0]](parts[2], parts[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func job(t *testing.T, name, on, where string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", jobVariable, name, on, where))
	return cmd
}

// reserving is how the jobs begin: a store whose clock is the tests', and a write reserved in it.
func reserving(where, name string) (*Store, Found, error) {
	s, err := Open(context.Background(), where, Options{Now: func() time.Time { return noon }})
	if err != nil {
		return nil, Found{}, err
	}
	f, err := s.Reserve(context.Background(), keyOf(name), "f")
	return s, f, err
}

// jobHold reserves a write, says so and never ends.
func jobHold(where, name string) error {
	_, f, err := reserving(where, name)
	fmt.Println(f.Standing)
	if err != nil {
		return err
	}
	select {}
}

// jobComplete reserves a write, completes it, says so and never ends: the reply never leaves.
func jobComplete(where, name string) error {
	s, f, err := reserving(where, name)
	if err == nil && f.Standing == Reserved {
		err = s.Complete(context.Background(), f.Reservation, []byte("first of "+name))
	}
	if err != nil {
		return err
	}
	fmt.Println(f.Standing)
	select {}
}

// killed runs a job until it says something, and kills it.
func killed(t *testing.T, name, on, where string) (said string) {
	t.Helper()
	cmd := job(t, name, on, where)
	out, err := cmd.StdoutPipe()
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	if lines.Text() != string(Reserved) {
		t.Fatalf("%q: %s", lines.Text(), trouble.String())
	}
	return lines.Text()
}

// TestKilled: nothing is repeated, whenever the process that sends is killed, and what it completed is replayed.
func TestKilled(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		killed(t, "hold", "held", where)
		killed(t, "complete", "sent", where)
		c := &clock{now: noon}
		s := opened(t, where, c)
		stands(t, s, "held", "f", InProgress) // nobody can tell yet that it is gone
		c.add(30 * time.Second)
		for _, later := range []time.Duration{0, 365 * 24 * time.Hour} {
			c.add(later)
			done(t, s.Sweep(t.Context()))
			if f := stands(t, s, "held", "f", Unknown); f.Outcome == "" {
				t.Error("it cannot be decided about")
			}
			if later > 0 {
				break
			}
			if f := stands(t, s, "sent", "f", Replay); string(f.Result.Bytes) != "first of sent" {
				t.Errorf("%+v", f)
			}
		}
		list, err := s.Outcomes(t.Context())
		if err != nil || len(list) != 1 || list[0].Key != keyOf("held") || list[0].Said {
			t.Fatalf("%+v, %v", list, err)
		}
		_, err = s.Settle(t.Context(), list[0].ID, false, "ada", "")
		done(t, err)
		mustReserve(t, s, "held", "f")
	})
}

// jobRace reserves fifty writes that others want as well, and says which are its own.
func jobRace(where, name string) error {
	s, err := Open(context.Background(), where, Options{Now: func() time.Time { return noon }})
	if err != nil {
		return err
	}
	for n := range 50 {
		f, err := s.Reserve(context.Background(), keyOf(fmt.Sprint("key", n)), "f")
		if err == nil && f.Standing == Reserved {
			fmt.Println(n)
			err = s.Complete(context.Background(), f.Reservation, fmt.Append(nil, "by ", name))
		} else if err == nil && f.Standing != Replay && f.Standing != InProgress {
			err = fmt.Errorf("key %d: %s", n, f.Standing)
		}
		if err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

// TestProcessesRace: of several processes, which make the schema together as well, one sends each write.
func TestProcessesRace(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		var group sync.WaitGroup
		said := make([][]byte, 4)
		for n := range said {
			cmd := job(t, "race", fmt.Sprint(n), where)
			group.Go(func() {
				var err error
				var trouble bytes.Buffer
				cmd.Stderr = &trouble
				if said[n], err = cmd.Output(); err != nil {
					t.Errorf("process %d: %v: %s", n, err, trouble.String())
				}
			})
		}
		group.Wait()
		s, sent := opened(t, where, &clock{now: noon}), map[string]int{}
		for n, text := range said {
			for _, key := range strings.Fields(string(text)) {
				sent[key]++
				if f := stands(t, s, "key"+key, "f", Replay); string(f.Result.Bytes) != fmt.Sprint("by ", n) {
					t.Errorf("%s was sent by %d: %s", key, n, f.Result.Bytes)
				}
			}
		}
		for key, n := range sent {
			if n != 1 {
				t.Errorf("%s was sent %d times", key, n)
			}
		}
		if len(sent) != 50 {
			t.Errorf("%d were sent", len(sent))
		}
	})
}

// jobRedeem redeems a token of the call of the tests.
func jobRedeem(where, token string) error {
	s, err := Open(context.Background(), where, Options{Now: func() time.Time { return noon }})
	if err != nil {
		return err
	}
	return errors.Join(s.Redeem(context.Background(), token, call), s.Close())
}

// TestProcessesRedeem: of several processes that have one token, one redeems it.
func TestProcessesRedeem(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := opened(t, where, &clock{now: noon})
		a := asked(t, s, Question{})
		decided(t, s, a.ID, true)
		var group sync.WaitGroup
		var mu sync.Mutex
		redeemed, replayed := 0, 0
		for range 4 {
			cmd := job(t, "redeem", a.Token, where)
			group.Go(func() {
				out, err := cmd.CombinedOutput()
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					redeemed++
				case strings.Contains(string(out), ErrReplayed.Error()):
					replayed++
				default:
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		group.Wait()
		if redeemed != 1 || replayed != 3 {
			t.Errorf("%d redeemed it, %d were told that it was used", redeemed, replayed)
		}
	})
}

// TestReadOnly runs as somebody who may not write, since root may.
func TestReadOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "anvil-state-")
	done(t, err)
	defer os.RemoveAll(dir)
	where := filepath.Join(dir, "state")
	s, err := Open(t.Context(), where, Options{})
	done(t, err)
	binary, err := os.ReadFile(os.Args[0])
	done(t, errors.Join(s.Close(), err, os.WriteFile(filepath.Join(dir, "other"), binary, 0o755), os.Chmod(filepath.Join(where, File), 0o444), os.Chmod(where, 0o755)))
	cmd := job(t, "race", "0", where)
	cmd.Path = filepath.Join(dir, "other")
	_, err = postgres.AsOther(cmd, dir)
	done(t, err)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), where) || !strings.Contains(string(out), ErrReadOnly.Error()) {
		t.Errorf("%v: %s", err, out)
	}
}
