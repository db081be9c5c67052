package gate

import (
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// DefaultToolBudget is how many tools a surface may list before the gate warns: several clients show about 40 tools only.
const DefaultToolBudget = 40

// Options set the gate's limits.
type Options struct {
	MaxTools int // more tools than this are refused; 0 warns above DefaultToolBudget and refuses nothing
}

// Verdict is what the gate found, sorted.
type Verdict struct{ Findings []diag.Finding }

// Check runs every rule on the snapshot. observed are the findings of whoever captured it; they count like the gate's own.
func Check(s *surface.McpSurfaceSnapshot, o Options, observed ...diag.Finding) Verdict {
	findings := append([]diag.Finding{}, observed...)
	for _, check := range checks {
		findings = append(findings, check(s, o)...)
	}
	diag.Sort(findings)
	return Verdict{findings}
}

// Refused reports whether the surface must not be adopted: any finding of class error.
func (v Verdict) Refused() bool {
	for _, f := range v.Findings {
		if f.Class == diag.Error {
			return true
		}
	}
	return false
}

// checks are the functions behind the catalogue.
var checks = []func(*surface.McpSurfaceSnapshot, Options) []diag.Finding{
	checkNoTools, checkMalformedItem, checkDuplicateName, checkCanonicalCollision, checkRootNotObject, checkToolBudget, checkInexactJSON,
	checkWrongTypes,
}
