// Package stat holds the few tests and intervals by which learned figures are judged: how far a measured share can be trusted, and whether two samples
// differ by more than chance.
//
// It stands at the start of the learning flow, before everything that concludes. It knows numbers alone.
package stat

import (
	"math"
)

// Interval is where a share lies with the probability that was asked for, 0 to 1.
type Interval struct{ Low, High float64 }

// z95 is the quantile of the normal distribution of a two-sided interval of 95 %.
const z95 = 1.959963984540054

// Wilson returns the interval of 95 % of a share of which hits of n were seen (E. B. Wilson, 1927): unlike the mean plus and minus its error it stays
// within 0 and 1 and holds for few samples. Without samples it is 0 to 1.
func Wilson(hits, n int64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	share, size := float64(min(max(hits, 0), n))/float64(n), float64(n)
	centre := share + z95*z95/(2*size)
	spread := z95 * math.Sqrt(share*(1-share)/size+z95*z95/(4*size*size))
	scale := 1 + z95*z95/size
	return Interval{max(0, (centre-spread)/scale), min(1, (centre+spread)/scale)}
}

// Round4 keeps four decimal places, as all shares are published.
func Round4(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// Mean sums up samples of a measure.
type Mean struct {
	N             int64
	Mean, squares float64
}

// MeanOf is the summary of n samples that was kept: their mean, and the sum of their squared distances from it.
func MeanOf(n int64, mean, squares float64) Mean { return Mean{n, mean, max(0, squares)} }

// Squares returns the sum of the squared distances of the samples from their mean.
func (m Mean) Squares() float64 { return m.squares }

// Add takes one sample in (B. P. Welford, 1962).
func (m *Mean) Add(v float64) {
	m.N++
	d := v - m.Mean
	m.Mean += d / float64(m.N)
	m.squares += d * (v - m.Mean)
}

// Variance returns the variance of the samples, 0 of fewer than two.
func (m Mean) Variance() float64 {
	if m.N < 2 {
		return 0
	}
	return m.squares / float64(m.N-1)
}

// Significance is the probability of an error of the first kind below which two samples are said to differ.
const Significance = 0.05

// SharesDiffer returns the probability that two shares, hits of n each, are as far apart as they are by chance: the two-sided exact test of Fisher, for
// which few samples are no trouble. It is 1 where a side has no sample.
func SharesP(hits1, n1, hits2, n2 int64) float64 {
	if n1 <= 0 || n2 <= 0 {
		return 1
	}
	hits, n := hits1+hits2, n1+n2
	if n > exactMost {
		return proportions(float64(hits1), float64(n1), float64(hits2), float64(n2))
	}
	seen := hypergeometric(hits1, n1, hits, n)
	p := 0.0
	for k := max(0, hits-n2); k <= min(hits, n1); k++ {
		if q := hypergeometric(k, n1, hits, n); q <= seen*(1+1e-9) {
			p += q
		}
	}
	return min(1, p)
}

// exactMost is up to how many samples the exact test is taken; beyond it the normal distribution is as good.
const exactMost = 2000

// hypergeometric is the probability of k hits among n1, where hits of n hit.
func hypergeometric(k, n1, hits, n int64) float64 {
	return math.Exp(choose(hits, k) + choose(n-hits, n1-k) - choose(n, n1))
}

// choose is the logarithm of the number of ways to take k out of n.
func choose(n, k int64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// proportions is the two-proportion z test with a pooled error.
func proportions(hits1, n1, hits2, n2 float64) float64 {
	pooled := (hits1 + hits2) / (n1 + n2)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/n1 + 1/n2))
	if spread == 0 {
		return 1
	}
	return math.Erfc(math.Abs(hits1/n1-hits2/n2) / spread / math.Sqrt2)
}

// MeansDiffer returns the probability that two means are as far apart as they are by chance (Welch's test, which takes the variances for different). It is
// 1 where a side has fewer than two samples, and 0 or 1 where neither varies.
func MeansP(a, b Mean) float64 {
	if a.N < 2 || b.N < 2 {
		return 1
	}
	va, vb := a.Variance()/float64(a.N), b.Variance()/float64(b.N)
	gap := math.Abs(a.Mean - b.Mean)
	if va+vb <= 1e-18*(1+gap*gap) {
		if gap <= 1e-9*(1+math.Abs(a.Mean)) {
			return 1
		}
		return 0
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	t := gap / math.Sqrt(va+vb)
	return student(t, freedom)
}

// student is the probability that a variable of Student's distribution is further than t from 0: the regularised incomplete beta function of
// freedom/(freedom+t²).
func student(t, freedom float64) float64 {
	return incompleteBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// incompleteBeta is I_x(a, b) by its continued fraction (Lentz's algorithm; Abramowitz and Stegun 26.5.8).
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return min(1, max(0, x))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 300 {
		m := float64(i / 2)
		var step float64
		switch {
		case i == 0:
			step = 1
		case i%2 == 0:
			step = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			step = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonzero(1+step*d, tiny)
		c = nonzero(1+step/c, tiny)
		f *= c * d
		if math.Abs(1-c*d) < 1e-12 {
			break
		}
	}
	return front * (f - 1)
}

func nonzero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}
