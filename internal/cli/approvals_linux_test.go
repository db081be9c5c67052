package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"anvil/facade/state"
)

// sayingYes is `anvil mcp approvals approve` on a terminal, of a call that waits for a person.
func sayingYes(t *testing.T, s *state.Store, shown string, before string) (asking, string) {
	t.Helper()
	asked, err := s.Ask(t.Context(), state.Question{Binding: state.Binding{Operation: "desk.pay", Contract: "sha256:c", Arguments: "sha256:a"}, Shown: shown, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return decidingOn(t, s, asked.ID, before), asked.ID
}

func decidingOn(t *testing.T, s *state.Store, id, before string) asking {
	t.Helper()
	seen, terminal := openTerminal(t)
	sh := &shell{ctx: t.Context(), in: terminal, out: &resultWriter{w: &screen{}}, err: terminal, getenv: os.LookupEnv, now: time.Now}
	a := asking{t, seen, make(chan error, 1)}
	a.types(before)
	go func() {
		d := said{id: id, by: "bob", approve: true, yes: true}
		var err error
		if strings.HasPrefix(id, state.OutcomePrefix) {
			_, _, err = sh.settle(s, d)
		} else {
			_, _, err = sh.answerAsk(s, d)
		}
		a.err <- err
	}()
	return a
}

func stateFor(t *testing.T) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), t.TempDir(), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestApprovingShowsTheWholeCall: no page of it is passed over, a yes that was typed too early counts for nothing, and only a yes approves.
func TestApprovingShowsTheWholeCall(t *testing.T) {
	s := stateFor(t)
	long := fmt.Sprintf(`{"name":"pay","arguments":{"note":%q,"amount":900000}}`, strings.Repeat("x", 3000))
	for _, answer := range []string{"y\n", "no\n", "\n"} {
		a, id := sayingYes(t, s, long, "y\ny\n")
		a.seen.waitFor(t, "lines more: Enter shows them")
		if strings.Contains(a.seen.text(), "Approve it?") || !strings.Contains(a.seen.text(), `"amount": 900000`) {
			t.Fatalf("it is asked before all is shown: %s", a.seen.text())
		}
		a.types("\n")
		a.seen.waitFor(t, "Approve it? [y/N]")
		a.types(answer)
		err := <-a.err
		got, err2 := s.Approval(t.Context(), id)
		want := state.Pending
		if answer == "y\n" {
			want = state.Approved
		} else if exitCode(err) != exitFindings || !strings.Contains(err.Error(), "nothing was decided") {
			t.Errorf("%q: %v", answer, err)
		}
		if got.State != want || err2 != nil || want == state.Approved && (err != nil || got.By != "bob") {
			t.Errorf("%q: %+v, %v", answer, got, errors.Join(err, err2))
		}
	}
}

// TestLettingAWriteBeSentAgainAsksAPerson: --yes is none.
func TestLettingAWriteBeSentAgainAsksAPerson(t *testing.T) {
	s := stateFor(t)
	key := state.Key{Service: "desk", Operation: "desk.pay", IdempotencyKey: "k"}
	found, err := s.Reserve(t.Context(), key, "f")
	if err := errors.Join(err, s.MarkUnknown(t.Context(), found.Reservation)); err != nil {
		t.Fatal(err)
	}
	found, err = s.Reserve(t.Context(), key, "f")
	if err != nil || found.Standing != state.Unknown {
		t.Fatal(found, err)
	}
	for _, answer := range []string{"n\n", "y\n"} {
		a := decidingOn(t, s, found.Outcome, "")
		a.seen.waitFor(t, "may be sent again? [y/N]")
		a.types(answer)
		if err := <-a.err; (err == nil) != (answer == "y\n") {
			t.Errorf("%q: %v", answer, err)
		}
	}
	if found, err = s.Reserve(t.Context(), key, "f"); err != nil || found.Standing != state.Reserved {
		t.Errorf("%+v, %v", found, err)
	}
}
