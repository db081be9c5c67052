package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/stat"
	"anvil/learn/workflow"
)

func (sh *shell) learnGraphCommand() *cli.Command {
	return &cli.Command{
		Name: "graph", Usage: "which call made which: what a session waited for, what failed because of what, how it may end", ArgsUsage: "[SESSION]",
		Description: `Without SESSION: the sessions and workflows that are known, the latest first. With --workflow alone: what its sessions were like; mermaid and dot
then draw the latest of them.`,
		Flags: learnFlags(
			&cli.StringFlag{Name: "workflow", Usage: "the sessions of `WORKFLOW` alone"},
			formatFlag("text", "mermaid", "dot", "json", "yaml"),
		),
		Action: sh.learnGraph,
	}
}

func (sh *shell) learnGraph(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "mermaid", "dot", "json", "yaml")
	if err = cmp.Or(err, sh.noArguments(c, 1)); err != nil {
		return err
	}
	session, name := c.Args().First(), c.String("workflow")
	draws := format == "mermaid" || format == "dot"
	if draws && session == "" && name == "" {
		return usagef("say which session to draw; `anvil learn graph` lists them")
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	defer sh.keepsWaiting("looking at the calls of sessions\n")()
	if session == "" && name == "" {
		return sh.listSessions(s, format)
	}
	sessions, err := sh.sessions(s, learn.Query{Session: session, Workflow: name, Linked: true})
	if other, ok := learn.OtherSpelling(session); ok && err == nil && len(sessions) == 0 { // as the audit log has it
		sessions, err = sh.sessions(s, learn.Query{Session: other, Workflow: name, Linked: true})
	}
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		return usagef("no call of %s is known; `anvil learn graph` lists the sessions and workflows", namedGraph(session, name))
	}
	switch {
	case session == "" && !draws:
		return sh.showWorkflow(s, sessions, format)
	case session != "" && len(sessions) > 1:
		return usagef("session %s has calls of several workflows; say which with --workflow: %s", session, namesOf(sessions))
	}
	shown := latestSession(sessions)
	if draws {
		if session == "" {
			fmt.Fprintf(sh.err, "session %s, the latest of %d\n", diag.Printable(shown.ID), len(sessions))
		}
		return sh.writeResult("", []byte(drawnAs(shown.Graph, format)))
	}
	return sh.showSession(s, shown, format)
}

func drawnAs(g *workflow.Graph, format string) string {
	if format == "dot" {
		return g.DOT()
	}
	return g.Mermaid()
}

func namedGraph(session, name string) string {
	switch {
	case name == "":
		return "session " + session
	case session == "":
		return "workflow " + name
	}
	return "session " + session + " of workflow " + name
}

func namesOf(sessions []workflow.Session) string {
	var names []string
	for _, s := range sessions {
		names = append(names, s.Workflow)
	}
	return fmt.Sprintf("%q", names)
}

// sessions reads the calls of a query, the latest of them where there are too many, and groups them.
func (sh *shell) sessions(s *sqlstore.Store, q learn.Query) ([]workflow.Session, error) {
	latest, _, err := workflow.Latest(s.Events(sh.ctx, q), workflow.MostCalls)
	if err != nil {
		return nil, err
	}
	return workflow.Sessions(latest), nil
}

func latestSession(sessions []workflow.Session) workflow.Session {
	return slices.MaxFunc(sessions, func(a, b workflow.Session) int { return cmp.Or(endOf(a).Compare(endOf(b)), cmp.Compare(b.ID, a.ID)) })
}

func endOf(s workflow.Session) (end time.Time) {
	for i := range s.Graph.Nodes {
		if at := s.Graph.Nodes[i].At; at.After(end) {
			end = at
		}
	}
	return end
}

// learnSessions is what graph prints without a session.
type learnSessions struct {
	SchemaVersion int           `json:"schemaVersion"`
	Report        string        `json:"report"`
	Sessions      []sessionRow  `json:"sessions"` // the latest 50, the latest first
	OfSessions    int           `json:"ofSessions"`
	Workflows     []workflowRow `json:"workflows"` // the latest 50, the latest first
	OfWorkflows   int           `json:"ofWorkflows"`
}

// sessionRow is one session in a list.
type sessionRow struct {
	Session  string `json:"session"`
	Workflow string `json:"workflow,omitzero"`
	Calls    int    `json:"calls"`
	Failed   int    `json:"failed"`
	Last     string `json:"last"` // when its last call ended
}

// workflowRow is one workflow in a list.
type workflowRow struct {
	Workflow string `json:"workflow"`
	Sessions int    `json:"sessions"`
	Calls    int    `json:"calls"`
	Last     string `json:"last"`
}

// maxListed is how many sessions, and how many workflows, are listed.
const maxListed = 50

