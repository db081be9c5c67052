package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/internal/config"
	"anvil/internal/lazy"
)

// gateFlags are the flags of every command that runs the gate.
func gateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "hold the surface to what `CLIENT` takes, repeatable; `anvil rules --profiles` lists them (default: gate.clients)"},
		&cli.StringSliceFlag{Name: "accept", Usage: "let a finding pass, as `RULE[/TOOL]:UNTIL:REASON`, repeatable; hidden-text/search:2027-01-31:known emoji"},
		&cli.StringFlag{Name: "plugin", Usage: "judge names as those of a server that the plugin `NAME` brings"},
	}
}

// demands are what a surface is held to, and what of it somebody lets pass.
type demands struct {
	gate.Options
	accepted []gate.Acceptance
}

// gateOptions reads what the gate is to hold a surface to, from the configuration and the flags.
func (sh *shell) gateOptions(c *cli.Context) (demands, error) {
	o := demands{Options: gate.Options{Plugin: c.String("plugin"), Clients: c.StringSlice("profile")}}
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
			o.accepted = append(o.accepted, acceptance)
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
		o.accepted = append(o.accepted, acceptance)
	}
	return o, nil
}

// parseAcceptance reads RULE[/TOOL]:UNTIL:REASON.
func parseAcceptance(text string) (gate.Acceptance, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 {
		return gate.Acceptance{}, fmt.Errorf("give RULE:UNTIL:REASON or RULE/TOOL:UNTIL:REASON, such as hidden-text/search:2027-01-31:known emoji")
	}
	rule, tool, _ := strings.Cut(parts[0], "/")
	return acceptanceOf(config.Acceptance{Rule: rule, Tool: tool, Until: parts[1], Reason: parts[2]})
}

func acceptanceOf(a config.Acceptance) (gate.Acceptance, error) {
	out := gate.Acceptance{Rule: a.Rule, Server: a.Server, Tool: a.Tool, Reason: strings.TrimSpace(a.Reason)}
	if a.Until != "" {
		until, err := time.Parse(gate.Day, a.Until)
		if err != nil {
			return out, fmt.Errorf("%q is no day; write it as 2027-01-31", a.Until)
		}
		out.Until = until
	}
	if out.Rule == secretInSurface.ID {
		return out, fmt.Errorf("findings of %s cannot be accepted: the secret would be written to snapshot and pack; have the server keep it to itself", out.Rule)
	}
	return out, out.Check(allRules())
}

// verdict runs the gate, looks for the server's secrets in what it lists, and applies the acceptances to what was found, here and by others.
func (sh *shell) verdict(c *cli.Context, seen observed, more ...diag.Finding) (gate.Verdict, error) {
	o, err := sh.gateOptions(c)
	if err != nil {
		return gate.Verdict{}, err
	}
	o.Server, o.Command, o.Pages, o.Costs = seen.name, seen.command, seen.evidence.Pages, seen.costs
	v := gate.Check(seen.snapshot, o.Options, slices.Concat(seen.findings, leaks(seen.snapshot, seen.secrets))...)
	mine := gate.For(seen.name, o.accepted)
	v.Findings = gate.Accept(append(v.Findings, more...), mine, sh.now())
	if !c.Bool("all") { // of several servers all are looked at together
		v.Findings = append(v.Findings, gate.Leftovers(v.Findings, mine, sh.now())...)
	}
	return v, nil
}

// howToAccept tells what lets the errors of a report pass, for those that may.
func howToAccept(r diag.Report) string {
	for _, f := range r.Findings {
		probe := gate.Acceptance{Rule: f.Rule, Tool: f.Tool, Reason: "r", Until: time.Unix(0, 0)}
		if f.Class != diag.Error || probe.Check(allRules()) != nil || f.Rule == secretInSurface.ID {
			continue
		}
		entry, flag := "rule: "+f.Rule, "--accept "+diag.ShellWord(f.Rule+":UNTIL:REASON")+", or "
		if f.Tool != "" {
			entry += ", tool: " + yamlWord(f.Tool)
			flag = "--accept " + diag.ShellWord(f.Rule+"/"+f.Tool+":UNTIL:REASON") + ", or "
			if strings.Contains(f.Tool, ":") || diag.Printable(f.Tool) != f.Tool {
				flag = "" // a flag cannot say such a name
			}
		}
		return fmt.Sprintf("to let one pass after looking at it: %sin anvil.yaml gate: {accept: [{%s, until: 2027-01-31, reason: ...}]}", flag, entry)
	}
	return ""
}

// plainWord is a text that YAML cannot read as anything else.
var plainWord = lazy.MustCompile(`^[a-z]+[_-][a-z0-9_-]*[a-z0-9]$`)

// yamlWord spells a text as one word of YAML's flow style, quoted unless it plainly is one: "true" and "1e3" are no text there.
func yamlWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return string(diag.PrintableJSON(canon.Quote(text)))
}
