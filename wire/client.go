package wire

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodPing        = "ping"
)

// Kinds of noise: what a peer does wrong that can be lived with.
const (
	NoiseMalformed       = "malformed"        // not JSON-RPC; the frame is dropped
	NoiseBatch           = "batch"            // an array of messages; taken apart
	NoiseNoVersion       = "no-version"       // "jsonrpc":"2.0" is missing; accepted
	NoiseDuplicateMember = "duplicate-member" // an envelope member occurs twice; the last counts
	NoiseAmbiguous       = "ambiguous"        // both result and error, or a method beside them
	NoiseLooseID         = "loose-id"         // the reply's id is spelled otherwise than the request's; accepted
	NoiseUnknownID       = "unknown-id"       // a reply to nothing that was sent
	NoiseDuplicateReply  = "duplicate-reply"  // a second reply to one request; dropped
	NoiseNullID          = "null-id"          // a reply without an id, mostly an error about an unreadable message
	NoiseOversized       = "too-large"        // a reply beyond the limit; skipped, only its start is reported (findings are known by this word, so it stays)
	NoiseTooDeep         = "too-deep"         // a message that nests deeper than MaxDepth; dropped
	NoiseBroken          = "broken-reply"     // the reply to a call, beyond doubt, but no JSON; the call fails
	NoiseJoined          = "joined"           // several messages, or one and some text, in one frame; taken apart
	NoiseRequestFlood    = "request-flood"    // more requests from the peer than are kept waiting; dropped
)

const (
	tombstones    = 4096            // cancelled calls remembered for their late replies
	cancelTimeout = 2 * time.Second // for telling the peer that a call is cancelled
)

// ClientOptions are the callbacks of a Client. All are optional.
type ClientOptions struct {
	// OnRequest answers a request of the peer's. It runs outside the reader, at most 64 at a time; ctx ends with the
	// client and when the peer cancels. A nil result stands for {}. Without it ping is answered with {}, and everything
	// else with "method not found".
	OnRequest func(ctx context.Context, e Envelope) (result []byte, rpcErr *RPCError)
	// OnNotification gets each notification, in arrival order, in the reader's goroutine: every reply waits for it.
	OnNotification func(e Envelope)
	// OnNoise gets what was wrong with a frame, one of the Noise kinds, in the reader's goroutine.
	OnNoise func(kind string, frame []byte)
}

// RPCError is an error reply.
type RPCError struct {
	Code    int64  // 0 when the peer's code is not an integer
	Message string // decoded
	Raw     []byte // the whole error object as it arrived; nil for errors made on this side
	// NoID says that the reply named no request. The call got it since no other waited, or all others had their replies; the
	// peer may have meant something else, and answer the call yet.
	NoID bool
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the server answered with error %d: %s", e.Code, printable(e.Message, 500))
}

// Client multiplexes calls over a Link by id. It is safe for concurrent use.
type Client struct {
	link    Link
	options ClientOptions
	ctx     context.Context // ends with the reader
	cancel  context.CancelFunc
	done    chan struct{}
	frames  sync.Pool // *[]byte
	inbound inbound

	mu      sync.Mutex
	last    uint64 // id of the last call
	pending map[uint64]chan outcome
	dead    map[uint64]struct{} // tombstones
	deadIDs []uint64            // the same, oldest first
	strays  strays
	notices int // notifications sent that no error was about yet
	closed  bool
	err     error // why the link ended
}

// outcome is how a call ended: a reply, or why there is none.
type outcome struct {
	id  uint64 // of the call
	env Envelope
	err error
}

