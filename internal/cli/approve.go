package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
)

func approvalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "by", Usage: "`WHO` approves (default: the variable USER)"},
		&cli.StringFlag{Name: "reason", Usage: "the `TEXT` that says why"},
		&cli.StringFlag{Name: "expires", Usage: "last `DATE` the approval holds, as 2006-01-02 (UTC)"},
	}
}

func (sh *shell) approveCommand() *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "approve operations of a pack, so that they can be called",
		ArgsUsage: "PACK [OP...]",
		Description: `OP is a tool name or an operation id; see them with ` + "`anvil mcp inspect PACK`" + `. An approval is bound to the operation's
contract and lapses when that changes. --read-only and --all leave approvals that hold as they are; naming an operation
approves it anew. --read-only passes over the tools of which the gate warns, and says which; naming one approves it all the same.`,
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
	concerns   concerns     // what the gate has against single tools

	waivers []gate.Acceptance // of capabilities that are too large to be approved
}

// check refuses a selection that nobody signs.
func (s selection) check() error {
	if !s.empty() && s.record.By == "" {
		return usagef("say who approves: --by NAME (the variable USER is not set)")
	}
	return nil
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
			return s, usagef("--expires %s is over already: give today or a later date", s.record.Expires)
		}
	}
	var err error
	if s.waivers, err = sh.waivers(c); err != nil {
		return s, err
	}
	return s, s.check()
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
		return usagef("say what to approve: operations or tools by name, --read-only, or --all; see them with `anvil mcp inspect %s`", diag.ShellPath(c.Args().First()))
	}
	if err := s.check(); err != nil {
		return err
	}
	dir := c.Args().First()
	if err := checkOutside(dir); err != nil {
		return err
	}
	if !pack.IsPack(dir) {
		_, err := pack.Open(dir)
		return err
	}
	return sh.exclusively(dir, func() error { return sh.approveIn(c, dir, s) })
}

func (sh *shell) approveIn(c *cli.Context, dir string, s selection) error {
	p, before, err := openTrusted(dir)
	if err != nil {
		return err
	}
	in, _, err := emit.InputsOf(p)
	if err != nil {
		return err
	}
	if s.concerns, err = sh.concernsAbout(c, in.Snapshot); err != nil {
		return err
	}
	given, err := sh.approvalsFor(p, before, s)
	if err != nil {
		return err
	}
	in.Approvals = given.approvals
	built, err := emit.Build(in)
	if err != nil {
		return err
	}
	if err := sh.writePack(p.Dir, built); err != nil {
		return err
	}
	if err := sh.printApproved(p.Dir, given, built); err != nil {
		return err
	}
	s.concerns.tell(sh.err, given.chosen, given.skipped, dir)
	return nil
}

// concernsAbout runs the gate on the surface of a pack. What the configuration accepts is no concern.
func (sh *shell) concernsAbout(c *cli.Context, s *surface.McpSurfaceSnapshot) (concerns, error) {
	o, err := sh.gateOptions(c)
	if err != nil {
		return nil, err
	}
	v, err := gate.CheckContext(sh.ctx, s, o)
	return concernsOf(v), err
}

// approving is what a selection comes to.
type approving struct {
	approvals []air.Approval  // those from before, and those now given
	chosen    []air.Operation // that are approved now
	skipped   []air.Operation // that would be, were it not for what the gate has against their tools
}

// approvalsFor joins the approvals an earlier pack, which is trusted, holds with those now given for the chosen operations of d.
func (sh *shell) approvalsFor(earlier *pack.Pack, d air.Document, s selection) (given approving, err error) {
	if earlier != nil {
		before, err := earlier.Document()
		if err != nil {
			return given, err
		}
		given.approvals = pack.Approvals(before)
	}
	inForce, _ := d.WithApprovals(given.approvals, sh.now())
	if given.chosen, given.skipped, err = s.choose(inForce); err != nil {
		return given, err
	}
	for _, o := range given.chosen {
		record := s.record
		record.Operation, record.ContractDigest, record.TextDigest = o.ID, o.ContractDigest, o.TextDigest
		given.approvals = slices.DeleteFunc(given.approvals, func(a air.Approval) bool { return a.Operation == o.ID })
		given.approvals = append(given.approvals, record)
	}
	return given, sh.withinBudget(inForce, given, s.waivers)
}

// choose returns the operations to approve; a name that is not there, and a blocked operation that is named, are errors. Those chosen by
// their kind are left out when their approval holds: who gave it, why and until when stays, and a second run changes nothing.
// Those chosen for reading only are passed over where the gate has something against their tool.
func (s selection) choose(d air.Document) (chosen, skipped []air.Operation, err error) {
	if chosen, err = s.named(d); err != nil {
		return nil, nil, err
	}
	for _, o := range d.Operations {
		named := slices.ContainsFunc(chosen, func(c air.Operation) bool { return c.ID == o.ID })
		holds := o.State == air.StateApproved && o.Approval.TextDigest == o.TextDigest
		switch {
		case named || holds || o.State == air.StateBlocked, !s.all && (!s.readOnly || o.Effect.Kind != air.Read):
		case !s.all && s.concerns.of(o) != "":
			skipped = append(skipped, o)
		default:
			chosen = append(chosen, o)
		}
	}
	return chosen, skipped, nil
}

func (s selection) named(d air.Document) (chosen []air.Operation, err error) {
	var unknown []string
	for _, name := range s.operations {
		matches := operationsCalled(d, name)
		switch {
		case len(matches) == 0:
			unknown = append(unknown, fmt.Sprintf("%q", name))
		case len(matches) > 1:
			return nil, ambiguous(name, matches)
		case matches[0].State == air.StateBlocked:
			return nil, usagef("operation %s is blocked and cannot be approved: %s; nothing was approved", name, strings.Join(matches[0].ReviewNotes, "; "))
		default:
			chosen = append(chosen, matches[0])
		}
	}
	if len(unknown) > 0 {
		return nil, usagef("no operation or tool %s in this pack; nothing was approved; see what there is with `anvil mcp inspect PACK`", strings.Join(unknown, ", "))
	}
	return chosen, nil
}

func (sh *shell) printApproved(dir string, given approving, built emit.Built) error {
	for _, o := range given.chosen {
		word := "approved"
		if o.State == air.StateApproved {
			word = "renewed"
		}
		fmt.Fprintf(sh.out, "%-9s %s  (%s, %s risk)\n", word, diag.Printable(o.MCP.ToolName), effectWords(o), o.Effect.Risk)
	}
	if len(given.chosen) == 0 {
		fmt.Fprintln(sh.out, "nothing new to approve")
	}
	approved := len(built.Document.Approved().Operations)
	fmt.Fprintf(sh.out, "%d of %s can be called\n", approved, counted(len(built.Document.Operations), "operation"))
	if approved == 0 && len(given.skipped) > 0 {
		fmt.Fprintln(sh.out, "\nnext: approve operations by name, once you know what the gate warns of")
	} else if approved == 0 {
		fmt.Fprintln(sh.out, "\nnext: approve operations by name; none is inferred to be read-only")
	} else if built.Manifest.Mode == pack.Facade {
		fmt.Fprintf(sh.out, "\nnext: anvil mcp serve %s\n", diag.ShellPath(dir))
	}
	return nil
}
