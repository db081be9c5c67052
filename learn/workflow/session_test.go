package workflow

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"anvil/learn"
)

func TestLatestCalls(t *testing.T) {
	broken := errors.New("row 7 is broken")
	calls := func(n int, end error) func(func(learn.Event, error) bool) {
		return func(yield func(learn.Event, error) bool) {
			for i := range n {
				if !yield(learn.Event{ID: strconv.Itoa(i)}, nil) {
					return
				}
			}
			if end != nil {
				yield(learn.Event{}, end)
			}
		}
	}
	for n, want := range map[int][]string{0: nil, 3: {"0", "1", "2"}, 4: {"0", "1", "2", "3"}, 5: {"1", "2", "3", "4"}, 9: {"5", "6", "7", "8"}, 12: {"8", "9", "10", "11"}} {
		latest, cut, err := Latest(calls(n, nil), 4)
		var ids []string
		for _, e := range latest {
			ids = append(ids, e.ID)
		}
		if err != nil || cut != (n > 4) || !slices.Equal(ids, want) {
			t.Errorf("%d: %q, cut %v, %v; want %q", n, ids, cut, err, want)
		}
	}
	if _, _, err := Latest(calls(3, broken), 4); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
