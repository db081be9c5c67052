package cli

import (
	"context"
	"fmt"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/wire"
)

// called is what a call answered, and how it stands to the outputSchema of its tool.
type called struct {
	raw    []byte
	misfit diag.Finding
	fits   bool
	unheld error // why it cannot be told
}

// heldTime bounds how long a result that is there already waits for the list of tools and the validator.
const heldTime = 10 * time.Second

// heldResult looks up what the tool declares and holds the result against it. A tool that is not listed declares nothing.
func heldResult(ctx context.Context, session *wire.Session, tool string, raw []byte) called {
	held := called{raw: raw, fits: true}
	if result, err := canon.Parse(raw); err != nil || !result.IsObject() || gate.ReportsError(result) {
		return held // there is nothing to hold
	}
	ctx, cancel := context.WithTimeout(ctx, heldTime)
	defer cancel()
	listed, err := listedTool(ctx, session, tool)
	if err != nil {
		held.fits, held.unheld = false, fmt.Errorf("the result was not held against the outputSchema of tool %q: %w", tool, err)
		return held
	}
	if listed == nil {
		return held
	}
	item, err := surface.NewItem(surface.Tool, listed.Raw)
	if err == nil {
		var found bool
		held.misfit, found, err = gate.CheckResult(ctx, item, raw)
		held.fits = !found
	}
	held.fits, held.unheld = held.fits && err == nil, err
	return held
}

// tellMisfit tells on stderr of a result that does not fit, or of which nobody knows. When the command is strict it exits 1 then.
func (sh *shell) tellMisfit(result called, strict bool) error {
	switch {
	case result.fits:
		return nil
	case result.unheld != nil:
		fmt.Fprintln(sh.err, sh.clean("warning: "+diag.Printable(result.unheld.Error())))
	default:
		fmt.Fprintln(sh.err, sh.clean(fmt.Sprintf("warning: %s: %s; %s", result.misfit.Rule, result.misfit.Message, result.misfit.Hint)))
	}
	if strict {
		return &exitError{code: exitFindings}
	}
	return nil
}
