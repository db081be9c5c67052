package summary

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

func TestSpark(t *testing.T) {
	hour := func(n, failed int64, mean time.Duration) Hour {
		return Hour{Invocations: n, Failures: failed, Mean: mean}
	}
	row := Row{Hours: []Hour{hour(100, 0, 10), hour(100, 1, -1), hour(50, 10, 40), hour(10, 5, 80), hour(1, 1, 0)}}
	for measure, want := range map[Measure]string{Failures: "▁▂▄██", Latency: "▂·▅█▁", Calls: "██▅▂▂"} {
		if got := row.Spark(measure); got != want {
			t.Errorf("%s: %s, want %s", measure, got, want)
		}
	}
	if got := (Row{}).Spark(Calls) + (Row{Hours: []Hour{hour(1, 0, 0)}}).Spark(Latency); got != "▁" {
		t.Errorf("nothing to draw: %q", got)
	}
}

// TestWriteIsHarmless: no name steers the terminal or leaves its cell (assertion 57), and colours stand in none.
func TestWriteIsHarmless(t *testing.T) {
	rows := []Row{{Tool: learn.Tool{Server: "s", Name: "a\x1b[31m\tb\nregressing"}, Invocations: 3, Interval: stat.Wilson(0, 3), Trend: evaluate.Regressing,
		Flagged: []string{evaluate.CostDrift}}, {Tool: learn.Tool{Name: strings.Repeat("|x", 500)}}}
	var plain, coloured, page bytes.Buffer
	for _, err := range []error{Write(&plain, rows, Options{}), Write(&coloured, rows, Options{Colour: true}), Markdown(&page, rows, Options{})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(plain.String(), "\n"); n != 3 || strings.ContainsAny(plain.String(), "\x1b\t") {
		t.Errorf("%d lines\n%q", n, plain.String())
	}
	if got := coloured.String(); strings.Count(got, "\x1b[31mregressing\x1b[0m") != 1 || !strings.Contains(got, "\x1b[33mcost_drift\x1b[0m\n") {
		t.Errorf("%q", got)
	}
	for line := range strings.Lines(page.String()) {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 10 {
			t.Errorf("%d bars: %s", n, line)
		}
	}
	for line := range strings.Lines(plain.String()) {
		if n := len([]rune(line)); n > 200 {
			t.Errorf("a line of %d characters", n)
		}
	}
}

// Whatever an hour says, its bar is one of the bars.
func TestSparkOfDamagedHours(t *testing.T) {
	row := Row{Hours: []Hour{{Invocations: 1, Failures: math.MaxInt64, Mean: math.MaxInt64}, {Invocations: 1, Failures: 3}}}
	for measure, want := range map[Measure]string{Failures: "██", Latency: "█▁", Calls: "██"} {
		if got := row.Spark(measure); got != want {
			t.Errorf("%s: %s, want %s", measure, got, want)
		}
	}
}
