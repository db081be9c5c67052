package probe

import (
	"errors"
	"fmt"
	"strings"

	"anvil/compiler/surface"
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

// Connect is the stage of a [Failure] before there was a connection.
const Connect = "connect"

// Failure is a capture that could not be made: a result of its own, never an empty surface.
type Failure struct {
	Code  Code
	Stage string // what was being done: connect, handshake, tools/list ...
	Err   error
	Items map[surface.Kind]int // read of each list until then; of the list that failed, whole pages

	Capture, Of int // which capture of how many it was; 0 where only one was to be made, or the first failed
}

// Error says what was being done, in which capture, why it failed, with the exit of a process and its last words, and how far it had come.
func (f *Failure) Error() string {
	stage := f.Stage
	if f.Of > 0 {
		stage = fmt.Sprintf("%s (capture %d of %d)", stage, f.Capture, f.Of)
	}
	var read []string
	for _, kind := range surface.Kinds {
		switch n := f.Items[kind]; n {
		case 0:
		case 1:
			read = append(read, "1 "+string(kind))
		default:
			read = append(read, fmt.Sprintf("%d %s", n, kind.List()))
		}
	}
	if len(read) == 0 {
		return fmt.Sprintf("%s: %v", stage, f.Err)
	}
	return fmt.Sprintf("%s: %v (read until then: %s)", stage, f.Err, strings.Join(read, ", "))
}

// with returns f with how far reading had come.
func (f *Failure) with(lists map[surface.Kind][][]byte) *Failure {
	f.Items = map[surface.Kind]int{}
	for kind, items := range lists {
		f.Items[kind] = len(items)
	}
	return f
}

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
	return &Failure{Code: code, Stage: stage, Err: err}
}
