package wire

import (
	"context"
	"errors"
	"fmt"
)

// DefaultMaxFrame bounds one message, in bytes, where an option leaves the bound at zero.
const DefaultMaxFrame = 64 << 20

// ErrClosed is returned by a Link and a Client after they were closed on this side.
var ErrClosed = errors.New("link is closed")

// Link carries whole messages to and from one peer.
//
// An error from Recv ends the link, with one exception: a *ReplyLostError concerns a single request, and reading goes on. Such
// is the lot of a request whose reply is beyond the limit, nests deeper than MaxDepth, or is no JSON and yet beyond doubt its reply.
type Link interface {
	// Send hands one message to the peer; frame holds no newline of its own and is not kept. It is safe for concurrent
	// use. It may wait for the peer to take the message (over HTTP, for the response to begin), at most as long as ctx.
	Send(ctx context.Context, frame []byte) error
	// Recv returns the next message, owned by the caller. Only one goroutine may read. The error is io.EOF, by
	// errors.Is, when the peer is gone, and ErrClosed after Close.
	Recv(ctx context.Context) ([]byte, error)
	// Close ends the link in bounded time and unblocks Recv. It may be called more than once.
	Close() error
}

// ReplyLostError says that the link knows no reply will come to one request, while the link itself lives on.
type ReplyLostError struct {
	ID    []byte // the request's id as it was sent; nil when the link cannot tell which request it is
	Err   error  // why
	Frame []byte // what the peer sent in place of the reply, at most its first 4 KiB; nil when it sent nothing
}

func (e *ReplyLostError) Error() string {
	if e.ID == nil {
		return fmt.Sprintf("no reply to one of the requests: %v", e.Err)
	}
	return fmt.Sprintf("no reply to request %s: %v", printable(string(e.ID), 100), e.Err)
}

func (e *ReplyLostError) Unwrap() error { return e.Err }

// EnvelopeLink is a Link that has scanned a message by the time it hands it over, which spares its reader the second
// pass. All links of this package are.
type EnvelopeLink interface {
	Link
	// RecvEnvelope is Recv for readers of envelopes; they replace each other. An envelope without any member is a frame
	// that Scan refuses, or no message at all: Raw holds it, and ReadFrame tells what it is.
	RecvEnvelope(ctx context.Context) (Envelope, error)
}

func frameLimit(max int) int {
	if max <= 0 {
		return DefaultMaxFrame
	}
	return max
}

var (
	_ EnvelopeLink = (*Process)(nil)
	_ EnvelopeLink = (*HTTP)(nil)
	_ EnvelopeLink = (*SSE)(nil)
	_ EnvelopeLink = (*Auto)(nil)
	_ EnvelopeLink = (*pipeEnd)(nil)
)
