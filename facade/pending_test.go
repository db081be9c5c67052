package facade

import (
	"errors"
	"fmt"
	"testing"
)

// What a client has under way, and what it gave up, is bounded in bytes as well as in number.
func TestPendingRequestsAreBoundedInBytes(t *testing.T) {
	p := &pendingCalls{limit: 1024}
	const large = 16 << 20
	var taken []uint64
	for i := range 1024 {
		id, err := p.add(pendingCall{id: fmt.Append(nil, i), size: large})
		if errors.Is(err, errTooMany) {
			break
		}
		taken = append(taken, id)
	}
	if len(taken) != openBytes/large {
		t.Errorf("%d requests are held", len(taken))
	}
	if _, ok := p.settle(taken[0]); !ok {
		t.Error("the first does not wait")
	}
	if _, err := p.add(pendingCall{id: []byte("1024"), size: large}); err != nil {
		t.Error(err)
	}
	for i := range 1025 {
		p.cancel(fmt.Append(nil, i))
	}
	if len(p.open) != 1 || p.bytes != 0 || p.late != large {
		t.Errorf("%d requests are remembered, of %d and %d bytes", len(p.open), p.bytes, p.late)
	}
	for id := range p.open {
		p.settle(id)
	}
	if p.late != 0 || len(p.cancelled) != 0 {
		t.Errorf("%d bytes of %d requests are left", p.late, len(p.cancelled))
	}
	if _, err := p.add(pendingCall{id: []byte("1"), size: 2 * openBytes}); err != nil {
		t.Errorf("one alone: %v", err)
	}
}
