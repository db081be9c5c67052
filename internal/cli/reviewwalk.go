package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

// decision is what a person decided of an operation that was shown; neither approve nor block is none.
type decision struct {
	approve, block bool
	reason         string
	seen           string // what was shown
}

func (d decision) String() string {
	switch {
	case d.approve:
		return strings.TrimSuffix("approve: "+d.reason, ": ")
	case d.block:
		return "block: " + d.reason
	}
	return ""
}

// walker leads a person through the operations of a review.
type walker struct {
	sh     *shell
	keys   *keyboard
	report reviewReport
	whole  air.Document
	made   map[string]decision // by operation

	waivers []gate.Acceptance // of capabilities that are too large to be approved
}

// walk shows the operations one by one on a terminal and writes what was decided, once, at the end.
func (sh *shell) walk(c *cli.Context, dir string, d air.Document, r reviewReport) error {
	s, err := sh.selection(c, "none") // for the name and the end
	if err = cmp.Or(err, checkPerson(s.record.By)); err != nil {
		return err
	}
	if err := checkOutside(dir); err != nil {
		return err
	}
	r.writeServer(sh.out)
	if len(r.Operations) == 0 {
		sh.tellAllDecided(dir)
		return nil
	}
	keys, restore := sh.newKeyboard()
	defer restore()
	w := walker{sh, keys, r, d, map[string]decision{}, s.waivers}
	if err := w.run(); err != nil {
		fmt.Fprintln(sh.err, "\nnothing was written")
		return err
	}
	if len(w.made) == 0 {
		fmt.Fprintln(sh.out, "nothing was decided, and nothing written")
		return nil
	}
	record := air.Approval{By: s.record.By, Expires: s.record.Expires, At: sh.now().UTC().Format(time.RFC3339)}
	return sh.changePack(dir, func(_ *pack.Pack, d air.Document, in *emit.Inputs) (func(emit.Built), error) {
		return w.decide(d, in, record, dir)
	})
}

// run goes through the operations until the last one, or until the person has enough.
func (w *walker) run() error {
	for i := 0; i < len(w.report.Operations); {
		o := w.report.Operations[i]
		fmt.Fprintf(w.sh.out, "\n%s\n%d of %d  ", strings.Repeat("=", 72), i+1, len(w.report.Operations))
		o.writeText(w.sh.out, w.report.about(o))
		if made := w.made[o.Operation]; made != (decision{}) {
			fmt.Fprintf(w.sh.out, "\ndecided   %s\n", diag.Printable(made.String()))
		}
		to, err := w.ask(i, o)
		if err != nil {
			return err
		}
		i = to
	}
	return nil
}

// ask reads keys until one leads to another operation, whose place it returns; the number of operations ends the walk.
func (w *walker) ask(i int, o reviewedOperation) (int, error) {
	for {
		w.keys.forget()
		fmt.Fprint(w.sh.out, "\n[a]pprove  [b]lock  [s]kip  bac[k]  [q]uit and write  [?] help > ")
		key, err := w.keys.key()
		if err != nil {
			return 0, err
		}
		w.keys.echo(diag.Printable(string(key)) + "\n")
		switch key {
		case 'a', 'b':
			done, err := w.choose(o, key == 'a')
			if err != nil {
				return 0, err
			}
			if done {
				return i + 1, nil
			}
		case 's':
			delete(w.made, o.Operation)
			return i + 1, nil
		case 'k':
			if i > 0 {
				return i - 1, nil
			}
			fmt.Fprintln(w.sh.out, "this is the first one")
		case 'q':
			return len(w.report.Operations), nil
		default:
			fmt.Fprint(w.sh.out, reviewHelp)
		}
	}
}

const reviewHelp = `  a  approve: the operation can be called from then on; you are asked why
  b  block: nobody can call it, whatever becomes of it; you are asked why
  s  skip: leave it undecided, and go on
  k  back to the one before, to decide otherwise
  q  write what was decided, and end; Ctrl-C ends without writing anything
  ?  this help
`

