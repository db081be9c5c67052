package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

// rebless accepts a snapshot file that was edited by hand: it shows what the edit changes of the snapshot that was trusted last, has the gate judge
// the content, and writes the digests that the content gives.
func (sh *shell) rebless(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	store, name, err := sh.editedFile(c)
	if err != nil {
		return err
	}
	old, err := sh.trusted(c)
	if err != nil {
		return err
	}
	if err := sh.checkGate(c); err != nil {
		return err
	}
	var edited *surface.EditedError
	switch is, err := store.Load(name); {
	case err == nil:
		lead := fmt.Sprintf("%s: its digests fit, so there is nothing to re-bless\n  %s\n", store.Path(name), is.Digest)
		return sh.showEdit(c, format, edit{Report: diag.NewReport("snapshot", nil), lead: lead}, viewOf(store.Path(name), "unchanged", is))
	case !errors.As(err, &edited):
		return spoiled(err)
	}
	e, err := sh.judgeEdit(c, store.Path(name), sh.seenIn(c, name, edited.Content), edited, old)
	if err != nil {
		return err
	}
	if err := sh.refusal(c, "snapshot", e.gated); err != nil {
		return cmp.Or(sh.showEdit(c, format, e, snapshotView{}), err)
	}
	now, err := store.Rebless(sh.ctx, name, edited, old)
	if err != nil {
		return spoiled(err)
	}
	e.tail = fmt.Sprintf("\n%s: re-blessed\n  %s\n", store.Path(name), now.Digest)
	return sh.showEdit(c, format, e, viewOf(store.Path(name), changeOf(old, now), now))
}

// edit is what re-blessing does: the report of it, what stands before and behind that in the text, and what of it the gate says.
type edit struct {
	diag.Report
	lead, tail string
	gated      []diag.Finding
}

// showEdit prints what the edit does, and the snapshot that was written.
func (sh *shell) showEdit(c *cli.Context, format string, e edit, written snapshotView) error {
	view := sheet{Report: e.Report, value: snapshotReport{e.Report, written}, threshold: diag.FailOnError, text: leading(e.lead), markdown: leading("```\n" + e.lead + "```\n\n")}
	if err := sh.show(c, view, format); err != nil || format != "text" {
		return err
	}
	return sh.writeResult("", []byte(e.tail))
}

// editedFile is the store and the name of the one snapshot file on the line.
func (sh *shell) editedFile(c *cli.Context) (surface.Store, string, error) {
	file := c.Args().First()
	name, ok := strings.CutSuffix(filepath.Base(file), surface.FileSuffix)
	switch {
	case sh.rest != nil || c.NArg() != 1 || !ok || surface.CheckName(name) != nil:
		return surface.Store{}, "", usagef("--rebless is about one snapshot file: anvil mcp snapshot FILE%s --rebless OLD", surface.FileSuffix)
	case c.IsSet("name") || c.IsSet("dir"):
		return surface.Store{}, "", usagef("--rebless writes the file that was edited, so --name and --dir have no place beside it")
	}
	return surface.Store{Dir: filepath.Dir(file)}, name, nil
}

// trusted is the snapshot that --rebless names, which has to be whole.
func (sh *shell) trusted(c *cli.Context) (*surface.McpSurfaceSnapshot, error) {
	t, err := config.ParseTarget([]string{c.String("rebless")}, nil, nil, "")
	if err != nil || t.Path == "" {
		return nil, usagef("--rebless %s: name the snapshot file or the pack that was trusted last; `git show REVISION:FILE >OLD` brings one back", c.String("rebless"))
	}
	seen, err := sh.observe(c, t)
	return seen.snapshot, err
}

// seenIn is what a file holds, for the gate, with what the configuration knows of the server of that name.
func (sh *shell) seenIn(c *cli.Context, name string, s *surface.McpSurfaceSnapshot) observed {
	seen := observed{snapshot: s, name: name, costs: gate.NewCounter(s)}
	if file, err := sh.loadConfig(c); err == nil && file != nil {
		if server, err := file.Server(name); err == nil {
			seen.secrets, seen.plugin = server.Secrets(), server.Plugin
			sh.secret.add(server)
		}
	}
	return seen
}

const sameVersion = "srv-version-same-surface-changed"

// judgeEdit is what the edit does, and what the gate says of it.
func (sh *shell) judgeEdit(c *cli.Context, path string, seen observed, edited *surface.EditedError, old *surface.McpSurfaceSnapshot) (edit, error) {
	verdict, err := sh.verdict(c, seen, doubts(seen)...)
	if err != nil {
		return edit{}, err
	}
	next := edited.Reblessed(old)
	delta := diff.Compare(old, next, diff.Options{Ended: sh.ended})
	if sh.ended() {
		return edit{}, sh.ctx.Err()
	}
	e := edit{gated: matters(verdict.Findings)}
	moved := slices.DeleteFunc(diff.Judge(delta), func(f diag.Finding) bool { return f.Rule == sameVersion }) // a person edited the file, and no vendor
	e.Report = diag.NewReport("snapshot", append(moved, e.gated...))
	e.lead = diag.Printable(path+": "+edited.Error()) + "\n" + changeLine(old, next, e.Report)
	return e, nil
}
