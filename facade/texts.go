package facade

import (
	"fmt"
	"slices"
	"sync"

	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
)

// texts remembers how other texts of approved tools were judged, one for each tool: every session walks the list, and a
// server that changed a text shows all of them the same. The zero value is ready for use.
type texts struct {
	mu     sync.Mutex
	judged map[string]judged // by tool
}

// judged is the verdict on one list item.
type judged struct{ digest, unsafe string }

// judge says what is not safe about the text of a tool whose contract is the approved one; "" when blanks and letter case alone are other.
func (t *texts) judge(approved, live surface.Item) (unsafe string) {
	t.mu.Lock()
	known, ok := t.judged[live.Name]
	t.mu.Unlock()
	if ok && known.digest == live.Digest {
		return known.unsafe
	}
	unsafe = unsafeChange(approved, live)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.judged == nil {
		t.judged = map[string]judged{}
	}
	t.judged[live.Name] = judged{live.Digest, unsafe}
	return unsafe
}

// unsafeChange is what the diff says of the change, so that a person knows; whether it is safe the diff does not decide. Words that were approved are those that were
// read: what says the same in other words, and a rule that takes a title or an example for harmless, may still steer a model.
func unsafeChange(approved, live surface.Item) string {
	if surface.SameWords(approved, live) {
		return ""
	}
	findings, err := diff.JudgeTool(approved.JSON, live.JSON)
	switch {
	case err != nil:
		return "what changed cannot be told: " + cut(err.Error(), maxShown)
	case len(findings) == 0:
		return "what changed cannot be told"
	}
	told := findings[0]
	if i := slices.IndexFunc(findings, func(f diag.Finding) bool { return f.Class != diag.Safe || f.Security }); i >= 0 {
		told = findings[i]
	}
	return fmt.Sprintf("%s (%s)", cut(diag.Printable(told.Message), 3*maxShown), told.Rule)
}
