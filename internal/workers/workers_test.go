package workers

import "testing"

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		done := make([]int, n)
		Each(n, func(i int) { done[i]++ })
		for i, times := range done {
			if times != 1 {
				t.Errorf("%d of %d was done %d times", i, n, times)
			}
		}
	}
}

func TestEachPanics(t *testing.T) {
	defer func() {
		if recover() != "at 7" {
			t.Error("whoever called Each cannot recover what a call panicked with")
		}
	}()
	Each(100, func(i int) {
		if i == 7 {
			panic("at 7")
		}
	})
}