// listSessions goes through the calls once and holds a line for each session.
func (sh *shell) listSessions(s *sqlstore.Store, format string) error {
	type key struct{ session, workflow string }
	sessions, workflows := map[key]*sessionRow{}, map[string]*workflowRow{}
	for e, err := range s.Events(sh.ctx, learn.Query{Linked: true}) {
		if err != nil {
			return err
		}
		k := key{e.Session, e.Workflow}
		v := sessions[k]
		if v == nil {
			v = &sessionRow{Session: e.Session, Workflow: e.Workflow}
			sessions[k] = v
			if e.Workflow != "" && workflows[e.Workflow] == nil {
				workflows[e.Workflow] = &workflowRow{Workflow: e.Workflow}
			}
			if w := workflows[e.Workflow]; w != nil {
				w.Sessions++
			}
		}
		v.Calls, v.Last = v.Calls+1, profile.Moment(e.At) // events come in the order in which they ended
		if e.Outcome == learn.Failed {
			v.Failed++
		}
		if w := workflows[e.Workflow]; w != nil {
			w.Calls, w.Last = w.Calls+1, v.Last
		}
	}
	report := learnSessions{diag.SchemaVersion, "learn-sessions", []sessionRow{}, len(sessions), []workflowRow{}, len(workflows)}
	for _, v := range slices.SortedFunc(maps.Values(sessions), func(a, b *sessionRow) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Workflow, b.Workflow))
	})[:min(len(sessions), maxListed)] {
		report.Sessions = append(report.Sessions, *v)
	}
	for _, v := range slices.SortedFunc(maps.Values(workflows), func(a, b *workflowRow) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.Workflow, b.Workflow))
	})[:min(len(workflows), maxListed)] {
		report.Workflows = append(report.Workflows, *v)
	}
	return sh.printed("", format, report, func() ([]byte, error) { return report.text(), nil })
}

// learnWorkflow is what graph prints of a workflow.
type learnWorkflow struct {
	SchemaVersion int          `json:"schemaVersion"`
	Report        string       `json:"report"`
	Workflow      string       `json:"workflow"`
	Sessions      int          `json:"sessions"`
	Succeeded     float64      `json:"succeeded"` // share of sessions in which no call failed
	Low           float64      `json:"low"`       // interval of 95 % of it
	High          float64      `json:"high"`
	MeanMs        *float64     `json:"meanMs,omitempty"` // in which calls of a session were running
	MeanCost      []costRow    `json:"meanCost,omitempty"`
	Patterns      []patternRow `json:"patterns,omitempty"` // that at least three sessions share
	Insights      []insightRow `json:"insights,omitempty"` // that the last evaluation concluded
	Latest        []sessionRow `json:"latest"`             // sessions, the latest 50, the latest first
}

// patternRow is a sequence of tools that sessions share.
type patternRow struct {
	Pattern   string  `json:"pattern"`
	Sessions  int     `json:"sessions"`
	Frequency float64 `json:"frequency"`
}

// insightRow is an insight of a workflow.
type insightRow struct {
	Key        string    `json:"key"`
	Value      canon.Raw `json:"value"`
	Samples    int64     `json:"samples"`
	ObservedAt string    `json:"observedAt"`
}

func (sh *shell) showWorkflow(s *sqlstore.Store, sessions []workflow.Session, format string) error {
	stats := workflow.StatsOf(sessions)
	concluded, err := s.Workflows(sh.ctx)
	if err != nil {
		return err
	}
	report := learnWorkflow{SchemaVersion: diag.SchemaVersion, Report: "learn-workflow", Workflow: stats.Workflow, Sessions: stats.Sessions, Succeeded: stat.Round4(stats.Succeeded),
		Low: stat.Round4(stats.Interval.Low), High: stat.Round4(stats.Interval.High), MeanCost: costRowsOf(stats.MeanCost), Latest: []sessionRow{}}
	if stats.Timed > 0 {
		report.MeanMs = inMillis(stats.Mean)
	}
	for _, p := range stats.Patterns[:min(len(stats.Patterns), howMany)] {
		report.Patterns = append(report.Patterns, patternRow{p.Pattern(), p.Sessions, stat.Round4(p.Frequency)})
	}
	for _, i := range concluded[stats.Workflow] {
		report.Insights = append(report.Insights, insightRow{i.Key, i.Value, i.N, profile.Moment(i.ObservedAt)})
	}
	slices.SortFunc(sessions, func(a, b workflow.Session) int { return cmp.Or(endOf(b).Compare(endOf(a)), cmp.Compare(a.ID, b.ID)) })
	for _, session := range sessions[:min(len(sessions), maxListed)] {
		report.Latest = append(report.Latest, sessionRowOf(session))
	}
	return sh.printed("", format, report, func() ([]byte, error) { return report.text(), nil })
}

func sessionRowOf(s workflow.Session) sessionRow {
	v := sessionRow{Session: s.ID, Workflow: s.Workflow, Calls: len(s.Graph.Nodes), Last: profile.Moment(endOf(s))}
	for i := range s.Graph.Nodes {
		if s.Graph.Nodes[i].Outcome == learn.Failed {
			v.Failed++
		}
	}
	return v
}
