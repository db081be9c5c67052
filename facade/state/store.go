package state

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"anvil/internal/sqldb"
)

// Options tune a store. Zero fields are the defaults.
type Options struct {
	Now       func() time.Time // time.Now
	Random    io.Reader        // what tokens and ids are made of; crypto/rand
	Lease     time.Duration    // how long a process that no longer says so is taken for alive; 30 seconds. All processes of one database have the same.
	Retention time.Duration    // how long results are replayed and decisions told of; 7 days
	Pending   int              // questions of one caller that wait at the same time; 100
}

// File is the name of the database in the folder of a state.
const File = "state.db"

// Store is a ledger and a list of questions in one database. It is safe for concurrent use, by goroutines and by processes.
type Store struct {
	db      *sqldb.DB
	options Options
	owner   owner

	keeping sync.Once
	end     context.CancelFunc // of what keeps the store
	ended   chan struct{}
}

// Open opens the state in a folder, which is made where there is none, or in a database, "postgres://...". See the errors of this package; messages name the
// database without its password. The clocks of processes that share a database may differ by a fraction of the lease.
func Open(ctx context.Context, where string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	o.Lease, o.Retention, o.Pending = or(o.Lease, 30*time.Second), or(o.Retention, 7*24*time.Hour), or(o.Pending, 100)
	if !sqldb.IsPostgres(where) {
		path, err := fileIn(where)
		if err != nil {
			return nil, err
		}
		where = path
	}
	db, err := sqldb.Open(ctx, where, room(), sqldb.Options{Now: o.Now, Durable: true, Private: true})
	if err != nil {
		return nil, err
	}
	return &Store{db: db, options: o, ended: make(chan struct{})}, nil
}

func or[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// fileIn makes the folder of a state, its owner's alone, and returns the path of the database in it.
func fileIn(dir string) (string, error) {
	err := os.MkdirAll(dir, 0o700)
	info, statErr := os.Stat(dir)
	switch {
	case dir == "" || strings.Contains(dir, "://") || statErr == nil && !info.IsDir():
		return "", fmt.Errorf("open the state in %q: %w", dir, ErrPlace)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("open the state in %q: %w: %w", dir, ErrReadOnly, err)
	case err != nil:
		return "", fmt.Errorf("open the state in %q: %w", dir, err)
	}
	return filepath.Join(dir, File), nil
}

// Name is the database as messages have it: a path, or an address without its password.
func (s *Store) Name() string { return s.db.Name }

// Close marks what this process still has open as unknown, and closes the database.
func (s *Store) Close() error {
	s.keeping.Do(func() { close(s.ended) })
	if s.end != nil {
		s.end()
	}
	<-s.ended
	ctx, cancel := context.WithTimeout(context.Background(), lastWrite)
	defer cancel()
	return errors.Join(s.giveUp(ctx), s.db.Close())
}

const (
	lastWrite  = 5 * time.Second // how long the last write may take
	sweepEvery = time.Hour
)

// keep begins to keep the store, once: this process says that it is alive, and what is over is forgotten.
func (s *Store) keep() {
	s.keeping.Do(func() {
		ctx, end := context.WithCancel(context.Background())
		s.end = end
		go func() {
			defer close(s.ended)
			beat, sweep := time.NewTicker(s.options.Lease/4), time.NewTicker(sweepEvery)
			defer beat.Stop()
			defer sweep.Stop()
			for {
				// What fails now is tried again by the next tick, and a call that needs it meets the error itself.
				select {
				case <-ctx.Done():
					return
				case <-beat.C:
					_ = s.beat(ctx)
				case <-sweep.C:
					_ = s.Sweep(ctx)
				}
			}
		}()
	})
}

// Sweep forgets what is over: what was shown of questions that expired, and, after the retention, results, decisions and questions. A store that reserves or asks
// does so by itself every hour. Unknown outcomes are never forgotten.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.options.Now()
	old := now.Add(-s.options.Retention).UnixMicro()
	var err error
	for _, statement := range []struct {
		text string
		args []any
	}{
		{`UPDATE ask SET shown = '' WHERE expires <= ? AND shown <> ''`, []any{now.UnixMicro()}},
		{`DELETE FROM ask WHERE expires <= ?`, []any{old}},
		{`DELETE FROM ledger WHERE ended > 0 AND ended <= ?`, []any{old}},
		{`DELETE FROM owner WHERE until <= ?`, []any{old}},
	} {
		_, failed := s.db.Do(ctx, statement.text, statement.args...)
		err = errors.Join(err, failed)
	}
	return err
}

// name makes 128 random bits into text.
func (s *Store) name() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.options.Random, b[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])), nil
}

// shortLength is how many characters of a name an id has that people type: 40 bits.
const shortLength = 8

// digest is one for texts of which none is taken for another, whatever is in them.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		io.WriteString(h, strconv.Itoa(len(p))+":"+p)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// storable is a text without what PostgreSQL refuses in one.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
