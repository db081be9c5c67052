package cli

import (
	"bytes"
	"sync"

	"anvil/facade"
	"anvil/wire"
)

// refusals are what a facade in this process refused by itself. An error that is not among them is the server's, whatever it says it is. It is safe for
// concurrent use.
type refusals struct {
	mu   sync.Mutex
	made []facade.Refusal
}

func (r *refusals) add(made facade.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, made)
}

// find returns the refusal that an error reply is.
func (r *refusals) find(rpc *wire.RPCError) (facade.Refusal, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, made := range r.made {
		if bytes.Equal(made.Error, rpc.Raw) {
			return made, true
		}
	}
	return facade.Refusal{}, false
}
