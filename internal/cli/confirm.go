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

// maxAsked is how many characters of a request a question shows.
const maxAsked = 1000

// confirmed asks for the yes that an operation wants, where there is somebody to ask. For one that waits for a person --confirm is no yes: a program
// gives it as well.
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
	wants := "asks for confirmation"
	if person {
		wants = "waits for a person's yes"
	}
	if !forgetKeys(sh.in) && person {
		return unconfirmed(fmt.Errorf("%s waits for a person's yes (%s), and what was typed before the question cannot be told from an answer here; nothing was called; "+
			"run it in a terminal", q.name, reason))
	}
	fmt.Fprintf(sh.err, "%s\n%s %s (%s). Call it? [y/N] ", diag.Shorten(string(diag.PrintableJSON(requestOf(q.params))), maxAsked), diag.Printable(q.name), wants, reason)
	return sh.saidYes()
}

// saidYes reads the answer to a question. The end of the input is no yes.
func (sh *shell) saidYes() error {
	answer := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(sh.in).ReadString('\n')
		answer <- text
	}()
	select {
	case <-sh.ctx.Done():
		return sh.ctx.Err()
	case text := <-answer:
		if slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(text))) {
			return nil
		}
		return unconfirmed(errDeclined)
	}
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
