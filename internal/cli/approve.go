package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/near"
)

func approvalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "by", Usage: "`WHO` approves (default: the variable USER)"},
		&cli.StringFlag{Name: "reason", Usage: "the `TEXT` that says why"},
		expiresFlag("the approval holds", " (default: until the operation changes)"),
	}
}

func (sh *shell) approveCommand() *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "approve operations of a pack, so that they can be called",
		ArgsUsage: "PACK [OP...]",
		Description: `OP is a tool name or an operation id; see them with ` + "`anvil mcp inspect PACK`" + `. An approval is bound to the operation's
contract and to its text, and lapses when either changes. --read-only and --all leave approvals that hold as they are, and blocked operations blocked;
naming an operation approves it anew, and lifts a block. --read-only passes over the tools of which the gate warns, and says which;
naming one approves it all the same. ` + "`anvil mcp review PACK`" + ` walks through the operations one by one, ` + "`anvil mcp block`" + ` takes an approval back.`,
		Flags: append(approvalFlags(),
			&cli.BoolFlag{Name: "read-only", Usage: "approve every operation that is inferred to read only"},
			&cli.BoolFlag{Name: "all", Usage: "approve every operation"},
		),
		Action: sh.approve,
	}
}

// selection says which operations a person approves, and in whose name.
type selection struct {
	dir        string   // of the pack
	operations []string // ids or tool names
	readOnly   bool
	all        bool
	record     air.Approval // without an operation
	concerns   concerns     // what the gate has against single tools

	waivers []gate.Acceptance // of capabilities that are too large to be approved
}

// check refuses a selection that nobody signs.
func (s selection) check() error {
	if s.empty() {
		return nil
	}
	return checkPerson(s.record.By)
}

func (s selection) empty() bool { return len(s.operations) == 0 && !s.readOnly && !s.all }

// selection reads the approval flags; which is none, read-only or all.
func (sh *shell) selection(c *cli.Context, which string) (selection, error) {
	s := selection{readOnly: which == "read-only", all: which == "all"}
	if !slices.Contains([]string{"none", "read-only", "all"}, which) {
		return s, usagef("--approve %q is not known: use none, read-only or all", which)
	}
	s.record = air.Approval{By: sh.who(c), Reason: c.String("reason"), At: sh.now().UTC().Format(time.RFC3339)}
	if c.IsSet("reason") && !diag.Legible(s.record.Reason) {
		return s, usagef("--reason says nothing that somebody could read: say why, or leave it out")
	}
	var err error
	if s.record.Expires, err = sh.approvalEnd(c); err != nil {
		return s, err
	}
	if s.waivers, err = sh.waivers(c); err != nil {
		return s, err
	}
	return s, s.check()
}

// approvalEnd is --expires as an approval records it: a last day, or a moment where one was given; "" without an end.
func (sh *shell) approvalEnd(c *cli.Context) (string, error) {
	text := c.String("expires")
	if !c.IsSet("expires") {
		return "", nil
	}
	end, err := readExpiry(text, sh.now().UTC())
	if err != nil {
		return "", err
	}
	if !end.After(sh.now()) {
		return "", usagef("--expires %s is over already: give today or a later date", text)
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return text, nil
	}
	if strings.Contains(text, "T") {
		return end.UTC().Format(time.RFC3339), nil
	}
	return end.Format(time.DateOnly), nil // a number of days
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
	s.dir = dir
	return sh.changePack(dir, func(p *pack.Pack, before air.Document, in *emit.Inputs) (func(emit.Built), error) {
		var err error
		if s.concerns, err = sh.concernsAbout(c, in.Snapshot); err != nil {
			return nil, err
		}
		given, err := sh.approvalsFor(p, before, in.Decided, s)
		in.Approvals, in.Decided = given.approvals, given.decided
		return func(built emit.Built) {
			sh.printApproved(s, given, built)
			s.concerns.tell(sh.err, given.chosen, given.skipped, dir)
		}, err
	})
}

// concernsAbout runs the gate on the surface of a pack, and adds what the bridge doubts of it, as adopting does. What the configuration accepts is no concern.
func (sh *shell) concernsAbout(c *cli.Context, s *surface.McpSurfaceSnapshot) (concerns, error) {
	o, err := sh.gateOptions(c)
	if err != nil {
		return nil, err
	}
	v, err := gate.CheckContext(sh.ctx, s, o, doubts(observed{snapshot: s})...)
	return concernsOf(v), err
}

