package cli

import (
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
	outcomes := func(codes ...int) (out []outcome) {
		for _, c := range codes {
			out = append(out, outcome{exit: c})
		}
		return out
	}
	tests := []struct {
		name     string
		report   diag.Report
		outcomes []outcome
		update   bool
		want     int
	}{
		{"clean", clean, outcomes(0, 0), false, 0},
		{"drift", risky, outcomes(0, 0), false, 1},
		{"drift and outage", risky, outcomes(4, 0), false, 1},
		{"tampered snapshot and outage", clean, outcomes(4, 1), false, 1},
		{"authentication and outage", clean, outcomes(4, 3, 5), false, 5},
		{"outage and broken disk", clean, outcomes(3, 4), false, 4},
		{"broken disk", clean, outcomes(0, 3), false, 3},
		{"accepted drift", risky, outcomes(0), true, 0},
		{"accepted drift and outage", risky, outcomes(0, 4), true, 4},
		{"refused by the gate", risky, outcomes(1), true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := exitCode(checkExit(tt.report, diag.FailOnRisky, tt.outcomes, tt.update)); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
