package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
)

func (sh *shell) reviewCommand() *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "walk through the operations of a pack that nobody has decided on, and approve or block each",
		ArgsUsage: "PACK [OPERATION...]",
		Description: `OPERATION is a tool name or an operation id; those alone are shown, decided or not. On a terminal, one operation at a time: what it does and on whose word, its arguments, its text as a model reads it, what is found in
it, and what changed since it was approved. Keys: a approve, b block, s skip, k back, q quit and write, ? help. What was decided is written
once, at the end; Ctrl-C writes nothing. Without a terminal, or with --format, all of it is printed, and nothing is decided: decide with
` + "`anvil mcp approve`" + ` and ` + "`anvil mcp block`" + `.`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "all-states", Usage: "every operation, decided or not"},
			formatFlag("text", "json", "markdown"),
			&cli.StringFlag{Name: "by", Usage: "`WHO` decides (default: the variable USER)"},
			expiresFlag("the approvals of this review hold", " (default: until the operation changes)"),
			configFlag(),
		}, gateFlags()...),
		Action: sh.review,
	}
}

// reviewReport is the report of review: everything a person decides by.
type reviewReport struct {
	diag.Report
	Pack       string              `json:"pack"`   // its digest
	Server     []diag.Finding      `json:"server"` // what is other about the server itself than in the surface that the pack was compared with: identity, instructions, protocol
	Operations []reviewedOperation `json:"operations"`

	instructions string // of the server, where they are others
}

func (sh *shell) review(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "markdown")
	if err != nil {
		return err
	}
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	dir := c.Args().First()
	if dir == "" {
		return usagef("say which pack: anvil mcp review PACK")
	}
	p, d, err := openTrusted(dir)
	if err != nil {
		return err
	}
	d, lapsed := d.WithApprovals(pack.Approvals(d), sh.now())
	only, err := namedIn(d, dir, c.Args().Tail(), "reviewed")
	if err != nil {
		return err
	}
	r, err := sh.reviewOf(c, p, d, only, lapsed)
	if err != nil {
		return err
	}
	if isTerminal(sh.in) && isTerminal(sh.out.w) && !c.IsSet("format") {
		return sh.walk(c, dir, d, r)
	}
	return sh.printReview(c, dir, r, format)
}

// printReview prints every screen of a review.
func (sh *shell) printReview(c *cli.Context, dir string, r reviewReport, format string) error {
	write := reviewedOperation.writeText
	switch {
	case format == "json":
		return sh.show(c, sheet{Report: r.Report, value: r}, format)
	case format == "markdown":
		write = reviewedOperation.writeMarkdown
	}
	if format == "markdown" {
		var b bytes.Buffer
		r.writeServer(&b)
		writeChapter(sh.out, "The server", &b)
	} else {
		r.writeServer(sh.out)
	}
	if len(r.Operations) == 0 && format == "text" {
		sh.tellAllDecided(dir)
		return nil
	}
	for i, o := range r.Operations {
		if i > 0 {
			fmt.Fprintln(sh.out)
		}
		write(o, sh.out, r.about(o))
	}
	if format == "text" {
		writeNext(sh.out, []step{{"approve what may be called", "anvil mcp approve " + diag.ShellPath(dir) + " OPERATION..."},
			{"block what must not", "anvil mcp block " + diag.ShellPath(dir) + " OPERATION... --reason TEXT"}})
	}
	return nil
}

func (sh *shell) tellAllDecided(dir string) {
	fmt.Fprintf(sh.out, "nothing to review: every operation of %s is decided; see all of them with --all-states\n", dir)
}

// undecided reports an operation that waits for a person: one that nobody approved or blocked.
func undecided(o air.Operation) bool {
	return o.State == air.StateGenerated || o.State == air.StateReviewRequired
}

// reviewOf gathers what is known of the operations to review, with everything that is found in them: only those, or without any all that are undecided.
func (sh *shell) reviewOf(c *cli.Context, p *pack.Pack, d air.Document, only []air.Operation, lapsed []diag.Finding) (reviewReport, error) {
	r := reviewReport{Pack: p.Manifest.Digest, Server: []diag.Finding{}, Operations: []reviewedOperation{}}
	s, err := p.Snapshot()
	if err != nil {
		return r, err
	}
	o, err := sh.gateOptions(c)
	if err != nil {
		return r, err
	}
	learned, err := p.Learned()
	if err != nil {
		return r, err
	}
	_, stated := emit.DecidedIn(d).Lower(s, learned)
	verdict, err := gate.CheckContext(sh.ctx, s, o, slices.Concat(adopt.Doubts(d.Diagnostics), lapsed, stated)...)
	if err != nil {
		return r, err
	}
	operations, tools := newMatcher(d.Operations), map[string]bool{}
	for _, it := range s.Tools() {
		of := operations.of(it)
		if of == nil || len(only) == 0 && !c.Bool("all-states") && !undecided(*of) ||
			len(only) > 0 && !slices.ContainsFunc(only, func(o air.Operation) bool { return o.ID == of.ID }) {
			continue
		}
		view, err := newReviewed(*of, it)
		if err != nil {
			return r, err
		}
		tools[it.Name] = true
		r.Operations = append(r.Operations, view)
	}
	slices.SortFunc(r.Operations, func(a, b reviewedOperation) int { return strings.Compare(a.Operation, b.Operation) })
	var about []diag.Finding
	for _, f := range verdict.Findings {
		if !isAside(f) && tools[toolOf(f)] {
			about = append(about, f)
		}
	}
	for i := range about {
		about[i].Hint = p.Hint(about[i].Hint)
	}
	r.Report = diag.NewReport("review", about)
	return r, r.addServer(p, s)
}

// addServer adds what the pack's comparison says of the server itself.
func (r *reviewReport) addServer(p *pack.Pack, s *surface.McpSurfaceSnapshot) error {
	changes, err := pack.Changes(p.Files)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was compared with nothing
	}
	for _, f := range changes.Findings {
		if f.Subject != "server" && !strings.HasPrefix(f.Subject, "server/") {
			continue
		}
		r.Server = append(r.Server, f)
		if f.Subject == "server/instructions" {
			r.instructions = s.Instructions.Text()
		}
	}
	return err
}

// toolOf is the tool that a finding is about; "" for none.
func toolOf(f diag.Finding) string {
	if f.Tool != "" {
		return f.Tool
	}
	name, isTool := strings.CutPrefix(f.Subject, string(surface.Tool)+"/")
	if !isTool {
		return ""
	}
	return name
}

// about returns the findings in the tool of an operation.
func (r reviewReport) about(o reviewedOperation) (about []diag.Finding) {
	for _, f := range r.Findings {
		if toolOf(f) == o.Tool {
			about = append(about, f)
		}
	}
	return about
}
