package certify

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// How a change is covered.
const (
	coveredByApproval = "approval"
	coveredUnexposed  = "unexposed"
	coveredNot        = "none"
)

// base reads what changed since the base, and which approvals cover it. A change of an exposed operation that nobody approved as it is now
// fails; what is about no operation is listed, and nothing in a pack approves it.
func (r *run) base() (Check, error) {
	if r.Pack.Manifest.Base == "" {
		return Check{checkBase, NotApplicable, "the pack was compared with no earlier surface"}, nil
	}
	report, err := r.changes()
	if err != nil {
		return Check{checkBase, Fail, err.Error()}, nil
	}
	r.cert.Base = &BaseDiff{r.Pack.Manifest.Base, report.Summary.Worst, report.Summary.Counts, report.Summary.Security, []Change{}}
	byTool := map[string]air.Operation{}
	for _, o := range r.now.Operations {
		byTool[o.MCP.ToolName] = o
	}
	counts := map[string]int{}
	for _, f := range report.Findings {
		c := Change{f.Fingerprint, f.Rule, f.Class, f.Security, f.Subject, coveredNot, nil}
		switch o, known := byTool[f.Tool]; {
		case f.Tool == "":
		case !known || o.State != air.StateApproved:
			c.Covered = coveredUnexposed
		default: // an approval in force is of the contract and the text that the pack holds
			c.Covered, c.Approval = coveredByApproval, approvalOf(o)
		}
		counts[c.Covered]++
		r.cert.Base.Findings = append(r.cert.Base.Findings, c)
	}
	worst := "nothing changed"
	if report.Summary.Worst != "" {
		worst = fmt.Sprintf("the highest class is %s, %d concern security", report.Summary.Worst, report.Summary.Security)
	}
	return result(checkBase, nil, fmt.Sprintf("%s; of %d findings %d are covered by approvals, %d are about tools that are not exposed, %d about no tool",
		worst, len(report.Findings), counts[coveredByApproval], counts[coveredUnexposed], counts[coveredNot])), nil
}

// changes reads the comparison that the pack holds: the artifact of its kind that is a report.
func (r *run) changes() (diag.Report, error) {
	for _, a := range r.Pack.Manifest.Artifacts {
		if a.Kind != kindDiff || !isJSON(a.Path) {
			continue
		}
		var report diag.Report
		if err := canon.Decode(r.Pack.Files[a.Path], &report); err != nil {
			return report, fmt.Errorf("%s is no report: %w", a.Path, err)
		}
		return report, nil
	}
	return diag.Report{}, fmt.Errorf("the pack was compared with %s, and does not hold what came out", r.Pack.Manifest.Base)
}
