package facade

import (
	"crypto/rand"
	"sync"

	"anvil/compiler/canon"
	"anvil/wire"
)

// questions are the requests of the facade's own that a client has to answer. Their ids are random texts, so that no request of the upstream's, which pass with the
// ids they have, can be told for one of them.
type questions struct {
	mu     sync.Mutex
	open   map[string]func(answer wire.Envelope, ok bool)
	closed bool
}

// askClient sends the client a request. begun gets its id, which withdraws it, before it is sent; then gets the answer, or false when the session ended before,
// and must not block.
func (s *session) askClient(method string, params []byte, begun func(id string), then func(answer wire.Envelope, ok bool)) {
	id := "anvil-" + rand.Text()
	frame := append([]byte(`{"jsonrpc":"2.0","id":`), canon.Quote(id)...)
	frame = append(append(frame, `,"method":`...), canon.Quote(method)...)
	frame = append(append(append(frame, `,"params":`...), params...), '}')
	begun(id)
	q := &s.questions
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		then(wire.Envelope{}, false)
		return
	}
	if q.open == nil {
		q.open = map[string]func(wire.Envelope, bool){}
	}
	q.open[id] = then
	q.mu.Unlock()
	e, err := wire.Scan(frame)
	if err == nil {
		err = s.front.push(nil, e)
	}
	if err != nil {
		s.end(err)
	}
}

// answered takes the answer to a question of the facade's own; it reports false for an answer to a request of the upstream's.
func (q *questions) answered(e wire.Envelope) bool {
	id, ok := wire.Unquote(e.Bytes(e.ID))
	if !ok {
		return false
	}
	then := q.take(id)
	if then != nil {
		then(e, true)
	}
	return then != nil
}

func (q *questions) take(id string) func(wire.Envelope, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	then := q.open[id]
	delete(q.open, id)
	return then
}

// mostLate is how many questions that were withdrawn a session remembers, for answers that come all the same.
const mostLate = 1024

// withdraw takes a question back: the client is told that no answer is wanted any more, and one that comes all the same is dropped.
func (s *session) withdraw(id string) {
	q := &s.questions
	q.mu.Lock()
	_, open := q.open[id]
	if delete(q.open, id); open && len(q.open) < mostLate {
		q.open[id] = func(wire.Envelope, bool) {}
	}
	q.mu.Unlock()
	if !open {
		return
	}
	frame := append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), canon.Quote(id)...)
	if e, err := wire.Scan(append(frame, "}}"...)); err == nil {
		_ = s.front.push(nil, e) // a client that cannot be told is gone
	}
}

// close answers every question with false.
func (q *questions) close() {
	q.mu.Lock()
	open := q.open
	q.open, q.closed = nil, true
	q.mu.Unlock()
	for _, then := range open {
		then(wire.Envelope{}, false)
	}
}
