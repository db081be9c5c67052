// Package postgres runs a throw-away PostgreSQL cluster for tests: in a temporary folder, on a Unix socket, without TCP and without fsync.
//
// Where it stands: beside the pipeline; tests of learn/sqlstore and of what stands on it start one for each test binary. It connects to nothing itself, and no
// program that users run imports it.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrMissing is a machine without PostgreSQL's programs.
var ErrMissing = errors.New("there is no initdb: install Debian's package postgresql (make postgres does so), or put PostgreSQL's bin folder on PATH")

// Cluster is a running cluster.
type Cluster struct {
	folder string
	bin    string
	as     *account
	server *exec.Cmd
	leash  io.Closer // the server ends when it is closed, or when this process does
	log    *os.File
	once   sync.Once
	err    error
}

// Start makes a cluster and returns when it takes connections. Whoever starts it stops it.
func Start(ctx context.Context) (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "anvil-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder, bin: bin, as: as}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// programs finds the folder of initdb and postgres: on PATH, or where Debian puts them; the newest is taken.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.Join(ErrMissing, err)
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

func version(path string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		return 0
	}
	return n
}

// account is whom the server runs as: PostgreSQL refuses root.
type account struct{ uid, gid int }

// unprivileged is nil where this process is not root.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err == nil && err2 == nil && uid != 0 {
			return &account{uid, gid}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no account postgres, nobody or daemon to run it as; run the tests as another user")
}

// AsOther makes a command run as an account that is not root where this process is; false where that is not needed. The command may use dir then.
func AsOther(cmd *exec.Cmd, dir string) (bool, error) {
	as, err := unprivileged()
	if err != nil || as == nil {
		return false, err
	}
	as.run(cmd)
	return true, os.Chown(dir, as.uid, as.gid)
}

// leashed starts the server, ends it when its own input ends, as it does when whoever started it dies, and removes the folder: an orphan would stay for ever.
const leashed = `folder=$1; shift
"$@" </dev/null & server=$!
(read -r never; kill -INT $server 2>/dev/null) <&3 &
wait $server; status=$?
case $folder in */anvil-pg-*) cd / && rm -rf "$folder";; esac
exit $status`

func (c *Cluster) start(ctx context.Context) error {
	if c.as != nil {
		if err := os.Chown(c.folder, c.as.uid, c.as.gid); err != nil {
			return err
		}
	}
	data := filepath.Join(c.folder, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(c.bin, "initdb"), "-D", data, "-U", "anvil", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
	c.as.run(initdb)
	initdb.Dir = c.folder
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	var err error
	if c.log, err = os.Create(filepath.Join(c.folder, "log")); err != nil {
		return err
	}
	input, leash, err := os.Pipe()
	if err != nil {
		return err
	}
	defer input.Close()
	c.leash = leash
	c.server = exec.Command("sh", "-c", leashed, "sh", c.folder, filepath.Join(c.bin, "postgres"), "-D", data, "-k", c.folder, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "full_page_writes=off", "-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "max_wal_size=1GB")
	c.as.run(c.server)
	c.server.Dir, c.server.Stdout, c.server.Stderr, c.server.ExtraFiles = c.folder, c.log, c.log, []*os.File{input}
	if err := c.server.Start(); err != nil {
		return err
	}
	return c.ready(ctx)
}

func (a *account) run(cmd *exec.Cmd) {
	if a != nil {
		cmd.SysProcAttr = a.attributes()
	}
}

// ready waits until the server answers on its socket.
func (c *Cluster) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		if out, err := c.sql(ctx, "postgres", "SELECT 1"); err == nil {
			tick.Stop()
			return nil
		} else if ctx.Err() != nil {
			text := make([]byte, 4096)
			n, _ := c.log.ReadAt(text, 0) // the folder may be gone
			text = text[:n]
			return fmt.Errorf("the server does not answer: %w: %s\n%s", err, out, text)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// sql runs a statement with psql.
func (c *Cluster) sql(ctx context.Context, database, statement string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "psql"), "-X", "-q", "-A", "-t", "-h", c.folder, "-U", "anvil", "-d", database, "-c", statement)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("psql: %w", err)
	}
	return strings.TrimSpace(string(out)), err
}

// Database makes an empty database and returns its address.
func (c *Cluster) Database(ctx context.Context) (string, error) {
	name := "anvil_" + strings.ToLower(rand.Text())
	if out, err := c.sql(ctx, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", fmt.Errorf("make a database: %w: %s", err, out)
	}
	return (&url.URL{Scheme: "postgres", User: url.User("anvil"), Path: "/" + name, RawQuery: url.Values{"host": {c.folder}}.Encode()}).String(), nil
}

// Stop ends the server and removes everything that the cluster wrote.
func (c *Cluster) Stop() error {
	c.once.Do(func() {
		if c.leash != nil {
			c.err = c.leash.Close()
		}
		if c.server != nil && c.server.Process != nil {
			var exit *exec.ExitError
			if err := c.server.Wait(); err != nil && !errors.As(err, &exit) {
				c.err = errors.Join(c.err, err)
			}
		}
		if c.log != nil {
			c.err = errors.Join(c.err, c.log.Close())
		}
		c.err = errors.Join(c.err, os.RemoveAll(c.folder))
	})
	return c.err
}
