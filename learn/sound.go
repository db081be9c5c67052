package learn

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// MaxSum bounds each sum of a cell: one that would grow past it stays there. Two of them added do not overflow.
const MaxSum = 1 << 60

// plus adds two sums that are bounded, and bounds what comes out.
func plus(a, b int64) int64 { return min(a+b, MaxSum) }

// Sound says what no folding of events makes of a cell: a sum less than zero or beyond [MaxSum], and a part that is greater than what it is a part of. Such a cell
// was damaged, or comes from elsewhere. A sketch may lack what was measured, since not everybody has one.
func (c Cell) Sound() error {
	for i, sum := range c.Sums() {
		if *sum < 0 || *sum > MaxSum {
			return fmt.Errorf("its %s are %d, and a sum is from 0 to %d", SumNames[i], *sum, int64(MaxSum))
		}
	}
	ended := c.Invocations + c.Cancelled + c.Refused // four of them still fit
	for _, p := range []struct {
		part  string
		n     int64
		whole string
		of    int64
	}{
		{"failures", c.Failures, "invocations", c.Invocations}, {"timed", c.Timed, "invocations", c.Invocations},
		{"metered", c.Metered, "invocations", c.Invocations}, {"sized", c.Sized, "invocations", c.Invocations},
		{"invocations", c.Invocations, "attempts", c.Attempts}, {"asked", c.Asked, "calls", ended}, {"declined", c.Declined, "asked", c.Asked},
		{"durations of its sketch", c.Duration.Count(), "timed", c.Timed}, {"sizes of its sketch", c.Size.Count(), "sized", c.Sized},
	} {
		if p.n > p.of {
			return fmt.Errorf("its %s are %d of %d %s", p.part, p.n, p.of, p.whole)
		}
	}
	if c.Last.Before(c.First) {
		return errors.New("its last event is before its first")
	}
	return errors.Join(soundCodes("failures", c.Codes, c.Failures), soundCodes("refused", c.Refusals, c.Refused), c.soundCost())
}

func soundCodes(what string, counts map[string]int64, of int64) error {
	all := int64(0)
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		n := counts[code]
		if n < 0 || n > MaxSum {
			return fmt.Errorf("code %q counts %d", label(code), n)
		}
		if all = plus(all, n); all > of {
			return fmt.Errorf("its codes count more than its %d %s", of, what)
		}
	}
	return nil
}

func (c Cell) soundCost() error {
	for _, currency := range slices.Sorted(maps.Keys(c.Cost)) {
		switch s := c.Cost[currency]; {
		case s.Micros < 0 || s.Micros > MaxSum || s.Calls < 0:
			return fmt.Errorf("what it cost in %q is %d millionths for %d calls", label(currency), s.Micros, s.Calls)
		case s.Calls > c.Invocations:
			return fmt.Errorf("%d calls cost something in %q, of %d invocations", s.Calls, label(currency), c.Invocations)
		}
	}
	return nil
}
