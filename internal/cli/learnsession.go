package cli

import (
	"cmp"
	"fmt"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/sqlstore"
	"anvil/learn/stat"
	"anvil/learn/workflow"
)

// learnGraph is what graph prints of a session.
type learnGraph struct {
	SchemaVersion int            `json:"schemaVersion"`
	Report        string         `json:"report"`
	Session       string         `json:"session"`
	Workflow      string         `json:"workflow,omitzero"`
	ElapsedMs     float64        `json:"elapsedMs"`   // from the first start to the last end
	ElsewhereMs   float64        `json:"elsewhereMs"` // of it, what no call on the path was running in
	Path          []pathRow      `json:"path"`        // what the end waited for, in the order of time
	Bottlenecks   []neckRow      `json:"bottlenecks,omitempty"`
	Causes        []causeRow     `json:"causes,omitempty"` // of failures
	Cost          []costRow      `json:"cost,omitempty"`
	CostOnPath    []costRow      `json:"costOnPath,omitempty"`
	CostByTool    []toolCostRow  `json:"costByTool,omitempty"`
	MostFanOut    int            `json:"mostFanOut"` // calls that one call made
	Repetitions   []patternCount `json:"repetitions,omitempty"`
	AntiPatterns  []shapeRow     `json:"antiPatterns,omitempty"`
	Forecast      *forecastRow   `json:"forecast,omitempty"` // by the other sessions of its workflow
	Problems      []string       `json:"problems,omitempty"` // of what its calls say of each other, and how each was mended
	Graph         canon.Raw      `json:"graph"`              // nodes and edges, with the names of the extension's

	calls, failed int
}

// pathRow is a call that the end of a session waited for.
type pathRow struct {
	Event    string  `json:"event"`
	Tool     string  `json:"tool"` // with its server
	WaitedMs float64 `json:"waitedMs"`
	Share    float64 `json:"share"` // of what the session took
}

// neckRow is a call that holds up or endangers a session.
type neckRow struct {
	Event  string  `json:"event"`
	Tool   string  `json:"tool"`
	Reason string  `json:"reason"` // duration, fan_out, failure_rate, cost
	Score  float64 `json:"score"`
}

// causeRow is a call that failed with no failed call above it.
type causeRow struct {
	Event    string   `json:"event"`
	Tool     string   `json:"tool"`
	Symptoms []string `json:"symptoms,omitempty"` // calls that failed below it
	Below    int      `json:"below"`              // calls
}

// toolCostRow is what the calls of one tool cost.
type toolCostRow struct {
	Tool string    `json:"tool"`
	Cost []costRow `json:"cost"`
}

// patternCount is a run of tools, and how often it occurs.
type patternCount struct {
	Pattern string `json:"pattern"`
	Count   int    `json:"count"`
}

// shapeRow is a shape of calls that is worth a look.
type shapeRow struct {
	Kind     string   `json:"kind"` // sequential_bottleneck, diamond_dependency
	Events   []string `json:"events"`
	Severity float64  `json:"severity"`
}

// forecastRow is how a session may end.
type forecastRow struct {
	Sessions   int       `json:"sessions"` // it rests on
	Progress   float64   `json:"progress"` // share of the calls that a session makes in the mean
	DurationMs float64   `json:"durationMs"`
	Cost       []costRow `json:"cost,omitempty"`
	Failure    float64   `json:"failure"` // probability that a call fails before the end
	Low        float64   `json:"low"`     // interval of 95 % of the share of failed sessions
	High       float64   `json:"high"`
}

func (sh *shell) showSession(s *sqlstore.Store, session workflow.Session, format string) error {
	var history []workflow.Session
	if session.Workflow != "" {
		all, err := sh.sessions(s, learn.Query{Workflow: session.Workflow, Linked: true})
		if err != nil {
			return err
		}
		for _, other := range all {
			if other.ID != session.ID && other.Name() == session.Name() {
				history = append(history, other)
			}
		}
	}
	rates := map[learn.Tool]float64{}
	for r, err := range s.Records(sh.ctx, learn.Filter{Windows: learn.OnlyAll}) {
		if err != nil {
			return err
		}
		rates[r.Tool] = r.Cell(learn.All, learn.Dimensions{}).FailureRate()
	}
	report := graphOf(session, history, func(t learn.Tool) float64 { return rates[t] })
	return sh.printed("", format, report, func() ([]byte, error) { return report.text(), nil })
}

