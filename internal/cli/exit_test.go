package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/wire"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"none", nil, 0},
		{"findings", found(true), 1},
		{"no findings", found(false), 0},
		{"usage", usagef("no"), 2},
		{"usage around nothing", usage(nil), 0},
		{"usage wins over what it wraps", usage(surface.ErrDigest), 2},
		{"snapshot digest", surface.ErrDigest, 1},
		{"no snapshot", surface.ErrFormat, 2},
		{"snapshot not there", surface.ErrNotFound, 2},
		{"no pack", pack.ErrFormat, 2},
		{"disk", fs.ErrPermission, 3},
		{"anything else", errors.New("x"), 3},
		{"unreachable", &probe.Failure{Code: probe.Unreachable, Err: errors.New("x")}, 4},
		{"not MCP", &probe.Failure{Code: probe.NotMCP, Err: wire.ErrNotMCP}, 4},
		{"broken list", &probe.Failure{Code: probe.BrokenList, Err: errors.New("x")}, 4},
		{"server exited", &wire.ExitError{Code: 1}, 4},
		{"HTTP 500", &wire.StatusError{Code: 500}, 4},
		{"HTTP 401", &wire.StatusError{Code: 401}, 5},
		{"authentication", &probe.Failure{Code: probe.Unauthorized, Err: &wire.StatusError{Code: 401}}, 5},
		{"tool", &exitError{exitTool, nil}, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := exitCode(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if tt.err == nil {
				return
			}
			if got := exitCode(fmt.Errorf("read it: %w", tt.err)); got != tt.want {
				t.Errorf("wrapped: got %d, want %d", got, tt.want)
			}
		})
	}
}

// With several servers the worst is 1, then 5, 4 and 3, so that a drift is never hidden by an outage.
func TestCheckExit(t *testing.T) {
	risky := diag.NewReport("check", []diag.Finding{{Rule: "r", Class: diag.Risky}})
	clean := diag.NewReport("check", nil)
	states := func(states ...string) (out []diag.Status) {
		for _, s := range states {
			out = append(out, diag.Status{Server: "x", State: s})
		}
		return out
	}
	tests := []struct {
		name    string
		report  diag.Report
		servers []diag.Status
		update  bool
		want    int
	}{
		{"clean", clean, states("same", "new"), false, 0},
		{"drift", risky, states("drift", "same"), false, 1},
		{"drift and outage", risky, states("unreachable", "drift"), false, 1},
		{"tampered snapshot and outage", clean, states("unreachable", "spoiled"), false, 1},
		{"authentication and outage", clean, states("not-mcp", "failed", "unauthorized"), false, 5},
		{"outage and misconfigured", clean, states("misconfigured", "unreachable"), false, 4},
		{"misconfigured and broken disk", clean, states("failed", "misconfigured"), false, 2},
		{"outage and broken disk", clean, states("failed", "protocol-error"), false, 4},
		{"broken disk", clean, states("same", "failed"), false, 3},
		{"state of another version", clean, states("sublime"), false, 3},
		{"accepted drift", risky, states("updated", "accepted"), true, 0},
		{"accepted drift and outage", risky, states("updated", "unreachable"), true, 4},
		{"refused by the gate", risky, states("refused"), true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.report.Servers = tt.servers
			if got := exitCode(checkExit(tt.report, diag.FailOnRisky, tt.update)); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// The state in the report stands for the error: it gives the same exit code.
func TestStateGivesTheExitCodeOfItsError(t *testing.T) {
	failure := func(code probe.Code, err error) error {
		return fmt.Errorf("x: %w", &probe.Failure{Code: code, Err: err})
	}
	for _, err := range []error{
		failure(probe.Unreachable, errors.New("x")), failure(probe.NotMCP, wire.ErrNotMCP), failure(probe.BrokenList, errors.New("x")),
		failure(probe.Unauthorized, &wire.StatusError{Code: 401}), &wire.StatusError{Code: 401}, &wire.ExitError{Code: 1},
		usagef("no"), surface.ErrDigest, fs.ErrPermission, context.Canceled,
	} {
		if got, want := exitOf(diag.Status{State: stateOf(err)}), exitCode(err); got != want {
			t.Errorf("%v is %s, exit %d; want %d", err, stateOf(err), got, want)
		}
	}
}
