package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/wire"
)

// The exit codes, the same for every command.
const (
	exitClean       = 0
	exitFindings    = 1 // findings at or above the threshold; a failed verification
	exitUsage       = 2 // wrong usage or configuration
	exitFailed      = 3 // the work could not be done: I/O, internal
	exitUnreachable = 4 // the server could not be reached or did not speak MCP
	exitAuth        = 5 // authentication is required
	exitTool        = 6 // the called tool returned an error
)

// exitError gives an error its exit code. A nil err says that everything was printed already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// found ends a command whose report is printed: exit 1 when it fails, 0 otherwise.
func found(fails bool) error {
	if fails {
		return &exitError{exitFindings, nil}
	}
	return nil
}

// isMissing reports a command or a folder that is not there: the configuration, or the machine that it is used on, has to be mended, and running it again
// mends nothing.
func isMissing(err error) bool {
	var failure *probe.Failure
	if errors.As(err, &failure) && failure.Stage != probe.Connect {
		return false
	}
	return errors.Is(err, exec.ErrNotFound) || failure != nil && errors.Is(err, fs.ErrNotExist)
}

// exitCode maps every error of every command to its exit code.
func exitCode(err error) int {
	var coded *exitError
	var failure *probe.Failure
	var ended *wire.ExitError
	var status *wire.StatusError
	var notWhole *pack.NotWholeError
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, wire.ErrAuthRequired):
		return exitAuth
	case isMissing(err):
		return exitUsage
	case errors.As(err, &failure), errors.As(err, &ended), errors.As(err, &status), errors.Is(err, wire.ErrNotMCP):
		return exitUnreachable
	case errors.Is(err, surface.ErrDigest), errors.As(err, &notWhole):
		return exitFindings
	case errors.Is(err, surface.ErrFormat), errors.Is(err, surface.ErrNotFound), errors.Is(err, pack.ErrFormat):
		return exitUsage
	}
	return exitFailed
}
