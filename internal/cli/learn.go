package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/internal/config"
	"anvil/learn"
	"anvil/learn/sqlstore"
)

func (sh *shell) learnCommand() *cli.Command {
	return &cli.Command{
		Name: "learn", Usage: "what the tools really do: look at it, draw conclusions, publish, exchange", Action: sh.noCommand,
		Subcommands: []*cli.Command{
			sh.learnStatsCommand(), sh.learnEvaluateCommand(), sh.learnViewCommand(), sh.learnDriftCommand(), sh.learnGraphCommand(), sh.learnImportCommand(),
			sh.learnExportCommand(), sh.learnPruneCommand(), sh.learnResetCommand(),
		},
	}
}

// dbUsage says what --db is.
const dbUsage = "what is learned is kept in `DB`: a path, sqlite:PATH or postgres://... (default: learn.store of the configuration)"

// learnFlags are the flags of every command on one store.
func learnFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{&cli.StringFlag{Name: "db", Usage: dbUsage}, configFlag()}, more...)
}

// learnDB is the one store of a command.
func (sh *shell) learnDB(c *cli.Context) (string, error) {
	if c.IsSet("db") {
		if c.String("db") == "" {
			return "", usagef("--db is empty: give a path, sqlite:PATH or postgres://...")
		}
		return c.String("db"), nil
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return "", err
	}
	db := ""
	if file != nil {
		if db, err = file.LearnStore(); err != nil {
			return "", usage(err)
		}
	}
	if db == "" {
		return "", usagef("say where what is learned is kept: --db DB (a path, sqlite:PATH or postgres://...), or `learn: {store: DB}` in anvil.yaml")
	}
	return db, nil
}

// readStore opens the store of a command that has nothing to do where there is none.
func (sh *shell) readStore(c *cli.Context) (*sqlstore.Store, error) {
	db, err := sh.learnDB(c)
	if err != nil {
		return nil, err
	}
	return sh.openStore(db, false)
}

// openStore opens a store. Only a command that brings calls makes one where there is none.
func (sh *shell) openStore(db string, create bool) (*sqlstore.Store, error) {
	sh.hidePassword(db)
	path, file := strings.TrimPrefix(db, "sqlite:"), !isPostgres(db)
	switch {
	case file && strings.HasPrefix(strings.ToLower(db), "postgres") && strings.Contains(db, "@"): // which may hold a password
		return nil, usage(sqlstore.ErrAddress)
	case file && config.IsAddress(db):
		scheme, _, _ := strings.Cut(db, "://")
		return nil, usagef("anvil has no store at %s://...: give a path, sqlite:PATH or postgres://...", scheme)
	case file && (path == "" || path == ":memory:"):
		return nil, usagef("a database in memory is gone when the command ends: give a path, sqlite:PATH or postgres://...")
	case file && !create:
		if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			return nil, usagef("nothing was learned at %s yet. Calls are recorded with `anvil mcp serve PACK --learn %s`, or brought with `anvil learn import FILE --db %s`",
				path, diag.ShellPath(path), diag.ShellPath(path))
		}
	}
	if info, err := os.Stat(path); file && err == nil && !info.Mode().IsRegular() {
		return nil, usagef("%s is no file: give the path of a database", path)
	}
	s, err := sqlstore.Open(sh.ctx, db, sqlstore.Options{Now: sh.now, Reading: !create})
	if err != nil {
		return nil, opened(err, db)
	}
	return s, nil
}

func isPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// opened gives an error of opening a store its exit code, where it has one of its own, and says what to do.
func opened(err error, db string) error {
	var state interface{ SQLState() string } // of PostgreSQL's errors
	var network net.Error
	var corrupt *learn.CorruptError
	switch {
	case errors.Is(err, learn.ErrForeign):
		hint := "name another, or a path where there is nothing yet"
		if !isPostgres(db) {
			hint += "; a file of adaptive-mcp's is read by `anvil learn import FILE --db DB`"
		}
		return usagef("%w; %s", err, hint)
	case errors.Is(err, learn.ErrNewerSchema):
		return usagef("%w; use that one", err)
	case errors.Is(err, sqlstore.ErrAddress), errors.Is(err, fs.ErrNotExist):
		return usage(err)
	case errors.As(err, &corrupt), errors.Is(err, sqlstore.ErrFull), errors.Is(err, sqlstore.ErrReadOnly), !isPostgres(db):
		return err
	case errors.As(err, &state) && strings.HasPrefix(state.SQLState(), "28"): // invalid authorization
		return &exitError{exitAuth, fmt.Errorf("%w; give user and password in the address, as postgres://USER:PASSWORD@HOST/DATABASE", err)}
	case errors.As(err, &state) && state.SQLState() == "3D000":
		return usagef("%w; make the database first", err)
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &exitError{exitUnreachable, fmt.Errorf("%w; is PostgreSQL running there?", err)}
	}
	return err
}

// hidePassword keeps the password of an address out of everything that is printed.
func (sh *shell) hidePassword(db string) {
	u, err := url.Parse(db)
	if err != nil || !isPostgres(db) {
		return
	}
	password, _ := u.User.Password()
	sh.secret.addText(password)
	sh.secret.addText(u.Query().Get("password"))
}

// dbWords is how a store is given to a further command, without the password.
func dbWords(c *cli.Context, db string) string {
	switch {
	case !c.IsSet("db"):
		return ""
	case isPostgres(db):
		return " --db " + diag.ShellPath(withoutPassword(db))
	}
	return " --db " + diag.ShellPath(db)
}

func withoutPassword(db string) string {
	u, err := url.Parse(db)
	if err != nil {
		return "postgres://..."
	}
	if _, given := u.User.Password(); given {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	q.Del("password")
	u.RawQuery = q.Encode()
	return u.String()
}

// closing closes a store behind a command, and tells an error of it only where there was none before.
func closing(s io.Closer, err *error) { *err = cmp.Or(*err, s.Close()) }

// printed renders what a command of learn says: its text, or a report.
func (sh *shell) printed(out, format string, report any, text func() ([]byte, error)) error {
	var data []byte
	var err error
	if format == "json" || format == "yaml" {
		data, err = reportBytes(report, format)
	} else {
		data, err = text()
	}
	if err = cmp.Or(err, sh.ctx.Err()); err != nil {
		return err
	}
	return sh.writeResult(out, sh.secret.hide(data))
}
