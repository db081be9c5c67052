package state

import (
	"context"
	"fmt"
	"strings"
	"time"

	"anvil/compiler/canon"
)

// Key names one keyed write.
type Key struct {
	Service        string // of the pack
	Operation      string // its id
	IdempotencyKey string // the caller's; 1 to 255 visible ASCII characters
}

func (k Key) check() error {
	text := k.IdempotencyKey
	if text == "" || len(text) > 255 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ErrKey
	}
	return nil
}

// Fingerprint is what a key stands for: the operation's contract, the canonical arguments and who calls. A key with another fingerprint is a conflict, whoever
// uses it, so that nobody is told another's result.
func Fingerprint(contractDigest string, canonicalArguments []byte, caller string) string {
	return digest(contractDigest, string(canonicalArguments), caller)
}

// Standing is how a keyed write stands when it is asked for.
type Standing string

// The standings.
const (
	Reserved   Standing = "reserved"    // it is this call's to send: end it with Complete, Release or MarkUnknown
	Replay     Standing = "replay"      // it was sent, and this is what came of it
	InProgress Standing = "in progress" // somebody else is sending it
	Conflict   Standing = "conflict"    // the key stands for something else
	Unknown    Standing = "unknown"     // it was sent, perhaps, and nobody can tell what came of it
)

// Reservation is a right to send a write. It is ended once, by whoever got it.
type Reservation struct {
	key Key
	id  string
}

// Found is what [Store.Reserve] found.
type Found struct {
	Standing    Standing
	Reservation Reservation // where it is Reserved
	Result      Result      // where it is a Replay
	Since       time.Time   // when the write was reserved
	Outcome     string      // where it is Unknown: what `anvil mcp approvals` calls it
}

// Result is the first result of a write.
type Result struct {
	Bytes   []byte // as it came; nil where it was not kept
	Kept    bool   // false: it was longer than [MaxResult], or a person alone says that the write happened
	Size    int64  // in bytes
	Digest  string // sha256:...; "" where there never was a result
	Decided string // who says that the write happened, where its outcome was unknown; else ""
	Reason  string // of who decided
}

// MaxResult is the longest result that is kept whole, in bytes.
const MaxResult = 1 << 20

// The states of a row.
const (
	rowOpen     = "open"
	rowDone     = "done"
	rowUnknown  = "unknown"
	rowHappened = "happened" // a person says so
	rowCleared  = "cleared"  // a person says that it may be sent again
)

const byKey = ` WHERE service = ? AND operation = ? AND key = ?`

func (k Key) args(more ...any) []any {
	return append([]any{k.Service, k.Operation, k.IdempotencyKey}, more...)
}

// Reserve reserves a write, or says how it stands. A key that is none is an [ErrKey]. An error means that nothing may be sent.
func (s *Store) Reserve(ctx context.Context, key Key, fingerprint string) (Found, error) {
	if err := key.check(); err != nil {
		return Found{}, err
	}
	s.keep()
	id, err := s.name()
	if err != nil {
		return Found{}, err
	}
	owner, err := s.lease(ctx, s.options.Lease/2)
	if err != nil {
		return Found{}, err
	}
	s.owner.took(id) // before others see the row
	f, err := s.reserve(ctx, key, fingerprint, owner, id)
	if f.Standing != Reserved {
		s.owner.gave(id)
	}
	if err != nil { // where the row was written all the same, whoever needs the key next finds that nobody holds it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
		defer cancel()
		_ = s.forget(ctx, key, id)
	}
	return f, err
}

// reserve tries until it is told how a write stands. A row that is released between the two statements is a reason to begin again, and not for ever.
func (s *Store) reserve(ctx context.Context, key Key, fingerprint, owner, id string) (Found, error) {
	for range 8 {
		now := s.options.Now()
		n, err := s.db.Do(ctx, `INSERT INTO ledger (service, operation, key, id, fingerprint, owner, state, since, ended, decided_by, reason, kept, size, digest, result)
			VALUES (?, ?, ?, ?, ?, ?, 'open', ?, 0, '', '', 0, 0, '', ?)
			ON CONFLICT (service, operation, key) DO UPDATE SET id = excluded.id, fingerprint = excluded.fingerprint, owner = excluded.owner, state = excluded.state,
				since = excluded.since, ended = 0, decided_by = '', reason = '' WHERE ledger.state = 'cleared'`,
			key.args(id, fingerprint, owner, now.UnixMicro(), []byte{})...)
		if err != nil {
			return Found{}, err
		}
		if n == 1 {
			return Found{Standing: Reserved, Reservation: Reservation{key, id}, Since: now}, nil
		}
		if f, there, err := s.find(ctx, key, fingerprint); err != nil || there {
			return f, err
		}
	}
	return Found{}, fmt.Errorf("reserve a write in %s: others reserve and release it all the time; call again", s.db.Name)
}

