package cli

import (
	"context"
	"errors"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// The states of a server in the report of check, besides the codes of [probe.Failure].
const (
	stateSame     = "same"
	stateNew      = "new"      // it has no snapshot
	stateDrift    = "drift"    // it differs from its snapshot
	stateAccepted = "accepted" // its first snapshot was written
	stateUpdated  = "updated"  // its snapshot was written anew

	stateInspected = "inspected" // its surface is in the report

	stateRefused       = "refused"       // by the gate
	stateSpoiled       = "spoiled"       // its snapshot cannot be trusted
	stateOvertaken     = "overtaken"     // its snapshot was replaced by somebody else meanwhile, and not by this run
	stateMisconfigured = "misconfigured" // it cannot be asked as it is configured
	stateFailed        = "failed"        // anvil could not do its part
	stateCancelled     = "cancelled"
)

// stateExits are the exit codes of the states, so that a check's code follows from its report alone. Those without a code of their own fail
// by their findings, if they do.
var stateExits = map[string]int{
	stateSame: exitClean, stateNew: exitClean, stateDrift: exitClean, stateAccepted: exitClean, stateUpdated: exitClean, stateInspected: exitClean,
	stateRefused: exitFindings, stateSpoiled: exitFindings,
	string(probe.Unauthorized): exitAuth,
	string(probe.Unreachable):  exitUnreachable, string(probe.NotMCP): exitUnreachable, string(probe.BrokenList): exitUnreachable,
	stateMisconfigured: exitUsage,
	stateFailed:        exitFailed, stateCancelled: exitFailed, stateOvertaken: exitFailed,
}

func (sh *shell) failed(name string, err error) outcome {
	return outcome{status: diag.Status{Server: name, State: stateOf(err), Message: sh.secret.mask(err.Error())}}
}

// stateOf names the state of a server that could not be checked; its exit code is that of the error.
func stateOf(err error) string {
	var f *probe.Failure
	switch code := exitCode(err); {
	case errors.Is(err, context.Canceled):
		return stateCancelled
	case code == exitUsage:
		return stateMisconfigured
	case errors.As(err, &f):
		return string(f.Code)
	case code == exitFindings:
		return stateSpoiled
	case errors.Is(err, surface.ErrChanged):
		return stateOvertaken
	case code == exitAuth:
		return string(probe.Unauthorized)
	case code == exitUnreachable:
		return string(probe.Unreachable)
	}
	return stateFailed
}

// checkExit returns the worst outcome in the report: findings, then authentication, unreachable servers, and work that could not be done, so
// that a drift is never hidden by an outage. What --update accepted is no failure.
func checkExit(r diag.Report, threshold diag.Threshold, update bool) error {
	if !update && len(r.Failing(threshold)) > 0 {
		return found(true)
	}
	for _, code := range []int{exitFindings, exitAuth, exitUnreachable, exitUsage, exitFailed} {
		for _, s := range r.Servers {
			if exitOf(s) == code {
				return &exitError{code, nil}
			}
		}
	}
	return nil
}

// exitOf is the exit code of a server's state; a state that nobody knows is a failure.
func exitOf(s diag.Status) int {
	code, known := stateExits[s.State]
	if !known {
		return exitFailed
	}
	return code
}
