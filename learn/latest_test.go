package learn

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestLatestContracts(t *testing.T) {
	type seen struct {
		Tool Tool
		Last int
	}
	all := []seen{{Tool{"b", "x", "1"}, 5}, {Tool{"a", "x", "1"}, 1}, {Tool{"b", "x", "2"}, 7}, {Tool{"b", "x", "3"}, 7}, {Tool{"a", "x", ""}, 1}, {Tool{"", "x", "1"}, 9}}
	got := Latest(all, func(s seen) Tool { return s.Tool }, func(a, b seen) int { return cmp.Compare(a.Last, b.Last) })
	if diff := gocmp.Diff([]seen{all[2], all[1], all[5]}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
