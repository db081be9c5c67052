// Package sketch keeps the distribution of a measure in a few hundred bytes: a histogram with logarithmic bins (DDSketch) whose quantiles are off by at
// most [RelativeError], and which merges with others without loss.
//
// It stands at the start of the learning flow: learn folds durations and sizes into it, the stores keep its bytes. What is folded is all that counts,
// never the order: equal values give equal bytes.
package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

// RelativeError bounds how far a quantile may be from the value that it stands for: 0.01 is one per cent.
const RelativeError = 0.01

// Max is the largest value that is told from larger ones, 2^50: 35 years in microseconds, a pebibyte in bytes.
const Max = 1 << 50

// format is the first byte of the encoding.
const format = 1

// edge is where one bin ends and the next begins: just above ten seconds in microseconds, the last bound that adaptive-mcp's histogram has, which counts a call of
// ten seconds in another bin than a longer one. The others follow from it.
const edge = 10_000_500

var logarithmic = func() mapping.IndexMapping {
	gamma := (1 + RelativeError) / (1 - RelativeError)
	at := math.Log(edge) / math.Log(gamma)
	m, err := mapping.NewLogarithmicMappingWithGamma(gamma, math.Ceil(at)-at)
	if err != nil {
		panic("sketch: " + err.Error())
	}
	return m
}()

// The bins of 1 and of Max: no other can be in a sketch of whole numbers.
var lowest, highest = logarithmic.Index(1), logarithmic.Index(Max)

// Sketch is a distribution of whole numbers from 0 to Max. The zero value is empty and ready. It is not safe for concurrent use.
type Sketch struct {
	bins  *store.DenseStore
	zeros uint64
}

// Add folds v in; what is negative counts as 0, what is above Max as Max.
func (s *Sketch) Add(v int64) {
	if v <= 0 {
		s.zeros++
		return
	}
	s.grow().Add(logarithmic.Index(float64(min(v, Max))))
}

func (s *Sketch) grow() *store.DenseStore {
	if s.bins == nil {
		s.bins = store.NewDenseStore()
	}
	return s.bins
}

// Merge folds all of other in, which stays as it is.
func (s *Sketch) Merge(other Sketch) {
	s.zeros += other.zeros
	if other.bins != nil && !other.bins.IsEmpty() {
		s.grow().MergeWith(other.bins)
	}
}

// Count returns how many values were folded in.
func (s Sketch) Count() int64 {
	n := s.zeros
	if s.bins != nil {
		n += uint64(s.bins.TotalCount())
	}
	return int64(n)
}

// Quantile returns the value below which a share q, 0 to 1, of all lie, within RelativeError of one of them; 0 for an empty sketch.
func (s Sketch) Quantile(q float64) float64 {
	if s.Count() == 0 {
		return 0
	}
	bins := s.bins
	if bins == nil {
		bins = store.NewDenseStore()
	}
	d := ddsketch.NewDDSketch(logarithmic, bins, store.NewDenseStore())
	if s.zeros > 0 {
		if err := d.AddWithCount(0, float64(s.zeros)); err != nil {
			return 0
		}
	}
	v, err := d.GetValueAtQuantile(min(1, max(0, q)))
	if err != nil {
		return 0
	}
	return v
}

// AppendBinary appends the encoding of s: the format, the zeros, and for each bin that is not empty how far it is behind the one before, and its count,
// all as varints.
func (s Sketch) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(append(b, format), s.zeros)
	if s.bins == nil {
		return b, nil
	}
	at := lowest - 1
	s.bins.ForEach(func(index int, count float64) bool {
		if count > 0 {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(index-at)), uint64(count))
			at = index
		}
		return false
	})
	return b, nil
}

// MarshalBinary returns the encoding of s.
func (s Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// ErrCorrupt is an encoding that no sketch has.
var ErrCorrupt = errors.New("it is no sketch")

// UnmarshalBinary reads an encoding; s is what it was when it fails. No encoding takes more memory than a sketch of all bins.
func (s *Sketch) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != format {
		return fmt.Errorf("%w: it does not begin with format %d", ErrCorrupt, format)
	}
	read, b := Sketch{}, b[1:]
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return math.MaxUint64
		}
		b = b[n:]
		return v
	}
	total := next()
	read.zeros = total
	for at := lowest - 1; len(b) > 0 && total < Max; {
		step, count := next(), next()
		if step == 0 || step > uint64(highest-at) || count == 0 || count > Max {
			return fmt.Errorf("%w: a bin is out of order or of bounds", ErrCorrupt)
		}
		at += int(step)
		total += count
		read.grow().AddWithCount(at, float64(count))
	}
	if total > Max {
		return fmt.Errorf("%w: it counts more than %d values", ErrCorrupt, int64(Max))
	}
	*s = read
	return nil
}
