package cli

import (
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
			outcomes[i] = ask(i, s)
		})
	}
	wg.Wait()
	return outcomes
}
