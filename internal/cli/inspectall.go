package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
	"anvil/internal/config"
)

// inspections is the report of inspect --all: every configured server in the common shape, with each surface in short.
type inspections struct {
	diag.Report
	Surfaces []serverSurface `json:"surfaces"` // of the servers that could be reached
	Totals   totals          `json:"totals"`
	Clients  []clientVerdict `json:"clients"` // how each known client takes all of them together
	Aliases  []aliasView     `json:"aliases"` // a name that every client takes, for each tool whose own somebody does not, or that meets one of another server
	Next     []step          `json:"next"`
}

// totals is what the surfaces come to together: what a host that is given all of them gives its model.
type totals struct {
	Servers int       `json:"servers"` // that could be reached
	Tools   int       `json:"tools"`
	Tokens  tokenView `json:"tokens"`
}

func (t totals) String() string {
	return fmt.Sprintf("%s, %s, %s", counted(t.Servers, "server"), counted(t.Tools, "tool"), t.Tokens)
}

type serverSurface struct {
	Server string `json:"server"`
	surfaceView
}

// inspectAll inspects every configured server side by side. One that cannot be reached hides no other.
func (sh *shell) inspectAll(c *cli.Context, threshold diag.Threshold, format string) error {
	if err := sh.checkInspectAll(c); err != nil {
		return err
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return err
	}
	servers, err := configured(c, file, nil)
	if err != nil {
		return err
	}
	views := make([]*inspection, len(servers))
	outcomes := sh.sideBySide(servers, c.Int("jobs"), func(i int, s config.Server) outcome {
		seen, err := sh.observe(c, config.Target{Kind: config.KindName, Server: s})
		if err != nil {
			failed := sh.failed(s.Name, err)
			failed.findings = serverFindings(s.Name, seen.findings)
			return failed
		}
		view, err := sh.inspection(c, seen)
		if err != nil {
			return sh.failed(s.Name, err)
		}
		views[i] = &view
		return outcome{
			status:   diag.Status{Server: s.Name, State: stateInspected, Message: view.Summary.Line()},
			findings: serverFindings(s.Name, view.Findings),
		}
	})
	report, err := sh.newInspections(c, servers, views, outcomes)
	if err != nil {
		return err
	}
	if err := sh.show(c, report.sheet(threshold), format); err != nil {
		return err
	}
	return checkExit(report.Report, threshold, false)
}

func (sh *shell) newInspections(c *cli.Context, servers []config.Server, views []*inspection, outcomes []outcome) (inspections, error) {
	v := inspections{Report: joined("inspect", outcomes), Surfaces: []serverSurface{}, Aliases: []aliasView{}, Next: []step{}}
	file, _ := sh.loadConfig(c) // which gateOptions tells of
	o, err := sh.gateOptions(c)
	if err != nil {
		return v, err
	}
	var together []gate.Surface
	covered := [][]bool{}
	v.Totals.Tokens.Estimator = tokens.O200k.Name()
	for i, view := range views {
		if view == nil {
			continue
		}
		v.Surfaces = append(v.Surfaces, serverSurface{servers[i].Name, view.Surface})
		v.Totals.Servers++
		together = append(together, gate.Surface{Server: servers[i].Name, Plugin: pluginOf(c, view.seen), Snapshot: view.seen.snapshot, Costs: view.seen.costs})
		v.Totals.Tools += view.Surface.Counts[surface.Tool.List()]
		v.Totals.Tokens.add(view.Surface.Tokens)
		covered = append(covered, view.covered)
	}
	met, err := sh.judgeTogether(c, together, o)
	if err != nil {
		return v, err
	}
	v.Report = withFindings(v.Report, slices.Concat(met.Findings, leftovers(file, o, len(v.Surfaces) == len(servers), append(covered, met.Covered)...)))
	v.Clients, v.Aliases = clientVerdicts(v.Findings, o.Clients, v.Totals.Tools, v.Totals.Tokens.Tools), aliasesOf(v.Findings)
	if rule := firstError(v.Report); rule != "" {
		v.Next = append(v.Next, nextForError(rule))
	} else if len(v.Surfaces) == len(servers) {
		v.Next = append(v.Next, nextForServers(c, servers)...)
	}
	return v, nil
}

// nextForServers compares the servers that have a snapshot with it, and commits the surfaces of those that have none.
func nextForServers(c *cli.Context, servers []config.Server) (steps []step) {
	behind := repeated(c, "as") + repeated(c, "config")
	var committed, bare string
	for _, s := range servers {
		if isCommitted(s.Name) {
			committed += " " + diag.ShellArg(s.Name, "NAME")
		} else {
			bare += " " + diag.ShellArg(s.Name, "NAME")
		}
	}
	switch {
	case committed == "":
		return []step{{commitAll, "anvil mcp check --update" + behind}}
	case bare == "":
		return []step{{compareAll, "anvil mcp check" + behind}}
	}
	return []step{{compareAll, "anvil mcp check" + behind + committed}, {commitAll, "anvil mcp check --update" + behind + bare}}
}

const (
	commitAll  = "commit their surfaces, so that CI sees them drift"
	compareAll = "compare them with the snapshots that are committed"
)

// isCommitted reports a server with a snapshot in the folder where a check looks.
func isCommitted(name string) bool {
	_, err := os.Stat(surface.Store{Dir: defaultDir}.Path(name))
	return err == nil
}

func (sh *shell) checkInspectAll(c *cli.Context) error {
	switch {
	case c.NArg() > 0 || sh.rest != nil:
		return usagef("--all inspects every server of the configuration; leave the target out, or leave --all out")
	case c.IsSet("header") || c.IsSet("bearer-env"):
		return usagef("--header and --bearer-env are for one server, and --all inspects several; inspect that server by name")
	case c.IsSet("as") && isClient(c.String("as")):
		return usagef("--as %s prints what the model is handed of one server; inspect that server by name, or hold all of them to it with --profile %s", c.String("as"), c.String("as"))
	case c.String("evidence") != "":
		return usagef("--evidence is about one capture; inspect that server by name")
	case c.Int("jobs") < 1:
		return usagef("--jobs %d: at least one server must be probed at a time", c.Int("jobs"))
	}
	return nil
}

// sheet is the inspection of all servers as it is printed.
func (v inspections) sheet(threshold diag.Threshold) sheet {
	return sheet{
		Report: v.Report, value: v, threshold: threshold, next: v.Next,
		markdown: func(w io.Writer) error {
			if err := writeStatusTable(w, v.Servers); err != nil {
				return err
			}
			for _, s := range v.Surfaces {
				fmt.Fprintf(w, "## %s\n\n", diag.MarkdownText(s.Server))
				if err := s.writeMarkdown(w); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "## All\n\n%s\n", v.Totals)
			if v.Totals.Servers > 1 {
				writeVerdictTable(w, v.Clients)
			}
			_, err := fmt.Fprintln(w)
			return err
		},
		text: func(w io.Writer) error {
			for _, line := range statusLines(v.Servers) {
				fmt.Fprintln(w, line)
			}
			for _, s := range v.Surfaces {
				fmt.Fprintf(w, "\n%s: ", diag.Printable(s.Server))
				if err := s.writeText(w); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "\ntogether: %s\n", v.Totals)
			if v.Totals.Servers > 1 {
				writeTakers(w, v.Clients)
				writeBudgets(w, v.Clients)
			}
			return writeSummary(w, v.Report)
		},
	}
}
