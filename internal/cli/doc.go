// Package cli is the command tree of anvil, the last stage: a command parses its arguments, calls one package, renders what that returns.
//
// Results go to stdout, everything else to stderr. Exit codes are those of DESIGN.md section 6 and are decided in exit.go alone; only
// cmd/anvil exits. No command judges a surface itself.
package cli
