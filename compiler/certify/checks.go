package certify

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

// The static checks. Verification asks for each of them.
const (
	checkFiles            = "files-verify"
	checkRebuild          = "rebuilds-from-itself"
	checkSurfaceSignature = "surface-signature-agrees"
	checkExposure         = "nothing-unapproved-exposed"
	checkApprovals        = "approvals-in-force"
	checkGate             = "gate"
	checkBase             = "base-diff"
	checkStability        = "capture-stability"
)

// CheckIDs lists the static checks, in their order.
var CheckIDs = []string{checkFiles, checkRebuild, checkSurfaceSignature, checkExposure, checkApprovals, checkGate, checkBase, checkStability}

// result makes a check that fails when something is wrong.
func result(id string, problems []string, fine string) Check {
	if len(problems) > 0 {
		return Check{id, Fail, listed(problems)}
	}
	return Check{id, Pass, fine}
}

// mostListed bounds what a detail lists.
const mostListed = 5

func listed(texts []string) string {
	shown := strings.Join(texts[:min(len(texts), mostListed)], "; ")
	if more := len(texts) - mostListed; more > 0 {
		shown += fmt.Sprintf("; and %d more", more)
	}
	return shown
}

// checkFiles digests every sealed file again. Whoever opened the pack did so too; the files may be others by now.
func (r *run) checkFiles() Check {
	var problems []string
	for _, a := range r.Pack.Manifest.Artifacts {
		data, there := r.Pack.Files[a.Path]
		if !there || canon.Digest(data) != a.Digest {
			problems = append(problems, fmt.Sprintf("file %q is not the one that was sealed", a.Path))
		}
	}
	if len(r.Pack.Files) != len(r.Pack.Manifest.Artifacts) {
		problems = append(problems, "the pack holds other files than its manifest lists")
	}
	return result(checkFiles, problems, fmt.Sprintf("%d files have the digests that the manifest states", len(r.Pack.Files)))
}

// checkRebuild builds the pack again from its own inputs.
func (r *run) checkRebuild() Check {
	findings, err := emit.Recheck(r.Pack)
	if err != nil {
		return Check{checkRebuild, Fail, "the pack cannot be built again from its inputs: " + err.Error()}
	}
	return rebuilt(findings)
}

func rebuilt(findings []diag.Finding) Check {
	return result(checkRebuild, messages(findings), "built again from its snapshot and approvals, every file comes out the same")
}

func messages(findings []diag.Finding) []string {
	var texts []string
	for _, f := range findings {
		texts = append(texts, f.Message)
	}
	return texts
}

// checkApprovals asks which approvals hold at the time of issue.
func (r *run) checkApprovals() Check {
	_, found := r.document.WithApprovals(pack.Approvals(r.document), r.At)
	problems := messages(found)
	exposed := 0
	for i, o := range r.document.Operations {
		if o.State != air.StateApproved {
			continue
		}
		exposed++
		if r.now.Operations[i].State != air.StateApproved && len(found) == 0 {
			problems = append(problems, fmt.Sprintf("operation %q is approved by nobody whose approval holds", o.ID))
		}
	}
	switch { // every check would pass, of nothing
	case len(r.document.Operations) == 0:
		problems = append(problems, "the server has no tools, so there is nothing to certify; `anvil mcp check` tells when its surface changes, without a certificate")
	case exposed == 0:
		problems = append(problems, "nothing is approved, so there is nothing to certify: nobody may call anything of this pack")
	}
	fine := fmt.Sprintf("%d of %d operations are approved, and every approval holds", exposed, len(r.document.Operations))
	if first, ok := r.firstEnd(); ok {
		fine += "; the first ends on " + first
	} else if exposed > 0 {
		fine += "; none of them ends"
	}
	return result(checkApprovals, problems, fine)
}

// firstEnd is the end of the approval that ends first.
func (r *run) firstEnd() (string, bool) {
	var first air.Operation
	found := false
	for _, o := range r.now.Operations {
		at, ok := lastMoment(o)
		if before, _ := lastMoment(first); ok && (!found || at.Before(before)) {
			first, found = o, true
		}
	}
	if !found {
		return "", false
	}
	return first.Approval.Expires, true
}

// checkStability says whether the server showed the same surface several times. The snapshot does not hold that; evidence of the capture may.
func (r *run) checkStability() Check {
	switch {
	case r.Evidence == nil:
		return Check{checkStability, NotRecorded, "no evidence of the capture was given; `anvil mcp inspect TARGET --stable 3 --evidence FILE` records it"}
	case r.Evidence.Captures < 2:
		return Check{checkStability, NotRecorded, "the capture evidence is of one capture; record several with `anvil mcp inspect TARGET --stable 3 --evidence FILE`"}
	}
	differing := slices.Clone(r.Evidence.Differing)
	for i, what := range differing {
		differing[i] = what + " differed between captures"
	}
	return result(checkStability, differing, fmt.Sprintf("%d captures showed the same surface", r.Evidence.Captures))
}

// FailedCheck is the finding of a check that failed, of a pack at a path; the hint holds commands for that path, which the check itself never does.
func FailedCheck(c Check, p *pack.Pack) diag.Finding {
	f := checkFailed.Finding("check/"+c.ID, fmt.Sprintf("the check %s fails: %s", c.ID, c.Detail))
	f.Hint = p.Hint(mending[c.ID])
	return f.Sealed()
}

// mending says what to do about each check that fails.
var mending = map[string]string{
	checkFiles:            "see `anvil pack verify PACK`; restore what was changed from version control",
	checkRebuild:          "see `anvil pack verify PACK`; restore what was changed from version control, or build the pack again with `anvil mcp adopt TARGET --mode MODE --out PACK`",
	checkSurfaceSignature: "see `anvil pack verify PACK`; build the pack again with `anvil mcp adopt TARGET --mode MODE --out PACK`",
	checkExposure:         "see `anvil pack verify PACK`; build the pack again with `anvil mcp adopt TARGET --mode MODE --out PACK`",
	checkApprovals:        "look at the operations with `anvil mcp review PACK` and approve what may be called, or approve those that only read with `anvil mcp approve PACK --read-only`; then certify again",
	checkGate:             "see `anvil mcp inspect PACK`; have the server mended, or write down what you accept and why in the section gate of anvil.yaml",
	checkBase:             "see `anvil pack verify PACK`; restore diff/changes.json from version control, or build the pack again with `anvil mcp adopt TARGET --mode MODE --base BASE --out PACK`",
	checkStability:        "capture again with `anvil mcp inspect TARGET --stable 3 --evidence FILE`, and adopt what does not change from one capture to the next",
}
