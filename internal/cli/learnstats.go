package cli

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/stat"
	"anvil/learn/summary"
	"anvil/learn/workflow"
)

const learnTools = "TOOL is a name, or SERVER/TOOL where several servers have it, or /TOOL of one without a server."

func (sh *shell) learnStatsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "a line for each tool: calls, failures, times, costs, and where it is heading", ArgsUsage: "[TOOL...]",
		Description: learnTools + ` One that is named is told in full: percentiles, codes, models, insights with their interval and date, recommendations with
their reasons, and how the insights came and went. FAILED is the share of failures and its interval of 95 %; REFUSED, where there are any, are
calls that never reached the tool, such as those of a tool that is withheld. Figures belong to a contract: a tool that changed
begins anew.`,
		Flags: learnFlags(
			&cli.StringFlag{Name: "server", Usage: "the tools of `SERVER` alone"},
			&cli.BoolFlag{Name: "all-contracts", Usage: "the tools under every contract they were called under, not the latest alone"},
			&cli.StringFlag{Name: "spark", Value: string(summary.Failures), Usage: "what the sparkline shows by hour: `MEASURE` failures, latency or calls"},
			formatFlag("text", "json", "yaml", "markdown"),
		),
		Action: sh.learnStats,
	}
}

// learnStats is what stats prints.
type learnStats struct {
	SchemaVersion int        `json:"schemaVersion"`
	Report        string     `json:"report"`
	Tools         []statsRow `json:"tools"`
}

// statsRow is one tool under one contract.
type statsRow struct {
	Server      string    `json:"server,omitzero"` // absent where nobody says whose the tool is
	Tool        string    `json:"tool"`
	Contract    string    `json:"contract,omitzero"` // digest the calls were made under
	Invocations int64     `json:"invocations"`
	Failures    int64     `json:"failures"`
	Cancelled   int64     `json:"cancelled"`
	Refused     int64     `json:"refused"`
	FailureRate float64   `json:"failureRate"`     // four decimal places
	Low         float64   `json:"low"`             // interval of 95 % of the failure rate
	High        float64   `json:"high"`            //
	P50Ms       *float64  `json:"p50Ms,omitempty"` // absent where no duration is known
	P95Ms       *float64  `json:"p95Ms,omitempty"`
	Cost        []costRow `json:"cost,omitempty"`  // by currency
	Hours       []hourRow `json:"hours,omitempty"` // the latest 24 that have calls, oldest first
	Trend       string    `json:"trend,omitzero"`  // regressing, improving or stable: the latest hour against the calls before; absent where there are too few
	LookAt      []string  `json:"lookAt,omitempty"`
	LastCall    string    `json:"lastCall,omitzero"` // RFC 3339 in UTC
	Profile     canon.Raw `json:"profile,omitzero"`  // of a tool that was named: all that is known, as `anvil schema learned` has it
	History     []stepRow `json:"history,omitempty"` // of its insights, oldest first

	profile  profile.Profile
	refusals map[string]int64 // by code
}

// costRow is an exact amount.
type costRow struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// hourRow is an hour of a tool's.
type hourRow struct {
	Hour        string   `json:"hour"` // when it begins
	Invocations int64    `json:"invocations"`
	Failures    int64    `json:"failures"`
	MeanMs      *float64 `json:"meanMs,omitempty"`
}

// stepRow is an insight that came, changed or went.
type stepRow struct {
	At      string    `json:"at"`
	Key     string    `json:"key"`
	Was     canon.Raw `json:"was,omitzero"` // absent: it is new
	Now     canon.Raw `json:"now,omitzero"` // absent: it is withdrawn
	Samples int64     `json:"samples"`
}

func (sh *shell) learnStats(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err != nil {
		return err
	}
	spark := summary.Measure(c.String("spark"))
	if !slices.Contains(summary.Measures, spark) {
		return usagef("--spark %q is not known here: use failures, latency or calls", spark)
	}
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	now := sh.now()
	if c.NArg() > 0 {
		return sh.toolPages(c, s, format, spark)
	}
	defer sh.keepsWaiting("reading what was learned\n")()
	var rows []summary.Row
	for r, err := range s.Records(sh.ctx, learn.Filter{Server: c.String("server")}) {
		if err != nil {
			return err
		}
		rows = append(rows, summary.Of(r, now))
	}
	if !c.Bool("all-contracts") {
		rows = summary.Latest(rows)
	}
	report := learnStats{diag.SchemaVersion, "learn-stats", []statsRow{}}
	for _, r := range rows {
		report.Tools = append(report.Tools, statsRowOf(r))
	}
	o := summary.Options{Spark: spark, Contracts: c.Bool("all-contracts"), Colour: sh.coloured() && format == "text"}
	return sh.printed("", format, report, func() ([]byte, error) { return statsTable(rows, o, format, evaluateCommand(c)) })
}

func evaluateCommand(c *cli.Context) string {
	return "anvil learn evaluate" + dbWords(c, c.String("db")) + repeated(c, "config")
}

