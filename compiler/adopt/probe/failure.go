package probe

import (
	"errors"
	"fmt"

	"anvil/wire"
)

// Code says why a capture could not be made.
type Code string

// The codes of a [Failure].
const (
	Unreachable  Code = "unreachable"    // no connection, or it ended or timed out
	Unauthorized Code = "unauthorized"   // the server asks for authentication
	NotMCP       Code = "not-mcp"        // something answered, but no MCP server
	BrokenList   Code = "protocol-error" // a list that the server announces could not be read
)

// Failure is a capture that could not be made: a result of its own, never an empty surface.
type Failure struct {
	Code  Code
	Stage string // what was being done: connect, handshake, tools/list ...
	Err   error
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %v", f.Stage, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// fail classifies err, met at the given stage; code is what it is when nothing better is known.
func fail(stage string, code Code, err error) *Failure {
	var status *wire.StatusError
	switch {
	case errors.Is(err, wire.ErrAuthRequired):
		code = Unauthorized
	case errors.As(err, &status):
		code = Unreachable
	}
	return &Failure{code, stage, err}
}
