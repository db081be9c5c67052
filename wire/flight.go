package wire

import (
	"context"
	"fmt"
	"strconv"
)

// flight is a call under way, awaited beside others on one channel: what comes out of it first was answered first.
type flight struct {
	id     uint64
	cancel context.CancelFunc
}

// launch sends a request and does not wait for anything. replies gets the outcome and must have room for it.
func (c *Client) launch(ctx context.Context, method string, params []byte, replies chan outcome) (*flight, error) {
	id, err := c.registerAt(replies)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		if err := c.send(ctx, id, method, params); err != nil {
			c.settle(id, outcome{err: err})
		}
	}()
	return &flight{id, cancel}, nil
}

// drop stops waiting for a call, in silence: a peer that is just being met may not bear to be told.
func (c *Client) drop(f *flight) {
	f.cancel()
	c.forget(f.id)
	if link, ok := c.link.(interface{ abandon(id []byte) }); ok {
		link.abandon(strconv.AppendUint(nil, f.id, 10))
	}
}
