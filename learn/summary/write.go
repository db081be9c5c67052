package summary

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// Measure is what a sparkline shows.
type Measure string

// The measures.
const (
	Failures Measure = "failures"
	Latency  Measure = "latency"
	Calls    Measure = "calls"
)

// Measures lists the measures, the default first.
var Measures = []Measure{Failures, Latency, Calls}

// Legend says what a sparkline of the measure shows.
func (m Measure) Legend() string {
	how := map[Measure]string{
		Failures: "the share of calls that failed, from none to half of them or more",
		Latency:  "the mean duration, up to the tool's slowest hour; a dot where it was not measured",
		Calls:    "the number of calls, up to the tool's busiest hour",
	}
	return fmt.Sprintf("%s: %s, in each of the latest %d hours that have calls, oldest first", m.heading(), how[m], MaxHours)
}

func (m Measure) heading() string { return strings.ToUpper(string(m)) + " BY HOUR" }

var bars = []rune("▁▂▃▄▅▆▇█")

// fullFailures is the share of failures at which a bar is full.
const fullFailures = 0.5

// Spark draws a row's hours. What is more than nothing is higher than the lowest bar, so that a single failure shows.
func (r Row) Spark(m Measure) string {
	value := func(h Hour) float64 {
		switch m {
		case Latency:
			return float64(h.Mean)
		case Calls:
			return float64(h.Invocations)
		}
		return float64(h.Failures) / float64(max(1, h.Invocations))
	}
	full := fullFailures
	if m != Failures {
		full = 0
		for _, h := range r.Hours {
			full = max(full, value(h))
		}
	}
	var b strings.Builder
	for _, h := range r.Hours {
		v := value(h)
		switch {
		case v < 0:
			b.WriteRune('·')
		case full <= 0:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[int(math.Ceil(min(v/full, 1)*float64(len(bars)-1)))])
		}
	}
	return b.String()
}

// Options say what a table shows.
type Options struct {
	Spark     Measure // "": failures
	Contracts bool    // with the contract of each row
	Colour    bool    // with the colours of a terminal

	refused bool // with what was refused of each row
}

// forRows are the options of a table of rows: with what was refused, where anything was. Such calls are none of the tool's, and a tool that is withheld would look as
// it did before.
func (o Options) forRows(rows []Row) Options {
	o.refused = slices.ContainsFunc(rows, func(r Row) bool { return r.Refused > 0 })
	return o
}

// maxName is how many characters of a name a table shows.
const maxName = 60

func (o Options) header() []string {
	cells := []string{"TOOL", "CALLS", "FAILED", "P50", "P95", "COST", cmp.Or(o.Spark, Failures).heading(), "TREND", "LOOK AT"}
	if o.refused {
		cells = slices.Insert(cells, 3, "REFUSED")
	}
	if o.Contracts {
		cells = append(cells[:1:1], append([]string{"CONTRACT"}, cells[1:]...)...)
	}
	return cells
}

// cells are those of a row, without any escaping.
func (o Options) cells(r Row) []string {
	p50, p95 := "-", "-"
	if r.Timed > 0 {
		p50, p95 = Millis(r.P50), Millis(r.P95)
	}
	var cost []string
	for _, m := range r.Cost {
		cost = append(cost, m.String())
	}
	cells := []string{r.Tool.String(), strconv.FormatInt(r.Invocations, 10), r.failed(), p50, p95, dash(strings.Join(cost, " + ")),
		dash(r.Spark(cmp.Or(o.Spark, Failures))), dash(string(r.Trend)), dash(strings.Join(r.Flagged, ", "))}
	if o.refused {
		cells = slices.Insert(cells, 3, strconv.FormatInt(r.Refused, 10))
	}
	if o.Contracts {
		cells = append(cells[:1:1], append([]string{ShortContract(r.Tool)}, cells[1:]...)...)
	}
	return cells
}

// failed is the share of failures with its interval: "30 % (18.1-45.4)".
func (r Row) failed() string {
	if r.Invocations == 0 {
		return "-"
	}
	return stat.Percent(r.Rate()) + " (" + stat.Hundredths(r.Interval.Low) + "-" + stat.Hundredths(r.Interval.High) + ")"
}

// Write writes rows as a table for a terminal.
func Write(w io.Writer, rows []Row, o Options) error {
	var text bytes.Buffer
	o = o.forRows(rows)
	if err := o.listing(false).Write(&text, o.rows(rows)); err != nil {
		return err
	}
	at := 0
	for line := range strings.Lines(text.String()) {
		if o.Colour && at == 0 {
			line = paint("1", line)
		} else if o.Colour {
			line = coloured(line, rows[at-1])
		}
		at++
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// coloured paints what stands at the end of a row: where the tool is heading, and what to look at. Names, which are others' words, stand before.
func coloured(line string, r Row) string {
	trend := map[evaluate.Direction]string{evaluate.Regressing: "31", evaluate.Improving: "32"}[r.Trend]
	if trend != "" {
		if at := strings.LastIndex(line, string(r.Trend)); at >= 0 {
			end := at + len(r.Trend)
			line = line[:at] + paint(trend, line[at:end]) + line[end:]
		}
	}
	if flagged := strings.Join(r.Flagged, ", "); flagged != "" {
		if at := strings.LastIndex(line, "  ") + 2; at > 2 {
			line = line[:at] + paint("33", line[at:])
		}
	}
	return line
}

func paint(colour, text string) string {
	text, end := strings.CutSuffix(text, "\n")
	line := "\x1b[" + colour + "m" + text + "\x1b[0m"
	if end {
		line += "\n"
	}
	return line
}

// Markdown writes rows as a table of a page.
func Markdown(w io.Writer, rows []Row, o Options) error {
	o = o.forRows(rows)
	return o.listing(true).Write(w, o.rows(rows))
}

func (o Options) listing(markdown bool) diag.Listing {
	return diag.Listing{Header: o.header(), Markdown: markdown, Most: maxName}
}

func (o Options) rows(rows []Row) (cells [][]string) {
	for _, r := range rows {
		cells = append(cells, o.cells(r))
	}
	return cells
}

// ShortContract is the beginning of a contract's digest; "-" where it is not known.
func ShortContract(t learn.Tool) string {
	_, digest, _ := strings.Cut(t.Contract, ":")
	digest = cmp.Or(digest, t.Contract)
	if utf8.RuneCountInString(digest) > 12 {
		digest = string([]rune(digest)[:12])
	}
	return dash(digest)
}

// Millis is a duration for a table: "120 ms", "0.4 ms", "12.3 s".
func Millis(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case d >= 10*time.Second:
		return strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', -1, 64) + " s"
	case ms >= 10:
		return strconv.FormatFloat(math.Round(ms), 'f', -1, 64) + " ms"
	default:
		return strconv.FormatFloat(math.Round(ms*10)/10, 'f', -1, 64) + " ms"
	}
}

func dash(s string) string { return cmp.Or(s, "-") }
