package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

func (sh *shell) blockCommand() *cli.Command {
	return &cli.Command{
		Name: "block", Usage: "block operations of a pack, so that nobody can call them",
		ArgsUsage: "PACK OP...",
		Description: `OP is a tool name or an operation id. A block takes back an approval, and holds whatever becomes of the operation, until
somebody approves the operation by name; approving by kind (--all, --read-only) passes over it.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "reason", Usage: "the `TEXT` that says why (required)"},
			&cli.StringFlag{Name: "by", Usage: "`WHO` blocks (default: the variable USER)"},
		},
		Action: sh.block,
	}
}

func (sh *shell) block(c *cli.Context) error {
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	dir, words := c.Args().First(), c.Args().Tail()
	switch {
	case c.NArg() == 0:
		return usagef("say which pack: anvil mcp block PACK OP... --reason TEXT")
	case len(words) == 0:
		return usagef("say what to block: operations or tools by name; see them with `anvil mcp inspect %s`", diag.ShellPath(dir))
	case !diag.Legible(c.String("reason")):
		return usagef("say why: --reason TEXT; whoever wants to call it will ask")
	}
	by := sh.who(c)
	if err := checkPerson(by); err != nil {
		return err
	}
	record := air.Block{By: by, At: sh.now().UTC().Format(time.RFC3339), Reason: c.String("reason")}
	return sh.changePack(dir, func(_ *pack.Pack, d air.Document, in *emit.Inputs) (func(emit.Built), error) {
		chosen, err := namedIn(d, dir, words, "blocked")
		if err != nil {
			return nil, err
		}
		for _, o := range chosen {
			blockIn(in, o, record)
		}
		return func(b emit.Built) { sh.printBlocked(chosen, b) }, nil
	})
}

// who is who decides: --by, or the variable USER; "" when neither says.
func (sh *shell) who(c *cli.Context) string {
	by := c.String("by")
	if by == "" {
		by, _ = sh.getenv("USER")
	}
	return by
}

// checkPerson refuses a decision that nobody answers for.
func checkPerson(by string) error {
	switch {
	case by == "":
		return usagef("say who decides: --by NAME (the variable USER is not set)")
	case !diag.Legible(by):
		return usagef("say who decides: --by NAME; %q is no name that somebody could read", by)
	case !diag.Plain(by):
		return usagef("say who decides: --by NAME; \"%s\" does not show as it is, and could pass for another name: leave out what is an escape here, and blanks at the ends", diag.Printable(by))
	}
	return nil
}

// blockIn puts a block of o into the inputs of a pack. It ends an approval.
func blockIn(in *emit.Inputs, o air.Operation, record air.Block) {
	record.Operation = o.ID
	in.Decided.Blocks = append(withoutBlock(in.Decided.Blocks, o.ID), record)
	in.Approvals = withoutApproval(in.Approvals, o.ID)
}

func (sh *shell) printBlocked(chosen []air.Operation, built emit.Built) {
	for _, o := range chosen {
		sh.tellBlocked(o)
	}
	d := built.Document
	fmt.Fprintf(sh.out, "%d of %s can be called\n", len(d.Approved().Operations), counted(len(d.Operations), "operation"))
}

func (sh *shell) tellBlocked(o air.Operation) {
	fmt.Fprintf(sh.out, "%-9s %s\n", "blocked", diag.Printable(o.MCP.ToolName))
	if o.Approval != nil {
		fmt.Fprintf(sh.out, "          this takes back the approval %s\n", approvalWords(*o.Approval))
	}
	if o.Block != nil {
		fmt.Fprintf(sh.out, "          in place of the block %s\n", blockWords(*o.Block))
	}
}

// blockWords say whose decision a block is: "by ada, 2026-11-29: reason".
func blockWords(b air.Block) string {
	words := decisionWords(b.By, b.At, b.Reason)
	if b.OfFile() {
		words = strings.TrimSpace(words + " (" + diag.Printable(b.SourceRef) + ")")
	}
	return words
}

// liftWords say how a block ends.
func liftWords(dir string, o air.Operation) string {
	if o.Overlay != nil && o.Overlay.Deny {
		return "to lift it take deny out of " + diag.Printable(o.Overlay.SourceRef) + " and adopt the server again"
	}
	return "approving it by name lifts the block: anvil mcp approve " + diag.ShellPath(dir) + " " + diag.ShellArg(o.MCP.ToolName, o.ID)
}

// approvalWords say whose decision an approval is, and until when it holds.
func approvalWords(a air.Approval) string {
	words := decisionWords(a.By, a.At, a.Reason)
	if a.Expires != "" {
		words += " (until " + diag.Printable(a.Expires) + ")"
	}
	return words
}

// endedWords say whose approval of an operation of d holds no more at now, and why; "" when there was none.
func endedWords(d air.Document, o air.Operation, now time.Time) string {
	was, _ := d.Find(o.ID)
	a := was.Approval
	if a == nil && o.Lapsed != nil {
		a = &o.Lapsed.Approval
	}
	if a == nil {
		return ""
	}
	words := "its approval " + decisionWords(a.By, a.At, a.Reason)
	if end, err := air.ParseEnd(a.Expires); err == nil && !now.Before(end) {
		return words + " ended at " + end.UTC().Format(time.RFC3339)
	}
	if words += " holds no more"; a.ContractDigest != o.ContractDigest || a.TextDigest != o.TextDigest {
		words += ", since the tool has changed"
	}
	return words
}

func decisionWords(by, at, reason string) string {
	var words []string
	if by != "" {
		words = append(words, "by "+diag.Printable(by))
	}
	if day, _, ok := strings.Cut(at, "T"); ok {
		words = append(words, "on "+diag.Printable(day))
	}
	text := strings.Join(words, " ")
	if reason != "" {
		text = strings.TrimPrefix(text+": "+diag.Printable(reason), ": ")
	}
	return text
}

// tellStillBlocked names the operations that an approval by kind passes over.
func (sh *shell) tellStillBlocked(d air.Document, dir string) {
	for _, o := range d.Operations {
		if o.Block == nil {
			continue
		}
		fmt.Fprintf(sh.out, "%-9s %s  %s\n", "blocked", brief(o.MCP.ToolName), blockWords(*o.Block))
		fmt.Fprintf(sh.out, "          %s\n", liftWords(dir, o))
	}
}

// writeDecided tells what of earlier decisions is in force in a pack that was just built, and what is not any more.
func writeDecided(w io.Writer, out string, d air.Document) {
	list := func(label string, has func(air.Operation) bool, behind string) {
		var names []string
		for _, o := range d.Operations {
			if has(o) {
				names = append(names, brief(o.MCP.ToolName))
			}
		}
		all := len(names)
		if more := all - mostWarnings; more > 0 {
			names = append(names[:mostWarnings], fmt.Sprintf("and %d more", more))
		}
		if all > 0 {
			fmt.Fprintf(w, "  %-9s %d: %s%s\n", label, all, strings.Join(names, ", "), behind)
		}
	}
	see := "; see what changed with `anvil mcp review " + diag.ShellPath(out) + "`"
	list("lapsed", func(o air.Operation) bool { return o.Lapsed != nil }, see)
	list("blocked", func(o air.Operation) bool { return o.Block != nil }, "")
	list("overlaid", func(o air.Operation) bool { return o.Overlay != nil }, "")
	if len(d.Blocks) > 0 {
		ids := make([]string, len(d.Blocks))
		for i, b := range d.Blocks {
			ids[i] = brief(b.Operation)
		}
		slices.Sort(ids)
		fmt.Fprintf(w, "  %-9s %s, should they come back\n", "blocked", strings.Join(ids, ", "))
	}
}
