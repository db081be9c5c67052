package config

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// readServing reads a key of the section facade; they go into the packs of mode facade but for state.
func (f *File) readServing(key string, value *canon.Node, at string) error {
	if key == "state" {
		return f.readState(value, at)
	}
	if key != "onDrift" {
		return f.problem(at, "unknown key %q in facade; known are onDrift and state", key)
	}
	if err := canon.Decode(value.Raw, &f.Serving.OnDrift); err != nil {
		return f.problem(at, "facade.onDrift must say what comes of safe, risky, breaking and security changes: %s", diag.Printable(err.Error()))
	}
	if err := f.Serving.Check(); err != nil {
		return f.problem(at, "facade.%s", err)
	}
	return nil
}
