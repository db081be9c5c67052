package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/internal/config"
)

// differences is how the differences of two surfaces are judged: by what callers may send, and by what of them somebody lets pass.
type differences struct {
	diff.Options
	accepted []gate.Acceptance // of diff.accept
	now      time.Time
	file     *config.File // that they are in; nil when there is none
	whole    bool         // all servers are looked at
	shard    bool         // those of a shard are, which are no other shard's
}

// differences reads them from the flags and the configuration.
func (sh *shell) differences(c *cli.Context) (differences, error) {
	d := differences{Options: diff.Options{StrictOpen: c.Bool("strict-open"), Ended: sh.ended}, now: sh.now()}
	file, err := sh.loadConfig(c)
	if err != nil || file == nil {
		return d, err
	}
	d.file = file
	for _, a := range file.Diff.Accept {
		acceptance, err := acceptanceOf(a)
		if err != nil {
			return d, usagef("%s: %w", a.Place, err)
		}
		d.accepted = append(d.accepted, acceptance)
	}
	return d, nil
}

// ended reports that a signal has ended the run.
func (sh *shell) ended() bool { return sh.ctx.Err() != nil }

// isDifference reports what diff.accept may let pass: a difference of surfaces, and a server or a snapshot that has no other side. What the gate finds
// has a list of its own, and a secret in a surface never passes.
func isDifference(f diag.Finding) bool {
	_, ofDiff := diff.Rules.Find(f.Rule)
	return ofDiff || f.Rule == snapshotMissing.ID || f.Rule == snapshotOrphaned.ID
}

// pass marks the differences that somebody lets pass, and tells which acceptances are about one. What is found of no server, as by `anvil mcp diff`, is
// known by its own fingerprint, and by the one that the check of the named server prints for it.
func (d differences) pass(findings []diag.Finding, named string) (passed []diag.Finding, covered []bool) {
	var open []diag.Finding
	for _, f := range findings {
		if isDifference(f) {
			open = append(open, f)
		} else {
			passed = append(passed, f)
		}
	}
	covered = make([]bool, len(d.accepted))
	own, ofCheck := slices.Clone(open), slices.Clone(open)
	for i, f := range open {
		if f.Server == "" && named != "" {
			own[i].Server, ofCheck[i] = named, f.On(named)
		}
	}
	for _, known := range [][]diag.Finding{own, ofCheck} {
		marked, about := gate.Pass(known, d.accepted, d.now)
		for i, f := range marked {
			open[i].Accepted = cmp.Or(open[i].Accepted, f.Accepted)
		}
		for i := range about {
			covered[i] = covered[i] || about[i]
		}
	}
	return append(passed, open...), covered
}

// leftovers are the findings about the acceptances themselves: those that ran out, and those that accept nothing. Without all servers these are only the
// ones whose difference a new snapshot holds now, and in a shard those of its servers.
func (d differences) leftovers(all bool, outcomes []outcome) []diag.Finding {
	return withSubjects(d.unsaid(all, outcomes), outcomes)
}

// withSubjects says in findings about acceptances which difference they are about, where it is among those that were found.
func withSubjects(left []diag.Finding, outcomes []outcome) []diag.Finding {
	about := map[string]string{}
	for _, out := range outcomes {
		for _, f := range out.findings {
			about[f.Fingerprint] = f.Rule + ", " + placeOf(f)
		}
	}
	for i, f := range left {
		fingerprint := strings.TrimPrefix(f.Subject, "difference/")
		if what := about[fingerprint]; what != "" {
			left[i].Message = strings.Replace(f.Message, fingerprint, fingerprint+" ("+diag.Shorten(what, 2*maxCell)+")", 1)
		}
	}
	return left
}