func statsTable(rows []summary.Row, o summary.Options, format, next string) ([]byte, error) {
	var b bytes.Buffer
	if len(rows) == 0 {
		b.WriteString("no tool was observed\n")
		return b.Bytes(), nil
	}
	write := summary.Write
	if format == "markdown" {
		write = summary.Markdown
	}
	if err := write(&b, rows, o); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n%s\nTREND: the latest hour against all calls before it; - where there are too few\n", o.Spark.Legend())
	if slices.ContainsFunc(rows, func(r summary.Row) bool { return r.Refused > 0 }) {
		b.WriteString("REFUSED: calls that were refused before they reached the tool, beside those that did; `stats TOOL` has the reasons\n")
	}
	if !slices.ContainsFunc(rows, func(r summary.Row) bool { return r.Concluded }) {
		fmt.Fprintf(&b, "nothing was concluded yet: `%s` does\n", next)
	}
	return b.Bytes(), nil
}

func statsRowOf(r summary.Row) statsRow {
	v := statsRow{Server: r.Tool.Server, Tool: r.Tool.Name, Contract: r.Tool.Contract, Invocations: r.Invocations, Failures: r.Failures, Cancelled: r.Cancelled,
		Refused: r.Refused, FailureRate: stat.Round4(r.Rate()), Low: stat.Round4(r.Interval.Low), High: stat.Round4(r.Interval.High), Cost: costRowsOf(r.Cost),
		Trend: string(r.Trend), LookAt: r.Flagged, LastCall: profile.Moment(r.Last)}
	if r.Timed > 0 {
		v.P50Ms, v.P95Ms = inMillis(r.P50), inMillis(r.P95)
	}
	for _, h := range r.Hours {
		view := hourRow{Hour: profile.Moment(h.Begins), Invocations: h.Invocations, Failures: h.Failures}
		if h.Mean >= 0 {
			view.MeanMs = inMillis(h.Mean)
		}
		v.Hours = append(v.Hours, view)
	}
	return v
}

func costRowsOf(all []learn.Money) (views []costRow) {
	for _, m := range all {
		views = append(views, costRow{m.Amount(), m.Currency})
	}
	return views
}

// inMillis is a duration in milliseconds, to the microsecond.
func inMillis(d time.Duration) *float64 {
	ms := float64(d.Microseconds()) / 1000
	return &ms
}

// toolPages tells the tools that were named in full.
func (sh *shell) toolPages(c *cli.Context, s *sqlstore.Store, format string, spark summary.Measure) error {
	report := learnStats{diag.SchemaVersion, "learn-stats", []statsRow{}}
	var rows []summary.Row
	for _, word := range c.Args().Slice() {
		r, err := sh.foundTool(s, c.String("server"), word)
		if err != nil {
			return err
		}
		records := []learn.Record{r}
		if c.Bool("all-contracts") {
			if records, err = sh.contractsOf(s, r.Tool); err != nil {
				return err
			}
		}
		for _, r := range records {
			v, err := sh.pageOf(s, r)
			if err != nil {
				return err
			}
			rows, report.Tools = append(rows, summary.Of(r, sh.now())), append(report.Tools, v)
		}
	}
	return sh.printed("", format, report, func() ([]byte, error) {
		var b bytes.Buffer
		for i, v := range report.Tools {
			if i > 0 {
				b.WriteString("\n")
			}
			writeToolPage(&b, v, rows[i], spark, format == "markdown")
		}
		return b.Bytes(), nil
	})
}

func (sh *shell) contractsOf(s *sqlstore.Store, t learn.Tool) (all []learn.Record, err error) {
	for r, err := range s.Records(sh.ctx, filterOf(t)) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// pageOf is all that is known of a tool.
func (sh *shell) pageOf(s *sqlstore.Store, r learn.Record) (statsRow, error) {
	now := sh.now()
	v := statsRowOf(summary.Of(r, now))
	v.profile, v.refusals = profile.Of(r, now), r.Cell(learn.All, learn.Dimensions{}).Refusals
	text, err := canon.EncodeCompact(v.profile)
	if err != nil {
		return v, err
	}
	v.Profile = text
	changes, err := s.Changes(sh.ctx, time.Time{}, 0)
	for _, change := range changes {
		if change.Tool == r.Tool {
			v.History = append(v.History, stepRow{profile.Moment(change.At), change.Key, change.Was, change.Now, change.Samples})
		}
	}
	return v, err
}

// insightWords are what a page says of insights beside their keys.
var insightWords = map[string]string{
	evaluate.ObservedFailureRate: "share of the latest calls that failed", evaluate.AvgDuration: "mean duration, ms", evaluate.AvgDurationBaseline: "what it was at first, ms",
	evaluate.LatencyRegression: "slower than at first", evaluate.AvgCost: "cost of a call", evaluate.CostDrift: "cost is another than at first",
	evaluate.AvgOutputTokens: "tokens of a result", evaluate.ContextCostHigh: "results take much of a context", evaluate.ApprovalFriction: "share that people declined",
	evaluate.ObservingClients: "clients that tell of it", workflow.ToolCooccurrence: "used together with",
}
