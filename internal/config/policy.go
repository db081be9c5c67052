package config

import (
	"errors"
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

// readPolicy reads a key of the section policy, which goes into the packs of mode facade and holds where they are served. What the expressions say is looked at
// once they are held against the operations of a pack.
func (f *File) readPolicy(key string, value *canon.Node, at string) error {
	p := f.Serving.Policy
	if key == "default" {
		p.Default = pack.PolicyAction(value.Text())
		if p.Default != pack.PolicyAllow && p.Default != pack.PolicyDeny {
			return f.problem(at, "policy.default must be allow or deny")
		}
		return nil
	}
	if key != "rules" {
		return f.problem(at, "unknown key %q in policy; known are default and rules", key)
	}
	if !value.IsArray() {
		return f.problem(at, "policy.rules must be a list of rules: {id, when, then, on, reason}")
	}
	var problems []error
	for i, item := range value.Items {
		var r pack.PolicyRule
		place := canon.AppendPointer([]byte(at), strconv.Itoa(i))
		if err := canon.Decode(item.Raw, &r); err != nil {
			problems = append(problems, f.problem(string(place), "a rule of policy must be {id, when, then} with on and reason as needed: %s", diag.Printable(err.Error())))
			continue
		}
		p.Rules = append(p.Rules, r)
	}
	if problems != nil {
		return errors.Join(problems...)
	}
	for _, problem := range (pack.Policy{Rules: p.Rules}).Problems() {
		problems = append(problems, f.problem("/policy"+problem.Pointer, "policy: %s", problem.Text))
	}
	return errors.Join(problems...)
}

// PolicyPlace says where something of the section policy stands, as file:line; pointer is one of the section's.
func (f *File) PolicyPlace(pointer string) string { return f.place("/policy" + pointer) }

// SeveralServers reports a file about more than one server, some of whose rules need not be about each.
func (f *File) SeveralServers() bool { return len(f.entries) > 1 }
