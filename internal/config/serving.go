package config

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

// readServing reads a key of the section facade; they go into the packs of mode facade but for state and who may call.
func (f *File) readServing(key string, value *canon.Node, at string) error {
	if !isFacadeKey(key) {
		return f.problem(at, "unknown key %q in facade; known are %s", key, facadeKeyNames())
	}
	if known, err := f.readFront(key, value, at); known {
		return err
	}
	switch key {
	case "state":
		return f.readState(value, at)
	case "onDrift":
		if err := canon.Decode(value.Raw, &f.Serving.OnDrift); err != nil {
			return f.problem(at, "facade.onDrift must say what comes of safe, risky, breaking and security changes: %s", diag.Printable(err.Error()))
		}
	case "timeout":
		if f.Serving.Timeout = value.Text(); f.Serving.Timeout == "" {
			return f.problem(at, "facade.timeout must be a time such as 30s or 2m")
		}
	case "audit":
		if err := canon.Decode(value.Raw, &f.Serving.Audit); err != nil || !value.IsObject() {
			return f.problem(at, "facade.audit must say where the log is kept, file, and may say required and payloads, true or false: %s", auditProblem(err))
		}
	case "metadata":
		return f.readSwitch(&f.Serving.Metadata, key, value, at)
	case "reports":
		return f.readSwitch(&f.Serving.Reports, key, value, at)
	}
	if err := f.Serving.Check(); err != nil {
		return f.problem(at, "facade.%s", err)
	}
	return nil
}

func (f *File) readSwitch(into *pack.Switch, key string, value *canon.Node, at string) error {
	if err := into.UnmarshalJSON(value.Raw); err != nil {
		return f.problem(at, "facade.%s must be true or false", key)
	}
	return nil
}

func auditProblem(err error) string {
	if err == nil {
		return "it is no map"
	}
	return diag.Printable(err.Error())
}
