package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

var (
	snapshotMissing = diag.Rule{ID: "snapshot-missing", Title: "A configured server has no snapshot", Class: diag.Risky, Since: "0.1",
		Doc: `Nothing was accepted for this server yet, so nothing can drift unseen or seen. Review it and take its snapshot with
"anvil mcp check --update" or "anvil mcp snapshot".`}
	snapshotOrphaned = diag.Rule{ID: "snapshot-orphaned", Title: "A snapshot has no configured server", Class: diag.Risky, Since: "0.1",
		Doc: `The folder holds a snapshot that no server of the configuration answers for, so it is compared with nothing. Remove the file, or
configure the server.`}
	checkRules = diag.NewCatalog(secretInSurface, snapshotMissing, snapshotOrphaned, surfaceDependsOnClient)
)

func (sh *shell) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "probe every configured server again and report drift from the committed snapshots",
		ArgsUsage: "[NAME...]",
		Description: `NAME is a server of the configuration; without names all are checked. A difference at or above --fail-on exits 1, also when
another server cannot be reached (4) or asks for authentication (5).`,
		Flags: probeFlags(append(gateFlags(),
			formatFlag(reportFormats...), failOnFlag(), strictOpenFlag(), dirFlag(),
			&cli.BoolFlag{Name: "update", Usage: "accept what the servers show now: rewrite the snapshots"},
			jobsFlag(),
		)...),
		Action: sh.check,
	}
}

func jobsFlag() cli.Flag {
	return &cli.IntFlag{Name: "jobs", Value: 4 * runtime.NumCPU(), Usage: "probe at most `N` servers at once"}
}

// outcome is how the check of one server came out.
type outcome struct {
	status   diag.Status
	findings []diag.Finding
}

func (sh *shell) check(c *cli.Context) error {
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	if c.Int("jobs") < 1 {
		return usagef("--jobs %d: at least one server must be probed at a time", c.Int("jobs"))
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return err
	}
	threshold, err := failOn(c, file)
	if err != nil {
		return err
	}
	if _, err := sh.gateOptions(c); err != nil {
		return err
	}
	servers, err := configured(c, file, c.Args().Slice())
	if err != nil {
		return err
	}
	outcomes := sh.sideBySide(servers, c.Int("jobs"), func(_ int, s config.Server) outcome { return sh.checkOne(c, s) })
	report := joined("check", outcomes)
	if c.NArg() == 0 {
		orphans, err := orphaned(storeOf(c), file)
		if err != nil {
			return err
		}
		report = withFindings(report, orphans)
	}
	if err := sh.printCheck(c, report, format, threshold); err != nil {
		return err
	}
	return checkExit(report, threshold, c.Bool("update"))
}

// configured resolves the named servers, all of them without names. Every wrong entry is reported before anything is started.
func configured(c *cli.Context, file *config.File, names []string) ([]config.Server, error) {
	if file == nil {
		return nil, usagef("no configuration here: %s asks the servers of anvil.yaml or mcp.json; give one with --config FILE", c.Command.Name)
	}
	if len(names) == 0 {
		names = file.Names()
	}
	if len(names) == 0 {
		return nil, usagef("%s configures no servers", file.Path)
	}
	var servers []config.Server
	var problems []error
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		s, err := file.Server(name)
		if err == nil {
			err = surface.CheckName(name)
		}
		servers, problems = append(servers, s), append(problems, err)
	}
	return servers, usage(errors.Join(problems...))
}

// writeStatusTable writes how each server came out, as Markdown.
func writeStatusTable(w io.Writer, servers []diag.Status) {
	fmt.Fprintln(w, "| server | state | |\n|---|---|---|")
	for _, s := range servers {
		fmt.Fprintf(w, "| %s | %s | %s |\n", diag.MarkdownText(s.Server), s.State, diag.MarkdownText(s.Message))
	}
	fmt.Fprintln(w)
}

// statusLines tells how each server came out, a line each.
func statusLines(servers []diag.Status) []string {
	var lines []string
	for _, s := range servers {
		line := fmt.Sprintf("%-20s %-14s %s", diag.Printable(s.Server), s.State, diag.Printable(s.Message))
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

func (sh *shell) checkOne(c *cli.Context, s config.Server) outcome {
	store := storeOf(c)
	old, err := baseline(store, s.Name)
	if err != nil {
		return sh.failed(s.Name, err)
	}
	seen, err := sh.observe(c, config.Target{Kind: config.KindName, Server: s})
	switch {
	case err != nil:
		return sh.failed(s.Name, err)
	case c.Bool("update"):
		return sh.accept(c, s.Name, seen, old)
	case old == nil:
		f := snapshotMissing.Finding("server", fmt.Sprintf("server %q has no snapshot in %s", s.Name, store.Dir))
		f.Server, f.Hint = s.Name, "review it with `anvil mcp inspect "+s.Name+"`, then accept it with `anvil mcp check --update "+s.Name+"`"
		return outcome{status: diag.Status{Server: s.Name, State: stateNew}, findings: []diag.Finding{f.Sealed()}}
	}
	found := diff.Judge(diff.Compare(old, seen.snapshot.WithHistory(old), diffOptions(c)))
	findings := serverFindings(s.Name, append(found, leaks(seen.snapshot, seen.secrets)...))
	if len(findings) == 0 {
		return outcome{status: diag.Status{Server: s.Name, State: stateSame}}
	}
	return outcome{status: diag.Status{Server: s.Name, State: stateDrift, Message: diag.NewReport("check", findings).Summary.Line()}, findings: findings}
}

// serverFindings names the server in each finding.
func serverFindings(name string, findings []diag.Finding) []diag.Finding {
	for i := range findings {
		findings[i] = findings[i].On(name)
	}
	return findings
}

// accept writes what the server shows now in the place of old, if the gate lets it pass.
func (sh *shell) accept(c *cli.Context, name string, seen observed, old *surface.McpSurfaceSnapshot) outcome {
	verdict, err := sh.verdict(c, seen)
	if err != nil {
		return sh.failed(name, err)
	}
	if verdict.Refused() {
		return refused(name, verdict)
	}
	now, err := sh.replace(storeOf(c), name, old, seen.snapshot)
	if err != nil {
		return sh.failed(name, err)
	}
	state := stateAccepted
	switch {
	case old != nil && old.Digest == now.Digest:
		state = stateSame
	case old != nil:
		state = stateUpdated
	}
	o := outcome{status: diag.Status{Server: name, State: state, Message: now.Digest}}
	if old != nil {
		o.findings = serverFindings(name, diff.Judge(diff.Compare(old, now, diffOptions(c))))
	}
	return o
}

// refused is a surface that the gate does not let into the folder.
func refused(name string, v gate.Verdict) outcome {
	message := "the gate refuses this surface: " + diag.NewReport("check", errorsOf(v.Findings)).Summary.Line() + "; its snapshot stays as it was"
	return outcome{status: diag.Status{Server: name, State: stateRefused, Message: message}, findings: serverFindings(name, errorsOf(v.Findings))}
}

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

func (sh *shell) printCheck(c *cli.Context, r diag.Report, format string, threshold diag.Threshold) error {
	if isExported(format) {
		return sh.printExported(c, r, format, threshold)
	}
	if format == "markdown" {
		writeStatusTable(sh.out, r.Servers)
	}
	lines := statusLines(r.Servers)
	if len(r.Findings) > 0 {
		lines = append(lines, "")
	}
	return sh.printReport(r, format, strings.Join(lines, "\n"))
}
