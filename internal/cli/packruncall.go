package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/facade"
	"anvil/internal/config"
	"anvil/internal/packcli"
	"anvil/wire"
)

// confirmed asks for the yes that an operation wants, where there is somebody to ask.
func (r packRun) confirmed(l packcli.Line, params []byte) error {
	ask := l.Command.Confirmation
	switch {
	case !ask.Required || l.Confirm:
		return nil
	case !isTerminal(r.in) || !isTerminal(r.err):
		return &refusal{air.ErrConfirmationRequired,
			&exitError{exitFindings, fmt.Errorf("%s asks for confirmation (%s); nothing was called; say yes with --confirm", l.Command.Name, ask.Reason)}}
	}
	fmt.Fprintf(r.err, "%s\n%s asks for confirmation (%s). Call it? [y/N] ", diag.Shorten(string(diag.PrintableJSON(requestOf(params))), maxAsked), l.Command.Name, diag.Printable(ask.Reason))
	answer := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(r.in).ReadString('\n') // the end of the input is no yes
		answer <- text
	}()
	select {
	case <-r.ctx.Done():
		return r.ctx.Err()
	case text := <-answer:
		if slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(text))) {
			return nil
		}
		return &refusal{air.ErrConfirmationRequired, &exitError{exitFindings, errDeclined}}
	}
}

// maxAsked is how many characters of a request a question shows.
const maxAsked = 1000

// call makes the call through the facade of the pack, and prints what comes back.
func (r packRun) call(l packcli.Line, params []byte) error {
	f, target, err := r.facade(l)
	if err != nil {
		return err
	}
	defer f.Close()
	w := way{era: wire.EraHandshake, tool: l.Command.Tool, facade: true}
	w.dial, w.ended = r.connectFacade(f)
	limit := cmp.Or(l.Timeout, probe.DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(r.ctx, limit, errors.New("no answer within "+limit.String()+"; give more with --timeout"))
	defer cancel()
	result, err := r.ask(ctx, w, params)
	if err != nil {
		told := refusedByFacade(w.explain(ctx, target, err), err)
		if ctx.Err() != nil && r.ctx.Err() == nil {
			told = &refusal{air.ErrUpstreamTimeout, told}
		}
		return told
	}
	if err := r.printCallResult(w.tool, result.raw, l.Format); err != nil {
		return err
	}
	return r.tellMisfit(result, false)
}

// ask opens a session and calls the tool once.
func (r packRun) ask(ctx context.Context, w way, params []byte) (called, error) {
	session, err := wire.Connect(ctx, w.dial, wire.ConnectOptions{Hello: wire.Hello{Name: "anvil", Version: version}, Era: w.era})
	if err != nil {
		return called{}, err
	}
	defer session.Close()
	raw, err := session.Call(ctx, "tools/call", params)
	if err != nil {
		return called{}, err
	}
	return heldResult(ctx, session, w.tool, raw), nil
}

// facade opens the pack's facade before the server that the line names, or before the pack's own.
func (r packRun) facade(l packcli.Line) (*facade.Facade, config.Target, error) {
	quiet := func(string) {} // what it would log is in its reply
	if l.Target == "" && l.Server == nil {
		if r.pack.Manifest.Mode != pack.Facade {
			return nil, config.Target{}, usagef("pack %s was built with --mode %s and names no server: say which one to call with --target URL|NAME, or with -- COMMAND ARG... at the end of the line",
				r.pack.Dir, r.pack.Manifest.Mode)
		}
		f, err := r.openFacade(r.flags, r.pack, r.document, quiet)
		return f, config.Target{Kind: config.KindPack, Path: r.pack.Dir}, err
	}
	var words []string
	if l.Target != "" {
		words = []string{l.Target}
	}
	target, err := r.target(r.flags, words, l.Server)
	if err != nil {
		return nil, target, err
	}
	if target.Path != "" {
		return nil, target, usagef("--target %s is a %s: there is no server to call; give a URL, a name of the configuration, or a command behind --", target.Path, target.Kind)
	}
	f, err := r.openFacadeTo(target.Server, r.pack, r.document, quiet)
	return f, target, err
}
