package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"anvil/internal/sqldb"
)

type tx = sqldb.Tx

// Binding is the one call that a question is about. Each part is compared; an empty session is one as well.
type Binding struct {
	Operation string // its id
	Contract  string // digest of its contract
	Arguments string // digest of the canonical arguments
	Caller    string // whom the front authenticated; "" for nobody
	Session   string // "" where the token may be redeemed in another session
}

func (b Binding) digest() string {
	return digest(b.Operation, b.Contract, b.Arguments, b.Caller, b.Session)
}

func (b Binding) parts() [5][2]string {
	return [5][2]string{{"operation", b.Operation}, {"contract", b.Contract}, {"arguments", b.Arguments}, {"caller", b.Caller}, {"session", b.Session}}
}

// Question is what is asked about a call.
type Question struct {
	Binding Binding
	Shown   string    // the params of the call as JSON, which whoever decides is shown whole; at most [MaxShown] bytes
	Expires time.Time // of the question and its token
	Holder  bool      // a yes of whoever holds the token is enough, and redeeming it is one; else a person's decision is needed
}

// MaxShown is the longest text that is asked about, in bytes.
const MaxShown = 20_000

// Asked is a new question.
type Asked struct {
	Token string // 128 random bits as text; kept nowhere
	ID    string // what people type
}

// AskPrefix begins the id of every question.
const AskPrefix = "ask-"

// State is how a question stands.
type State string

// The states of a question.
const (
	Pending  State = "pending"
	Approved State = "approved"
	Refused  State = "refused"
	Used     State = "used"    // its call was made
	Expired  State = "expired" // before it was decided, or before it was used
)

// Approval is a question as people see it.
type Approval struct {
	ID      string
	Binding Binding
	Holder  bool
	Shown   string // "" once it is decided or expired
	Asked   time.Time
	Expires time.Time
	State   State
	By      string // who decided; "" for nobody
	Reason  string
	Decided time.Time // zero for never
}

// Ask asks for a yes to a call. [ErrTooLong] and [ErrTooMany] are reasons why nobody is asked.
func (s *Store) Ask(ctx context.Context, q Question) (Asked, error) {
	now := s.options.Now()
	switch {
	case q.Binding.Operation == "" || q.Binding.Contract == "" || q.Binding.Arguments == "":
		return Asked{}, errors.New("ask about a call: it has no operation, contract or arguments")
	case !q.Expires.After(now):
		return Asked{}, ErrExpired
	case len(q.Shown) > MaxShown:
		return Asked{}, ErrTooLong
	}
	s.keep()
	token, err := s.name()
	name, err2 := s.name()
	if err := errors.Join(err, err2); err != nil {
		return Asked{}, err
	}
	a, waiting := Asked{token, AskPrefix + name[:shortLength]}, 0
	err = s.db.Write(ctx, func(t *tx) error {
		holder := 0
		if _, err := t.One(&waiting, `SELECT COUNT(*) FROM ask WHERE expires > ? AND state = 'pending' AND caller = ?`, now.UnixMicro(), storable(q.Binding.Caller)); err != nil {
			return err
		}
		if waiting >= s.options.Pending {
			return nil
		}
		if q.Holder {
			holder = 1
		}
		b := q.Binding
		return t.Run(`INSERT INTO ask (id, token, binding, operation, contract, arguments, caller, session, holder, shown, asked, expires, state, decided_by, reason, decided)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', '', '', 0)`, a.ID, digest(token), b.digest(), storable(b.Operation), storable(b.Contract),
			storable(b.Arguments), storable(b.Caller), storable(b.Session), holder, storable(q.Shown), now.UnixMicro(), q.Expires.UnixMicro())
	})
	switch {
	case err != nil:
		return Asked{}, err
	case waiting >= s.options.Pending:
		return Asked{}, ErrTooMany
	}
	return a, nil
}

const askColumns = `id, binding, operation, contract, arguments, caller, session, holder, shown, asked, expires, state, decided_by, reason, decided`

// askRow is a row of the table.
type askRow struct {
	Approval
	binding                 string
	asked, expires, decided int64
}

func (a *askRow) into() []any {
	b := &a.Binding
	return []any{&a.ID, &a.binding, &b.Operation, &b.Contract, &b.Arguments, &b.Caller, &b.Session, &a.Holder, &a.Shown, &a.asked, &a.expires, &a.State, &a.By, &a.Reason, &a.decided}
}

