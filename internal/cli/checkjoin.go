package cli

import (
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func joined(kind string, outcomes []outcome) diag.Report {
	var findings []diag.Finding
	var statuses []diag.Status
	for _, o := range outcomes {
		findings = append(findings, o.findings...)
		statuses = append(statuses, o.status)
	}
	r := diag.NewReport(kind, findings)
	r.Servers = statuses
	for _, s := range statuses {
		if diff.Bump(s.Bump).Above(diff.Bump(r.Summary.Bump)) {
			r.Summary.Bump = s.Bump
		}
	}
	return r
}

func withFindings(r diag.Report, more []diag.Finding) diag.Report {
	next := diag.NewReport(r.Report, append(slices.Clone(r.Findings), more...))
	next.Servers, next.Summary.Bump = r.Servers, r.Summary.Bump
	return next
}

// joinDifferences adds what shows only over all servers: snapshots that have none, and what is left of the acceptances of differences.
func joinDifferences(c *cli.Context, report diag.Report, file *config.File, outcomes []outcome, d differences) (diag.Report, error) {
	var orphans outcome
	orphans.passed = make([]bool, len(d.accepted))
	if c.NArg() == 0 && isFirstShard(c) {
		found, err := orphaned(storeOf(c), file)
		if err != nil {
			return report, err
		}
		orphans.findings, orphans.passed = d.pass(found, "")
	}
	outcomes = append(slices.Clone(outcomes), orphans)
	d.whole, d.shard = isWhole(c), c.IsSet("shard")
	all := isWhole(c) && !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.passed == nil })
	return withFindings(report, append(orphans.findings, d.leftovers(all, outcomes)...)), nil
}

func orphaned(store surface.Store, file *config.File) ([]diag.Finding, error) {
	names, err := store.Names()
	if err != nil {
		return nil, err
	}
	var findings []diag.Finding
	for _, name := range names {
		if !slices.Contains(file.Names(), name) {
			f := snapshotOrphaned.Finding("server", fmt.Sprintf("snapshot %s has no server in %s", store.Path(name), file.Path))
			f.Server, f.Hint = name, "remove the file, or configure the server"
			findings = append(findings, f.Sealed())
		}
	}
	return findings, nil
}

// driftLine tells in a line how a server differs from its snapshot: from which version to which, how much, and what step of the version that asks for.
func driftLine(old, now *surface.McpSurfaceSnapshot, findings []diag.Finding, step string) string {
	line := diag.NewReport("check", findings).Summary.Line()
	if name, next := orUnnamed(old.ServerName()), orUnnamed(now.ServerName()); name != next || old.ServerVersion() != now.ServerVersion() {
		to := now.ServerVersion()
		if name != next {
			to = next + " " + to
		}
		line = diag.Shorten(strings.TrimSpace(name+" "+old.ServerVersion()), maxCell) + " -> " + diag.Shorten(strings.TrimSpace(to), maxCell) + ": " + line
	}
	if step != "" {
		line += "; suggested version step: " + step
	}
	return line
}

// tellStillFailing tells what the check fails for though --update has written what there was to write.
func (sh *shell) tellStillFailing(r diag.Report, threshold diag.Threshold) {
	var order []string
	count := map[string]int{}
	for _, f := range r.Failing(threshold) {
		_, ofDiff := diff.Rules.Find(f.Rule)
		_, about := gate.AcceptanceRules.Find(f.Rule)
		if ofDiff || f.Class != diag.Error && !about && f.Rule != snapshotOrphaned.ID {
			continue
		}
		if count[f.Rule]++; count[f.Rule] == 1 {
			order = append(order, f.Rule)
		}
	}
	var parts []string
	for _, rule := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[rule], rule))
	}
	if parts != nil {
		fmt.Fprintf(sh.err, "anvil: `anvil mcp check` will still fail: %s; the report says what to do\n", strings.Join(parts, ", "))
	}
}

// whyFailed says why a report fails in which nothing breaks or is risky; "" for others.
func whyFailed(r diag.Report, threshold diag.Threshold) string {
	failing := r.Failing(threshold)
	if len(failing) == 0 || threshold != diag.FailOnRisky && threshold != diag.FailOnSecurity ||
		slices.ContainsFunc(failing, func(f diag.Finding) bool { return !f.Security || f.Class.Rank() >= diag.Risky.Rank() }) {
		return ""
	}
	return fmt.Sprintf("fails for security: %s; what concerns security fails --fail-on %s whatever its class", diag.NewReport("", failing).Summary.Line(), threshold)
}