// approving is what a selection comes to.
type approving struct {
	approvals []air.Approval  // those from before, and those now given
	decided   emit.Decided    // without the blocks that are lifted
	chosen    []air.Operation // that are approved now
	skipped   []air.Operation // that would be, were it not for what the gate has against their tools
}

// approvalsFor joins the approvals an earlier pack, which is trusted, holds with those now given for the chosen operations of d, in which
// everything else that was decided is in force. Approving a blocked operation lifts the block.
func (sh *shell) approvalsFor(earlier *pack.Pack, d air.Document, decided emit.Decided, s selection) (given approving, err error) {
	renamed := false
	if earlier != nil {
		before, err := earlier.Document()
		if err != nil {
			return given, err
		}
		if renamed = before.Service.ID != d.Service.ID; !renamed { // of a server that says it is another one nobody approved anything
			given.approvals = pack.Approvals(before)
		}
	}
	inForce, _ := d.WithApprovals(given.approvals, sh.now())
	inForce = inForce.WithLapses(slices.DeleteFunc(slices.Clone(decided.Lapses), func(l air.Lapse) bool {
		o, there := inForce.Find(l.Approval.Operation)
		return there && !renamed && o.ContractDigest == l.Approval.ContractDigest && o.TextDigest == l.Approval.TextDigest // it ended otherwise
	}))
	if given.chosen, given.skipped, err = s.choose(inForce); err != nil {
		return given, err
	}
	given.decided = decided
	for _, o := range given.chosen {
		given.approvals = withApproval(given.approvals, s.record, o)
		given.decided.Blocks = withoutBlock(given.decided.Blocks, o.ID)
	}
	return given, sh.withinBudget(inForce, given, s.waivers)
}

// withApproval returns the approvals with the record of one of o in place of any other.
func withApproval(approvals []air.Approval, record air.Approval, o air.Operation) []air.Approval {
	record.Operation, record.ContractDigest, record.TextDigest, record.Effect = o.ID, o.ContractDigest, o.TextDigest, o.Effect.Kind
	return append(withoutApproval(approvals, o.ID), record)
}

func withoutApproval(approvals []air.Approval, id string) []air.Approval {
	return slices.DeleteFunc(slices.Clone(approvals), func(a air.Approval) bool { return a.Operation == id })
}

func withoutBlock(blocks []air.Block, id string) []air.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b air.Block) bool { return b.Operation == id })
}

// choose returns the operations to approve; a name that is not there, and a blocked operation that is named, are errors. Those chosen by
// their kind are left out when their approval holds: who gave it, why and until when stays, and a second run changes nothing.
// Those chosen for reading only are passed over where the gate has something against their tool, or the tool has changed since it was approved.
func (s selection) choose(d air.Document) (chosen, skipped []air.Operation, err error) {
	if chosen, err = s.named(d); err != nil {
		return nil, nil, err
	}
	for _, o := range d.Operations {
		named := slices.ContainsFunc(chosen, func(c air.Operation) bool { return c.ID == o.ID })
		switch {
		case named || o.State == air.StateApproved || o.State == air.StateBlocked, !s.all && (!s.readOnly || o.Effect.Kind != air.Read || !o.Reads()):
		case !s.all && (s.concerns.of(o) != "" || o.Lapsed != nil):
			skipped = append(skipped, o)
		default:
			chosen = append(chosen, o)
		}
	}
	return chosen, skipped, nil
}

// named returns the operations that were named. One that a person blocked is among them: naming it lifts the block.
func (s selection) named(d air.Document) (chosen []air.Operation, err error) {
	if chosen, err = namedIn(d, s.dir, s.operations, "approved"); err != nil {
		return nil, err
	}
	for _, o := range chosen {
		if reason := unapprovable(d, o); reason != "" {
			return nil, usagef("%s; nothing was approved", reason)
		}
	}
	return chosen, nil
}

