package policy

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"anvil/learn/profile"
)

// learnedValues are the variables learned.* of a tool; one that is not known is absent. p may be nil.
func learnedValues(p *profile.Profile) map[string]ref.Val {
	values := map[string]ref.Val{
		"learned.calls": types.Int(0), "learned.failures": types.Int(0), "learned.timed": types.Int(0),
		"learned.failureRateLow": types.Double(0), "learned.failureRateHigh": types.Double(1),
	}
	if p == nil {
		return values
	}
	if c := p.Calls; c != nil && c.Invocations > 0 {
		values["learned.calls"], values["learned.failures"] = types.Int(c.Invocations), types.Int(c.Failures)
		values["learned.failureRateLow"], values["learned.failureRateHigh"] = types.Double(c.Low), types.Double(c.High)
	}
	if l := p.Latency; l != nil && l.N > 0 {
		values["learned.timed"] = types.Int(l.N)
		values["learned.p50Ms"], values["learned.p95Ms"], values["learned.p99Ms"] = types.Double(l.P50), types.Double(l.P95), types.Double(l.P99)
	}
	return values
}
