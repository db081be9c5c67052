package cli

import (
	"fmt"
	"sync"

	"anvil/internal/config"
)

// sideBySide asks the servers at the same time, at most so many as there are jobs; outcomes come in the order of the servers.
func (sh *shell) sideBySide(servers []config.Server, jobs int, ask func(i int, s config.Server) outcome) []outcome {
	shown := sh.progress(len(servers))
	defer shown.end()
	sh.progressShown = true
	defer func() { sh.progressShown = false }()
	outcomes := make([]outcome, len(servers))
	slots := make(chan struct{}, jobs)
	var wg sync.WaitGroup
	for i, s := range servers {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			finished := shown.start(s.Name)
			defer finished()
			outcomes[i] = sh.guarded(i, s, ask)
		})
	}
	wg.Wait()
	return outcomes
}

// guarded asks one server. A fault of anvil that its answers bring to light is that server's failure, and hides no other.
func (sh *shell) guarded(i int, s config.Server, ask func(i int, s config.Server) outcome) (out outcome) {
	defer func() {
		if fault := recover(); fault != nil {
			out = sh.failed(s.Name, fmt.Errorf("this is a fault of anvil (%v): please report it with the server's snapshot", fault))
		}
	}()
	return ask(i, s)
}