// at is the question as it stands at a moment.
func (a *askRow) at(now time.Time) Approval {
	a.Asked, a.Expires, a.Decided = moment(a.asked), moment(a.expires), moment(a.decided)
	if (a.State == Pending || a.State == Approved) && !a.Expires.After(now) {
		a.State = Expired
	}
	if a.State != Pending {
		a.Shown = ""
	}
	return a.Approval
}

// Approvals are the questions that wait, or all that are still known, the oldest first.
func (s *Store) Approvals(ctx context.Context, all bool) (list []Approval, err error) {
	now := s.options.Now()
	err = s.db.Read(ctx, func(t *tx) error {
		return t.Each(func(r *sql.Rows) error {
			row := askRow{}
			if err := r.Scan(row.into()...); err != nil {
				return err
			}
			if a := row.at(now); all || a.State == Pending {
				list = append(list, a)
			}
			return nil
		}, `SELECT `+askColumns+` FROM ask ORDER BY asked, id`)
	})
	return list, err
}

// Approval returns one question, whatever its state; [ErrNoAsk].
func (s *Store) Approval(ctx context.Context, id string) (Approval, error) {
	row := askRow{}
	there, err := s.db.Row(ctx, row.into(), `SELECT `+askColumns+` FROM ask WHERE id = ?`, storable(strings.ToLower(id)))
	if err == nil && !there {
		err = ErrNoAsk
	}
	return row.at(s.options.Now()), err
}

// Decide answers a question that waits, once: [ErrNoAsk], [ErrExpired] and [DecidedError] are the others. What was shown is deleted.
func (s *Store) Decide(ctx context.Context, id string, yes bool, by, reason string) (Approval, error) {
	to, now := Refused, s.options.Now()
	if yes {
		to = Approved
	}
	id = storable(strings.ToLower(id))
	n, err := s.db.Do(ctx, `UPDATE ask SET state = ?, decided_by = ?, reason = ?, decided = ?, shown = '' WHERE id = ? AND state = 'pending' AND expires > ?`,
		string(to), storable(by), storable(reason), now.UnixMicro(), id, now.UnixMicro())
	if err != nil {
		return Approval{}, err
	}
	a, err := s.Approval(ctx, id)
	switch {
	case err != nil || n == 1:
		return a, err
	case a.State == Expired:
		return a, ErrExpired
	}
	return a, &DecidedError{a.State, a.By, a.Decided}
}

// Redeem uses the token of a call, once. The errors say why it is worth nothing: [ErrUnknownToken], [AlteredError], [ErrReplayed], [RefusedError], [ErrExpired],
// [ErrUndecided]; any other is of the database, and nothing may be sent.
func (s *Store) Redeem(ctx context.Context, token string, b Binding) error {
	now := s.options.Now()
	n, err := s.db.Do(ctx, `UPDATE ask SET state = 'used', shown = '' WHERE token = ? AND binding = ? AND expires > ? AND (state = 'approved' OR state = 'pending' AND holder = 1)`,
		digest(token), b.digest(), now.UnixMicro())
	if err != nil || n == 1 {
		return err
	}
	row := askRow{}
	there, err := s.db.Row(ctx, row.into(), `SELECT `+askColumns+` FROM ask WHERE token = ?`, digest(token))
	if err != nil {
		return err
	}
	if !there {
		return ErrUnknownToken
	}
	if row.binding != b.digest() {
		return altered(row.Binding, b)
	}
	switch a := row.at(now); a.State {
	case Used:
		return ErrReplayed
	case Refused:
		return &RefusedError{a.By, a.Reason, a.Decided}
	case Expired:
		return ErrExpired
	case Pending:
		return ErrUndecided
	}
	return fmt.Errorf("redeem a token in %s: it was decided at this moment; call again", s.db.Name)
}

// Redeemed is the question whose token was used, for whoever writes down by whose yes a call was made; [ErrUnknownToken].
func (s *Store) Redeemed(ctx context.Context, token string) (Approval, error) {
	row := askRow{}
	there, err := s.db.Row(ctx, row.into(), `SELECT `+askColumns+` FROM ask WHERE token = ?`, digest(token))
	if err == nil && !there {
		err = ErrUnknownToken
	}
	return row.at(s.options.Now()), err
}

// altered says in what a call differs from the one that was asked about.
func altered(asked, b Binding) error {
	parts := b.parts()
	for i, p := range asked.parts() {
		if p[1] != storable(parts[i][1]) {
			return &AlteredError{p[0]}
		}
	}
	return &AlteredError{"caller"} // in what is not stored of a text
}
