package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// checkHints reports hints of one tool that cannot both be true. What a hint says against the tool's name, description or schema is the
// bridge's to tell, which weighs them; its rule effect-hints-contradict also says, in the document and beside the effect that it settled on, which of
// two such hints it believed. This rule judges the surface alone, of which no document may ever be made.
func checkHints(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, it := range v.named() {
		hints := it.Node.Get("annotations")
		if readOnly, _ := hints.Get("readOnlyHint").Bool(); !readOnly {
			continue
		}
		destructive := hints.Get("destructiveHint")
		if is, _ := destructive.Bool(); !is {
			continue // idempotentHint means nothing beside readOnlyHint, whatever it says
		}
		f := about(hintContradictory, it, "/annotations/destructiveHint",
			fmt.Sprintf("readOnlyHint and destructiveHint of %s are both true: a tool that changes nothing destroys nothing", shownName(it)), hints)
		f.Hint = "treat it as destructive, and have the server's owner say which is meant"
		findings = append(findings, f.Sealed())
	}
	return findings
}

// checkHintsMissing reports once how many tools say nothing of what they do. Which of them sound dangerous is the bridge's to tell.
func checkHintsMissing(v *survey) []diag.Finding {
	var silent []string
	tools := 0
	for _, it := range v.named() {
		tools++
		if len(hintsOf(it)) == 0 {
			silent = append(silent, it.Name)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	f := hintMissing.Finding("server", fmt.Sprintf("%d of %d tools have no hint of what they do: %s", len(silent), tools, firstNames(silent, namedTools)))
	f.Pointer, f.After = "/tools", canon.Raw(fmt.Sprint(len(silent)))
	return []diag.Finding{f.Sealed(fmt.Sprint(len(silent)), fmt.Sprint(tools))}
}

// hintsOf are the members of a tool's annotations that are hints, whatever their type.
func hintsOf(it surface.Item) []string {
	var hints []string
	if annotations := it.Node.Get("annotations"); annotations.IsObject() {
		for _, m := range annotations.Members {
			if strings.HasSuffix(m.Name, "Hint") {
				hints = append(hints, m.Name)
			}
		}
	}
	return hints
}

// namedTools is how many tools a finding about many of them names.
const namedTools = 3
