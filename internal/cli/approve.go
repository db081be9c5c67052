package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

func approvalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "by", Usage: "`WHO` approves (default: $USER)"},
		&cli.StringFlag{Name: "reason", Usage: "why, in a few words"},
		&cli.StringFlag{Name: "expires", Usage: "last `DATE` the approval holds, as 2006-01-02"},
	}
}

func (sh *shell) approveCommand() *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "approve operations of a pack, so that they can be called",
		ArgsUsage:   "PACK [OP...]",
		Description: "OP is an operation id or a tool name. An approval is bound to the operation's contract and lapses when that changes.",
		Flags: append(approvalFlags(),
			&cli.BoolFlag{Name: "read-only", Usage: "approve every operation that is inferred to read only"},
			&cli.BoolFlag{Name: "all", Usage: "approve every operation"},
		),
		Action: sh.approve,
	}
}

// selection says which operations a person approves, and in whose name.
type selection struct {
	operations []string // ids or tool names
	readOnly   bool
	all        bool
	record     air.Approval // without an operation
}

func (s selection) empty() bool { return len(s.operations) == 0 && !s.readOnly && !s.all }

// selection reads the approval flags; which is none, read-only or all.
func (sh *shell) selection(c *cli.Context, which string) (selection, error) {
	s := selection{readOnly: which == "read-only", all: which == "all"}
	if !slices.Contains([]string{"none", "read-only", "all"}, which) {
		return s, usagef("--approve %q is not known: use none, read-only or all", which)
	}
	s.record = air.Approval{By: c.String("by"), Reason: c.String("reason"), Expires: c.String("expires"), At: sh.now().UTC().Format(time.RFC3339)}
	if s.record.By == "" {
		s.record.By, _ = sh.getenv("USER")
	}
	if s.record.Expires != "" {
		last, err := time.Parse(time.DateOnly, s.record.Expires)
		if err != nil {
			return s, usagef("--expires %q is no date: write it as 2006-01-02", s.record.Expires)
		}
		if last.AddDate(0, 0, 1).Before(sh.now()) {
			return s, usagef("--expires %s is over already", s.record.Expires)
		}
	}
	return s, nil
}

func (sh *shell) approve(c *cli.Context) error {
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil mcp approve PACK OP...")
	}
	s, err := sh.selection(c, "none")
	if err != nil {
		return err
	}
	s.operations, s.readOnly, s.all = c.Args().Tail(), c.Bool("read-only"), c.Bool("all")
	if s.empty() {
		return usagef("say what to approve: operations or tools by name, --read-only, or --all; see them with `anvil mcp inspect %s`", c.Args().First())
	}
	p, err := openTrusted(c.Args().First())
	if err != nil {
		return err
	}
	in, before, err := inputsOf(p)
	if err != nil {
		return err
	}
	if in.Approvals, err = sh.approvalsFor(p, before, s); err != nil {
		return err
	}
	built, err := emit.Build(in)
	if err != nil {
		return err
	}
	if err := sh.writePack(p.Dir, built); err != nil {
		return err
	}
	return sh.printApproved(p.Dir, before, built)
}

// openTrusted opens a pack that must be whole.
func openTrusted(dir string) (*pack.Pack, error) {
	p, findings, err := pack.Read(dir)
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		return nil, &exitError{exitFindings, fmt.Errorf("pack %s does not verify: %s; see `anvil pack verify %s`", dir, findings[0].Message, dir)}
	}
	return p, nil
}

// inputsOf returns what a pack was built from, so that it can be built again with other approvals.
func inputsOf(p *pack.Pack) (emit.Inputs, air.Document, error) {
	in := emit.Inputs{Mode: p.Manifest.Mode, Earlier: p}
	var err error
	if in.Snapshot, err = p.Snapshot(); err != nil {
		return in, air.Document{}, err
	}
	document, err := p.Document()
	if err != nil {
		return in, document, err
	}
	if in.Mode == pack.Facade {
		settings, err := p.Settings()
		if err != nil {
			return in, document, err
		}
		in.Upstream = &settings.Upstream
	}
	return in, document, nil
}

// approvalsFor joins the approvals an earlier pack holds with those now given for operations of d.
func (sh *shell) approvalsFor(earlier *pack.Pack, d air.Document, s selection) ([]air.Approval, error) {
	var approvals []air.Approval
	if earlier != nil {
		before, err := earlier.Document()
		if err != nil {
			return nil, err
		}
		approvals = pack.Approvals(before)
	}
	if s.empty() {
		return approvals, nil
	}
	if s.record.By == "" {
		return nil, usagef("say who approves: --by NAME")
	}
	chosen, err := s.choose(d)
	if err != nil {
		return nil, err
	}
	for _, o := range chosen {
		record := s.record
		record.Operation, record.ContractDigest, record.TextDigest = o.ID, o.ContractDigest, o.TextDigest
		approvals = slices.DeleteFunc(approvals, func(a air.Approval) bool { return a.Operation == o.ID })
		approvals = append(approvals, record)
	}
	return approvals, nil
}

// choose returns the selected operations; a name that is not there, and a blocked operation that is named, are errors.
func (s selection) choose(d air.Document) ([]air.Operation, error) {
	var chosen []air.Operation
	var unknown []string
	for _, name := range s.operations {
		i := slices.IndexFunc(d.Operations, func(o air.Operation) bool { return o.ID == name || o.MCP.ToolName == name })
		switch {
		case i < 0:
			unknown = append(unknown, fmt.Sprintf("%q", name))
		case d.Operations[i].State == air.StateBlocked:
			return nil, usagef("operation %s is blocked and cannot be approved: %s", name, strings.Join(d.Operations[i].ReviewNotes, "; "))
		default:
			chosen = append(chosen, d.Operations[i])
		}
	}
	if len(unknown) > 0 {
		return nil, usagef("no operation or tool %s in this pack; nothing was approved", strings.Join(unknown, ", "))
	}
	for _, o := range d.Operations {
		named := slices.ContainsFunc(chosen, func(c air.Operation) bool { return c.ID == o.ID })
		if !named && o.State != air.StateBlocked && (s.all || s.readOnly && o.Effect.Kind == air.Read) {
			chosen = append(chosen, o)
		}
	}
	return chosen, nil
}

func (sh *shell) printApproved(dir string, before air.Document, built emit.Built) error {
	was := map[string]bool{}
	for _, o := range before.Approved().Operations {
		was[o.ID] = true
	}
	approved := built.Document.Approved().Operations
	for _, o := range approved {
		if !was[o.ID] {
			fmt.Fprintf(sh.out, "approved  %s  (%s, %s risk)\n", diag.Printable(o.MCP.ToolName), effectWords(o), o.Effect.Risk)
		}
	}
	fmt.Fprintf(sh.out, "%d of %d operations can be called\n", len(approved), len(built.Document.Operations))
	if len(approved) == 0 {
		fmt.Fprintln(sh.out, "\nnext: approve operations by name; none is inferred to be read-only")
	} else if built.Manifest.Mode == pack.Facade {
		fmt.Fprintf(sh.out, "\nnext: anvil mcp serve %s\n", dir)
	}
	return nil
}
