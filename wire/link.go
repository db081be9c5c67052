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
// An error from Recv ends the link, with one exception: a *ReplyLostError concerns a single request, and reading goes on.
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

// FrameTooLargeError says that the peer sent a message beyond the limit, in bytes.
type FrameTooLargeError struct{ Limit int }

func (e *FrameTooLargeError) Error() string {
	return fmt.Sprintf("message is larger than the limit of %d bytes", e.Limit)
}

// ReplyLostError says that the link knows no reply will come to one request, while the link itself lives on.
type ReplyLostError struct {
	ID  []byte // the request's id as it was sent
	Err error  // why
}

func (e *ReplyLostError) Error() string {
	return fmt.Sprintf("no reply to request %s: %v", e.ID, e.Err)
}

func (e *ReplyLostError) Unwrap() error { return e.Err }

// scannedLink is implemented by links that have scanned a message by the time they hand it over; it spares their
// readers the second pass.
type scannedLink interface {
	recvEnvelope(ctx context.Context) (Envelope, error)
}

func frameLimit(max int) int {
	if max <= 0 {
		return DefaultMaxFrame
	}
	return max
}
