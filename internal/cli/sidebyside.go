package cli

import (
	"anvil/internal/config"
)

// sideBySide asks the servers at the same time, at most so many as there are jobs; outcomes come in the order of the servers.
func (sh *shell) sideBySide(servers []config.Server, jobs int, ask func(i int, s config.Server) outcome) []outcome {
	shown := sh.progress(len(servers))
	defer shown.end()
	sh.asking = true
	outcomes := make([]outcome, len(servers))
	slots := make(chan struct{}, jobs)
	done := make(chan struct{})
	for i, s := range servers {
		go func() {
			slots <- struct{}{}
			finished := shown.start(s.Name)
			outcomes[i] = ask(i, s)
			finished()
			<-slots
			done <- struct{}{}
		}()
	}
	for range servers {
		<-done
	}
	return outcomes
}
