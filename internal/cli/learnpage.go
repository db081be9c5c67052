package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/stat"
	"anvil/learn/summary"
)

// page writes the parts of a page as text or as Markdown; what it is given it escapes.
type page struct {
	b        *bytes.Buffer
	markdown bool
}

func (p page) heading(level int, text string) {
	if p.markdown {
		fmt.Fprintf(p.b, "%s %s\n\n", strings.Repeat("#", level), diag.MarkdownText(text))
		return
	}
	fmt.Fprintf(p.b, "%s\n", diag.Printable(text))
}

// table writes rows of cells under a heading; nothing where there are none.
func (p page) table(heading string, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	p.b.WriteString("\n")
	p.heading(3, heading)
	_ = diag.Listing{Header: header, Markdown: p.markdown, Indented: true, Most: maxPageCell}.Write(p.b, rows)
}

// maxPageCell is how many characters of a value a page shows; a rationale is a sentence.
const maxPageCell = 300

// writeToolPage tells one tool in full.
func writeToolPage(b *bytes.Buffer, v statsRow, row summary.Row, spark summary.Measure, markdown bool) {
	p := page{b, markdown}
	p.heading(2, diag.Shorten(row.Tool.String(), maxPageCell))
	p.facts(v, row, spark)
	var codes, models, insights, advice, history [][]string
	for _, code := range v.profile.Codes {
		codes = append(codes, []string{code.Of, fmt.Sprint(code.N), fmt.Sprintf("%s %% (%s-%s) of the failures", stat.Hundredths(float64(code.N)/float64(max(1, v.Failures))),
			stat.Hundredths(code.Low), stat.Hundredths(code.High))})
	}
	for _, code := range slices.Sorted(maps.Keys(v.refusals)) {
		codes = append(codes, []string{code, fmt.Sprint(v.refusals[code]), "of the refusals"})
	}
	for _, m := range v.profile.Metrics {
		if label, dimension := strings.CutPrefix(m.Label, string(learn.All)+" "); dimension {
			models = append(models, []string{label, counted(int(m.Invocations), "call"), stat.Hundredths(m.FailureRate) + " % failed", meanOf(m)})
		}
	}
	for _, i := range v.profile.Insights {
		insights = append(insights, []string{i.Key, string(i.Value), intervalOf(i), cmp.Or(i.ObservedAt, "-"), insightWords[i.Key]})
	}
	for _, r := range v.profile.Recommendations {
		advice = append(advice, []string{string(r.Type), r.Rationale, string(r.Payload)})
	}
	for _, h := range v.History[max(0, len(v.History)-maxHistory):] {
		history = append(history, []string{h.At, h.Key, stepWords(h.Was, h.Now)})
	}
	p.table("error codes", []string{"CODE", "CALLS", "SHARE"}, codes)
	p.table("by model and decoding", []string{"OF", "CALLS", "FAILED", "MEAN"}, models)
	p.table("insights", []string{"KEY", "VALUE", "EVIDENCE", "OBSERVED", "WHAT"}, insights)
	p.table("recommendations", []string{"TYPE", "WHY", "WHAT"}, advice)
	p.table("history of the insights", []string{"AT", "KEY", "CHANGE"}, history)
}

// maxHistory is how many of the latest steps a page shows.
const maxHistory = 20

func (p page) facts(v statsRow, row summary.Row, spark summary.Measure) {
	facts := [][]string{
		{"contract", cmp.Or(v.Contract, "not known")},
		{"calls", fmt.Sprintf("%d, of which %d failed: %s %% (%s-%s)", v.Invocations, v.Failures, stat.Hundredths(row.Rate()), stat.Hundredths(row.Interval.Low), stat.Hundredths(row.Interval.High))},
	}
	if v.Cancelled+v.Refused > 0 {
		facts = append(facts, []string{"beside them", fmt.Sprintf("%d cancelled, %d refused", v.Cancelled, v.Refused)})
	}
	if l := v.profile.Latency; l != nil {
		facts = append(facts, []string{"duration", fmt.Sprintf("mean %s, p50 %s, p90 %s, p95 %s, p99 %s (percentiles within %g %%), of %d", millis(l.Mean), millis(l.P50),
			millis(l.P90), millis(l.P95), millis(l.P99), l.RelativeError*100, l.N)})
	}
	if r := v.profile.Result; r != nil {
		facts = append(facts, []string{"result", fmt.Sprintf("mean %.0f bytes, p50 %.0f, p95 %.0f", r.Mean, r.P50, r.P95)})
	}
	for _, cost := range v.profile.Cost {
		facts = append(facts, []string{"cost", fmt.Sprintf("%s %s in %s whose cost is known, %s each", cost.Total, cost.Currency, counted(int(cost.Calls), "call"), cost.PerCall)})
	}
	if c := v.profile.Calls; c != nil {
		facts = append(facts, []string{"observed", c.First + " to " + c.Last})
		if c.Clients > 0 {
			facts = append(facts, []string{"clients", fmt.Sprint(c.Clients)})
		}
	}
	if a := v.profile.Annotation; a.Risk != "" || a.Owner != "" {
		facts = append(facts, []string{"stated", strings.TrimSpace("risk " + cmp.Or(a.Risk, "not stated") + " " + a.Owner)})
	}
	if len(row.Hours) > 0 {
		facts = append(facts, []string{string(spark), row.Spark(spark) + "  by hour"}, []string{"trend", cmp.Or(v.Trend, "too few calls to tell")})
	}
	t := diag.NewTable(p.b)
	for _, f := range facts {
		if p.markdown {
			fmt.Fprintf(p.b, "- %s: %s\n", f[0], diag.MarkdownText(diag.Shorten(f[1], maxPageCell)))
		} else {
			t.Row(" ", f[0], diag.Shorten(diag.Printable(f[1]), maxPageCell))
		}
	}
	_ = t.Flush()
}

func meanOf(m profile.Metric) string {
	if m.AvgDurationMs == nil {
		return "-"
	}
	return "mean " + millis(*m.AvgDurationMs)
}

// millis is a number of milliseconds as a table has it.
func millis(ms float64) string { return summary.Millis(time.Duration(ms * float64(time.Millisecond))) }

// intervalOf says on what an insight rests.
func intervalOf(i profile.Insight) string {
	text := fmt.Sprintf("n %d", i.N)
	if i.High > 0 {
		text += fmt.Sprintf(", %s-%s %%", stat.Hundredths(i.Low), stat.Hundredths(i.High))
	}
	return text + fmt.Sprintf(", %s, confidence %.2f", cmp.Or(i.Window, "-"), i.Confidence)
}

// stepWords says how an insight changed.
func stepWords(was, now canon.Raw) string {
	word := learn.Change{Was: was, Now: now}.Word()
	switch word {
	case "changed":
		return string(was) + " -> " + string(now)
	case "withdrawn":
		return word + "; it was " + string(was)
	}
	return word + ": " + string(now)
}
