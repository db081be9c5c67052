package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func (sh *shell) snapshotCommand() *cli.Command {
	return &cli.Command{
		Name: "snapshot", Usage: "capture a server's surface and commit it to the snapshot folder",
		ArgsUsage: "TARGET",
		Description: `Writes DIR/NAME.snapshot.json, to be committed; ` + "`anvil mcp check`" + ` compares the server with it. Nothing is written when the
gate refuses the surface; what it lets pass because somebody accepted it is told on stderr.

A file that was edited by hand, or merged, is refused by its digests. Once the edit is reviewed, --rebless OLD makes it a snapshot again: it shows how
the file differs from OLD, and writes what fits its content if the gate takes it. Whether the server is like that, ` + "`anvil mcp check`" + ` tells.

` + targetUsage,
		Flags: targetFlags(append(gateFlags(),
			formatFlag(reportFormats...),
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the snapshot (default: the server's name in the configuration)"}, dirFlag(),
			&cli.StringFlag{Name: "rebless", Usage: "TARGET is a snapshot file that was edited by hand: show what the edit changes of `OLD`, the snapshot or pack that was trusted last, judge it, and write the digests that fit"},
		)...),
		Action: func(c *cli.Context) error {
			if c.IsSet("rebless") {
				return sh.rebless(c)
			}
			return sh.snapshot(c)
		},
	}
}

// snapshotReport is the report of snapshot: the findings that refuse the surface, were accepted or warn of its security, and the file that was written.
type snapshotReport struct {
	diag.Report
	Snapshot snapshotView `json:"snapshot,omitzero"` // absent when nothing was written
}

type snapshotView struct {
	File   string         `json:"file"`
	Change string         `json:"change"` // new, changed or unchanged
	Counts map[string]int `json:"counts"` // items per list
	Digest string         `json:"digest"`
}

func (sh *shell) snapshot(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	target, err := sh.target(c, c.Args().Slice(), sh.rest)
	if err != nil {
		return err
	}
	name, err := snapshotName(c, target)
	if err != nil {
		return err
	}
	if err := sh.checkGate(c); err != nil {
		return err
	}
	store := storeOf(c)
	base, err := baseline(store, name)
	if err != nil {
		return err
	}
	seen, err := sh.observe(c, target)
	if err != nil {
		return err
	}
	let, err := sh.passGate(c, "snapshot", format, seen)
	if err != nil {
		return err
	}
	s, err := sh.replace(store, name, base, seen.snapshot)
	if err != nil {
		return err
	}
	sh.tellPassed(let.findings)
	next := ""
	if target.Kind != config.KindName {
		next = fmt.Sprintf("\nnext: name the server %s in anvil.yaml, so that `anvil mcp check%s` compares it with this file\n", name, repeated(c, "dir"))
	}
	view := viewOf(store.Path(name), changeOf(base, s), s)
	return sh.printSnapshot(c, snapshotReport{diag.NewReport("snapshot", let.findings), view}, let.all, format, next)
}

// viewOf is what is told of a snapshot file.
func viewOf(file, change string, s *surface.McpSurfaceSnapshot) snapshotView {
	view := snapshotView{File: file, Change: change, Counts: map[string]int{}, Digest: s.Digest}
	for _, kind := range surface.Kinds {
		view.Counts[kind.List()] = len(s.Items[kind])
	}
	return view
}

// snapshotName is the name that the snapshot gets: that of --name, or else of the configured server.
func snapshotName(c *cli.Context, target config.Target) (string, error) {
	name := c.String("name")
	if name == "" && target.Kind == config.KindName {
		name = target.Server.Name
	}
	if name == "" {
		return "", usagef("give the snapshot a name: --name NAME")
	}
	return name, usage(surface.CheckName(name))
}

// printSnapshot tells what was written, and what to do next.
func (sh *shell) printSnapshot(c *cli.Context, r snapshotReport, all []diag.Finding, format, next string) error {
	text := fmt.Sprintf("%s: %s\n  %s\n  %s\n", r.Snapshot.File, r.Snapshot.Change, listCounts(r.Snapshot.Counts), r.Snapshot.Digest)
	if format == "text" {
		var b strings.Builder
		if _, lines := inShort(r.Report); len(lines) > 0 {
			look := "anvil mcp inspect " + diag.ShellPath(r.Snapshot.File)
			fmt.Fprintf(&b, "\nfindings: %s\n", findingsLine(r.Report, all, look))
			writeWarnings(&b, lines, look)
		}
		return sh.writeResult("", sh.secret.hide([]byte(text+b.String()+next)))
	}
	return sh.show(c, sheet{Report: r.Report, value: r, markdown: leading("```\n" + text + "```\n\n"), threshold: diag.FailOnError}, format)
}

// passGate refuses a surface with errors; the report says what to fix. It returns what matters of the findings when they refuse
// nothing, and what concerns the security of single tools.
func (sh *shell) passGate(c *cli.Context, command, format string, seen observed) (letIn, error) {
	verdict, err := sh.verdict(c, seen, doubts(seen)...)
	if err != nil {
		return letIn{}, err
	}
	findings := matters(verdict.Findings)
	refused := sh.refusal(c, command, findings)
	if refused == nil {
		shown, _ := aside(diag.NewReport(command, verdict.Findings))
		return letIn{findings, concernsOf(verdict), shown.Findings}, nil
	}
	report := diag.NewReport(command, findings)
	if err := sh.show(c, sheet{Report: report, threshold: diag.FailOnError, inspect: "anvil mcp inspect TARGET"}, format); err != nil {
		return letIn{}, err
	}
	return letIn{}, refused
}

// letIn is what is to be told of a surface that the gate lets pass.
type letIn struct {
	findings []diag.Finding // that matter, see [matters]
	concerns concerns
	all      []diag.Finding // that an inspection shows, those included
}

// findingsLine sums up a report that leaves some of all findings out, which the command look prints.
func findingsLine(r diag.Report, all []diag.Finding, look string) string {
	told := map[string]bool{}
	for _, f := range r.Findings {
		told[f.Fingerprint] = true
	}
	others := 0
	for _, f := range all {
		if !told[f.Fingerprint] {
			others++
		}
	}
	switch {
	case others == 0:
		return r.Summary.Line()
	case len(r.Findings) == 0:
		return fmt.Sprintf("no findings concerning security; %s: `%s`", counted(others, "other"), look)
	}
	return fmt.Sprintf("%s; %s: `%s`", r.Summary.Line(), counted(others, "other"), look)
}

// refusal is how a command ends that writes nothing because of these findings, nil when none of them refuses.
func (sh *shell) refusal(c *cli.Context, command string, findings []diag.Finding) error {
	errors := slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return !refusing(f) })
	if len(errors) == 0 {
		return nil
	}
	text := fmt.Sprintf("the gate refuses this surface: %s; nothing was written", diag.NewReport(command, errors).Summary.Line())
	how, err := sh.howToAccept(c, errors)
	if err != nil {
		return err
	}
	if how != "" {
		text += "; have what is listed above fixed in the server;\n" + how
	}
	return &exitError{exitFindings, fmt.Errorf("%s", text)}
}

