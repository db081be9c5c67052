package cli

import (
	"fmt"
	"slices"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
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
	return r
}

func withFindings(r diag.Report, more []diag.Finding) diag.Report {
	next := diag.NewReport(r.Report, append(slices.Clone(r.Findings), more...))
	next.Servers = r.Servers
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
	d.whole = isWhole(c)
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
