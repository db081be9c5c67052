package state

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Outcome is a write of which nobody knows what came of it. Its key is refused until somebody looked at the server and decided.
type Outcome struct {
	ID    string // what people type
	Key   Key
	Since time.Time // when it was reserved
	Said  bool      // the facade that sent it says so; false: its process is gone

	reservation, state string
}

// OutcomePrefix begins the id of every outcome.
const OutcomePrefix = "out-"

func outcomeID(reservation string) string { return OutcomePrefix + reservation[:shortLength] }

// Outcomes are the unknown outcomes, the oldest first.
func (s *Store) Outcomes(ctx context.Context) (list []Outcome, err error) {
	err = s.db.Read(ctx, func(t *tx) error {
		return t.Each(func(r *sql.Rows) error {
			o := Outcome{}
			var since int64
			if err := r.Scan(&o.Key.Service, &o.Key.Operation, &o.Key.IdempotencyKey, &o.reservation, &since, &o.state); err != nil {
				return err
			}
			o.ID, o.Since, o.Said = outcomeID(o.reservation), moment(since), o.state == rowUnknown
			list = append(list, o)
			return nil
		}, `SELECT service, operation, key, id, since, state FROM ledger WHERE ended = 0 AND (state = 'unknown' OR `+orphaned+`) ORDER BY since, service, operation, key`,
			s.options.Now().UnixMicro())
	})
	return list, err
}

// orphaned is the condition that a row's process is not known to be alive now.
const orphaned = `NOT EXISTS (SELECT 1 FROM owner o WHERE o.id = ledger.owner AND o.until > ?)`

// Settle records what a person found out about an unknown outcome: the write happened, and is never sent again, or it did not, and its key is free. It changes what
// was unknown and nothing else: [ErrNoOutcome] is one that is known by now, or never was there.
func (s *Store) Settle(ctx context.Context, id string, happened bool, by, reason string) (Outcome, error) {
	all, err := s.Outcomes(ctx)
	if err != nil {
		return Outcome{}, err
	}
	var found []Outcome
	for _, o := range all {
		if o.ID == strings.ToLower(id) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return Outcome{}, ErrNoOutcome
	case 2:
		return Outcome{}, errors.New("two outcomes have this id, which happens once in a million databases; settle one of them by its key in the database")
	}
	o, now := found[0], s.options.Now().UnixMicro()
	to := rowCleared
	if happened {
		to = rowHappened
	}
	n, err := s.db.Do(ctx, `UPDATE ledger SET state = ?, ended = ?, decided_by = ?, reason = ?`+byKey+` AND id = ? AND state = ? AND (state = 'unknown' OR `+orphaned+`)`,
		append([]any{to, now, storable(by), storable(reason)}, o.Key.args(o.reservation, o.state, now)...)...)
	if err == nil && n == 0 {
		err = ErrNoOutcome
	}
	return o, err
}
