package state

import (
	"errors"
	"fmt"
	"time"
)

// What goes wrong with the database, told apart since the user can do something about it.
var (
	ErrForeign  = errors.New("it is not the state of a facade")
	ErrNewer    = errors.New("it was written by a newer anvil")
	ErrFull     = errors.New("there is no room left: make room on the disk")
	ErrReadOnly = errors.New("it cannot be written to: give yourself the right to write to the folder of the state and the files in it, or name another with --state")
	ErrPlace    = errors.New("it is no folder: give a folder or postgres://USER:PASSWORD@HOST:PORT/DATABASE with --state")
)

// DamagedError is a file or a row of the database that cannot be read.
type DamagedError struct {
	Row string // of the table migration; "" for the file
	Err error
}

func (e *DamagedError) Error() string { return e.Err.Error() }

func (e *DamagedError) Unwrap() error { return e.Err }

// What goes wrong with a keyed write.
var (
	// ErrKey is a key that is none.
	ErrKey = errors.New("an idempotency key has 1 to 255 visible ASCII characters; give another")
	// ErrLost is a reservation that is somebody else's by now: it was unknown, and a person decided about it.
	ErrLost = errors.New("the reservation is no longer held: its outcome was unknown, and a person decided about it meanwhile")
	// ErrNoOutcome is an outcome that nobody waits for.
	ErrNoOutcome = errors.New("no unknown outcome has this id")
)

// What goes wrong with a question or its token.
var (
	ErrUnknownToken = errors.New("the token is unknown: call again without one, which gives a new one")
	ErrReplayed     = errors.New("the token was used before, and counts once: call again without it, which gives a new one")
	ErrExpired      = errors.New("the time to approve the call is over: call again without the token, which asks again")
	ErrUndecided    = errors.New("nobody has approved the call yet")
	ErrNoAsk        = errors.New("no call has this id")
	// ErrTooMany bounds what one caller can make others read.
	ErrTooMany = errors.New("too many calls of this caller wait for a decision; those come first")
	// ErrTooLong is a call that nobody could be shown whole, so that nobody is asked.
	ErrTooLong = fmt.Errorf("the call is too long to be shown to a person, who is shown %d bytes at most; send less at a time", MaxShown)
)

// Spent reports an error of [Store.Redeem] after which the token is worth nothing for the call, however often it comes.
func Spent(err error) bool {
	var altered *AlteredError
	return errors.Is(err, ErrUnknownToken) || errors.Is(err, ErrReplayed) || errors.Is(err, ErrExpired) || errors.As(err, &altered)
}

// AlteredError is a token given with another call than it was made for.
type AlteredError struct {
	Part string // that differs: operation, contract, arguments, caller or session
}

func (e *AlteredError) Error() string {
	return "the token is for another call, whose " + e.Part + " is not this one's: call again without it, which asks for this one"
}

// RefusedError is a call that somebody said no to. It is no failure of a tool.
type RefusedError struct {
	By, Reason string
	At         time.Time
}

func (e *RefusedError) Error() string {
	text := e.By + " said no to the call"
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// DecidedError is a question that was answered before, or whose call was made since.
type DecidedError struct {
	State State
	By    string
	At    time.Time
}

func (e *DecidedError) Error() string {
	if e.By == "" {
		return fmt.Sprintf("it is %s already; nothing was changed", e.State)
	}
	return fmt.Sprintf("it is %s already, by %s on %s; nothing was changed", e.State, e.By, e.At.UTC().Format(time.RFC3339))
}
