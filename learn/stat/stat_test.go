package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(got, want, within float64) bool { return math.Abs(got-want) <= within }

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int64
		low, high float64
	}{
		{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {1, 10, 0.0179, 0.4042}, {30, 100, 0.2189, 0.3958}, {1, 2, 0.0945, 0.9055}, {10, 10, 0.7225, 1}, {-1, 4, 0, 0.4899},
	} {
		if got := Wilson(c.hits, c.n); !near(got.Low, c.low, 1e-4) || !near(got.High, c.high, 1e-4) {
			t.Errorf("%d of %d: %v", c.hits, c.n, got)
		}
	}
}

// TestWilsonCovers draws shares and counts how often the interval holds them.
func TestWilsonCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	held, all := 0, 4000
	for range all {
		share, n, hits := r.Float64(), int64(10+r.IntN(200)), int64(0)
		for range n {
			if r.Float64() < share {
				hits++
			}
		}
		if i := Wilson(hits, n); i.Low <= share && share <= i.High {
			held++
		}
	}
	if got := float64(held) / float64(all); got < 0.94 || got > 0.965 {
		t.Errorf("an interval of 95 %% holds in %.1f %%", 100*got)
	}
}

func TestSharesDiffer(t *testing.T) {
	for _, c := range []struct {
		hits1, n1, hits2, n2 int64
		want                 float64
	}{
		{2, 20, 3, 5, 0.0378}, {1, 9, 11, 14, 0.002759}, {5, 10, 5, 10, 1}, {0, 0, 3, 5, 1}, {0, 5, 0, 9, 1}, {10, 1000, 30, 1000, 0.0020}, {100, 10000, 150, 10000, 0.00144},
	} {
		if got := SharesP(c.hits1, c.n1, c.hits2, c.n2); !near(got, c.want, 0.02*c.want) {
			t.Errorf("%+v: %v", c, got)
		}
		if one, other := SharesP(c.hits1, c.n1, c.hits2, c.n2), SharesP(c.hits2, c.n2, c.hits1, c.n1); !near(one, other, 1e-9) {
			t.Errorf("%+v: %v one way, %v the other", c, one, other)
		}
	}
}

func meanOf(values ...float64) Mean {
	var m Mean
	for _, v := range values {
		m.Add(v)
	}
	return m
}

// TestMeansDiffer: the figure of the first row is a numerical integral of the density.
func TestMeansDiffer(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Mean
		want float64
	}{
		{"known", meanOf(27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4),
			meanOf(27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.3), 0.0081856},
		{"one sample", meanOf(1), meanOf(2, 3, 4), 1},
		{"constant and equal", meanOf(5, 5, 5), meanOf(5, 5), 1},
		{"constant and other", meanOf(5, 5, 5), meanOf(10, 10), 0},
	} {
		if got := MeansP(c.a, c.b); !near(got, c.want, 2e-4) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestStudent holds the tails against the tables that are printed everywhere.
func TestStudent(t *testing.T) {
	for _, c := range []struct{ t, freedom, want float64 }{
		{12.7062, 1, 0.05}, {2.22814, 10, 0.05}, {3.16927, 10, 0.01}, {2.08596, 20, 0.05}, {1.96, 1e6, 0.05}, {0, 7, 1}, {0.69984, 10, 0.5}, {4.58689, 10, 0.001},
	} {
		if got := student(c.t, c.freedom); !near(got, c.want, 1e-4) {
			t.Errorf("t %v with %v degrees of freedom: %v, want %v", c.t, c.freedom, got, c.want)
		}
	}
}

// TestChanceIsSeldomTakenForADifference draws both samples from one distribution.
func TestChanceIsSeldomTakenForADifference(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	shares, means, all := 0, 0, 2000
	for range all {
		var a, b Mean
		var hitsA, hitsB int64
		for range 20 {
			a.Add(r.NormFloat64())
			hitsA += int64(r.IntN(5) / 4)
		}
		for range 40 {
			b.Add(r.NormFloat64())
			hitsB += int64(r.IntN(5) / 4)
		}
		if MeansP(a, b) < Significance {
			means++
		}
		if SharesP(hitsA, 20, hitsB, 40) < Significance {
			shares++
		}
	}
	if float64(means)/float64(all) > 0.065 || float64(shares)/float64(all) > 0.05 {
		t.Errorf("of %d pairs from one distribution %d means and %d shares are said to differ", all, means, shares)
	}
}
