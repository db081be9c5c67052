package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/internal/config"
)

// gateFlags are the flags of every command that runs the gate.
func gateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "hold the surface to what `CLIENT` takes, repeatable; `anvil rules --profiles` lists them (default: gate.clients)"},
		&cli.StringSliceFlag{Name: "accept", Usage: "let a finding pass, as `RULE[/TOOL]:UNTIL:REASON`, repeatable; hidden-text/search:2027-01-31:known emoji; or as an entry of gate.accept, {rule: ..., prompt: ..., at: ..., until: ..., reason: ...}"},
		&cli.StringFlag{Name: "plugin", Usage: "judge names as those of servers that the plugin `NAME` brings (default: plugin of the server's configuration)"},
	}
}

// gateOptions reads what the gate is to hold a surface to, and what of it somebody lets pass, from the configuration and the flags.
func (sh *shell) gateOptions(c *cli.Context) (gate.Options, error) {
	o := gate.Options{Clients: c.StringSlice("profile"), Now: sh.now()}
	file, err := sh.loadConfig(c)
	if err != nil {
		return o, err
	}
	where := "--profile"
	if file != nil {
		o.MaxTools = file.Gate.MaxTools
		if !c.IsSet("profile") {
			o.Clients, where = file.Gate.Clients, file.Path+": gate.clients"
		}
		for _, a := range file.Gate.Accept {
			acceptance, err := acceptanceOf(a)
			if err != nil {
				return o, usagef("%s: %w", a.Place, err)
			}
			o.Accepted = append(o.Accepted, acceptance)
		}
	}
	for _, client := range o.Clients {
		if _, err := profiles.All().Client(client); err != nil {
			return o, usagef("%s: %w", where, err)
		}
	}
	for _, text := range c.StringSlice("accept") {
		acceptance, err := parseAcceptance(text)
		if err != nil {
			return o, usagef("--accept %q: %w", text, err)
		}
		acceptance.Place = "--accept"
		o.Accepted = append(o.Accepted, acceptance)
	}
	return o, nil
}

// pluginOf is the plugin that brings a server: the flag's, or the one that its configuration names.
func pluginOf(c *cli.Context, seen observed) string {
	if c.IsSet("plugin") {
		return c.String("plugin")
	}
	return seen.plugin
}

// verdict runs the gate on one surface by itself, looks for the server's secrets in what it lists, and applies the acceptances to what was found, here
// and by others.
func (sh *shell) verdict(c *cli.Context, seen observed, more ...diag.Finding) (gate.Verdict, error) {
	o, err := sh.gateOptions(c)
	if err != nil {
		return gate.Verdict{}, err
	}
	v, err := sh.judge(c, seen, o, more...)
	if err != nil {
		return v, err
	}
	shared, err := sh.shared(c)
	if err != nil {
		return v, err
	}
	var mine []gate.Acceptance
	var covered []bool
	for i, a := range o.Accepted {
		if a.Server != "" && a.Server != seen.name || shared(a) && !v.Covered[i] {
			continue
		}
		mine, covered = append(mine, a), append(covered, v.Covered[i])
	}
	file, err := sh.loadConfig(c)
	v.Findings = append(v.Findings, leftOf(file, mine, covered, o.Now)...)
	return v, err
}

// shared returns whether an acceptance may be there for another server of the configuration than the one that is looked at.
func (sh *shell) shared(c *cli.Context) (func(gate.Acceptance) bool, error) {
	file, err := sh.loadConfig(c)
	if err != nil || file == nil || len(file.Names()) < 2 {
		return func(gate.Acceptance) bool { return false }, err
	}
	configured := map[gate.Acceptance]bool{}
	for _, a := range file.Gate.Accept {
		acceptance, err := acceptanceOf(a)
		if err != nil {
			return nil, err
		}
		configured[acceptance] = acceptance.Server == ""
	}
	return func(a gate.Acceptance) bool { return configured[a] }, nil
}

// judge runs the gate with acceptances for all servers, for as long as --timeout says.
func (sh *shell) judge(c *cli.Context, seen observed, o gate.Options, more ...diag.Finding) (gate.Verdict, error) {
	limit, err := timeout(c)
	if err != nil {
		return gate.Verdict{}, err
	}
	ctx, end := context.WithTimeout(sh.ctx, limit)
	defer end()
	o.Server, o.Plugin, o.Command, o.Pages, o.Costs = seen.name, pluginOf(c, seen), seen.command, seen.evidence.Pages, seen.costs
	v, err := gate.CheckContext(ctx, seen.snapshot, o, slices.Concat(seen.findings, leaks(seen.snapshot, seen.secrets), more)...)
	return v, tookTooLong(err, limit)
}

// judgeTogether runs the gate on what only shows when a client has all servers.
func (sh *shell) judgeTogether(c *cli.Context, surfaces []gate.Surface, o gate.Options) (gate.Verdict, error) {
	limit, err := timeout(c)
	if err != nil {
		return gate.Verdict{}, err
	}
	ctx, end := context.WithTimeout(sh.ctx, limit)
	defer end()
	v, err := gate.CheckTogetherContext(ctx, surfaces, o)
	return v, tookTooLong(err, limit)
}

// leftovers are the findings about the acceptances themselves, by what each verdict says of them: unused ones when every server was looked at.
func leftovers(file *config.File, o gate.Options, all bool, verdicts ...[]bool) []diag.Finding {
	return leftoversOf(file, o, func(gate.Acceptance) bool { return all }, verdicts...)
}

// leftoversOf are those, and of the unused ones which everything was looked at for that they could be about.
func leftoversOf(file *config.File, o gate.Options, decided func(gate.Acceptance) bool, verdicts ...[]bool) []diag.Finding {
	var accepted []gate.Acceptance
	var covered []bool
	for i, a := range o.Accepted {
		used := slices.ContainsFunc(verdicts, func(covers []bool) bool { return covers[i] })
		if used || decided(a) {
			accepted, covered = append(accepted, a), append(covered, used)
		}
	}
	return leftOf(file, accepted, covered, o.Now)
}

// tookTooLong says what to do when the time was not enough for the gate.
func tookTooLong(err error, limit time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: it is so large that this took longer than --timeout %s; give it more time, or have the server list less", err, limit)
	}
	return err
}

// doubts are what the bridge says of a surface, and of the capabilities it makes of it. An acceptance may be about it.
func doubts(seen observed) []diag.Finding {
	document := adopt.Bridge(seen.snapshot)
	return append(adopt.Doubts(document.Diagnostics), budgets(document)...)
}
