package evaluate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"anvil/learn"
)

var (
	morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	vault   = learn.Tool{Server: "vault", Name: "rotate_keys", Contract: "c1"}
)

// watched is a tool whose calls are folded one by one, as a store folds them, a minute apart.
type watched struct {
	record learn.Record
	at     map[learn.Dimensions]map[learn.Window]int
	n      int
}

func watch(tool learn.Tool) *watched {
	return &watched{record: learn.Record{Tool: tool}, at: map[learn.Dimensions]map[learn.Window]int{}}
}

// call folds one call in and returns the watched.
func (w *watched) call(change ...func(*learn.Event)) *watched {
	e := learn.Event{ID: fmt.Sprintf("event-%06d", w.n), Tool: w.record.Tool, At: morning.Add(time.Duration(w.n) * time.Minute), Duration: time.Second,
		Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
	w.n++
	for _, c := range change {
		c(&e)
	}
	e, err := e.Checked(e.At)
	if err != nil {
		panic(err)
	}
	for _, c := range learn.CellsOf(e) {
		if w.at[c.Dims] == nil {
			w.at[c.Dims] = map[learn.Window]int{}
		}
		i, known := w.at[c.Dims][c.Window]
		if !known {
			i = len(w.record.Cells)
			w.at[c.Dims][c.Window] = i
			w.record.Cells = append(w.record.Cells, c)
		}
		w.record.Cells[i].Fold(e)
	}
	w.record.Updated = e.At
	return w
}

// calls folds n calls in, of which those that fails says fail.
func (w *watched) calls(n int, fails func(i int) bool, change ...func(*learn.Event)) *watched {
	for i := range n {
		all := change
		if fails(i) {
			all = append(slices.Clone(change), failed("ETIMEDOUT"))
		}
		w.call(all...)
	}
	return w
}

// now is a moment after the last call.
func (w *watched) now() time.Time { return w.record.Updated.Add(time.Minute) }

// judge evaluates and keeps what is concluded, as a store does.
func (w *watched) judge(o Options) learn.Conclusions {
	c := Tool(w.record, w.now(), o)
	w.record.Insights, w.record.Recommendations = c.Insights, c.Recommendations
	w.record.Baselines = append(w.record.Baselines, c.Baselines...)
	return c
}

func none(int) bool  { return false }
func every(int) bool { return true }

// oneIn fails the first of every n.
func oneIn(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

// share fails a share of calls, drawn.
func share(r *rand.Rand, p float64) func(int) bool { return func(int) bool { return r.Float64() < p } }

func failed(code string) func(*learn.Event) {
	return func(e *learn.Event) { e.Outcome, e.Code = learn.Failed, code }
}
func took(d time.Duration) func(*learn.Event) { return func(e *learn.Event) { e.Duration = d } }
func from(client string) func(*learn.Event)   { return func(e *learn.Event) { e.Client = client } }
func spent(amount, in string) func(*learn.Event) {
	m, err := learn.ParseMoney(amount, in)
	if err != nil {
		panic(err)
	}
	return func(e *learn.Event) { e.Cost = &m }
}

// insight returns what is concluded under a key.
func insight(c learn.Conclusions, key string) (learn.Insight, bool) {
	for _, i := range c.Insights {
		if i.Key == key {
			return i, true
		}
	}
	return learn.Insight{}, false
}

// valueOf is the value of an insight, "" where it is not concluded.
func valueOf(c learn.Conclusions, key string) string {
	i, _ := insight(c, key)
	return string(i.Value)
}

// shelf keeps records in memory, in order: what an evaluation needs of a store. The real ones are tested with evaluations where they are.
type shelf struct {
	records   []learn.Record
	made      func(i int) learn.Record // makes records as they are read, where there are too many to keep
	n         int
	read      int
	concluded int
	furthest  int // how many records were read and not judged yet
	written   []learn.Conclusions
	fails     bool
}

func (s *shelf) Records(_ context.Context, f learn.Filter) iter.Seq2[learn.Record, error] {
	return func(yield func(learn.Record, error) bool) {
		for i := range max(s.n, len(s.records)) {
			r := learn.Record{}
			if s.made != nil {
				r = s.made(i)
			} else {
				r = s.records[i]
			}
			if f.Server != "" && f.Server != r.Tool.Server || f.Name != "" && f.Name != r.Tool.Name || f.Contract != "" && f.Contract != r.Tool.Contract {
				continue
			}
			s.read++
			s.furthest = max(s.furthest, s.read-s.concluded)
			if !yield(r, nil) {
				return
			}
		}
		if s.fails {
			yield(learn.Record{}, errors.New("row 7 is broken"))
		}
	}
}

func (s *shelf) Conclude(_ context.Context, at time.Time, all []learn.Conclusions) ([]learn.Change, error) {
	var changes []learn.Change
	for _, c := range all {
		s.written = append(s.written, c)
		for i := range s.records {
			if s.records[i].Tool == c.Tool {
				s.records[i].Insights, s.records[i].Recommendations = c.Insights, c.Recommendations
				s.records[i].Baselines = append(s.records[i].Baselines, c.Baselines...)
			}
		}
		for _, i := range c.Insights {
			changes = append(changes, learn.Change{At: at, Tool: c.Tool, Key: i.Key, Now: i.Value})
		}
	}
	s.concluded += len(all)
	return changes, nil
}
