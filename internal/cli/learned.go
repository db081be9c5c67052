package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
)

// learnFlag names the store of what was learned, for commands that use it beside their work.
func learnFlag(use string) cli.Flag {
	return &cli.StringFlag{Name: "learn", Usage: use + ", in the store `DB`: a file, or postgres://..."}
}

// learned is what the store of --learn has of a server's tools. Without the flag, the profiles stay that the pack in the folder holds.
func (sh *shell) learned(c *cli.Context, s *surface.McpSurfaceSnapshot, earlier *pack.Pack) (profile.Document, error) {
	if !c.IsSet("learn") {
		if earlier == nil {
			return profile.Document{}, nil
		}
		return earlier.Learned()
	}
	store, err := sh.openStore(c.String("learn"), true)
	if err != nil {
		return profile.Document{}, err
	}
	d, err := profile.Build(sh.ctx, store, learn.Filter{Server: air.ServiceID(s.ServerName())}, sh.now())
	return d, errors.Join(err, store.Close())
}

// openStore opens a store of what was learned. One that has to be there already is not made.
func (sh *shell) openStore(address string, there bool) (*sqlstore.Store, error) {
	if address == "" {
		return nil, usagef("--learn needs the store: a file, or postgres://...")
	}
	sh.secret.addPassword(address)
	path, isFile := storeFile(address)
	if _, err := os.Stat(path); there && isFile && errors.Is(err, os.ErrNotExist) {
		return nil, usagef("there is no store %s: calls are recorded with `anvil mcp serve PACK --learn %s`", path, path)
	}
	store, err := sqlstore.Open(sh.ctx, address, sqlstore.Options{Now: sh.now})
	if errors.Is(err, learn.ErrForeign) || errors.Is(err, learn.ErrNewerSchema) {
		return nil, usage(err)
	}
	return store, err
}

// storeFile is the file of a store that is one.
func storeFile(address string) (path string, is bool) {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") || address == ":memory:" {
		return "", false
	}
	return strings.TrimPrefix(address, "sqlite:"), true
}

// tellLearned says how many operations the store knows.
func tellLearned(d profile.Document) string {
	calls := int64(0)
	for _, p := range d.Tools {
		if p.Calls != nil {
			calls += p.Calls.Invocations
		}
	}
	return fmt.Sprintf("%s of %s", counted(int(calls), "observed call"), counted(len(d.Tools), "tool"))
}

// addPassword keeps the password of an address out of everything that is printed.
func (s *secrets) addPassword(address string) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return
	}
	password, given := u.User.Password()
	if !given {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sure = merged(s.sure, spellings(password))
}