// baseline loads the stored snapshot, nil when there is none. It is read before the server is asked, so that nothing that somebody accepts
// meanwhile is replaced by what was seen before.
func baseline(store surface.Store, name string) (*surface.McpSurfaceSnapshot, error) {
	base, err := store.Load(name)
	if errors.Is(err, surface.ErrNotFound) {
		return nil, nil
	}
	return base, spoiled(err)
}

// replace stores now in the place of base, as [surface.Store.Replace] does.
func (sh *shell) replace(store surface.Store, name string, base, now *surface.McpSurfaceSnapshot) (*surface.McpSurfaceSnapshot, error) {
	stored, err := store.Replace(sh.ctx, name, base, now)
	return stored, spoiled(err)
}

// spoiled is err for a command that works with a stored snapshot: one that cannot be trusted is a finding, and its error says what to do.
func spoiled(err error) error {
	if !errors.Is(err, surface.ErrFormat) && !errors.Is(err, surface.ErrDigest) {
		return err
	}
	return &exitError{exitFindings, err}
}

// changeOf says what storing now in the place of base did.
func changeOf(base, now *surface.McpSurfaceSnapshot) string {
	switch {
	case base == nil:
		return "new"
	case base.Digest == now.Digest:
		return "unchanged"
	}
	return "changed"
}
