package facade

import (
	"fmt"
	"sync"
)

// maxNotes is how many different lines are noted.
const maxNotes = 100

// notes log each line once, and so many at most: what a peer keeps doing must not fill the operator's log. It is safe for
// concurrent use once log is set.
type notes struct {
	log func(format string, args ...any)

	mu    sync.Mutex
	lines map[string]bool
}

func (n *notes) logf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.lines[line] || len(n.lines) > maxNotes:
		return
	case len(n.lines) == maxNotes:
		line = "more messages were refused or dropped; that is no longer logged"
	case n.lines == nil:
		n.lines = map[string]bool{}
	}
	n.lines[line] = true
	n.log("%s", line)
}
