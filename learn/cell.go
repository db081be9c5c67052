package learn

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"anvil/learn/sketch"
)

// Dimensions tell the cells of one tool and window apart. All empty is the cell of every event.
type Dimensions struct {
	Model    string
	Decoding string
	Resolver string
	Client   string
}

// Compare orders dimensions; the empty ones come first.
func (d Dimensions) Compare(other Dimensions) int {
	return cmp.Or(cmp.Compare(d.Client, other.Client), cmp.Compare(d.Decoding, other.Decoding), cmp.Compare(d.Resolver, other.Resolver), cmp.Compare(d.Model, other.Model))
}

// Other is the name under which everything past the cap of a dimension is counted.
const Other = "other"

// Cell is what is known of a tool's calls in one window and of one tuple of dimensions: sums, a sketch and a few samples, never the events. Cells are
// folded and merged in any order with one result.
type Cell struct {
	Window Window
	Dims   Dimensions

	Invocations int64 // succeeded and failed
	Failures    int64
	Cancelled   int64
	Refused     int64
	Attempts    int64 // of the invocations
	Timed       int64 // invocations whose duration is known
	DurationSum int64 // of their durations, microseconds
	Metered     int64 // invocations whose tokens are known
	InputSum    int64 // of their tokens
	OutputSum   int64
	Sized       int64 // invocations whose result has a size
	Bytes       int64 // sum of those sizes
	Asked       int64 // calls a person was asked about
	Declined    int64 // of them, how many were answered no

	Codes    map[string]int64 // failures by code
	Refusals map[string]int64 // refusals by code: they say nothing of the tool
	Cost     map[string]Spent // by currency
	Duration sketch.Sketch    // microseconds
	Size     sketch.Sketch    // bytes of results

	First, Last time.Time // ends of the first and the last event, whatever its outcome
	Recent      []Sample  // the latest invocations, at most [Recents], oldest first; of "all" alone
	Earliest    []Sample  // the first invocations, at most [Earliests], oldest first; of "all" alone
}

// Spent is what a cell's calls cost in one currency.
type Spent struct {
	Calls  int64 // whose cost is known
	Micros int64 // millionths of the currency's unit, as [Money]'s
}

// CellsOf lists the cells that e counts in: that of every event, the hour's, the model's, the decoding's and the client's, those of which it tells.
func CellsOf(e Event) []Cell {
	cells := []Cell{{Window: All}, {Window: HourOf(e.At)}}
	if e.Model != "" {
		cells = append(cells, Cell{Window: All, Dims: Dimensions{Model: e.Model}})
	}
	if e.Decoding != "" {
		cells = append(cells, Cell{Window: All, Dims: Dimensions{Model: e.Model, Decoding: e.Decoding, Resolver: e.Resolver}})
	}
	if e.Client != "" {
		cells = append(cells, Cell{Window: All, Dims: Dimensions{Client: e.Client}})
	}
	return cells
}

// Fold counts e in.
func (c *Cell) Fold(e Event) {
	if c.First.IsZero() || e.At.Before(c.First) {
		c.First = e.At
	}
	if e.At.After(c.Last) {
		c.Last = e.At
	}
	if e.Asked != NotAsked {
		c.Asked++
	}
	if e.Asked == SaidNo {
		c.Declined++
	}
	switch e.Outcome {
	case Cancelled:
		c.Cancelled++
		return
	case Refused:
		c.Refused++
		addTo(&c.Refusals, cmp.Or(e.Code, UnknownCode), 1)
		return
	case Failed:
		c.Failures++
		addTo(&c.Codes, cmp.Or(e.Code, UnknownCode), 1)
	}
	c.Invocations++
	c.Attempts += int64(e.Attempts)
	c.measure(e)
	c.sample(sampleOf(e))
}

