package cli

import (
	"errors"

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
