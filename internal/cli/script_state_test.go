package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"anvil/facade/state"
)

// cmdAsks asks in a state as a facade does, or leaves a write behind, and sets a variable to the id: asks DIR VARIABLE person|holder|late|unknown|gone [TEXT].
// TEXT is what is shown of the call.
func cmdAsks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: asks DIR VARIABLE person|holder|late|unknown|gone [TEXT]")
	}
	text := `{"name":"pay","arguments":{"to":"mallory\u001b[2J","amount":900}}`
	if len(args) > 3 {
		text = args[3]
	}
	now := time.Now()
	if args[2] == "late" || args[2] == "gone" {
		now = now.Add(-time.Hour)
	}
	ctx := context.Background()
	s, err := state.Open(ctx, ts.MkAbs(args[0]), state.Options{Now: func() time.Time { return now }})
	ts.Check(err)
	id := ""
	switch args[2] {
	case "unknown", "gone":
		key := state.Key{Service: "desk", Operation: "desk.pay", IdempotencyKey: args[1]}
		found, err := s.Reserve(ctx, key, "sha256:f")
		ts.Check(err)
		if args[2] == "gone" { // it was killed, as far as others can tell: the store is not closed
			other, err := state.Open(ctx, ts.MkAbs(args[0]), state.Options{})
			ts.Check(err)
			found, err = other.Reserve(ctx, key, "sha256:f")
			ts.Check(errors.Join(err, other.Close()))
			ts.Setenv(args[1], found.Outcome)
			return
		}
		ts.Check(s.MarkUnknown(ctx, found.Reservation))
		found, err = s.Reserve(ctx, key, "sha256:f")
		ts.Check(err)
		id = found.Outcome
	default:
		asked, err := s.Ask(ctx, state.Question{Binding: state.Binding{Operation: "desk.pay", Contract: "sha256:c", Arguments: "sha256:a", Caller: "ada\x1b[31m"}, Shown: text,
			Expires: now.Add(10 * time.Minute), Holder: args[2] == "holder"})
		ts.Check(err)
		id = asked.ID
	}
	ts.Check(s.Close())
	ts.Setenv(args[1], id)
	ts.Logf("%s", fmt.Sprint(args[1], " is ", id))
}
