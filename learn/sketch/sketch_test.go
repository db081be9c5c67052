package sketch

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exact is the value of rank q·(n−1), counted from the smallest.
func exact(values []int64, q float64) float64 {
	return float64(values[int(q*float64(len(values)-1))])
}

// shapes are distributions of durations as they are met: even, heavy-tailed, of two humps, constant, and of zeros.
var shapes = map[string]func(r *rand.Rand) int64{
	"even":     func(r *rand.Rand) int64 { return 1 + r.Int64N(5_000_000) },
	"tailed":   func(r *rand.Rand) int64 { return int64(math.Exp(r.NormFloat64()*1.5+11)) + 1 },
	"humps":    func(r *rand.Rand) int64 { return 1000 + r.Int64N(100) + r.Int64N(2)*2_000_000 },
	"constant": func(*rand.Rand) int64 { return 123_456 },
	"small":    func(r *rand.Rand) int64 { return r.Int64N(5) },
	"huge":     func(r *rand.Rand) int64 { return Max - r.Int64N(Max/2) },
}

// Assertion 45: quantiles of a known sample of 10,000 are within the stated error, and merging two halves is folding all.
func TestQuantilesAreWithinTheStatedError(t *testing.T) {
	for name, draw := range shapes {
		r := rand.New(rand.NewPCG(45, 1))
		var all, left, right Sketch
		values := make([]int64, 10_000)
		for i := range values {
			values[i] = draw(r)
			all.Add(values[i])
			if i%3 == 0 {
				left.Add(values[i])
			} else {
				right.Add(values[i])
			}
		}
		slices.Sort(values)
		for _, q := range []float64{0, 0.5, 0.9, 0.95, 0.99, 1} {
			want, got := exact(values, q), all.Quantile(q)
			if math.Abs(got-want) > RelativeError*want*1.000001 {
				t.Errorf("%s: quantile %v is %v, of the sample %v", name, q, got, want)
			}
		}
		left.Merge(right)
		if !bytes.Equal(encoded(t, left), encoded(t, all)) {
			t.Errorf("%s: two halves merged are not the whole", name)
		}
		if all.Count() != int64(len(values)) {
			t.Errorf("%s: counts %d", name, all.Count())
		}
	}
}

func encoded(t *testing.T, s Sketch) []byte {
	t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 1))
	values := make([]int64, 2000)
	for i := range values {
		values[i] = shapes["tailed"](r) - 50
	}
	var want []byte
	for range 5 {
		var s Sketch
		for _, v := range values {
			s.Add(v)
		}
		if got := encoded(t, s); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Fatal("another order gives other bytes")
		}
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	}
}

func TestEncodingRoundTrips(t *testing.T) {
	for name, draw := range shapes {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 1000} {
			var s, back Sketch
			for range n {
				s.Add(draw(r))
			}
			b := encoded(t, s)
			if err := back.UnmarshalBinary(b); err != nil {
				t.Fatalf("%s of %d: %v", name, n, err)
			}
			if !bytes.Equal(encoded(t, back), b) || back.Count() != int64(n) || back.Quantile(0.9) != s.Quantile(0.9) {
				t.Errorf("%s of %d comes back as another", name, n)
			}
		}
	}
}

func TestOutsideOfTheBounds(t *testing.T) {
	var s Sketch
	for _, v := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		s.Add(v)
	}
	if s.Quantile(0) != 0 || math.Abs(s.Quantile(1)-Max) > Max*RelativeError {
		t.Errorf("%v to %v", s.Quantile(0), s.Quantile(1))
	}
	if (Sketch{}).Quantile(0.5) != 0 {
		t.Error("an empty sketch has a median")
	}
}

func FuzzUnmarshal(f *testing.F) {
	var s Sketch
	for v := range int64(100) {
		s.Add(v * v)
	}
	b, _ := s.MarshalBinary()
	f.Add(b)
	f.Add([]byte{})
	f.Add([]byte{format})
	f.Add([]byte{format, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1})
	f.Add([]byte{format, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sketch
		if err := s.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrCorrupt) || s.Count() != 0 {
				t.Errorf("%v, and %d values", err, s.Count())
			}
			return
		}
		var back Sketch
		if err := back.UnmarshalBinary(encoded(t, s)); err != nil || back.Count() != s.Count() {
			t.Errorf("%v, %d of %d", err, back.Count(), s.Count())
		}
		s.Merge(back)
		s.Quantile(0.5)
	})
}
