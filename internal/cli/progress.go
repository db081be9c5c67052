package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"anvil/compiler/diag"
)

// progress shows on a terminal how far anvil is with many servers, once that takes longer than a person waits without a word. Without a
// terminal it shows nothing. It is safe for concurrent use.
type progress struct {
	w     io.Writer // nil shows nothing
	total int
	begin *time.Timer

	mu    sync.Mutex
	done  int
	open  []string // under way, the longest first
	bar   *progressbar.ProgressBar
	ended bool
}

func (sh *shell) progress(total int) *progress {
	p := &progress{total: total}
	if isTerminal(sh.err) {
		p.w = sh.err
		p.begin = time.AfterFunc(patience, p.show)
	}
	return p
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(20), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish())
	p.draw()
}

// start notes that a server is being asked, and returns what to call when it is not any more.
func (p *progress) start(name string) (finished func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, name)
	p.draw()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done++
		if i := slices.Index(p.open, name); i >= 0 {
			p.open = slices.Delete(p.open, i, i+1)
		}
		p.draw()
	}
}

// shownNames are how many servers the line names.
const shownNames = 3

func (p *progress) draw() {
	if p.bar == nil || p.ended {
		return
	}
	names := diag.Printable(strings.Join(p.open[:min(shownNames, len(p.open))], ", "))
	if more := len(p.open) - shownNames; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	p.bar.Describe("waiting for " + diag.Shorten(names, 60))
	_ = p.bar.Set(p.done)
}

// end takes the line away; nothing is shown from then on.
func (p *progress) end() {
	if p.begin != nil {
		p.begin.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
