package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertion 42, its first half; learn/sqlstore has the one with processes.
func goroutines(t *testing.T, s learn.Store) {
	var group sync.WaitGroup
	for w := range 32 {
		group.Go(func() {
			for n := w; n < 1000; n += 32 { // two tell of each event
				if _, err := s.Record(t.Context(), []learn.Event{Event(n, of("vault", fmt.Sprint("tool", n%3))), Event((n+1)%1000, of("vault", fmt.Sprint("tool", (n+1)%1000%3)))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	total, timed := int64(0), int64(0)
	for _, r := range records(t, s, learn.Filter{}) {
		total, timed = total+all(r).Invocations, timed+all(r).Duration.Count()
	}
	if kept := len(events(t, s, learn.Query{})); total != 1000 || timed != 1000 || kept != 1000 {
		t.Errorf("%d in cells, %d in sketches, %d events", total, timed, kept)
	}
}

// RandomEvents are n calls of all kinds, of several tools, several of them at one moment.
func RandomEvents(r *rand.Rand, n int) []learn.Event {
	var list []learn.Event
	for i := range n {
		list = append(list, Event(i, func(e *learn.Event) {
			e.At = Morning.Add(time.Duration(r.IntN(n/4+1)) * 7 * time.Second)
			e.Tool = learn.Tool{Server: []string{"a", "b", ""}[r.IntN(3)], Name: fmt.Sprint("tool", r.IntN(4)), Contract: fmt.Sprint("c", r.IntN(2))}
			e.Outcome, e.Duration = learn.Outcomes[r.IntN(4)], time.Duration(r.Int64N(int64(3*time.Second)))-time.Second
			e.Code = fmt.Sprint("E", r.IntN(5))
			e.Model, e.Client = fmt.Sprint("m", r.IntN(2)), []string{"", "one", "two"}[r.IntN(3)]
			e.Session, e.Decoding, e.Resolver = fmt.Sprint("s", r.IntN(3)), []string{"", "balanced"}[r.IntN(2)], "1.0.0"
			if r.IntN(2) == 0 {
				e.Cost = &learn.Money{Micros: r.Int64N(1e6), Currency: []string{"USD", "EUR"}[r.IntN(2)]}
			}
			e.Output = learn.Payload{Bytes: r.Int64N(5000) - 1000}
		}))
	}
	return list
}

// Assertion 48.
func anyOrder(t *testing.T, open func(t *testing.T) learn.Store) {
	r := rand.New(rand.NewPCG(48, 1))
	list := RandomEvents(r, 600)
	want := []byte(nil)
	for i, size := range []int{600, 1, 7, 100, 599} {
		s := open(t)
		for batch := range slices.Chunk(list, size) {
			record(t, s, batch...)
		}
		got := Dump(t, s)
		if i == 0 {
			want = got
		}
		if !bytes.Equal(want, got) {
			t.Errorf("batches of %d give another store:\n%s", size, cmp.Diff(string(want), string(got)))
		}
		must(t, s.Close())
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}

// batches: what SQL adds up and what is merged in memory is what one fold gives.
func batches(t *testing.T, s learn.Store) {
	list := RandomEvents(rand.New(rand.NewPCG(9, 9)), 500)
	want := learn.Cell{Window: learn.All}
	for i := range list {
		list[i].Tool = Vault
		e, err := list[i].Checked(Morning.AddDate(0, 0, 1))
		must(t, err)
		want.Fold(e)
	}
	for batch := range slices.Chunk(list, 37) {
		record(t, s, batch...)
	}
	got := all(find(t, s, "vault", "rotate_keys"))
	a, err := want.Duration.MarshalBinary()
	must(t, err)
	b, err := got.Duration.MarshalBinary()
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Error("the sketches differ")
	}
	want.Duration, want.Size = got.Duration, got.Size
	if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
		t.Error(diff)
	}
}

func ended(t *testing.T, s learn.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Record(ctx, []learn.Event{Event(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, err := range s.Records(ctx, learn.Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if done := record(t, s, Event(1)); done.Kept != 1 {
		t.Errorf("it does not go on: %+v", done)
	}
}

// oddText: what no text may hold is mended, in every store alike.
func oddText(t *testing.T, s learn.Store) {
	odd := "a\x00b\xff'\"?$1;--\n"
	record(t, s, Event(1, of(odd, odd), under(odd), func(e *learn.Event) {
		e.Session, e.Output = odd, learn.Payload{Bytes: 1, Shape: odd, Text: odd, Digest: odd}
	}))
	must(t, s.Annotate(t.Context(), odd, odd, learn.Annotation{Owner: odd, Tags: []string{odd, ""}, Description: odd}))
	mended := strings.NewReplacer("\x00", "\uFFFD", "\xff", "\uFFFD").Replace(odd)
	line := strings.ReplaceAll(mended, "\n", " ") // people's words have no control characters
	r := find(t, s, odd, odd)
	if r.Tool != (learn.Tool{Server: mended, Name: mended, Contract: mended}) || !slices.Equal(r.Annotation.Tags, []string{line, ""}) || r.Annotation.Owner != line {
		t.Errorf("%q, %q", r.Tool, r.Annotation)
	}
	if e := events(t, s, learn.Query{}); e[0].Output.Text != mended || e[0].Session != mended {
		t.Errorf("%q", eventText(e[0]))
	}
	_, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{{Tool: r.Tool, Insights: []learn.Insight{insight(odd, `1`)},
		Recommendations: []learn.Recommendation{{Type: "model", Payload: []byte(`{}`), Rationale: odd}}}})
	must(t, err)
	if r := find(t, s, odd, odd); r.Insights[0].Key != mended || r.Recommendations[0].Rationale != mended {
		t.Errorf("%+v", r)
	}
}
