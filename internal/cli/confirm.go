package cli

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// question is what is asked before an operation of a pack is called.
type question struct {
	name   string // as it was typed
	asks   air.Confirmation
	params []byte // of the call
	yes    bool   // --confirm was given
}

// errDeclined is an answer that was no yes.
var errDeclined = errors.New("nothing was called: the answer was not yes")

// confirmed asks for the yes that an operation wants, where there is somebody to ask. For one that waits for a person --confirm is no yes: a program
// gives it as well; and the person is shown all of the request, or not asked.
func (sh *shell) confirmed(q question) error {
	reason := diag.Printable(q.asks.Reason)
	person := q.asks.HumanApproval
	switch terminal := !sh.piped && isTerminal(sh.in) && isTerminal(sh.err); {
	case !q.asks.Required || q.yes && !person:
		return nil
	case person && sh.piped:
		return unconfirmed(fmt.Errorf("%s waits for a person's yes (%s), and stdin, where the answer would come from, gave arguments; nothing was called; "+
			"give them in a flag or a file, and answer at the terminal", q.name, reason))
	case person && !terminal:
		return unconfirmed(fmt.Errorf("%s waits for a person's yes (%s), and there is no terminal to ask at; nothing was called; run it in a terminal and answer there, "+
			"or let the team state `humanApproval: false` of it in anvil.yaml, with by and reason, and adopt the server again", q.name, reason))
	case !terminal:
		return unconfirmed(fmt.Errorf("%s asks for confirmation (%s); nothing was called; say yes with --confirm", q.name, reason))
	}
	request, err := askedRequestOf(q.params)
	if err != nil {
		return err
	}
	if !forgetKeys(sh.in) && person {
		return unconfirmed(fmt.Errorf("%s waits for a person's yes (%s), and what was typed before the question cannot be told from an answer here; nothing was called; "+
			"run it in a terminal", q.name, reason))
	}
	if !person {
		fmt.Fprintf(sh.err, "%s\n%s asks for confirmation (%s). Call it? [y/N] ", strings.Join(request.glance(), "\n"), diag.Printable(q.name), reason)
		return sh.saidYes(bufio.NewReader(sh.in))
	}
	if size := request.size(); size > maxAsked {
		return unconfirmed(fmt.Errorf("%s waits for a person's yes (%s), and the request has %d characters, of which a person is shown %d at the most; nothing was called; send less at "+
			"a time, or let the team state `humanApproval: false` of it in anvil.yaml, with by and reason, and adopt the server again", q.name, reason, size, maxAsked))
	}
	if err := sh.page(request.whole()); err != nil {
		return err
	}
	keys := sh.newKeys()
	fmt.Fprintf(sh.err, "%s waits for a person's yes (%s). Call it? [y/N] ", diag.Printable(q.name), reason)
	return sh.saidYes(keys)
}

// newKeys reads what is typed from now on: what was typed before a question is no answer to it, be it in the terminal or, where that hands over more than a
// line at once, in the reader of an earlier question.
func (sh *shell) newKeys() *bufio.Reader {
	forgetKeys(sh.in)
	return bufio.NewReader(sh.in)
}

// page shows lines, and stops for Enter wherever a screen may be full, so that none of them passes unseen.
func (sh *shell) page(lines []string) error {
	for len(lines) > 0 {
		n := min(len(lines), askedPageSize)
		fmt.Fprintln(sh.err, strings.Join(lines[:n], "\n"))
		if lines = lines[n:]; len(lines) == 0 {
			break
		}
		keys := sh.newKeys()
		fmt.Fprintf(sh.err, "-- %s more: Enter shows them, anything else calls nothing > ", counted(len(lines), "line"))
		switch text, err := sh.answer(keys); {
		case err != nil:
			return err
		case text != "\n" && text != "\r\n":
			return unconfirmed(errDeclined)
		}
	}
	return nil
}

// answer reads a line from whom was asked, with its end; the end of the input leaves that out.
func (sh *shell) answer(keys *bufio.Reader) (string, error) {
	answer := make(chan string, 1)
	go func() {
		text, _ := keys.ReadString('\n')
		answer <- text
	}()
	select {
	case <-sh.ctx.Done():
		return "", sh.ctx.Err()
	case text := <-answer:
		return text, nil
	}
}

// saidYes reads the answer to a question. The end of the input is no yes.
func (sh *shell) saidYes(keys *bufio.Reader) error {
	text, err := sh.answer(keys)
	if err == nil && !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(text))) {
		err = unconfirmed(errDeclined)
	}
	return err
}

// unconfirmed is the refusal of a call that nobody said yes to.
func unconfirmed(err error) error {
	return &refusal{air.ErrConfirmationRequired, &exitError{exitFindings, err}}
}

// callParams are the parameters of a call.
func callParams(tool string, arguments []byte) []byte {
	return []byte(`{"name":` + string(canon.Quote(tool)) + `,"arguments":` + string(arguments) + `}`)
}

func requestOf(params []byte) canon.Raw {
	return canon.Raw(`{"method":"tools/call","params":` + string(params) + `}`)
}
