package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/facade/state"
)

// approvalReport is what approve and deny print of a call.
type approvalReport struct {
	SchemaVersion int           `json:"schemaVersion"`
	Report        string        `json:"report"`
	Approved      bool          `json:"approved"`
	Approval      *approvalView `json:"approval,omitempty"` // the call, as it stands now
	Outcome       *outcomeView  `json:"outcome,omitempty"`  // the write whose outcome was unknown
}

// said is what somebody says about one call or outcome.
type said struct {
	id, by, reason string
	approve, yes   bool
	words          string // of a further command
}

// decide answers one question that waits, of whichever kind its id is.
func (sh *shell) decide(c *cli.Context, approve bool) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.noArguments(c, 1)); err != nil {
		return err
	}
	d := said{id: strings.ToLower(c.Args().First()), by: sh.who(c), reason: c.String("reason"), approve: approve, yes: c.Bool("yes")}
	switch {
	case d.id == "":
		return usagef("say which: anvil mcp approvals %s ID; see the ids with `anvil mcp approvals`", c.Command.Name)
	case c.IsSet("reason") && !diag.Legible(d.reason):
		return usagef("--reason says nothing that somebody could read: say why, or leave it out")
	}
	if err := checkPerson(d.by); err != nil {
		return err
	}
	s, where, err := sh.openState(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	d.words = stateWords(c, where)
	report := approvalReport{SchemaVersion: diag.SchemaVersion, Report: "approval", Approved: approve}
	text := ""
	if strings.HasPrefix(d.id, state.OutcomePrefix) {
		report.Outcome, text, err = sh.settle(s, d)
	} else {
		report.Approval, text, err = sh.answerAsk(s, d)
	}
	if err != nil {
		return decisionError(err, d.words)
	}
	return sh.printed("", format, report, func() ([]byte, error) { return []byte(text + "\n"), nil })
}

// decisionError gives a decision that came to nothing its exit code.
func decisionError(err error, words string) error {
	var before *state.DecidedError
	switch {
	case errors.Is(err, state.ErrNoAsk), errors.Is(err, state.ErrNoOutcome):
		return usage(fmt.Errorf("%w; see those that wait with `anvil mcp approvals%s`", err, words))
	case errors.As(err, &before), errors.Is(err, state.ErrExpired):
		return &exitError{exitFindings, err}
	}
	return err
}

// answerAsk decides about a call. Whoever approves one that waits for a person is shown all of it.
func (sh *shell) answerAsk(s *state.Store, d said) (*approvalView, string, error) {
	a, err := s.Approval(sh.ctx, d.id)
	if err != nil {
		return nil, "", err
	}
	if d.approve && a.State == state.Pending {
		name := diag.Printable(a.Binding.Operation)
		if err := sh.sureOf(d, a.Holder, shownCall(a.Shown).whole(), name+", "+askedWords(a)+". Approve it? [y/N] "); err != nil {
			return nil, "", err
		}
	}
	if a, err = s.Decide(sh.ctx, d.id, d.approve, d.by, d.reason); err != nil {
		return nil, "", err
	}
	text := fmt.Sprintf("refused %s: the caller is told so", a.ID)
	if d.approve {
		text = fmt.Sprintf("approved %s: the call may be made once, until %s", a.ID, stamp(a.Expires))
	}
	v := approvalViewOf(a)
	return &v, text, nil
}

// settle decides about a write whose outcome is unknown.
func (sh *shell) settle(s *state.Store, d said) (*outcomeView, string, error) {
	all, err := s.Outcomes(sh.ctx)
	if err != nil {
		return nil, "", err
	}
	for _, o := range all {
		if o.ID != d.id || !d.approve {
			continue
		}
		if err := sh.sureOf(d, false, []string{outcomeWords(o)}, "It did not happen, and may be sent again? [y/N] "); err != nil {
			return nil, "", err
		}
	}
	o, err := s.Settle(sh.ctx, d.id, !d.approve, d.by, d.reason)
	if err != nil {
		return nil, "", err
	}
	text := fmt.Sprintf("settled %s: the write happened; it is not sent again", o.ID)
	if d.approve {
		text = fmt.Sprintf("settled %s: the write did not happen; its key may be used again", o.ID)
	}
	v := outcomeViewOf(o)
	return &v, text, nil
}

// sureOf shows what is decided about and asks. Where yes alone will not do, there has to be somebody to ask.
func (sh *shell) sureOf(d said, yesWillDo bool, shown []string, question string) error {
	switch terminal := isTerminal(sh.in) && isTerminal(sh.err); {
	case yesWillDo && d.yes:
		return nil
	case !terminal && yesWillDo:
		return usagef("%s is not approved: there is no terminal to ask at; say --yes", d.id)
	case !terminal, !forgetKeys(sh.in):
		return &exitError{exitFindings, fmt.Errorf("%s waits for a person, and there is no terminal to ask at; nothing was decided; run `anvil mcp approvals approve %s%s` in one, "+
			"or refuse it with `anvil mcp approvals deny %s%s`", d.id, d.id, d.words, d.id, d.words)}
	}
	err := sh.page(shown)
	if err == nil {
		keys := sh.newKeys() // what was typed while it was shown does not count
		fmt.Fprint(sh.err, question)
		err = sh.saidYes(keys)
	}
	if errors.Is(err, errDeclined) {
		return &exitError{exitFindings, fmt.Errorf("nothing was decided: the answer was not yes; to refuse it run `anvil mcp approvals deny %s%s`", d.id, d.words)}
	}
	return err
}
