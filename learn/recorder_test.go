package learn

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// gate is the part of a store that a recorder uses. It blocks while it is shut, and fails as often as it is told to. The real stores are recorded to in learn/storetest.
type gate struct {
	Store
	mu     sync.Mutex
	events []Event
	sizes  []int
	fails  int
	shut   chan struct{}
}

func (g *gate) Key() []byte { return []byte("key") }

func (g *gate) Record(ctx context.Context, events []Event) (Recorded, error) {
	if g.shut != nil {
		select {
		case <-g.shut:
		case <-ctx.Done():
			return Recorded{}, ctx.Err()
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fails > 0 {
		g.fails--
		return Recorded{}, errors.New("the disk is full")
	}
	g.events, g.sizes = append(g.events, events...), append(g.sizes, len(events))
	return Recorded{Kept: len(events)}, nil
}

func observation(n int) Observation {
	return Observation{Event: event(n), Arguments: []byte(`{"a":1}`), Result: []byte(`{"content":[]}`)}
}

func TestRecorderKeepsEverythingFromEverybody(t *testing.T) {
	store := &gate{}
	r := NewRecorder(store, RecorderOptions{Batch: 64})
	var group sync.WaitGroup
	for w := range 32 {
		group.Go(func() {
			for i := range 100 {
				if !r.Observe(observation(w*100 + i)) {
					t.Error("dropped")
				}
			}
		})
	}
	group.Wait()
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(store.events) != 3200 || r.Counts() != (Counts{Taken: 3200, Kept: 3200}) {
		t.Errorf("%d, %+v", len(store.events), r.Counts())
	}
	if e := store.events[0]; e.Input.Bytes != 7 || e.Input.Shape != `{"a":number}` || e.Output.Digest == "" {
		t.Errorf("%+v", e)
	}
	if err := r.Close(t.Context()); err != nil || r.Observe(observation(1)) || r.Flush(t.Context()) != nil {
		t.Error("a closed recorder takes, or fails")
	}
}

// TestRecorderNeverBlocks: a store that hangs costs observations, never time.
func TestRecorderNeverBlocks(t *testing.T) {
	store := &gate{shut: make(chan struct{})}
	r := NewRecorder(store, RecorderOptions{Queue: 10, Batch: 5})
	for i := range 100 {
		r.Observe(observation(i))
	}
	got := r.Counts()
	if got.Taken+got.Dropped != 100 || got.Dropped < 100-10-5 || got.Dropped > 90 {
		t.Errorf("%+v", got)
	}
	close(store.shut)
	if err := r.Close(t.Context()); err != nil || int64(len(store.events)) != got.Taken {
		t.Errorf("%v, %d kept", err, len(store.events))
	}
}

func TestRecorderBoundsPayloads(t *testing.T) {
	store := &gate{shut: make(chan struct{})}
	r := NewRecorder(store, RecorderOptions{Bytes: 1000})
	big := Observation{Event: event(1), Result: make([]byte, 600)}
	if first, second := r.Observe(big), r.Observe(big); !first || second && r.waiting.Load() > 1000 {
		t.Errorf("%v %v, %d bytes wait", first, second, r.waiting.Load())
	}
	if !r.Observe(Observation{Event: event(2)}) {
		t.Error("an event without payloads found no room")
	}
	close(store.shut)
	if err := r.Close(t.Context()); err != nil || r.waiting.Load() != 0 {
		t.Errorf("%v, %d bytes wait", err, r.waiting.Load())
	}
}

func TestRecorderTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, log := &gate{fails: 3}, []string{}
		r := NewRecorder(store, RecorderOptions{Log: func(s string) { log = append(log, s) }})
		r.Observe(observation(1))
		if err := r.Close(t.Context()); err != nil || len(store.events) != 1 || len(log) != 0 {
			t.Errorf("%v, %d kept, %q", err, len(store.events), log)
		}
		store = &gate{fails: tries}
		r = NewRecorder(store, RecorderOptions{Log: func(s string) { log = append(log, s) }})
		r.Observe(observation(1))
		if err := r.Flush(t.Context()); err == nil || fmt.Sprint(log) != "[1 observation is lost: the disk is full]" || r.Counts().Lost != 1 {
			t.Errorf("%v, %q, %+v", err, log, r.Counts())
		}
		r.Observe(observation(2))
		if err := r.Flush(t.Context()); err != nil || len(store.events) != 1 {
			t.Errorf("it does not recover: %v", err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestRecorderGivesUpWhenToldTo(t *testing.T) {
	store := &gate{shut: make(chan struct{})}
	r := NewRecorder(store, RecorderOptions{})
	r.Observe(observation(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); err == nil || r.Counts().Lost != 1 {
		t.Errorf("%v, %+v", err, r.Counts())
	}
}

func TestRecorderWaitsForABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &gate{}
		var touched []Tool
		r := NewRecorder(store, RecorderOptions{Linger: time.Second, After: func(_ context.Context, tools []Tool) { touched = append(touched, tools...) }})
		for i := range 10 {
			r.Observe(observation(i))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(store.sizes) != 1 || store.sizes[0] != 10 || len(touched) != 1 {
			t.Errorf("batches of %v, after %v", store.sizes, touched)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkObserve is what a call pays, and that it pays the same for any tool of 10 and of 10,000: at most 2 us and one allocation.
func BenchmarkObserve(b *testing.B) {
	for _, tools := range []int{1, 10, 10_000} {
		b.Run(fmt.Sprint(tools, " tools"), func(b *testing.B) {
			r := NewRecorder(&gate{}, RecorderOptions{Queue: 1 << 20})
			defer r.Close(b.Context())
			list := observations(tools)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Observe(list[i%tools])
			}
		})
	}
}

func observations(tools int) []Observation {
	list := make([]Observation, tools)
	for i := range list {
		list[i] = observation(i)
		list[i].Tool.Name = fmt.Sprint("tool", i)
	}
	return list
}

// Assertion 60: an observation costs its caller one allocation at most, whatever the number of tools. How long it takes is BenchmarkObserve's.
func TestObservingCostsTheSameForEveryTool(t *testing.T) {
	for _, tools := range []int{10, 10_000} {
		store := &gate{shut: make(chan struct{})}
		r := NewRecorder(store, RecorderOptions{Queue: 20_000, Batch: 1}) // which stands still behind the first: what is counted is the caller's
		list := observations(tools)
		r.Observe(list[0])
		for len(r.queue) > 0 {
			runtime.Gosched()
		}
		i := 0
		if n := testing.AllocsPerRun(10_000, func() { r.Observe(list[i%tools]); i++ }); n > 1 {
			t.Errorf("%d tools: %v allocations", tools, n)
		}
		if r.Counts().Dropped > 0 {
			t.Fatal(r.Counts())
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_ = r.Close(ended)
	}
}

// panicking is a store that panics at its first batches.
type panicking struct {
	gate
	left int
}

func (p *panicking) Record(ctx context.Context, events []Event) (Recorded, error) {
	if p.left > 0 {
		p.left--
		panic("the driver")
	}
	return p.gate.Record(ctx, events)
}

// TestPanicsDoNotLeaveTheRecorder: whatever is called for an observation, no panic of it ends the process or loses the others.
func TestPanicsDoNotLeaveTheRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		store := &panicking{left: 1}
		r := NewRecorder(store, RecorderOptions{Queue: 2, Batch: 1, Log: func(s string) { log = append(log, s); panic("the log") },
			After: func(context.Context, []Tool) { panic("hunter" + "2") }})
		o := observation(1)
		o.Release = func() { panic("released") }
		r.Observe(o)
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		r.Observe(observation(2))
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if r.Observe(o) { // it is closed, and gives the payload back to the caller's own goroutine
			t.Error("taken")
		}
		// Of the two releases, the one write, and two Afters.
		if got := r.Counts(); got.Kept != 2 || got.Lost != 0 || got.Panics != 5 || len(log) != 5 || len(store.events) != 2 {
			t.Errorf("%+v, %q", got, log)
		}
		for _, line := range log {
			if strings.Contains(line, "hunter") || !strings.Contains(line, "panicked") {
				t.Error(line)
			}
		}
	})
}

// The recorder does not wait behind its last try: nothing comes after it.
func TestRecorderGivesUpWithItsLastTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &gate{fails: tries}
		r := NewRecorder(store, RecorderOptions{Batch: 1})
		began := time.Now()
		r.Observe(observation(1))
		if err := r.Close(t.Context()); err == nil || r.Counts().Lost != 1 {
			t.Errorf("%v, %+v", err, r.Counts())
		}
		if took, want := time.Since(began), (1+4+16)*firstWait; took != want {
			t.Errorf("it took %v, want %v", took, want)
		}
	})
}
