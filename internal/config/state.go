package config

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// readState reads facade.state. It is a place on a machine, so it goes into no pack.
func (f *File) readState(value *canon.Node, at string) error {
	text, ok := value.Str()
	if !ok || !diag.Legible(text) {
		return f.problem(at, "facade.state must say where facades keep their state: a folder or postgres://...")
	}
	f.state = text
	return nil
}
