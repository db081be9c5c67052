package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
)

// differences is how the differences of two surfaces are judged: by what callers may send, and by what of them somebody lets pass.
type differences struct {
	diff.Options
	accepted []gate.Acceptance // of diff.accept
	now      time.Time
}

// differences reads them from the flags and the configuration.
func (sh *shell) differences(c *cli.Context) (differences, error) {
	d := differences{Options: diff.Options{StrictOpen: c.Bool("strict-open")}, now: sh.now()}
	file, err := sh.loadConfig(c)
	if err != nil || file == nil {
		return d, err
	}
	for _, a := range file.Diff.Accept {
		acceptance, err := acceptanceOf(a)
		if err != nil {
			return d, usagef("%s: %w", a.Place, err)
		}
		d.accepted = append(d.accepted, acceptance)
	}
	return d, nil
}

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
// ones whose difference a new snapshot holds now.
func (d differences) leftovers(all bool, outcomes []outcome) []diag.Finding {
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
		case used || all:
			others, covered = append(others, a), append(covered, used)
		}
	}
	found := gate.Leftovers(settled, make([]bool, len(settled)), d.now)
	for i := range found {
		found[i].Hint = "remove the acceptance: the new snapshot holds what it accepted"
	}
	return append(found, gate.Leftovers(others, covered, d.now)...)
}

// judged marks what of the differences of two surfaces somebody lets pass, and returns the acceptances of them that ran out as findings.
func (d differences) judged(found []diag.Finding, named string) (passed, ranOut []diag.Finding) {
	passed, covered := d.pass(found, named)
	return passed, d.leftovers(false, []outcome{{passed: covered}})
}

// withLeftovers adds them to the report of a diff, of which they change no more than the counts.
func withLeftovers(r diag.Report, ranOut []diag.Finding) diag.Report {
	all := withFindings(r, ranOut)
	all.Summary.Bump = r.Summary.Bump
	return all
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

// toPaste are the entries of diff.accept that would let pass what fails, the worst first, with a remark on what each is about.
func (d differences) toPaste(findings []diag.Finding) (entries []string) {
	slices.SortStableFunc(findings, func(a, b diag.Finding) int { return b.Class.Rank() - a.Class.Rank() })
	for _, f := range findings {
		if _, ofDiff := diff.Rules.Find(f.Rule); !ofDiff { // others have a better way out, which their hints tell
			continue
		}
		entry := acceptEntry(gate.Acceptance{Fingerprint: f.Fingerprint, Server: f.Server, Until: d.now.Add(renewal), Reason: "say why"})
		about := f.Subject
		if f.Pointer != "" {
			about += " " + f.Pointer
		}
		entries = append(entries, entry+" # "+f.Rule+" "+yamlWord(shorten(about, maxCell)))
	}
	return entries
}

// pasted is a section of anvil.yaml with so many of the entries at most.
func pasted(section string, entries []string, most int) string {
	text := section + ":\n  accept:\n"
	for _, entry := range entries[:min(most, len(entries))] {
		text += "    - " + entry + "\n"
	}
	if more := len(entries) - most; more > 0 {
		text += fmt.Sprintf("    # and %d more\n", more)
	}
	return text
}

// tellToPaste tells on stderr how to let pass what fails, where the report is for programs.
func (sh *shell) tellToPaste(entries []string, format string) {
	if len(entries) > 0 && format != "text" && format != "markdown" {
		fmt.Fprintf(sh.err, "anvil: %s\n%s", toLetPass, sh.clean(pasted("diff", entries, howMany)))
	}
}

const toLetPass = "to let pass what you have looked at, put it into anvil.yaml:"

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
