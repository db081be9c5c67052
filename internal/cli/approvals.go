package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/facade/state"
	"anvil/internal/sqldb"
)

func (sh *shell) approvalsCommand() *cli.Command {
	return &cli.Command{
		Name: "approvals", Usage: "the calls that wait for a person: approve or deny them",
		Description: `Lists the calls that a facade holds back until somebody says yes, and the keyed writes whose outcome is unknown: they were sent, perhaps, and
no answer came. A key of one of those is refused until somebody looked at the server; approving it lets the write be sent again, denying it says that the write happened.
The operations that a pack allows are approved with ` + "`anvil mcp approve`" + `.`,
		Flags:  stateFlags(&cli.BoolFlag{Name: "all", Usage: "list the calls that were decided, used or came too late as well"}),
		Action: sh.approvals,
		Subcommands: []*cli.Command{
			{
				Name: "approve", Usage: "let a call be made, once", ArgsUsage: "ID",
				Description: "Shows the whole call at the terminal and asks. --yes is enough for a call that does not wait for a person, and for no other: a program gives it as well.",
				Flags:       stateFlags(decisionFlags(&cli.BoolFlag{Name: "yes", Usage: "do it without a question"})...),
				Action:      func(c *cli.Context) error { return sh.decide(c, true) },
			},
			{
				Name: "deny", Usage: "refuse a call", ArgsUsage: "ID",
				Description: "The caller is told so, with the reason. Of a write whose outcome is unknown it says that the write happened, so that it is never sent again.",
				Flags:       stateFlags(decisionFlags()...),
				Action:      func(c *cli.Context) error { return sh.decide(c, false) },
			},
		},
	}
}

// stateFlags are the flags of every command on the state of a facade.
func stateFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "state", Usage: "the state of the facade is kept in `DIR`, or in postgres://... (default: facade.state of the configuration)"},
		configFlag(), formatFlag("text", "json", "yaml"),
	}, more...)
}

func decisionFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "by", Usage: "`WHO` decides (default: the variable USER)"},
		&cli.StringFlag{Name: "reason", Usage: "the `TEXT` that says why"},
	}, more...)
}

// stateOf is where the state of a command is, which has to have one.
func (sh *shell) stateOf(c *cli.Context) (string, error) {
	where, err := sh.stateNamed(c)
	if err == nil && where == "" {
		err = usagef("say where the facade keeps its state: --state DIR (a folder or postgres://...), or `facade: {state: DIR}` in anvil.yaml")
	}
	return where, err
}

// stateNamed is where the state of a facade is by the line or the configuration; "" where neither says.
func (sh *shell) stateNamed(c *cli.Context) (string, error) {
	if c.IsSet("state") {
		if c.String("state") == "" {
			return "", usagef("--state is empty: give a folder or postgres://...")
		}
		return c.String("state"), nil
	}
	file, err := sh.loadConfig(c)
	if err != nil || file == nil {
		return "", err
	}
	where, err := file.FacadeState()
	return where, usage(err)
}

// openState opens the state of a facade that is there.
func (sh *shell) openState(c *cli.Context) (*state.Store, string, error) {
	where, err := sh.stateOf(c)
	if err != nil {
		return nil, "", err
	}
	sh.hidePassword(where)
	if !sqldb.IsPostgres(where) && !strings.Contains(where, "://") {
		if _, err := os.Stat(filepath.Join(where, state.File)); errors.Is(err, fs.ErrNotExist) {
			return nil, "", usagef("there is no state of a facade at %s; name the folder that `anvil mcp serve PACK --state DIR` has", diag.Printable(where))
		}
	}
	s, err := sh.openStateAt(where)
	return s, where, err
}

// openStateAt opens the state of a facade, and makes it where there is none.
func (sh *shell) openStateAt(where string) (*state.Store, error) {
	sh.hidePassword(where)
	s, err := state.Open(sh.ctx, where, state.Options{Now: sh.now})
	for _, kind := range []error{state.ErrForeign, state.ErrNewer, state.ErrPlace} {
		if errors.Is(err, kind) {
			return nil, usage(err)
		}
	}
	if err != nil {
		return nil, opened(err, where)
	}
	return s, nil
}

// approvalsReport is what approvals prints.
type approvalsReport struct {
	SchemaVersion int            `json:"schemaVersion"`
	Report        string         `json:"report"`
	Approvals     []approvalView `json:"approvals"` // the calls that wait for a yes, the oldest first; with --all all that are known
	Outcomes      []outcomeView  `json:"outcomes"`  // the writes whose outcome is unknown, the oldest first
}

