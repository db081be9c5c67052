package workflow

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

func segment(id string, from, to int) Segment {
	return Segment{id, morning.Add(time.Duration(from) * ms), morning.Add(time.Duration(to) * ms)}
}

func TestWallClockPath(t *testing.T) {
	for _, test := range []struct {
		name      string
		events    []learn.Event
		want      []Segment
		elsewhere time.Duration
	}{
		{"one call", []learn.Event{call("a", "", 0, 10)}, []Segment{segment("a", 0, 10)}, 0},
		{"a call that waits for another", []learn.Event{call("a", "", 0, 100), call("b", "a", 20, 50)},
			[]Segment{segment("a", 0, 20), segment("b", 20, 70), segment("a", 70, 100)}, 0},
		{"two at once: the later end was waited for", []learn.Event{call("a", "", 0, 100), call("b", "a", 10, 50), call("c", "a", 10, 80)},
			[]Segment{segment("a", 0, 10), segment("c", 10, 90), segment("a", 90, 100)}, 0},
		{"one after the other", []learn.Event{call("a", "", 0, 100), call("b", "a", 10, 30), call("c", "a", 50, 40)},
			[]Segment{segment("a", 0, 10), segment("b", 10, 40), segment("a", 40, 50), segment("c", 50, 90), segment("a", 90, 100)}, 0},
		{"one that was still running when the other began was not waited for", []learn.Event{call("a", "", 0, 100), call("b", "a", 10, 50), call("c", "a", 40, 50)},
			[]Segment{segment("a", 0, 40), segment("c", 40, 90), segment("a", 90, 100)}, 0},
		{"calls that outlive the one that made them", []learn.Event{call("a", "", 0, 10), call("b", "a", 15, 20)},
			[]Segment{segment("a", 0, 10), segment("b", 15, 35)}, 5 * ms},
		{"roots with a pause", []learn.Event{call("a", "", 0, 10), call("b", "", 50, 10)}, []Segment{segment("a", 0, 10), segment("b", 50, 60)}, 40 * ms},
		{"a child of a clock that runs late", []learn.Event{call("a", "", 20, 10), call("b", "a", 0, 25)}, []Segment{segment("b", 0, 25), segment("a", 25, 30)}, 0},
		{"untimed", []learn.Event{call("a", "", 0, 10), call("b", "a", 5, 0, func(e *learn.Event) { e.Duration = learn.Untimed })},
			[]Segment{segment("a", 0, 5), segment("a", 5, 10)}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := Build(test.events)
			checkSound(t, g)
			w := g.WallClock()
			if diff := cmp.Diff(test.want, w.Segments); diff != "" || w.Elsewhere != test.elsewhere {
				t.Errorf("elsewhere %v, segments (-want +got)\n%s", w.Elsewhere, diff)
			}
		})
	}
	if w := Build(nil).WallClock(); w.Elapsed != 0 || w.Path != nil || Build(nil).SummedPath().IDs != nil {
		t.Errorf("of nothing: %+v", w)
	}
}

func TestSumsCountTwiceWhatWallClockCountsOnce(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 100), call("b", "a", 10, 80), call("c", "b", 20, 60)})
	if got := g.SummedPath().Total; got != 240*ms {
		t.Errorf("sums: %v", got)
	}
	if w := g.WallClock(); w.Elapsed != 100*ms || w.Share()["c"] != 60*ms || w.Share()["a"] != 20*ms {
		t.Errorf("wall clock: %+v", w)
	}
}

func TestSelfAndInclusiveTime(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 100), call("b", "a", 10, 40), call("c", "a", 30, 40), call("d", "a", 90, 60), call("e", "d", 95, 100)})
	want := []Times{{30 * ms, 195 * ms}, {40 * ms, 40 * ms}, {40 * ms, 40 * ms}, {5 * ms, 105 * ms}, {100 * ms, 100 * ms}}
	if diff := cmp.Diff(want, g.Times()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := Build([]learn.Event{call("a", "", 0, 10), call("b", "", 5, 10), call("c", "", 40, 10)}).Busy(); got != 25*ms {
		t.Errorf("busy %v", got)
	}
}

func TestOfEqualPathsTheEarliestIsTaken(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 10), call("b", "a", 10, 20), call("c", "a", 10, 20), call("d", "", 50, 30)})
	if diff := cmp.Diff(Path{[]string{"a", "b"}, 30 * ms}, g.SummedPath()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
