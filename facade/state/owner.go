package state

import (
	"context"
	"sync"
	"time"
)

// owner is this process as the holder of reservations.
type owner struct {
	mu    sync.Mutex
	id    string          // "" until it reserves something
	until time.Time       // what the database says
	open  map[string]bool // reservations, by id
}

func (o *owner) is(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.id == id
}

func (o *owner) took(reservation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[string]bool{}
	}
	o.open[reservation] = true
}

func (o *owner) gave(reservation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, reservation)
}

func (o *owner) holds(reservation string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[reservation]
}

func (o *owner) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open) == 0
}

// lease makes sure that the database takes this process for alive a while longer, and returns what it is called there.
func (s *Store) lease(ctx context.Context, longer time.Duration) (string, error) {
	o := &s.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.id == "" {
		id, err := s.name()
		if err != nil {
			return "", err
		}
		o.id = id
	}
	now := s.options.Now()
	if left := o.until.Sub(now); left > longer && left <= s.options.Lease { // more than a lease is left where a clock was set back
		return o.id, nil
	}
	until := now.Add(s.options.Lease)
	if _, err := s.db.Do(ctx, `INSERT INTO owner (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until`, o.id, until.UnixMicro()); err != nil {
		return "", err
	}
	o.until = until
	return o.id, nil
}

// beat says again that this process is alive, while it has something open.
func (s *Store) beat(ctx context.Context) error {
	if s.owner.idle() {
		return nil
	}
	_, err := s.lease(ctx, s.options.Lease)
	return err
}

// giveUp marks what this process has open as unknown.
func (s *Store) giveUp(ctx context.Context) error {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	if s.owner.id == "" {
		return nil
	}
	if _, err := s.db.Do(ctx, `UPDATE ledger SET state = 'unknown' WHERE ended = 0 AND owner = ? AND state = 'open'`, s.owner.id); err != nil {
		return err
	}
	_, err := s.db.Do(ctx, `DELETE FROM owner WHERE id = ?`, s.owner.id)
	s.owner.id = ""
	return err
}
