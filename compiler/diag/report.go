package diag

import (
	"fmt"
	"slices"
	"strings"
)

// SchemaVersion is the version of the JSON report.
const SchemaVersion = 1

// Report is what a reporting command prints: one shape for inspect, diff, check and verify.
type Report struct {
	SchemaVersion int       `json:"schemaVersion"`
	Report        string    `json:"report"` // the command: inspect, diff, check, verify
	Summary       Summary   `json:"summary"`
	Findings      []Finding `json:"findings"`
	Servers       []Status  `json:"servers,omitempty"` // per configured server, where several were asked
}

// Summary counts a report's findings, those too that somebody lets pass. Security counts findings that carry the flag, whatever their class.
type Summary struct {
	Worst    Class         `json:"worst,omitzero"` // absent without findings
	Counts   map[Class]int `json:"counts"`
	Security int           `json:"security"`
	Accepted int           `json:"accepted,omitzero"` // findings that somebody lets pass
	Bump     string        `json:"bump,omitzero"`     // the step of the version that the differences ask for: patch, minor, major; of several servers the highest
}

// Status is how one server came out.
type Status struct {
	Server  string `json:"server"`
	State   string `json:"state"` // same, new, drift, accepted, updated, inspected, refused, spoiled, overtaken, misconfigured, failed, cancelled, or why it could not be asked: unauthorized, unreachable, not-mcp, protocol-error
	Message string `json:"message,omitzero"`
	Bump    string `json:"bump,omitzero"` // the step of its version that its differences ask for
}

// OfServers reports a report about the configured servers, of which it may have looked at none.
func (r Report) OfServers() bool { return r.Report == "check" || len(r.Servers) > 0 }

// Line returns the summary in one line, and of how many servers it says nothing, which is no finding and not their absence.
func (r Report) Line(unchecked func(Status) bool) string {
	n := 0
	for _, s := range r.Servers {
		if unchecked(s) {
			n++
		}
	}
	var line string
	switch {
	case r.OfServers() && len(r.Servers) == 0:
		line = "no server was checked"
	case n == 0:
		return r.Summary.Line()
	default:
		line = fmt.Sprintf("%d of %d %s not checked", n, len(r.Servers), plural(len(r.Servers), "server"))
	}
	if len(r.Findings) > 0 {
		line = r.Summary.Line() + "; " + line
	}
	return line
}

// NewReport sorts the findings and counts them.
func NewReport(kind string, findings []Finding) Report {
	sorted := slices.Clone(findings)
	if sorted == nil {
		sorted = []Finding{}
	}
	Sort(sorted)
	r := Report{SchemaVersion: SchemaVersion, Report: kind, Findings: sorted, Summary: Summary{Counts: map[Class]int{}}}
	for _, f := range sorted {
		r.Summary.Counts[f.Class]++
		if f.Security {
			r.Summary.Security++
		}
		if f.Accepted != nil {
			r.Summary.Accepted++
		}
		if f.Class.Rank() > r.Summary.Worst.Rank() {
			r.Summary.Worst = f.Class
		}
	}
	return r
}

// Threshold decides which findings fail a command.
type Threshold string

// The thresholds of --fail-on. A security finding fails every one of the diff's thresholds but breaking.
const (
	FailOnError    Threshold = "error"
	FailOnWarning  Threshold = "warning"
	FailOnBreaking Threshold = "breaking"
	FailOnRisky    Threshold = "risky"
	FailOnSecurity Threshold = "security"
	FailOnAny      Threshold = "any"
)

// ParseThreshold reads a --fail-on value out of those allowed.
func ParseThreshold(s string, allowed ...Threshold) (Threshold, error) {
	if slices.Contains(allowed, Threshold(s)) {
		return Threshold(s), nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return "", fmt.Errorf("unknown threshold %q: use one of %s", s, strings.Join(names, ", "))
}

// Fails reports whether f is at or above the threshold.
func (t Threshold) Fails(f Finding) bool {
	if f.Accepted != nil {
		return false
	}
	rank := f.Class.Rank()
	switch t {
	case FailOnAny:
		return true
	case FailOnSecurity:
		return f.Security
	case FailOnRisky:
		return f.Security || rank >= Risky.Rank()
	case FailOnWarning:
		return f.Security || rank >= Warning.Rank()
	}
	return rank >= Error.Rank()
}

// Failing returns the findings of r at or above the threshold.
func (r Report) Failing(t Threshold) []Finding {
	var failing []Finding
	for _, f := range r.Findings {
		if t.Fails(f) {
			failing = append(failing, f)
		}
	}
	return failing
}
