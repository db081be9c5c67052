package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/facade"
	"anvil/facade/policy"
)

// exposure is what may be called of a pack now, as it was approved, and what may not, with what is to be said of it. An approval that has ended since the
// pack was built holds no more.
func (sh *shell) exposure(c *cli.Context, p *pack.Pack, d air.Document, log func(string)) (facade.Exposure, error) {
	now, findings := d.WithApprovals(pack.Approvals(d), sh.now())
	for _, f := range findings {
		if f.Class.Rank() >= diag.Warning.Rank() {
			log(f.Message + "; " + p.Hint(f.Hint))
		}
	}
	s, err := p.Snapshot()
	if err != nil {
		return facade.Exposure{}, err
	}
	rules, err := sh.policyOf(c, p, now, log)
	if err != nil {
		return facade.Exposure{}, err
	}
	e := facade.Exposure{Policy: rules, Tools: map[string]facade.Tool{}, Known: map[string]facade.Closed{}, Instructions: s.Instructions.Canonical(), Server: s.Server.Canonical(),
		Protocol: facade.Protocol{Stateless: s.Era == surface.EraStateless, Versions: s.SupportedVersions}}
	operations := newMatcher(now.Operations)
	for _, it := range s.Tools() {
		switch o := operations.of(it); {
		case o == nil:
		case o.State == air.StateApproved: // so contract and text are those that were approved
			e.Tools[it.Name] = facade.Tool{Item: it, Operation: o, Until: approvedUntil(*o)}
		case o.Block != nil:
			e.Known[it.Name] = facade.Closed{Standing: facade.Blocked, Why: "blocked " + blockWords(*o.Block) + "; " + liftWords(p.Dir, *o)}
		default:
			e.Known[it.Name] = facade.Closed{}
			if ended := endedWords(d, *o, sh.now()); ended != "" {
				e.Known[it.Name] = facade.Closed{Standing: facade.ApprovalEnded,
					Why: "not approved any more: " + ended + "; to allow it again run: anvil mcp approve " + diag.ShellPath(p.Dir) + " " + diag.ShellWord(it.Name)}
			}
		}
	}
	return e, nil
}

// approvedUntil is when the operation's approval ends; zero: never.
func approvedUntil(o air.Operation) time.Time {
	if o.Approval == nil || o.Approval.Expires == "" {
		return time.Time{}
	}
	end, err := air.ParseEnd(o.Approval.Expires)
	if err != nil {
		return time.Unix(0, 0) // an end that nobody can read has passed
	}
	return end
}

// followEvery is how often a served pack is looked at.
const followEvery = time.Second

// follow has a running facade take over what is decided about its pack meanwhile: approvals, blocks, another surface. What cannot be opened or trusted changes
// nothing, and is told once. after is told of each pack that was taken over. The function it returns ends that.
func (sh *shell) follow(c *cli.Context, dir string, f *facade.Facade, log func(string), after func(*pack.Pack)) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	seen := packMark(dir)
	go func() {
		defer close(ended)
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if mark := packMark(dir); mark != seen {
				seen = mark
				sh.takeOver(c, dir, f, log, after)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// packMark is another one once a pack was written anew.
func packMark(dir string) string {
	if data, err := os.ReadFile(filepath.Join(dir, pack.ManifestFile)); err == nil {
		return canon.Digest(data)
	}
	if info, err := os.Stat(dir); err == nil { // an archive
		return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
	}
	return "gone"
}

func (sh *shell) takeOver(c *cli.Context, dir string, f *facade.Facade, log func(string), after func(*pack.Pack)) {
	p, document, err := openTrusted(dir)
	var e facade.Exposure
	if err == nil {
		e, err = sh.exposure(c, p, document, log)
	}
	if wrong := (*ruleError)(nil); errors.As(err, &wrong) { // what the rules before it were held against is no more
		log(fmt.Sprintf("%s was changed, and its policy cannot be told, so every call is refused: %v", dir, err))
		e, err = facade.Exposure{Policy: policy.Closed("its rules cannot be told since the pack was changed; the operator's log says why")}, nil
	}
	if err == nil {
		err = f.Update(e)
	}
	if err != nil {
		log(fmt.Sprintf("%s was changed and cannot be taken over, so what it said before holds still: %v", dir, err))
		return
	}
	after(p)
	log(fmt.Sprintf("%s was changed: %d tools can be called now", dir, len(e.Tools)))
}
