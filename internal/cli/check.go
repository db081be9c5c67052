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
	snapshotMissing = diag.Rule{ID: "snapshot-missing", Title: "A configured server has no snapshot", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Nothing was accepted for this server yet, so nothing of it was compared: whatever --fail-on asks for may be there, and the check fails at every
threshold. Review it and take its snapshot with "anvil mcp check --update" or "anvil mcp snapshot".`}
	snapshotOrphaned = diag.Rule{ID: "snapshot-orphaned", Title: "A snapshot has no configured server", Class: diag.Risky, Since: "0.1",
		Doc: `The folder holds a snapshot that no server of the configuration answers for, so it is compared with nothing. Remove the file, or
configure the server.`}
	checkRules = diag.NewCatalog(secretInSurface, snapshotMissing, snapshotOrphaned, surfaceDependsOnClient, surfaceRefused)
)

func (sh *shell) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "probe every configured server again and report drift from the committed snapshots",
		ArgsUsage: "[NAME...]",
		Description: `NAME is a server of the configuration; without names all are checked. A difference at or above --fail-on exits 1, also when
another server cannot be reached (4) or asks for authentication (5). What concerns security fails risky (the default) and security whatever
its class: a "safe [security]" finding, such as a tool that was added, fails the check. Of a server without a snapshot nothing was compared:
that fails every --fail-on.

A difference that was looked at and may stay for a while is let pass by its fingerprint, under diff.accept in the configuration; the
report prints the entries for what fails, ten or with --full all. --shard 2/5 checks the second of five parts of the servers, for CI that runs jobs side by side; each part tells
of the acceptances that name one of its servers and are not used, and the first tells of snapshots without a server.

What is compared is the surface with its snapshot. The gate has its say too, since an acceptance ends on its day: one that ran out is an
error, and so are the findings that it accepted; one that accepts nothing is a warning, once all servers were looked at; what is accepted
is listed as information. Errors of the gate that nobody accepts are one warning for each server, which fails the check when they
concern security: "anvil mcp inspect" has them all.

With --update the gate decides. A server whose surface it refuses, for errors or for an acceptance that ran out, keeps its snapshot, and
the command exits 1; the differences that the new snapshots accept are listed and fail nothing.`,
		Flags: probeFlags(append(gateFlags(),
			formatFlag(reportFormats...), reportFlag(), failOnFlag(), strictOpenFlag(), fullFlag(),
			affectedFlag(", where the server is the one that it was made of"), dirFlag(),
			&cli.BoolFlag{Name: "update", Usage: "accept what the servers show now: rewrite the snapshots"},
			jobsFlag(), shardFlag(),
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

	seen    *observed // nil when it could not be looked at, or judged
	covered []bool    // by the acceptances
	passed  []bool    // by the acceptances of differences: which are about one; nil when it is not known
	how     string    // how to let pass what the gate refuses; "" for nothing
}

// checking is what a check was asked for, all of it found right.
type checking struct {
	format      string
	threshold   diag.Threshold
	file        *config.File
	differences differences
	servers     []config.Server
}

func (sh *shell) checking(c *cli.Context) (k checking, err error) {
	if err := sh.onlyDashDash(); err != nil {
		return k, err
	}
	if k.format, err = parseFormat(c, reportFormats...); err != nil {
		return k, err
	}
	if c.Int("jobs") < 1 {
		return k, usagef("--jobs %d: at least one server must be probed at a time", c.Int("jobs"))
	}
	if k.file, err = sh.loadConfig(c); err != nil {
		return k, err
	}
	if k.threshold, err = failOn(c, k.file); err != nil {
		return k, err
	}
	if err := sh.checkGate(c); err != nil {
		return k, err
	}
	if k.differences, err = sh.differences(c); err != nil {
		return k, err
	}
	k.servers, err = sharded(c, k.file)
	return k, err
}

func (sh *shell) check(c *cli.Context) error {
	k, err := sh.checking(c)
	if err != nil {
		return err
	}
	outcomes, err := sh.checkAll(c, k.servers, k.differences)
	if err != nil {
		return err
	}
	report, err := sh.joinGate(c, joined("check", outcomes), k.servers, outcomes)
	if err != nil {
		return err
	}
	if report, err = joinDifferences(c, report, k.file, outcomes, k.differences); err != nil {
		return err
	}
	view := sheet{Report: report, threshold: k.threshold, changes: sh.changesFor(c)}
	if !c.Bool("update") {
		view.why = whyFailed(report, k.threshold)
		view.remedy = k.differences.remedy(report.Failing(k.threshold))
		view.next = nextForDrift(c, outcomes)
	}
	if err := sh.printCheck(c, view, k.format); err != nil {
		return err
	}
	sh.tellRemedy(view, k.format)
	sh.tellHow(outcomes)
	if c.Bool("update") {
		sh.tellStillFailing(report, k.threshold)
	}
	return checkExit(report, k.threshold, c.Bool("update"))
}

// nextForDrift takes over what servers show now that drifted.
func nextForDrift(c *cli.Context, outcomes []outcome) []step {
	names := ""
	for _, o := range outcomes {
		if o.status.State == stateDrift {
			names += " " + diag.ShellArg(o.status.Server, "NAME")
		}
	}
	if names == "" {
		return nil
	}
	return []step{{"once you have looked: accept what is there now, and commit it", "anvil mcp check --update" + checkedSo(c) + names}}
}

// checkedSo are the flags by which another command finds the same servers and snapshots.
func checkedSo(c *cli.Context) string {
	return repeated(c, "as") + repeated(c, "config") + repeated(c, "dir")
}

// tellHow tells on stderr how to let pass what the gate refused.
func (sh *shell) tellHow(outcomes []outcome) {
	for _, o := range outcomes {
		if o.how != "" {
			fmt.Fprintf(sh.err, "anvil: %s\n", sh.clean(o.how))
		}
	}
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
func writeStatusTable(w io.Writer, servers []diag.Status) error {
	fmt.Fprintln(w, "| server | state | |\n|---|---|---|")
	for _, s := range servers {
		fmt.Fprintf(w, "| %s | %s | %s |\n", diag.MarkdownText(s.Server), s.State, diag.MarkdownText(s.Message))
	}
	_, err := fmt.Fprintln(w)
	return err
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

func (sh *shell) checkOne(c *cli.Context, s config.Server, d differences) outcome {
	store := storeOf(c)
	old, err := baseline(store, s.Name)
	if err != nil {
		return sh.failed(s.Name, err)
	}
	seen, err := sh.observe(c, config.Target{Kind: config.KindName, Server: s})
	if err != nil {
		return sh.failed(s.Name, err)
	}
	o, err := sh.gateOptions(c)
	if err != nil {
		return sh.failed(s.Name, err)
	}
	verdict, err := sh.judge(c, seen, o, doubts(seen)...)
	if err != nil {
		return sh.failed(s.Name, err)
	}
	var out outcome
	if c.Bool("update") {
		out = sh.accept(s.Name, store, seen, old, verdict, o, d)
	} else {
		look := "anvil mcp inspect" + repeated(c, "as") + repeated(c, "config") + " " + diag.ShellArg(s.Name, "NAME")
		if old == nil {
			out = uncompared(s.Name, store, d, look, "anvil mcp check --update"+checkedSo(c)+" "+s.Name)
		} else {
			out = compared(s.Name, seen, old, d)
		}
		out.findings = append(out.findings, watched(s.Name, verdict, o.Accepted, look)...)
	}
	if out.status.State != stateFailed {
		out.seen, out.covered = &seen, verdict.Covered
	}
	return out
}

// uncompared says that there is no snapshot yet, and by which commands there is one.
func uncompared(name string, store surface.Store, d differences, look, accept string) (out outcome) {
	f := snapshotMissing.Finding("server", fmt.Sprintf("server %q has no snapshot in %s", name, store.Dir))
	f.Server, f.Hint = name, "review it with `"+look+"`, then accept it with `"+accept+"`"
	out.status = diag.Status{Server: name, State: stateNew}
	out.findings, out.passed = d.pass([]diag.Finding{f.Sealed()}, "")
	return out
}

// compared is how the surface differs from its snapshot.
func compared(name string, seen observed, old *surface.McpSurfaceSnapshot, d differences) (out outcome) {
	found := diff.Judge(diff.Compare(old, seen.snapshot.WithHistory(old), d.Options))
	step := string(diff.SuggestedBump(found))
	out.findings, out.passed = d.pass(serverFindings(name, append(found, leaks(seen.snapshot, seen.secrets)...)), "")
	out.status = diag.Status{Server: name, State: stateSame}
	if len(out.findings) > 0 {
		out.status.State, out.status.Message, out.status.Bump = stateDrift, driftLine(old, seen.snapshot, out.findings, step), step
	}
	return out
}

// serverFindings names the server in each finding.
func serverFindings(name string, findings []diag.Finding) []diag.Finding {
	for i := range findings {
		findings[i] = findings[i].On(name)
	}
	return findings
}

// accept writes what the server shows now in the place of old, if the gate lets it pass.
func (sh *shell) accept(name string, store surface.Store, seen observed, old *surface.McpSurfaceSnapshot, verdict gate.Verdict, o gate.Options, d differences) outcome {
	ranOut := leftovers(nil, o, false, verdict.Covered)
	gated := serverFindings(name, matters(verdict.Findings)) // what ran out is told over all servers
	if errors := slices.DeleteFunc(slices.Concat(gated, ranOut), func(f diag.Finding) bool { return !refusing(f) }); len(errors) > 0 {
		message := "the gate refuses this surface: " + diag.NewReport("check", errors).Summary.Line() + "; its snapshot stays as it was"
		return outcome{status: diag.Status{Server: name, State: stateRefused, Message: message}, findings: gated, how: howToAccept(errors, o, d.file)}
	}
	now, err := sh.replace(store, name, old, seen.snapshot)
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
	out := outcome{status: diag.Status{Server: name, State: state, Message: now.Digest}, findings: gated}
	out.passed = make([]bool, len(d.accepted))
	if old != nil {
		moved := diff.Judge(diff.Compare(old, now, d.Options))
		out.status.Bump = string(diff.SuggestedBump(moved))
		moved, out.passed = d.pass(serverFindings(name, moved), "")
		out.findings = append(out.findings, moved...)
	}
	return out
}

func (sh *shell) printCheck(c *cli.Context, s sheet, format string) error {
	r := s.Report
	lines := strings.Join(statusLines(r.Servers), "\n") + "\n"
	if len(r.Servers) == 0 {
		lines = "no server of the configuration is in shard " + c.String("shard") + "\n"
	}
	if len(r.Findings) > 0 {
		lines += "\n"
	}
	look := "anvil mcp inspect "
	if c.NArg() == 1 {
		look += diag.ShellArg(c.Args().First(), "NAME")
	} else {
		look += "--all"
	}
	s.text, s.inspect = leading(lines), look+repeated(c, "config")
	s.markdown = func(w io.Writer) error { return writeStatusTable(w, r.Servers) }
	return sh.show(c, s, format)
}
