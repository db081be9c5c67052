package state

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"anvil/compiler/canon"
)

func keyOf(name string) Key {
	return Key{Service: "desk", Operation: "desk.pay", IdempotencyKey: name}
}

func reserve(t testing.TB, s *Store, key, fingerprint string) Found {
	t.Helper()
	f, err := s.Reserve(t.Context(), keyOf(key), fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustReserve(t testing.TB, s *Store, key, fingerprint string) Reservation {
	t.Helper()
	f := reserve(t, s, key, fingerprint)
	if f.Standing != Reserved || f.Outcome != "" {
		t.Fatalf("%+v", f)
	}
	return f.Reservation
}

func stands(t *testing.T, s *Store, key, fingerprint string, want Standing) Found {
	t.Helper()
	f := reserve(t, s, key, fingerprint)
	if f.Standing != want {
		t.Errorf("%s: %q, want %q", key, f.Standing, want)
	}
	return f
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLedger(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, c := both(t, where)
		r := mustReserve(t, a, "k", "f")
		for _, s := range []*Store{a, b} {
			if f := stands(t, s, "k", "f", InProgress); !f.Since.Equal(noon) {
				t.Error(f.Since)
			}
			stands(t, s, "k", "other", Conflict)
		}
		// The same key is another write in another operation or service.
		for _, key := range []Key{{"desk", "desk.refund", "k"}, {"till", "desk.pay", "k"}} {
			if f, err := b.Reserve(t.Context(), key, "f"); err != nil || f.Standing != Reserved {
				t.Errorf("%+v, %v", f, err)
			}
		}
		c.add(time.Second)
		result := []byte(`{"content":[ {"type":"text","text":"paid \u00e9"} ]}` + "\x00\xff")
		done(t, a.Complete(t.Context(), r, result))
		done(t, a.Complete(t.Context(), r, result)) // what was not heard may be said again
		if err := a.Complete(t.Context(), r, []byte("another")); !errors.Is(err, ErrLost) {
			t.Errorf("a second result: %v", err)
		}
		for _, s := range []*Store{a, b} {
			f := stands(t, s, "k", "f", Replay)
			if got := f.Result; !bytes.Equal(got.Bytes, result) || !got.Kept || got.Size != int64(len(result)) || got.Digest != canon.Digest(result) || got.Decided != "" {
				t.Errorf("%+v", got)
			}
			stands(t, s, "k", "other", Conflict)
		}
		empty := mustReserve(t, a, "empty", "f")
		done(t, a.Complete(t.Context(), empty, nil))
		if f := stands(t, b, "empty", "f", Replay); !f.Result.Kept || len(f.Result.Bytes) != 0 {
			t.Errorf("%+v", f.Result)
		}
	})
}

// TestRelease: where nothing was sent the key is free, for something else as well.
func TestRelease(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, _ := both(t, where)
		r := mustReserve(t, a, "free", "f")
		done(t, a.Release(t.Context(), r))
		done(t, a.Release(t.Context(), r))
		later := mustReserve(t, b, "free", "other")
		done(t, a.Release(t.Context(), r)) // which is not its own any more
		stands(t, a, "free", "other", InProgress)
		if err := a.Complete(t.Context(), r, []byte("r")); !errors.Is(err, ErrLost) {
			t.Errorf("%v", err)
		}
		done(t, b.Complete(t.Context(), later, []byte("r")))
	})
}

