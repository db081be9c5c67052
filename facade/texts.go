package facade

import (
	"fmt"
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

// judge says what is not safe about the text of a tool whose contract is the approved one; "" when all of what is other is.
// What the diff cannot find anything to say about is not safe: nobody knows what changed then.
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

func unsafeChange(approved, live surface.Item) string {
	findings, err := diff.JudgeTool(approved.JSON, live.JSON)
	switch {
	case err != nil:
		return "what changed cannot be told: " + cut(err.Error(), maxShown)
	case len(findings) == 0:
		return "what changed cannot be told"
	}
	for _, f := range findings {
		if f.Class != diag.Safe || f.Security {
			return fmt.Sprintf("%s (%s)", cut(diag.Printable(f.Message), 3*maxShown), f.Rule)
		}
	}
	return ""
}
