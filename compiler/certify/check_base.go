package certify

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/pack"
)

// How a change is covered.
const (
	coveredByApproval = "approval"
	coveredUnexposed  = "unexposed"
	coveredNot        = "none"
)

// base reads what changed since the base, and which approvals cover it. It fails where that cannot be read: a change of an exposed operation is covered,
// since an approval in force is of the operation as it is, and what is about no operation is listed, and approved by nothing in a pack.
func (r *run) base() Check {
	if r.Pack.Manifest.Base == "" {
		return Check{checkBase, NotApplicable, "the pack was compared with no earlier surface"}
	}
	report, err := pack.Changes(r.Pack.Files)
	if err != nil {
		return Check{checkBase, Fail, fmt.Sprintf("what came out of the comparison with %s cannot be read: %v", r.Pack.Manifest.Base, err)}
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
		default:
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
		worst, len(report.Findings), counts[coveredByApproval], counts[coveredUnexposed], counts[coveredNot]))
}