func TestLongResults(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s, _, _ := both(t, where)
		for _, size := range []int{MaxResult, MaxResult + 1} {
			result := bytes.Repeat([]byte("x"), size)
			name := strings.Repeat("k", size-MaxResult+1)
			done(t, s.Complete(t.Context(), mustReserve(t, s, name, "f"), result))
			got := stands(t, s, name, "f", Replay).Result
			kept := size == MaxResult
			if got.Kept != kept || (got.Bytes != nil) != kept || len(got.Bytes) > 0 && len(got.Bytes) != size || got.Size != int64(size) || got.Digest != canon.Digest(result) {
				t.Errorf("%d bytes: kept %v, %d bytes, size %d, %s", size, got.Kept, len(got.Bytes), got.Size, got.Digest)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	s := opened(t, t.TempDir(), &clock{now: noon})
	for key, good := range map[string]bool{"": false, strings.Repeat("k", 255): true, strings.Repeat("k", 256): false, "a b": false, "a\n": false, "é": false, "~!": true, "\x00": false, "\xff": false} {
		if _, err := s.Reserve(t.Context(), keyOf(key), "f"); good != (err == nil) || !good && !errors.Is(err, ErrKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	one := Fingerprint("c", []byte("a"), "w")
	if one != Fingerprint("c", []byte("a"), "w") || !canon.IsDigest(one) {
		t.Error(one)
	}
	for _, other := range []string{Fingerprint("ca", nil, "w"), Fingerprint("c", []byte("aw"), ""), Fingerprint("", []byte("ca"), "w"), Fingerprint("c1:a", nil, "w")} {
		if other == one {
			t.Error("two calls have one fingerprint")
		}
	}
}

// unknown leaves writes behind of which nobody knows what came of them, five years ago, and returns the reservations and what they are called.
func unknown(t *testing.T, a, b *Store, c *clock, names ...string) (held map[string]Reservation, ids map[string]string) {
	t.Helper()
	held, ids = map[string]Reservation{}, map[string]string{}
	for _, name := range names {
		held[name] = mustReserve(t, a, name, "f")
		done(t, a.MarkUnknown(t.Context(), held[name]))
		done(t, a.MarkUnknown(t.Context(), held[name]))
		c.add(time.Second)
	}
	c.add(5 * 365 * 24 * time.Hour)
	done(t, errors.Join(a.Sweep(t.Context()), b.Sweep(t.Context())))
	list, err := b.Outcomes(t.Context())
	if err != nil || len(list) != len(names) || !list[0].Since.Equal(noon) {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, name := range names {
		ids[name] = list[i].ID
		if f := stands(t, b, name, "f", Unknown); f.Outcome != list[i].ID || list[i].Key != keyOf(name) || !list[i].Said {
			t.Errorf("%s is not %+v", f.Outcome, list[i])
		}
		stands(t, b, name, "other", Conflict)
	}
	return held, ids
}

// TestUnknownOutcomes: what nobody knows stays unknown, whatever its age, until a result comes after all or a person decides.
func TestUnknownOutcomes(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, c := both(t, where)
		held, ids := unknown(t, a, b, c, "late", "happened", "cleared", "waits")
		done(t, a.Complete(t.Context(), held["late"], []byte("late")))
		if f := stands(t, b, "late", "f", Replay); string(f.Result.Bytes) != "late" {
			t.Errorf("%+v", f)
		}
		for name, happened := range map[string]bool{"happened": true, "cleared": false} {
			o, err := b.Settle(t.Context(), strings.ToUpper(ids[name]), happened, "ada", "asked the bank")
			if err != nil || o.Key != keyOf(name) {
				t.Errorf("%+v, %v", o, err)
			}
			if err := a.Complete(t.Context(), held[name], []byte("late")); !errors.Is(err, ErrLost) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := b.Settle(t.Context(), ids[name], !happened, "bob", ""); !errors.Is(err, ErrNoOutcome) {
				t.Errorf("%s was decided twice: %v", name, err)
			}
		}
		if f := stands(t, a, "happened", "f", Replay); f.Result.Kept || f.Result.Bytes != nil || f.Result.Digest != "" || f.Result.Decided != "ada" || f.Result.Reason != "asked the bank" {
			t.Errorf("%+v", f)
		}
		mustReserve(t, a, "cleared", "changed since")
		for _, id := range []string{ids["late"], "out-aaaaaaaa", ""} {
			if _, err := b.Settle(t.Context(), id, true, "ada", ""); !errors.Is(err, ErrNoOutcome) {
				t.Errorf("%q: %v", id, err)
			}
		}
		if list, err := a.Outcomes(t.Context()); err != nil || len(list) != 1 || list[0].ID != ids["waits"] {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestAProcessThatIsGone: its reservations are unknown, and not free, once its lease is over. A process that was slow and comes back still brings its result.
func TestAProcessThatIsGone(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, c := both(t, where)
		slow, lost := mustReserve(t, a, "slow", "f"), mustReserve(t, a, "lost", "f")
		c.add(lease - time.Second)
		stands(t, b, "slow", "f", InProgress)
		if list, err := b.Outcomes(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		done(t, a.beat(t.Context()))
		c.add(lease - time.Second)
		stands(t, b, "slow", "f", InProgress)
		c.add(time.Second)
		stands(t, b, "slow", "f", Unknown)
		list, err := b.Outcomes(t.Context())
		if err != nil || len(list) != 2 || list[0].Said {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, o := range list {
			if o.Key == keyOf("lost") {
				_, err := b.Settle(t.Context(), o.ID, false, "ada", "")
				done(t, err)
			}
		}
		stands(t, a, "slow", "f", InProgress) // who holds it knows
		done(t, a.Complete(t.Context(), slow, []byte("slow")))
		stands(t, b, "slow", "f", Replay)
		if err := a.Complete(t.Context(), lost, []byte("lost")); !errors.Is(err, ErrLost) {
			t.Errorf("%v", err)
		}
		// One that lives on again is not taken for gone, and nobody decides about what it holds.
		mustReserve(t, a, "held", "f")
		c.add(time.Hour)
		list, err = b.Outcomes(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		done(t, a.beat(t.Context()))
		if _, err := b.Settle(t.Context(), list[0].ID, false, "ada", ""); !errors.Is(err, ErrNoOutcome) {
			t.Errorf("%v", err)
		}
		stands(t, b, "held", "f", InProgress)
	})
}

// TestAReservationThatNobodyGot: a row that is written though reserving it failed is nobody's, and in nobody's way once its process needs it.
func TestAReservationThatNobodyGot(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, _ := both(t, where)
		a.owner.gave(mustReserve(t, a, "k", "f").id) // the answer of the database was lost
		stands(t, b, "k", "f", InProgress)
		r := mustReserve(t, a, "k", "other")
		stands(t, a, "k", "other", InProgress)
		done(t, a.Complete(t.Context(), r, nil))
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := a.Reserve(ended, keyOf("l"), "f"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		mustReserve(t, b, "l", "f")
	})
}

// TestClosing: what is open when a process ends in order is unknown at once.
func TestClosing(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		c := &clock{now: noon}
		a, err := Open(t.Context(), where, Options{Now: c.Now})
		done(t, err)
		mustReserve(t, a, "open", "f")
		done(t, a.Complete(t.Context(), mustReserve(t, a, "done", "f"), []byte("r")))
		done(t, a.Close())
		b := opened(t, where, c)
		stands(t, b, "open", "f", Unknown)
		stands(t, b, "done", "f", Replay)
	})
}

func TestRetention(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, _, c := both(t, where)
		done(t, a.Complete(t.Context(), mustReserve(t, a, "old", "f"), []byte("r")))
		c.add(time.Hour)
		done(t, a.Complete(t.Context(), mustReserve(t, a, "young", "f"), []byte("r")))
		open := mustReserve(t, a, "open", "f")
		c.add(7*24*time.Hour - time.Hour)
		done(t, a.Sweep(t.Context()))
		mustReserve(t, a, "old", "f")
		stands(t, a, "young", "f", Replay)
		stands(t, a, "open", "f", InProgress)
		done(t, a.Complete(t.Context(), open, []byte("r")))
	})
}

// TestOneOfMany: of many who ask at the same time, in two stores, one gets the write, and the others its result or nothing.
func TestOneOfMany(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		a, b, _ := both(t, where)
		for _, key := range []string{"one", "two", "three"} {
			var sent, replayed atomic.Int64
			var group sync.WaitGroup
			for n := range 16 {
				group.Go(func() {
					s := []*Store{a, b}[n%2]
					f, err := s.Reserve(t.Context(), keyOf(key), "f")
					switch {
					case err != nil:
						t.Error(err)
					case f.Standing == Reserved:
						sent.Add(1)
						if err := s.Complete(t.Context(), f.Reservation, []byte(key)); err != nil {
							t.Error(err)
						}
					case f.Standing == Replay && string(f.Result.Bytes) == key:
						replayed.Add(1)
					case f.Standing != InProgress:
						t.Errorf("%+v", f)
					}
				})
			}
			group.Wait()
			if sent.Load() != 1 {
				t.Errorf("%s was sent %d times", key, sent.Load())
			}
			stands(t, b, key, "f", Replay)
		}
	})
}
