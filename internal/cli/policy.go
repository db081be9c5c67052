package cli

import (
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/facade/policy"
	"anvil/internal/config"
	"anvil/learn/profile"
)

// ruleError is what is wrong with rules.
type ruleError struct{ err error }

func (e *ruleError) Error() string { return e.err.Error() }
func (e *ruleError) Unwrap() error { return e.err }

// rulesOf are the policies that hold for a pack where it is served: its own and that of the configuration. One that both have in the same words counts once.
func (sh *shell) rulesOf(c *cli.Context, p *pack.Pack, service string, operations []policy.Operation) ([]policy.Source, error) {
	var sources []policy.Source
	var own *pack.Policy
	if settings, err := p.Settings(); err == nil && !settings.Policy.IsEmpty() { // a pack of another mode has none
		own = settings.Policy
		sources = append(sources, policy.Source{Name: pack.FacadeFile, Policy: *own, Place: p.PolicyPlace, Sealed: true})
	}
	file, err := sh.loadConfig(c)
	if err != nil || file == nil || file.Serving.Policy.IsEmpty() {
		return sources, err
	}
	from := configuredRules(file)
	if own != nil {
		if ours, err := policy.Ours(service, operations, from); err == nil && own.Equal(&ours) {
			return sources, nil
		}
	}
	return append(sources, from), nil
}

func configuredRules(file *config.File) policy.Source {
	return policy.Source{Name: file.Path, Policy: *file.Serving.Policy, Place: file.PolicyPlace, Several: file.SeveralServers()}
}

// policyOf is what the rules that hold for a pack decide; nil where there is none.
func (sh *shell) policyOf(c *cli.Context, p *pack.Pack, d air.Document, log func(string)) (*policy.Set, error) {
	learned, err := p.Learned()
	if err != nil {
		return nil, err
	}
	operations := ruled(d, learned)
	sources, err := sh.rulesOf(c, p, d.Service.ID, operations)
	if err != nil || len(sources) == 0 {
		return nil, err
	}
	set, notes, err := policy.Compile(d.Service.ID, operations, sources...)
	if err != nil {
		return nil, usage(&ruleError{err})
	}
	for _, note := range notes {
		log(note)
	}
	return set, nil
}

// policyDigest is the digest of the rules that hold for a pack, as the audit log has it; "" where there are none.
func (sh *shell) policyDigest(c *cli.Context, p *pack.Pack, d air.Document) (string, error) {
	learned, err := p.Learned()
	if err != nil {
		return "", err
	}
	sources, err := sh.rulesOf(c, p, d.Service.ID, ruled(d, learned))
	if err != nil {
		return "", err
	}
	return policy.Digest(sources...)
}

// ruled are a document's operations as rules are held against them.
func ruled(d air.Document, learned profile.Document) []policy.Operation {
	of := learned.Of(d.Service.ID)
	operations := make([]policy.Operation, 0, len(d.Operations))
	for _, o := range d.Operations {
		operation := policy.Operation{Operation: o}
		if known, ok := of[profile.Key{Name: o.MCP.ToolName, Contract: o.ContractDigest}]; ok {
			operation.Learned = &known
		}
		operations = append(operations, operation)
	}
	return operations
}

// policyFor is the policy that goes into a pack: that of the configuration without the rules about other servers, or that which the pack has. It has to compile.
func (sh *shell) policyFor(c *cli.Context, earlier *pack.Pack, in emit.Inputs, d air.Document) (*pack.Policy, error) {
	if in.Mode != pack.Facade || in.Serving.Policy.IsEmpty() {
		return in.Serving.Policy, nil
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return nil, err
	}
	from := policy.Source{Name: pack.FacadeFile, Policy: *in.Serving.Policy}
	switch {
	case file != nil && file.Serving.Policy == in.Serving.Policy:
		from = configuredRules(file)
	case earlier != nil:
		from.Place, from.Sealed = earlier.PolicyPlace, true
	}
	operations := ruled(d, in.Learned)
	_, notes, err := policy.Compile(d.Service.ID, operations, from)
	if err != nil {
		return nil, usagef("the policy does not fit the operations of the server, so nothing was written:\n%w", err)
	}
	for _, note := range notes {
		fmt.Fprintln(sh.err, diag.Printable(note))
	}
	ours, err := policy.Ours(d.Service.ID, operations, from)
	return &ours, err
}
