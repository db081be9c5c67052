package gate

import (
	"fmt"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// flaws says per kind of flaw how bad it is and what it means.
var flaws = map[canon.FlawKind]struct {
	class diag.Class
	words string
}{
	canon.DuplicateName:  {diag.Error, "a member is given twice, and readers differ in which one counts"},
	canon.LoneSurrogate:  {diag.Warning, "a text holds half a surrogate pair, which many readers replace or refuse"},
	canon.InvalidUTF8:    {diag.Warning, "a text is not UTF-8, and readers replace or refuse it"},
	canon.NumberTooLarge: {diag.Warning, "a number is beyond all sensible bounds, and readers round or refuse it"},
}

// checkInexactJSON reports text that is JSON but that two readers may read as two different things.
func checkInexactJSON(s *survey) []diag.Finding {
	var findings []diag.Finding
	report := func(f diag.Finding, flaw canon.Flaw) {
		kind := flaws[flaw.Kind]
		f.Class, f.Pointer, f.Message = kind.class, f.Pointer+flaw.Pointer, fmt.Sprintf("%s: %s", flaw.Kind, kind.words)
		f.Hint = "the server has to send JSON that every reader reads alike; report it to its maintainers"
		findings = append(findings, f.Sealed(string(flaw.Kind)))
	}
	for _, kind := range surface.Kinds {
		for _, it := range s.Items[kind] {
			for _, flaw := range it.Node.Flaws() {
				report(about(inexactJSON, it, "", "", nil), flaw)
			}
		}
	}
	for name, n := range map[string]*canon.Node{"serverInfo": s.Server, "capabilities": s.Capabilities, "instructions": s.Instructions} {
		for _, flaw := range n.Flaws() {
			f := inexactJSON.Finding("server", "")
			f.Pointer = canon.Pointer(name)
			report(f, flaw)
		}
	}
	return findings
}
