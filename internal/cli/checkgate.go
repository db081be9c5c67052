package cli

import (
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/internal/config"
)

var surfaceRefused = diag.Rule{ID: "surface-refused", Title: "The gate would not let this surface in today", Class: diag.Warning, Since: "0.2",
	Doc: `The surface has errors that nobody accepts, so its snapshot could not be taken again: the gate has become stricter, an acceptance or a client was
changed in the configuration, or the server drifted. Whether a server is what was committed is all that "anvil mcp check" is about, so this is a
warning; it concerns security, and fails the check, when one of the errors does.`}

// watched are the findings of the gate that a check reports without --update: what somebody lets pass, the errors of which the acceptance ran out,
// and in one finding the errors that nobody accepts, which the command look prints.
func watched(server string, v gate.Verdict, accepted []gate.Acceptance, look string) []diag.Finding {
	var kept []diag.Finding
	var rules []string
	errors, security := 0, false
	for _, f := range serverFindings(server, v.Findings) {
		covered := slices.ContainsFunc(accepted, func(a gate.Acceptance) bool { return a.Covers(f) })
		switch {
		case f.Accepted != nil, f.Class == diag.Error && covered:
			kept = append(kept, f)
		case refusing(f) && f.Rule != secretInSurface.ID: // which the check tells itself
			errors, security = errors+1, security || f.Security
			rules = append(rules, f.Rule)
		}
	}
	if errors == 0 {
		return kept
	}
	slices.Sort(rules)
	rules = slices.Compact(rules)
	f := surfaceRefused.Finding("server", fmt.Sprintf("the gate refuses the surface of %s today: %s (%s)", diag.Printable(server), counted(errors, "error"), strings.Join(rules, ", ")))
	f.Server, f.Security = server, security
	f.Hint = "read them with `" + look + "`; have them fixed, or accept them under gate.accept"
	return append(kept, f.Sealed(rules...))
}

// joinGate adds what shows only over all servers of the check: findings of several together that somebody lets pass, and what is left of the
// acceptances.
func (sh *shell) joinGate(c *cli.Context, report diag.Report, servers []config.Server, outcomes []outcome) (diag.Report, error) {
	file, _ := sh.loadConfig(c) // which gateOptions tells of
	o, err := sh.gateOptions(c)
	if err != nil || len(o.Accepted) == 0 {
		return report, err
	}
	var covered [][]bool
	var surfaces []gate.Surface
	seen := map[string]bool{}
	for i, out := range outcomes {
		if out.seen == nil {
			continue
		}
		covered = append(covered, out.covered)
		seen[servers[i].Name] = true
		surfaces = append(surfaces, gate.Surface{Server: servers[i].Name, Plugin: pluginOf(c, *out.seen), Snapshot: out.seen.snapshot, Costs: out.seen.costs})
	}
	all := isWhole(c) && len(surfaces) == len(servers)
	var more []diag.Finding
	if all {
		met, err := sh.judgeTogether(c, surfaces, o)
		if err != nil {
			return report, err
		}
		covered = append(covered, met.Covered)
		for _, f := range met.Findings {
			if f.Accepted != nil || f.Class == diag.Error && slices.ContainsFunc(o.Accepted, func(a gate.Acceptance) bool { return a.Covers(f) }) {
				more = append(more, f)
			}
		}
	}
	decided := func(a gate.Acceptance) bool { return all || c.IsSet("shard") && seen[a.Server] && !a.NeedsOthers() }
	return withFindings(report, append(more, leftoversOf(file, o, decided, covered...)...)), nil
}
