package cli

import (
	"errors"
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/learn"
	"anvil/learn/profile"
)

// learnFlag names the store of what was learned, for commands that use it beside their work.
func learnFlag(use string) cli.Flag {
	return &cli.StringFlag{Name: "learn", Usage: use + ", in the store `DB`: a file, or postgres://... (named here alone; learn.store of the configuration is where \"anvil learn\" looks)"}
}

// learned is what the store of --learn has of a server's tools. Without the flag, the profiles stay that the pack in the folder holds.
func (sh *shell) learned(c *cli.Context, s *surface.McpSurfaceSnapshot, earlier *pack.Pack) (profile.Document, error) {
	if !c.IsSet("learn") {
		if earlier == nil {
			return profile.Document{}, nil
		}
		return earlier.Learned()
	}
	store, err := sh.openStore(c.String("learn"), false)
	if err != nil {
		return profile.Document{}, err
	}
	d, err := profile.Build(sh.ctx, store, learn.Filter{Server: air.ServiceID(s.ServerName())}, sh.now())
	return d, errors.Join(err, store.Close())
}

// learnedLine says what a pack takes over of what was observed of calls; "" where it takes nothing.
func learnedLine(d air.Document) string {
	claims, tools, calls := 0, 0, 0
	for _, o := range d.Operations {
		of, most := 0, 0
		for _, c := range o.Evidence {
			if c.Source == air.FromObservedTraffic {
				of, most = of+1, max(most, c.N)
			}
		}
		if claims, calls = claims+of, calls+most; of > 0 {
			tools++
		}
	}
	if claims == 0 {
		return ""
	}
	return fmt.Sprintf("%s about %s, resting on %s", counted(claims, "claim"), counted(tools, "tool"), counted(calls, "call"))
}
