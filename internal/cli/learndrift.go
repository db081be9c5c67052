package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/stat"
	"anvil/learn/summary"
)

func (sh *shell) learnDriftCommand() *cli.Command {
	return &cli.Command{
		Name: "drift", Usage: "hold each tool's latest hour against all calls before it",
		Description: `A difference counts when it is large enough, when there are enough calls on both sides, and when chance alone would seldom make it. The exit
code is 1 when a tool regresses. With --anomalies: the calls that took or cost far more than their tool's calls do.`,
		Flags: learnFlags(
			&cli.StringFlag{Name: "server", Usage: "the tools of `SERVER` alone"},
			&cli.BoolFlag{Name: "anomalies", Usage: "single calls instead: those that took or cost far more than the others"},
			&cli.StringFlag{Name: "since", Usage: "with --anomalies, the calls that ended since `TIME` alone: a date, a moment, or how long ago, such as 7d or 12h"},
			formatFlag("text", "json", "yaml", "markdown"),
		),
		Action: sh.learnDrift,
	}
}

// learnDrifts is what drift prints.
type learnDrifts struct {
	SchemaVersion int        `json:"schemaVersion"`
	Report        string     `json:"report"`
	Regressing    int        `json:"regressing"` // tools; the exit code is 1 when there is one
	Tools         []driftRow `json:"tools"`      // with enough calls on both sides, the furthest first
}

// driftRow is how a tool's latest hour stands to all calls before it.
type driftRow struct {
	Server         string  `json:"server,omitzero"`
	Tool           string  `json:"tool"`
	Contract       string  `json:"contract,omitzero"`
	Hour           string  `json:"hour"` // when it begins
	Direction      string  `json:"direction"`
	Failures       string  `json:"failures"`       // its direction: regressing, improving, stable
	FailureDelta   float64 `json:"failureDelta"`   // failure rate of the hour less that before
	FailureP       float64 `json:"failureP"`       // probability that chance alone makes such a difference
	Latency        string  `json:"latency"`        // its direction
	LatencyDeltaMs float64 `json:"latencyDeltaMs"` // mean duration of the hour less that before
	LatencyP       float64 `json:"latencyP"`
	Recent         int64   `json:"recent"`   // calls in the hour
	Baseline       int64   `json:"baseline"` // calls before it
}

