package facade

import (
	"context"
	"time"

	"anvil/facade/state"
	"anvil/wire"
)

// exchangesTo dials upstreams on which every message is an exchange of its own.
func exchangesTo(u *upstreams) func(context.Context) (wire.Link, error) {
	return func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return exchanging{link}, err
	}
}

// slowLedger takes a moment to write down that nobody knows what came of a write.
type slowLedger struct{ Ledger }

func (l slowLedger) MarkUnknown(ctx context.Context, r state.Reservation) error {
	time.Sleep(100 * time.Millisecond) // a database's
	return l.Ledger.MarkUnknown(ctx, r)
}
