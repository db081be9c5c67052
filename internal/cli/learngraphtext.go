package cli

import (
	"bytes"
	"fmt"

	"anvil/compiler/diag"
	"anvil/learn/stat"
	"anvil/learn/summary"
)

// maxRows is how many rows of a part of a session's page are shown; JSON has all of them.
const maxRows = 20

// section writes one part of a session's page; nothing where there are no rows.
func section(b *bytes.Buffer, heading string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading)
	_ = diag.Listing{Indented: true, Most: maxTableCell}.Write(b, rows[:min(len(rows), maxRows)])
	if more := len(rows) - maxRows; more > 0 {
		fmt.Fprintf(b, "  and %d more; --format json has them\n", more)
	}
}

func (r learnGraph) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "session %s", diag.Shorten(diag.Printable(r.Session), maxTableCell))
	if r.Workflow != "" {
		fmt.Fprintf(&b, " of workflow %s", diag.Shorten(diag.Printable(r.Workflow), maxTableCell))
	}
	fmt.Fprintf(&b, "\n%s, %d failed, %s from the first start to the last end, %s of it in no call\n", counted(r.calls, "call"), r.failed,
		summary.Millis(elapsed(r.ElapsedMs)), summary.Millis(elapsed(r.ElsewhereMs)))
	var path, necks, causes, costs, repeats, shapes, problems [][]string
	for _, p := range r.Path {
		path = append(path, []string{p.Tool, waitedWords(p), p.Event})
	}
	for _, n := range r.Bottlenecks {
		necks = append(necks, []string{n.Tool, n.Reason, fmt.Sprintf("score %g", n.Score), n.Event})
	}
	for _, c := range r.Causes {
		causes = append(causes, []string{c.Tool, counted(c.Below, "call") + " below", counted(len(c.Symptoms), "symptom"), c.Event})
	}
	for _, c := range r.CostByTool {
		costs = append(costs, []string{c.Tool, moneyWords(c.Cost)})
	}
	for _, p := range r.Repetitions {
		repeats = append(repeats, []string{p.Pattern, fmt.Sprintf("%d times", p.Count)})
	}
	for _, a := range r.AntiPatterns {
		shapes = append(shapes, []string{a.Kind, fmt.Sprintf("severity %g", a.Severity), counted(len(a.Events), "call")})
	}
	for _, p := range r.Problems {
		problems = append(problems, []string{p})
	}
	section(&b, "what the end waited for (critical path, wall clock)", path)
	section(&b, "bottlenecks on it", necks)
	section(&b, "what failed, and what failed because of it", causes)
	section(&b, "cost: "+moneyWords(r.Cost)+", on the path "+moneyWords(r.CostOnPath), costs)
	section(&b, "what repeats", repeats)
	section(&b, "shapes", shapes)
	if f := r.Forecast; f != nil {
		section(&b, fmt.Sprintf("forecast, by %s of the workflow", counted(f.Sessions, "other session")), [][]string{
			{"progress", fmt.Sprintf("%g %%", stat.Round4(f.Progress*100))}, {"duration", summary.Millis(elapsed(f.DurationMs))}, {"cost", moneyWords(f.Cost)},
			{"a call fails", fmt.Sprintf("%s %% (of sessions: %s-%s)", stat.Hundredths(f.Failure), stat.Hundredths(f.Low), stat.Hundredths(f.High))},
		})
	}
	section(&b, "what its calls say of each other is not all true", problems)
	return b.Bytes()
}

func (r learnSessions) text() []byte {
	var b bytes.Buffer
	if len(r.Sessions) == 0 {
		b.WriteString("no call of a session was observed\n")
		return b.Bytes()
	}
	writeTable(&b, false, []string{"SESSION", "WORKFLOW", "CALLS", "FAILED", "LAST"}, sessionRows(r.Sessions))
	leftOutLine(&b, r.OfSessions-len(r.Sessions), "session")
	var rows [][]string
	for _, w := range r.Workflows {
		rows = append(rows, []string{w.Workflow, fmt.Sprint(w.Sessions), fmt.Sprint(w.Calls), w.Last})
	}
	if len(rows) > 0 {
		b.WriteString("\n")
	}
	writeTable(&b, false, []string{"WORKFLOW", "SESSIONS", "CALLS", "LAST"}, rows)
	leftOutLine(&b, r.OfWorkflows-len(r.Workflows), "workflow")
	return b.Bytes()
}

func sessionRows(sessions []sessionRow) (rows [][]string) {
	for _, s := range sessions {
		rows = append(rows, []string{s.Session, orDash(s.Workflow), fmt.Sprint(s.Calls), fmt.Sprint(s.Failed), s.Last})
	}
	return rows
}

func leftOutLine(b *bytes.Buffer, n int, noun string) {
	if n > 0 {
		fmt.Fprintf(b, "and %s before them\n", counted(n, noun))
	}
}

func (r learnWorkflow) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "workflow %s\n%s, %s %% without a failed call (%s-%s)", diag.Shorten(diag.Printable(r.Workflow), maxTableCell), counted(r.Sessions, "session"),
		stat.Hundredths(r.Succeeded), stat.Hundredths(r.Low), stat.Hundredths(r.High))
	if r.MeanMs != nil {
		fmt.Fprintf(&b, ", %s in the mean", millis(*r.MeanMs))
	}
	if len(r.MeanCost) > 0 {
		fmt.Fprintf(&b, ", %s in the mean", moneyWords(r.MeanCost))
	}
	b.WriteString("\n")
	var patterns, insights [][]string
	for _, p := range r.Patterns {
		patterns = append(patterns, []string{p.Pattern, fmt.Sprintf("%s, %s %%", counted(p.Sessions, "session"), stat.Hundredths(p.Frequency))})
	}
	for _, i := range r.Insights {
		insights = append(insights, []string{i.Key, string(i.Value), fmt.Sprintf("n %d", i.Samples), i.ObservedAt})
	}
	section(&b, "what whole sessions share", patterns)
	section(&b, "insights", insights)
	section(&b, "sessions, the latest first", sessionRows(r.Latest))
	return b.Bytes()
}