// measure adds what was measured of an invocation.
func (c *Cell) measure(e Event) {
	if e.Timed() {
		c.Timed++
		c.DurationSum = plus(c.DurationSum, e.Duration.Microseconds())
		c.Duration.Add(e.Duration.Microseconds())
	}
	if e.Tokens != nil {
		c.Metered++
		c.InputSum = plus(c.InputSum, e.Tokens.Input)
		c.OutputSum = plus(c.OutputSum, e.Tokens.Output)
	}
	if e.Output.Bytes >= 0 {
		c.Sized++
		c.Bytes = plus(c.Bytes, e.Output.Bytes)
		c.Size.Add(e.Output.Bytes)
	}
	if e.Cost != nil {
		c.spend(e.Cost.Currency, Spent{1, e.Cost.Micros})
	}
}

// spend adds what was spent in a currency; past the cap of currencies it is left out, since amounts of several cannot be summed.
func (c *Cell) spend(currency string, s Spent) {
	have, known := c.Cost[currency]
	if !known && len(c.Cost) >= maxCurrencies {
		return
	}
	if c.Cost == nil {
		c.Cost = map[string]Spent{}
	}
	c.Cost[currency] = Spent{plus(have.Calls, s.Calls), plus(have.Micros, s.Micros)}
}

// The caps of what a cell tells apart.
const (
	maxCurrencies = 8
	maxCodes      = 32
)

// addTo counts a code; past the cap it counts as other.
func addTo(counts *map[string]int64, code string, n int64) {
	if *counts == nil {
		*counts = map[string]int64{}
	}
	if _, known := (*counts)[code]; !known && len(*counts) >= maxCodes {
		code = Other
	}
	(*counts)[code] = plus((*counts)[code], n)
}

func addAll(counts *map[string]int64, more map[string]int64) {
	for _, code := range slices.Sorted(maps.Keys(more)) {
		addTo(counts, code, more[code])
	}
}

// SumNames name what [Cell.Sums] lists, in its order, as databases do.
var SumNames = []string{"invocations", "failures", "cancelled", "refused", "attempts", "timed", "duration_sum", "metered", "input_sum", "output_sum", "sized", "bytes", "asked", "declined"}

// Sums lists all of a cell that is added up by adding.
func (c *Cell) Sums() []*int64 {
	return []*int64{&c.Invocations, &c.Failures, &c.Cancelled, &c.Refused, &c.Attempts, &c.Timed, &c.DurationSum, &c.Metered, &c.InputSum, &c.OutputSum, &c.Sized, &c.Bytes,
		&c.Asked, &c.Declined}
}

// Merge counts all of other in, which stays as it is. Window and dimensions stay c's.
func (c *Cell) Merge(other Cell) {
	add := other.Sums()
	for i, sum := range c.Sums() {
		*sum = plus(*sum, *add[i])
	}
	addAll(&c.Codes, other.Codes)
	addAll(&c.Refusals, other.Refusals)
	for _, currency := range slices.Sorted(maps.Keys(other.Cost)) {
		c.spend(currency, other.Cost[currency])
	}
	c.Duration.Merge(other.Duration)
	c.Size.Merge(other.Size)
	if !other.First.IsZero() && (c.First.IsZero() || other.First.Before(c.First)) {
		c.First = other.First
	}
	if other.Last.After(c.Last) {
		c.Last = other.Last
	}
	for _, s := range other.Recent {
		c.sample(s)
	}
	for _, s := range other.Earliest {
		c.sample(s)
	}
}

// FailureRate is the share of invocations that failed, 0 without any.
func (c Cell) FailureRate() float64 {
	if c.Invocations == 0 {
		return 0
	}
	return float64(c.Failures) / float64(c.Invocations)
}

// MeanDuration is the mean duration in microseconds of the invocations whose duration is known; false without any.
func (c Cell) MeanDuration() (float64, bool) {
	if c.Timed == 0 {
		return 0, false
	}
	return float64(c.DurationSum) / float64(c.Timed), true
}

// alpha is the weight of the latest sample in a moving average.
const alpha = 0.2

// MovingFailureRate is the exponentially weighted moving average of failures over the recent samples, 0.2 for the latest, begun with the first; false without any.
func (c Cell) MovingFailureRate() (average float64, any bool) {
	for _, s := range c.Recent {
		v := 0.0
		if s.Failed {
			v = 1
		}
		if !any {
			average, any = v, true
			continue
		}
		average += alpha * (v - average)
	}
	return average, any
}