// approvalView is one call that waits for a yes, or waited.
type approvalView struct {
	ID        string `json:"id"`
	Operation string `json:"operation"` // its id in the pack
	Contract  string `json:"contract"`  // digest of the operation's contract
	Arguments string `json:"arguments"` // digest of the canonical arguments
	Caller    string `json:"caller,omitempty"`
	Session   string `json:"session,omitempty"`
	Person    bool   `json:"person"`          // a person has to decide; else whoever has the token may use it
	Shown     string `json:"shown,omitempty"` // the params of the call; gone once it is decided or expired
	State     string `json:"state"`           // pending, approved, refused, used or expired
	Asked     string `json:"asked"`           // a moment
	Expires   string `json:"expires"`         // a moment
	By        string `json:"by,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Decided   string `json:"decided,omitempty"` // a moment
}

// outcomeView is one write whose outcome is unknown.
type outcomeView struct {
	ID        string `json:"id"`
	Service   string `json:"service"`
	Operation string `json:"operation"`
	Key       string `json:"key"`   // the caller's idempotency key
	Since     string `json:"since"` // a moment: when it was sent, or was about to be
	Said      bool   `json:"said"`  // the facade saw no answer; false: the facade was gone before it could say
}

func approvalViewOf(a state.Approval) approvalView {
	return approvalView{ID: a.ID, Operation: a.Binding.Operation, Contract: a.Binding.Contract, Arguments: a.Binding.Arguments, Caller: a.Binding.Caller,
		Session: a.Binding.Session, Person: !a.Holder, Shown: a.Shown, State: string(a.State), Asked: stamp(a.Asked), Expires: stamp(a.Expires), By: a.By,
		Reason: a.Reason, Decided: stamp(a.Decided)}
}

func outcomeViewOf(o state.Outcome) outcomeView {
	return outcomeView{o.ID, o.Key.Service, o.Key.Operation, o.Key.IdempotencyKey, stamp(o.Since), o.Said}
}

// stamp is a moment as reports have it, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func (sh *shell) approvals(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	s, where, err := sh.openState(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	if err := s.Sweep(sh.ctx); err != nil {
		return err
	}
	asked, err := s.Approvals(sh.ctx, c.Bool("all"))
	if err != nil {
		return err
	}
	unknown, err := s.Outcomes(sh.ctx)
	if err != nil {
		return err
	}
	report := approvalsReport{diag.SchemaVersion, "approvals", []approvalView{}, []outcomeView{}}
	for _, a := range asked {
		report.Approvals = append(report.Approvals, approvalViewOf(a))
	}
	for _, o := range unknown {
		report.Outcomes = append(report.Outcomes, outcomeViewOf(o))
	}
	return sh.printed("", format, report, func() ([]byte, error) { return approvalsText(asked, unknown, stateWords(c, where)), nil })
}

// stateWords is how the state is given to a further command, without the password.
func stateWords(c *cli.Context, where string) string {
	switch {
	case !c.IsSet("state"):
		return ""
	case isPostgres(where):
		where = withoutPassword(where)
	}
	return " --state " + diag.ShellPath(where)
}

func approvalsText(asked []state.Approval, unknown []state.Outcome, words string) []byte {
	var b bytes.Buffer
	if len(asked)+len(unknown) == 0 {
		b.WriteString("nothing waits for a decision\n")
	}
	for i, a := range asked {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s  %s, %s\n", a.ID, diag.Printable(a.Binding.Operation), askedWords(a))
		if a.State == state.Pending {
			fmt.Fprintf(&b, "  %s\n", strings.Join(shownCall(a.Shown).glance(), "\n  "))
		}
	}
	if slices.ContainsFunc(asked, func(a state.Approval) bool { return a.State == state.Pending }) {
		fmt.Fprintf(&b, "\nsee one whole and decide with `anvil mcp approvals approve ID%s`; refuse it with `anvil mcp approvals deny ID%s`\n", words, words)
	}
	for i, o := range unknown {
		if i == 0 && len(asked) > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s  %s\n", o.ID, outcomeWords(o))
	}
	if len(unknown) > 0 {
		fmt.Fprintf(&b, "\nlook at the server whether it happened: if not, let it be sent again with `anvil mcp approvals approve ID%s`; if so, keep it from being sent again with "+
			"`anvil mcp approvals deny ID%s`\n", words, words)
	}
	return b.Bytes()
}

// askedWords say how a question stands.
func askedWords(a state.Approval) string {
	by := ""
	if a.Binding.Caller != "" {
		by = " by " + brief(a.Binding.Caller)
	}
	text := fmt.Sprintf("asked%s on %s", by, stamp(a.Asked))
	switch a.State {
	case state.Pending:
		text += ", until " + stamp(a.Expires)
	case state.Expired:
		text += ": nothing came of it until " + stamp(a.Expires)
	default:
		text += ": " + string(a.State)
		if a.By != "" {
			text += fmt.Sprintf(", decided by %s on %s", brief(a.By), stamp(a.Decided))
		}
		if a.Reason != "" {
			text += " (" + diag.Printable(a.Reason) + ")"
		}
	}
	return text
}

func outcomeWords(o state.Outcome) string {
	why := "no answer came"
	if !o.Said {
		why = "the facade ended before an answer came"
	}
	return fmt.Sprintf("%s of %s with the key %s, sent on %s: %s, so its outcome is unknown", diag.Printable(o.Key.Operation), diag.Printable(o.Key.Service),
		diag.Printable(o.Key.IdempotencyKey), stamp(o.Since), why)
}

// shownCall is the request that a question is about.
func shownCall(text string) askedRequest {
	r, err := askedRequestOf([]byte(text))
	if err != nil { // whoever asked showed something else
		r = askedRequest{tool: "as shown", arguments: []askedArgument{{"text", shownJSON(canon.Quote(text))}}}
	}
	return r
}

// approvalsWords are the command that decides on the calls of a facade that serves, wherever it is typed: with the state that the line names, or the configuration
// that does where the line names that.
func (sh *shell) approvalsWords(c *cli.Context) (string, error) {
	const command = "anvil mcp approvals"
	flag, value := "--state", c.String("state")
	switch {
	case c.IsSet("state") && (isPostgres(value) || strings.Contains(value, "://")):
		return command + " --state " + diag.ShellPath(withoutPassword(value)), nil
	case !c.IsSet("state") && !c.IsSet("config"):
		return command, nil
	case !c.IsSet("state"):
		flag, value = "--config", c.String("config")
	}
	path, err := filepath.Abs(value)
	if err != nil {
		return "", err
	}
	return command + " " + flag + " " + diag.ShellPath(path), nil
}