func (d differences) unsaid(all bool, outcomes []outcome) []diag.Finding {
	var settled []gate.Acceptance
	var others []gate.Acceptance
	var covered []bool
	for i, a := range d.accepted {
		used, gone := false, false
		for _, out := range outcomes {
			about := out.passed != nil && out.passed[i]
			used, gone = used || about && !out.settled(), gone || about && out.settled()
		}
		switch {
		case gone && !used:
			settled = append(settled, a)
		case used || all || d.whole && isOfNobody(d.file, a) || d.shard && isCompared(a.Server, outcomes):
			others, covered = append(others, a), append(covered, used)
		}
	}
	var found []diag.Finding
	for _, a := range settled {
		for _, f := range gate.Leftovers([]gate.Acceptance{a}, []bool{false}, d.now) {
			f.Hint = "remove the acceptance" + atPlace(a) + ": the new snapshot holds what it accepted"
			found = append(found, f)
		}
	}
	return append(found, leftOf(d.file, others, covered, d.now)...)
}

// isCompared reports a server that was looked at, and whose differences are known.
func isCompared(server string, outcomes []outcome) bool {
	return slices.ContainsFunc(outcomes, func(o outcome) bool { return server != "" && o.status.Server == server && o.passed != nil })
}

// judged marks what of the differences of two surfaces somebody lets pass, and returns the acceptances of them that ran out as findings.
func (d differences) judged(found []diag.Finding, named string) (passed, ranOut []diag.Finding) {
	passed, covered := d.pass(found, named)
	known := slices.Clone(passed)
	if named != "" {
		known = append(known, serverFindings(named, slices.Clone(passed))...)
	}
	return passed, d.leftovers(false, []outcome{{passed: covered, findings: known}})
}

// withLeftovers adds them to the report of a diff, of which they change no more than the counts.
func withLeftovers(r diag.Report, ranOut []diag.Finding) diag.Report {
	return withFindings(r, ranOut)
}

// leftoverSection shows them below the changes, as Markdown.
func leftoverSection(ranOut []diag.Finding) []byte {
	var b bytes.Buffer
	if len(ranOut) > 0 {
		b.WriteString("\n## Acceptances\n\n")
		_ = diag.NewReport("diff", ranOut).WriteMarkdown(&b)
	}
	return b.Bytes()
}

// settled reports a server whose snapshot is what it shows now, by this run.
func (o outcome) settled() bool {
	return slices.Contains([]string{stateAccepted, stateUpdated}, o.status.State)
}

// remedy is how to let pass what fails, the worst first.
func (d differences) remedy(findings []diag.Finding) remedy {
	r := remedy{section: "diff", file: d.file, more: "--full lists them"}
	slices.SortStableFunc(findings, func(a, b diag.Finding) int { return b.Class.Rank() - a.Class.Rank() })
	for _, f := range findings {
		if _, ofDiff := diff.Rules.Find(f.Rule); !ofDiff { // others have a better way out, which their hints tell
			continue
		}
		if line, ok := renewalOf(f, d.accepted, d.now); ok {
			r.renewed = append(r.renewed, line)
			continue
		}
		a := gate.Acceptance{Fingerprint: f.Fingerprint, Server: f.Server, Until: d.now.Add(renewal), Reason: "say why"}
		r.entries = append(r.entries, entry{a, f.Rule + " " + yamlWord(diag.Shorten(placeOf(f), maxCell))})
	}
	return r
}

// tellRemedy tells it on stderr, where the report is for programs.
func (sh *shell) tellRemedy(s sheet, format string) {
	if format == "text" || format == "markdown" {
		return
	}
	if s.why != "" {
		fmt.Fprintf(sh.err, "anvil: %s\n", s.why)
	}
	if text := s.remedy.text(s.most()); text != "" {
		fmt.Fprintf(sh.err, "anvil: %s", sh.clean(text))
	}
}

// apart takes what somebody lets pass out of a report of differences.
func apart(r diag.Report) (open, passed diag.Report) {
	var kept, taken []diag.Finding
	for _, f := range r.Findings {
		if f.Accepted != nil && isDifference(f) {
			taken = append(taken, f)
		} else {
			kept = append(kept, f)
		}
	}
	open, passed = diag.NewReport(r.Report, kept), diag.NewReport(r.Report, taken)
	open.Servers = r.Servers
	return open, passed
}
