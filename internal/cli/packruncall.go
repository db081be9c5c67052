package cli

import (
	"cmp"
	"context"
	"errors"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/facade"
	"anvil/internal/config"
	"anvil/internal/packcli"
	"anvil/wire"
)

// call makes the call through the facade of the pack, and prints what comes back.
func (r packRun) call(l packcli.Line, params []byte) error {
	own := &refusals{}
	f, target, err := r.facade(l, facadeWatch{refused: own.add}) // what it would log is in its reply
	if err != nil {
		return err
	}
	defer f.Close()
	w := way{tool: l.Command.Tool, own: own}
	w.dial, w.ended = r.connectFacade(f)
	limit := cmp.Or(l.Timeout, probe.DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(r.ctx, limit, errors.New("no answer within "+limit.String()+"; give more with --timeout"))
	defer cancel()
	result, err := r.ask(ctx, w, params)
	if err != nil {
		told := w.explain(ctx, target, err)
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
	session, err := wire.Connect(ctx, w.dial, wire.ConnectOptions{Hello: wire.Hello{Name: "anvil", Version: version}})
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
func (r packRun) facade(l packcli.Line, watch facadeWatch) (*facade.Facade, config.Target, error) {
	if l.Target == "" && l.Server == nil {
		if r.pack.Manifest.Mode != pack.Facade {
			return nil, config.Target{}, usagef("pack %s was built with --mode %s and names no server: say which one to call with --target URL|NAME, or with -- COMMAND ARG... at the end of the line",
				r.pack.Dir, r.pack.Manifest.Mode)
		}
		f, err := r.openFacade(r.flags, r.pack, r.document, watch)
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
	f, err := r.openFacadeTo(r.flags, target, r.pack, r.document, watch)
	return f, target, err
}