func (sh *shell) learnDrift(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	since, err := sh.since(c)
	if err != nil {
		return err
	}
	if c.IsSet("since") && !c.Bool("anomalies") {
		return usagef("--since is about --anomalies: drift is told of the latest hour")
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	defer sh.keepsWaiting("comparing what was observed\n")()
	if c.Bool("anomalies") {
		return sh.anomalies(s, learn.Query{Since: since}, c.String("server"), format)
	}
	var records []learn.Record
	for r, err := range s.Records(sh.ctx, learn.Filter{Server: c.String("server"), Windows: learn.LatestWindows}) {
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	report := learnDrifts{diag.SchemaVersion, "learn-drift", 0, []driftRow{}}
	for _, d := range evaluate.Drifts(records, evaluate.DriftOptions{}) {
		if d.Direction == evaluate.Regressing {
			report.Regressing++
		}
		hour, _ := d.Window.Hour()
		report.Tools = append(report.Tools, driftRow{d.Tool.Server, d.Tool.Name, d.Tool.Contract, profile.Moment(hour), string(d.Direction), string(d.Failures), d.FailureDelta,
			stat.Round4(d.FailureP), string(d.Latency), float64(d.LatencyDelta), stat.Round4(d.LatencyP), d.Recent, d.Baseline})
	}
	err = sh.printed("", format, report, func() ([]byte, error) { return report.text(len(records), format == "markdown"), nil })
	return cmp.Or(err, found(report.Regressing > 0))
}

func (r learnDrifts) text(tools int, markdown bool) []byte {
	var b bytes.Buffer
	var rows [][]string
	for _, d := range r.Tools {
		rows = append(rows, []string{d.Direction, learn.Tool{Server: d.Server, Name: d.Tool}.String(), d.Hour, strconv.FormatInt(d.Recent, 10), strconv.FormatInt(d.Baseline, 10),
			fmt.Sprintf("%+g points (p %.2g)", stat.Round4(d.FailureDelta*100), d.FailureP), fmt.Sprintf("%+g ms (p %.2g)", d.LatencyDeltaMs, d.LatencyP)})
	}
	writeTable(&b, markdown, []string{"DIRECTION", "TOOL", "HOUR", "CALLS", "BEFORE", "FAILURES", "MEAN DURATION"}, rows)
	if len(rows) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %s regressing; %d with too few calls to tell\n", r.Regressing, counted(tools, "tool"), tools-len(r.Tools))
	return b.Bytes()
}

// writeTable writes rows of cells that may hold a server's words, as text or as Markdown; nothing where there are none.
func writeTable(b *bytes.Buffer, markdown bool, header []string, rows [][]string) {
	_ = diag.Listing{Header: header, Markdown: markdown, Most: maxTableCell}.Write(b, rows)
}

// maxTableCell is how many characters of a value a table shows.
const maxTableCell = 100

// learnAnomalies is what drift --anomalies prints.
type learnAnomalies struct {
	SchemaVersion int          `json:"schemaVersion"`
	Report        string       `json:"report"`
	Calls         int          `json:"calls"` // that were looked at
	Found         int          `json:"found"`
	Anomalies     []anomalyRow `json:"anomalies"` // the latest 200, oldest first
}

// anomalyRow is a call that stands out.
type anomalyRow struct {
	Event   string  `json:"event"`
	Server  string  `json:"server,omitzero"`
	Tool    string  `json:"tool"`
	At      string  `json:"at"`
	Measure string  `json:"measure"` // duration, or cost: and a currency
	Value   float64 `json:"value"`   // milliseconds, or units of the currency
	Mean    float64 `json:"mean"`    // of the tool's calls
	Calls   int64   `json:"calls"`   // the mean is made of
}

// maxAnomalies is how many are told, and anomalyBatch how many events are looked at at once.
const (
	maxAnomalies = 200
	anomalyBatch = 10_000
)

// anomalies goes through the events once and keeps the latest that stand out.
func (sh *shell) anomalies(s *sqlstore.Store, q learn.Query, server, format string) error {
	records := map[learn.Tool]learn.Record{}
	for r, err := range s.Records(sh.ctx, learn.Filter{Server: server, Windows: learn.OnlyAll}) {
		if err != nil {
			return err
		}
		records[r.Tool] = r
	}
	report := learnAnomalies{diag.SchemaVersion, "learn-anomalies", 0, 0, []anomalyRow{}}
	batch := map[learn.Tool][]learn.Event{}
	held := 0
	look := func() {
		var all []evaluate.Anomaly
		for tool, events := range batch {
			all = append(all, evaluate.Anomalies(records[tool], events)...)
		}
		slices.SortFunc(all, func(a, b evaluate.Anomaly) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Measure, b.Measure))
		})
		report.Found += len(all)
		for _, a := range all[max(0, len(all)-maxAnomalies):] {
			report.Anomalies = append(report.Anomalies, anomalyRowOf(a))
		}
		report.Anomalies = slices.Clone(report.Anomalies[max(0, len(report.Anomalies)-maxAnomalies):])
		clear(batch)
		held = 0
	}
	for e, err := range s.Events(sh.ctx, q) {
		if err != nil {
			return err
		}
		if _, known := records[e.Tool]; !known {
			continue
		}
		report.Calls++
		batch[e.Tool] = append(batch[e.Tool], e)
		if held++; held == anomalyBatch {
			look()
		}
	}
	look()
	return sh.printed("", format, report, func() ([]byte, error) { return report.text(format == "markdown"), nil })
}

func anomalyRowOf(a evaluate.Anomaly) anomalyRow {
	unit := 1e6
	if a.Measure == "duration" {
		unit = 1e3
	}
	return anomalyRow{a.Event, a.Tool.Server, a.Tool.Name, profile.Moment(a.At), a.Measure, a.Value / unit, stat.Round4(a.Mean / unit), a.Calls}
}

func (r learnAnomalies) text(markdown bool) []byte {
	var b bytes.Buffer
	var rows [][]string
	for _, a := range r.Anomalies {
		value, mean := fmt.Sprintf("%g", a.Value), fmt.Sprintf("%g", a.Mean)
		if a.Measure == "duration" {
			value, mean = summary.Millis(time.Duration(a.Value*float64(time.Millisecond))), summary.Millis(time.Duration(a.Mean*float64(time.Millisecond)))
		}
		rows = append(rows, []string{a.At, learn.Tool{Server: a.Server, Name: a.Tool}.String(), a.Measure, value, fmt.Sprintf("%s of %s", mean, counted(int(a.Calls), "call")), a.Event})
	}
	writeTable(&b, markdown, []string{"AT", "TOOL", "WHAT", "VALUE", "MEAN", "CALL"}, rows)
	if len(rows) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %s stand out", r.Found, counted(r.Calls, "call"))
	if more := r.Found - len(r.Anomalies); more > 0 {
		fmt.Fprintf(&b, "; the %d earliest are left out", more)
	}
	b.WriteString("\n")
	return b.Bytes()
}