func graphOf(session workflow.Session, history []workflow.Session, rate func(learn.Tool) float64) learnGraph {
	g := session.Graph
	tools := map[string]string{}
	for i := range g.Nodes {
		tools[g.Nodes[i].ID] = g.Nodes[i].Tool.String()
	}
	wall := g.WallClock()
	v := learnGraph{SchemaVersion: diag.SchemaVersion, Report: "learn-graph", Session: session.ID, Workflow: session.Workflow, ElapsedMs: *inMillis(wall.Elapsed),
		ElsewhereMs: *inMillis(wall.Elsewhere), Path: []pathRow{}, MostFanOut: g.FanOut().Most, Graph: g.Page("", max(1, len(g.Nodes)), "").JSON()}
	listed := sessionRowOf(session)
	v.calls, v.failed = listed.Calls, listed.Failed
	waited := wall.Share()
	for _, id := range wall.Path {
		v.Path = append(v.Path, pathRow{id, tools[id], *inMillis(waited[id]), stat.Round4(float64(waited[id]) / float64(max(1, wall.Elapsed)))})
	}
	for _, b := range g.Bottlenecks(wall.Path, rate) {
		v.Bottlenecks = append(v.Bottlenecks, neckRow{b.ID, tools[b.ID], string(b.Reason), stat.Round4(b.Score.Total())})
	}
	v.Causes = causesOf(g, tools)
	costs := g.Costs(wall.Path)
	v.Cost, v.CostOnPath = costRowsOf(costs.Total), costRowsOf(costs.OnPath)
	for _, c := range costs.ByTool {
		v.CostByTool = append(v.CostByTool, toolCostRow{c.Tool.String(), costRowsOf(c.Cost)})
	}
	for _, r := range g.Repetitions() {
		v.Repetitions = append(v.Repetitions, patternCount{r.Pattern(), r.Count})
	}
	for _, a := range g.AntiPatterns() {
		v.AntiPatterns = append(v.AntiPatterns, shapeRow{string(a.Kind), a.Nodes, stat.Round4(a.Severity)})
	}
	for _, p := range g.Problems {
		v.Problems = append(v.Problems, p.String())
	}
	if len(history) > 0 {
		f := workflow.ForecastOf(session, history)
		v.Forecast = &forecastRow{f.Runs, stat.Round4(f.Progress), *inMillis(f.Duration), costRowsOf(f.Cost), stat.Round4(f.Failure),
			stat.Round4(f.FailureInterval.Low), stat.Round4(f.FailureInterval.High)}
	}
	return v
}

// causesOf lists the failures that nothing above explains, with those that they explain.
func causesOf(g *workflow.Graph, tools map[string]string) (causes []causeRow) {
	symptoms := map[string][]string{}
	cascade := g.CausalCascade()
	// A symptom's cause may be a symptom itself: each goes to the root of it.
	above := map[string]string{}
	for _, s := range cascade.Symptoms {
		above[s.ID] = s.CausedBy
	}
	for _, s := range cascade.Symptoms {
		root := s.CausedBy
		for next, more := above[root]; more; next, more = above[root] {
			root = next
		}
		symptoms[root] = append(symptoms[root], s.ID)
	}
	below := map[string]int{}
	for _, f := range g.FailureCascades() {
		below[f.Root] = f.Blast
	}
	for _, id := range cascade.RootCauses {
		causes = append(causes, causeRow{id, tools[id], symptoms[id], below[id]})
	}
	return causes
}

// waitedWords is a share of a session in words.
func waitedWords(p pathRow) string {
	return fmt.Sprintf("%s (%g %%)", millis(p.WaitedMs), stat.Round4(p.Share*100))
}

func moneyWords(all []costRow) string {
	text := ""
	for _, m := range all {
		if text != "" {
			text += " + "
		}
		text += m.Amount + " " + m.Currency
	}
	return cmp.Or(text, "-")
}

// elapsed is milliseconds as a duration.
func elapsed(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