// choose asks why, and keeps the decision. It reports false when there is none after all.
func (w *walker) choose(o reviewedOperation, approve bool) (bool, error) {
	if known, ok := w.whole.Find(o.Operation); approve && ok {
		if reason := unapprovable(w.whole, known); reason != "" {
			fmt.Fprintln(w.sh.out, reason)
			return false, nil
		}
		if err := w.tooMuch(known); err != nil {
			fmt.Fprintln(w.sh.out, w.sh.clean(err.Error()))
			return false, nil
		}
	}
	prompt := "why is it blocked? (Escape: not after all) "
	if approve {
		prompt = "why? (Enter: no reason; Escape: not after all) "
	}
	reason, ok, err := w.keys.line(prompt)
	if err != nil {
		return false, err
	}
	reason = strings.TrimSpace(reason)
	switch {
	case !ok:
		fmt.Fprintln(w.sh.out, "not decided")
		return false, nil
	case !diag.Legible(reason) && !approve:
		fmt.Fprintln(w.sh.out, "a block needs a reason that somebody can read: whoever wants to call it will ask")
		return false, nil
	case !diag.Legible(reason) && reason != "":
		fmt.Fprintln(w.sh.out, "nobody can read that reason: write another, or none")
		return false, nil
	}
	w.made[o.Operation] = decision{approve: approve, block: !approve, reason: reason, seen: o.Seen}
	return true, nil
}

// tooMuch refuses an approval by which, with those that were decided before it, a capability would hold more than may be approved together.
func (w *walker) tooMuch(o air.Operation) error {
	given := approving{approvals: withApproval(pack.Approvals(w.whole), air.Approval{By: "reviewer", At: w.sh.now().UTC().Format(time.RFC3339)}, o), chosen: []air.Operation{o}}
	for id, made := range w.made {
		if other, ok := w.whole.Find(id); ok && made.approve && id != o.ID {
			given.approvals = withApproval(given.approvals, air.Approval{By: "reviewer", At: w.sh.now().UTC().Format(time.RFC3339)}, other)
			given.chosen = append(given.chosen, other)
		}
	}
	return w.sh.withinBudget(w.whole, given, w.waivers)
}

// decide puts the decisions into the inputs of the pack as it is now. One about an operation that was changed meanwhile, or of which somebody decided
// meanwhile, counts no more: the reviewer saw neither.
func (w *walker) decide(d air.Document, in *emit.Inputs, record air.Approval, dir string) (func(emit.Built), error) {
	var approved, blocked []air.Operation
	stale := map[string]string{} // by tool, why
	now, _ := d.WithApprovals(pack.Approvals(d), w.sh.now())
	for _, shown := range w.report.Operations {
		made, ok := w.made[shown.Operation]
		if !ok {
			continue
		}
		o, there := now.Find(shown.Operation)
		was, _ := w.whole.Find(shown.Operation)
		switch {
		case !there || o.SeenDigest() != made.seen:
			stale[shown.Tool] = "the pack was built again meanwhile, and it is another one"
		case decidedOf(o) != decidedOf(was) || made.approve && unapprovable(now, o) != "":
			stale[shown.Tool] = "somebody decided of it meanwhile: " + standingWords(o)
		case made.approve:
			record.Reason = made.reason
			in.Approvals = withApproval(in.Approvals, record, o)
			in.Decided.Blocks = withoutBlock(in.Decided.Blocks, o.ID)
			approved = append(approved, o)
		default:
			blockIn(in, o, air.Block{By: record.By, At: record.At, Reason: made.reason})
			blocked = append(blocked, o)
		}
	}
	if err := w.sh.withinBudget(d, approving{approvals: in.Approvals, chosen: approved}, w.waivers); err != nil {
		return nil, err
	}
	return func(built emit.Built) {
		for _, tool := range slices.Sorted(maps.Keys(stale)) {
			fmt.Fprintf(w.sh.out, "not decided %s: %s; review it again\n", diag.Printable(tool), stale[tool])
		}
		for _, o := range approved {
			w.sh.tellApproved(o)
		}
		w.sh.printBlocked(blocked, built)
		if left := len(w.report.Operations) - len(w.made); left > 0 {
			fmt.Fprintf(w.sh.out, "%s left: anvil mcp review %s\n", counted(left, "operation"), diag.ShellPath(dir))
		}
		writeNext(w.sh.out, nextForPack(diag.ShellPath(dir), built.Manifest.Mode, standings(built.Document, concernsIn(w.report.Findings))))
	}, nil
}

// decidedOf is a digest of all that people decided of an operation, and of what follows from it.
func decidedOf(o air.Operation) string {
	digest, _ := canon.DigestValue(struct {
		State    air.State
		Approval *air.Approval
		Block    *air.Block
		Overlay  *air.Overlay
	}{o.State, o.Approval, o.Block, o.Overlay})
	return digest
}

// standingWords say what is decided of an operation.
func standingWords(o air.Operation) string {
	switch {
	case o.Block != nil:
		return "it is blocked " + blockWords(*o.Block)
	case o.Approval != nil:
		return "it is approved " + approvalWords(*o.Approval)
	}
	return "what was decided before is taken back, or the configuration states something else of it"
}