// find says how a write stands that is there; false where it is not, or may be sent again.
func (s *Store) find(ctx context.Context, key Key, fingerprint string) (f Found, there bool, err error) {
	var id, known, owner, state, by, reason, digest string
	var since, until, kept, size int64
	var result []byte
	there, err = s.db.Row(ctx, []any{&id, &known, &owner, &state, &since, &until, &by, &reason, &kept, &size, &digest, &result},
		`SELECT id, fingerprint, owner, state, since, COALESCE((SELECT o.until FROM owner o WHERE o.id = ledger.owner), 0), decided_by, reason, kept, size, digest, result
		FROM ledger`+byKey, key.args()...)
	if err != nil || !there || state == rowCleared {
		return f, false, err
	}
	if state == rowOpen && s.owner.is(owner) && !s.owner.holds(id) { // reserving it failed, so it was not sent
		return f, false, s.forget(ctx, key, id)
	}
	f.Since = moment(since)
	switch {
	case known != fingerprint:
		f.Standing = Conflict
	case state == rowDone || state == rowHappened:
		f.Standing, f.Result = Replay, Result{Kept: kept == 1, Size: size, Digest: digest, Decided: by, Reason: reason}
		if f.Result.Kept {
			f.Result.Bytes = result
		}
	case state == rowOpen && (s.owner.is(owner) || moment(until).After(s.options.Now())):
		f.Standing = InProgress
	default:
		f.Standing, f.Outcome = Unknown, outcomeID(id)
	}
	return f, true, nil
}

// Complete keeps the result of a write, which is not changed any more. Call it before the result is acknowledged, and with a context that a caller who went away
// does not end. It may be called again when it failed. [ErrLost] says that a person decided about the write meanwhile.
func (s *Store) Complete(ctx context.Context, r Reservation, result []byte) error {
	sum, kept, bytes := canon.Digest(result), 1, result
	if len(result) > MaxResult {
		kept, bytes = 0, nil
	}
	if bytes == nil {
		bytes = []byte{}
	}
	n, err := s.db.Do(ctx, `UPDATE ledger SET state = 'done', ended = ?, kept = ?, size = ?, digest = ?, result = ?`+byKey+` AND id = ? AND state IN ('open', 'unknown')`,
		append([]any{s.options.Now().UnixMicro(), kept, len(result), sum, bytes}, r.key.args(r.id)...)...)
	if err != nil {
		return err
	}
	if n == 0 {
		var id, state, had string
		if _, err := s.db.Row(ctx, []any{&id, &state, &had}, `SELECT id, state, digest FROM ledger`+byKey, r.key.args()...); err != nil {
			return err
		}
		if id != r.id || state != rowDone || had != sum {
			return ErrLost
		}
	}
	s.owner.gave(r.id)
	return nil
}

// Release forgets a reservation of which nothing was sent. Where it fails, the key is free for this process all the same, and for others once it is called again.
func (s *Store) Release(ctx context.Context, r Reservation) error {
	s.owner.gave(r.id)
	return s.forget(ctx, r.key, r.id)
}

func (s *Store) forget(ctx context.Context, key Key, id string) error {
	_, err := s.db.Do(ctx, `DELETE FROM ledger`+byKey+` AND id = ? AND state = 'open'`, key.args(id)...)
	return err
}

// MarkUnknown says that a write was sent, perhaps, and that nobody knows what came of it. It stays so until [Store.Settle] or a late [Store.Complete].
func (s *Store) MarkUnknown(ctx context.Context, r Reservation) error {
	_, err := s.db.Do(ctx, `UPDATE ledger SET state = 'unknown'`+byKey+` AND id = ? AND state = 'open'`, r.key.args(r.id)...)
	if err == nil {
		s.owner.gave(r.id)
	}
	return err
}