// namedIn returns the operations of d, of the pack in dir, that words name, by tool or by id; done is what was not done with any when one is not there.
func namedIn(d air.Document, dir string, words []string, done string) (named []air.Operation, err error) {
	var unknown, like []string
	for _, word := range words {
		matches := operationsCalled(d, word)
		switch {
		case len(matches) == 0:
			unknown = append(unknown, fmt.Sprintf("%q", word))
			like = append(like, operationsLike(d, word)...)
		case len(matches) > 1:
			return nil, ambiguous(word, matches)
		case !slices.ContainsFunc(named, func(o air.Operation) bool { return o.ID == matches[0].ID }):
			named = append(named, matches[0])
		}
	}
	if len(unknown) > 0 {
		return nil, usagef("no operation or tool %s in this pack%s; nothing was %s; see what there is with `anvil mcp inspect %s`", strings.Join(unknown, ", "),
			near.Question(like, ""), done, diag.ShellPath(dir))
	}
	return named, nil
}

// operationsLike returns the names that a word may be a slip of, quoted: of tools, or ids where the word looks like one.
func operationsLike(d air.Document, word string) (like []string) {
	var names []string
	for _, o := range d.Operations {
		if strings.HasPrefix(word, d.Service.ID+".") {
			names = append(names, o.ID)
		} else {
			names = append(names, o.MCP.ToolName)
		}
	}
	for _, name := range near.Names(word, names) {
		like = append(like, strconv.Quote(diag.Printable(name)))
	}
	return like
}

// unapprovable says why no approval can expose o, and what to do; "" when one can.
func unapprovable(d air.Document, o air.Operation) string {
	switch {
	case o.Overlay != nil && o.Overlay.Deny:
		return fmt.Sprintf("operation %s is denied by %s and cannot be approved; take deny out of it and adopt the server again, if that is not meant",
			o.ID, diag.Printable(o.Overlay.SourceRef))
	case o.State != air.StateBlocked || o.Block != nil:
		return ""
	}
	reasons := o.ReviewNotes
	for _, f := range d.Diagnostics {
		if f.Tool == o.MCP.ToolName && f.Class == diag.Error {
			reasons = append(slices.Clone(reasons), f.Message+" ("+f.Hint+")")
		}
	}
	return fmt.Sprintf("operation %s is blocked and cannot be approved: %s", o.ID, orNone(diag.Printable(strings.Join(reasons, "; "))))
}

func (sh *shell) tellApproved(o air.Operation) {
	word := "approved"
	if o.State == air.StateApproved {
		word = "renewed"
	}
	fmt.Fprintf(sh.out, "%-9s %s  (%s, %s risk)\n", word, diag.Printable(o.MCP.ToolName), effectWords(o), o.Effect.Risk)
	if o.Block != nil {
		fmt.Fprintf(sh.out, "          this lifts the block %s\n", blockWords(*o.Block))
	}
}

func (sh *shell) printApproved(s selection, given approving, built emit.Built) {
	dir := s.dir
	for _, o := range given.chosen {
		sh.tellApproved(o)
	}
	if len(given.chosen) == 0 {
		fmt.Fprintln(sh.out, "nothing new to approve")
	}
	sh.tellStillBlocked(built.Document, dir)
	approved := len(built.Document.Approved().Operations)
	fmt.Fprintf(sh.out, "%d of %s can be called\n", approved, counted(len(built.Document.Operations), "operation"))
	tellAsked(sh.out, built.Document)
	if approved == 0 && len(given.skipped) > 0 {
		fmt.Fprintln(sh.out, "\napprove operations by name, once you know what the gate warns of")
	} else if approved == 0 {
		fmt.Fprintln(sh.out, "\napprove operations by name; none is inferred to be read-only")
	}
	writeNext(sh.out, nextForPack(diag.ShellPath(dir), built.Manifest.Mode, standings(built.Document, s.concerns)))
}

// tellAsked says of the operations that can be called who is asked before a call, and who is not.
func tellAsked(w io.Writer, d air.Document) {
	asked, person := 0, 0
	for _, o := range d.Approved().Operations {
		switch {
		case o.Confirmation.HumanApproval:
			person++
		case o.Confirmation.Required:
			asked++
		}
	}
	var parts []string
	if asked > 0 {
		parts = append(parts, fmt.Sprintf("for a yes of %d of them", asked))
	}
	if person > 0 {
		parts = append(parts, fmt.Sprintf("a person at a terminal of %d%s", person, map[bool]string{true: " more", false: " of them"}[asked > 0]))
	}
	if parts != nil {
		fmt.Fprintf(w, "before a call the command line asks %s; the facade (anvil mcp serve) asks the user of its client, or whoever decides with `anvil mcp approvals`\n", strings.Join(parts, ", and "))
	}
}
