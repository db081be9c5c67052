package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
)

// pipeDepth is how many messages wait in one direction of a Pipe before Send blocks.
const pipeDepth = 16

// Pipe returns the two ends of an in-memory link. What one end sends the other receives, in order. After one end is
// closed the other still receives what was sent, then io.EOF.
func Pipe() (a, b Link) {
	ab, ba := make(chan []byte, pipeDepth), make(chan []byte, pipeDepth)
	aClosed, bClosed := make(chan struct{}), make(chan struct{})
	return &pipeEnd{in: ba, out: ab, closed: aClosed, peerClosed: bClosed},
		&pipeEnd{in: ab, out: ba, closed: bClosed, peerClosed: aClosed}
}

type pipeEnd struct {
	in                 <-chan []byte
	out                chan<- []byte
	closed, peerClosed chan struct{}
	once               sync.Once
}

func (p *pipeEnd) Send(ctx context.Context, frame []byte) error {
	if isClosed(p.closed) {
		return ErrClosed
	}
	if isClosed(p.peerClosed) {
		return fmt.Errorf("send: the peer is gone: %w", io.EOF)
	}
	select {
	case p.out <- bytes.Clone(frame):
		return nil
	case <-p.closed:
		return ErrClosed
	case <-p.peerClosed:
		return fmt.Errorf("send: the peer is gone: %w", io.EOF)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipeEnd) Recv(ctx context.Context) ([]byte, error) {
	if isClosed(p.closed) {
		return nil, ErrClosed
	}
	select {
	case frame := <-p.in:
		return frame, nil
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.peerClosed:
		select {
		case frame := <-p.in:
			return frame, nil
		default:
			return nil, io.EOF
		}
	}
}

func (p *pipeEnd) RecvEnvelope(ctx context.Context) (Envelope, error) {
	frame, err := p.Recv(ctx)
	if err != nil {
		return Envelope{}, err
	}
	e, err := Scan(frame)
	if err != nil {
		return Envelope{Raw: frame}, nil
	}
	return e, nil
}

func (p *pipeEnd) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