// NewClient takes over link and starts its reader.
func NewClient(link Link, o ClientOptions) *Client {
	c := &Client{
		link: link, options: o, done: make(chan struct{}),
		pending: map[uint64]chan outcome{}, dead: map[uint64]struct{}{},
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.inbound.cancels = map[string]context.CancelFunc{}
	go c.read()
	return c
}

// Call sends a request and waits for its reply. params is one valid JSON value, or nil to leave the member out; the
// result is the bytes that arrived, owned by the caller. An error reply is a *RPCError. When ctx ends first the peer is
// told, and a late reply is dropped in silence.
func (c *Client) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	id, reply, err := c.register()
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	if err := c.send(ctx, id, method, params); err != nil && c.isPending(id) { // or its peer has answered what it did not send
		if ctx.Err() != nil {
			c.giveUp(id, method)
		} else {
			c.forget(id)
		}
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	var got outcome
	select {
	case got = <-reply:
	case <-ctx.Done():
		if !c.giveUp(id, method) {
			got = <-reply // it came in the same moment
			break
		}
		return nil, fmt.Errorf("call %s: %w", method, ctx.Err())
	}
	return resultOf(method, got)
}

// resultOf takes the result or the error out of an outcome. Peers of JSON-RPC 1 descent send the other member as null.
func resultOf(method string, got outcome) ([]byte, error) {
	e, err := got.env, got.err
	if err == nil && !e.Error.absent() && (e.Result.absent() || string(e.Bytes(e.Error)) != "null") {
		rpc := newRPCError(e.Bytes(e.Error))
		rpc.NoID = !e.hasID()
		err = rpc
	}
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	return e.Bytes(e.Result), nil
}

func newRPCError(raw []byte) *RPCError {
	e := &RPCError{Raw: raw}
	if code, ok := Member(raw, "code"); ok {
		e.Code, _ = wholeNumber(raw[code.Start:code.End])
	}
	if message, ok := Member(raw, "message"); ok {
		e.Message, _ = Unquote(raw[message.Start:message.End])
	}
	return e
}

// Notify sends a notification; params as for Call.
func (c *Client) Notify(ctx context.Context, method string, params []byte) error {
	if err := c.Err(); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	if err := c.send(ctx, 0, method, params); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// send builds a message in a pooled buffer; id 0 makes it a notification.
func (c *Client) send(ctx context.Context, id uint64, method string, params []byte) error {
	buf, _ := c.frames.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	b := append((*buf)[:0], `{"jsonrpc":"2.0"`...)
	if id != 0 {
		b = strconv.AppendUint(append(b, `,"id":`...), id, 10)
	}
	b = appendQuoted(append(b, `,"method":`...), method)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	b = append(b, '}')
	if id == 0 {
		c.mu.Lock()
		c.notices++
		c.mu.Unlock()
	}
	err := c.link.Send(ctx, b)
	if cap(b) <= 64<<10 {
		*buf = b
		c.frames.Put(buf)
	}
	return err
}

func (c *Client) register() (uint64, chan outcome, error) {
	reply := make(chan outcome, 1)
	id, err := c.registerAt(reply)
	return id, reply, err
}

// registerAt takes the next id for a call whose outcome goes to reply.
func (c *Client) registerAt(reply chan outcome) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	if c.closed {
		return 0, ErrClosed
	}
	c.last++
	c.pending[c.last] = reply
	return c.last, nil
}

// isPending reports whether a call waits for its reply.
func (c *Client) isPending(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waiting := c.pending[id]
	return waiting
}

func (c *Client) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandon(id)
}

// abandon stops waiting for a reply; c.mu is held.
func (c *Client) abandon(id uint64) {
	delete(c.pending, id)
	c.bury(id)
	c.strays.leave(id)
}

// bury leaves a tombstone; c.mu is held.
func (c *Client) bury(id uint64) {
	c.dead[id] = struct{}{}
	c.deadIDs = append(c.deadIDs, id)
	if len(c.deadIDs) > tombstones {
		delete(c.dead, c.deadIDs[0])
		c.deadIDs = c.deadIDs[1:]
	}
}

// giveUp cancels a call; it reports false when the reply is there already. The protocol forbids to cancel initialize.
func (c *Client) giveUp(id uint64, method string) bool {
	c.mu.Lock()
	_, waiting := c.pending[id]
	if waiting {
		c.abandon(id)
	}
	c.mu.Unlock()
	if waiting && method != methodInitialize {
		go func() {
			ctx, cancel := context.WithTimeout(c.ctx, cancelTimeout)
			defer cancel()
			params := strconv.AppendUint([]byte(`{"requestId":`), id, 10)
			_ = c.send(ctx, 0, methodCancelled, append(params, `,"reason":"the caller gave up"}`...))
		}()
	}
	return waiting
}

// Done is closed when the link has ended, for whatever reason.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the link ended: nil while it lives, ErrClosed after Close, otherwise what the link said.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close closes the link and fails the calls that still wait. It returns what closing the link returned.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	err := c.link.Close()
	<-c.done
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}
