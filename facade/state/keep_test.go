package state

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestKept: a process that lives says so while it holds something, and what is over is forgotten without being asked.
func TestKept(t *testing.T) {
	where := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, err := Open(t.Context(), where, Options{})
		done(t, err)
		b, err := Open(t.Context(), where, Options{})
		done(t, err)
		held := mustReserve(t, a, "held", "f")
		question := asked(t, a, Question{})
		for range 20 {
			time.Sleep(time.Minute + 7*time.Second)
			stands(t, b, "held", "f", InProgress)
		}
		done(t, a.MarkUnknown(t.Context(), held))
		time.Sleep(time.Minute)
		stands(t, b, "held", "f", Unknown)
		var until int64
		if _, err := a.db.Row(t.Context(), []any{&until}, `SELECT until FROM owner WHERE id = ?`, a.owner.id); err != nil || moment(until).After(time.Now()) {
			t.Errorf("a process that holds nothing goes on saying that it lives: %v, %v", moment(until), err)
		}
		time.Sleep(2 * time.Hour)
		var text string
		if there, err := b.db.Row(t.Context(), []any{&text}, `SELECT shown FROM ask WHERE id = ?`, question.ID); err != nil || !there || text != "" {
			t.Errorf("%q is kept of a question that expired: %v", text, err)
		}
		done(t, a.Close())
		done(t, b.Close())
	})
}
