package profile

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
)

// Encode returns the document as it is kept in a file.
func (d Document) Encode() ([]byte, error) { return canon.Encode(d) }

// Decode reads a document; a newer format is refused by its version.
func Decode(data []byte) (Document, error) {
	var d Document
	if err := canon.Decode(data, &d); err != nil {
		return d, err
	}
	if d.SchemaVersion != SchemaVersion {
		return d, fmt.Errorf("it has schema version %d, and this anvil reads %d: make it anew from the database it came from, or use the anvil that made it", d.SchemaVersion, SchemaVersion)
	}
	for _, p := range d.Tools {
		if !p.sound() {
			return d, fmt.Errorf("the profile of %q holds a figure out of bounds: make it anew from the database it came from", p.Name)
		}
	}
	return d, nil
}

// sound reports a profile whose shares are shares and whose counts are counts.
func (p Profile) sound() bool {
	ok := func(low, high float64, counts ...int64) bool {
		return low >= 0 && low <= high && high <= 1 && slices.Min(counts) >= 0
	}
	if c := p.Calls; c != nil && !ok(c.Low, c.High, c.Invocations, c.Failures, c.Cancelled, c.Refused, c.Attempts, c.Invocations-c.Failures) {
		return false
	}
	for _, pairs := range []*Pairs{p.Repeats, p.Disturbs} {
		if pairs != nil && !ok(pairs.Low, pairs.High, pairs.N, pairs.Changed, pairs.N-pairs.Changed) {
			return false
		}
	}
	for _, s := range slices.Concat(p.Codes, p.Shapes) {
		if !ok(s.Low, s.High, s.N, s.Total-s.N) {
			return false
		}
	}
	for _, s := range []*Spread{p.Latency, p.Result} {
		if s != nil && (s.N <= 0 || s.P50 < 0 || s.P50 > s.P90 || s.P90 > s.P95 || s.P95 > s.P99) {
			return false
		}
	}
	return true
}
