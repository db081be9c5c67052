package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/wording"
	"anvil/wire"
)

// conversation is what a client has said that outlives one upstream: where that is lost, another is started, and told the same.
type conversation struct {
	held     holds    // calls that wait for something else than an upstream
	watching watching // resources of the facade's that are subscribed to
	caller   string   // whose it is, by the front; "" where nobody is asked; not changed

	mu          sync.Mutex
	initialize  []byte            // params of the request, nil before there was one
	version     string            // the protocol version that was agreed on, "" before
	initialized bool              // the client sent notifications/initialized
	level       []byte            // params of the last logging/setLevel
	subscribed  map[string][]byte // params of resources/subscribe, by URI
	lost        int               // upstreams one after the other that were lost before they lasted
	next        time.Time         // when the next may be started
	why         error             // why the last was lost
}

const (
	maxSubscribed = 1000             // subscriptions that are kept
	maxKept       = 8 << 10          // bytes of one
	lasting       = time.Minute      // an upstream that was there for so long is no failure to start
	firstWait     = time.Second      // after the second loss in a row; the first is made good at once
	longestWait   = 30 * time.Second // between two starts
	resumeTime    = 30 * time.Second // for a new upstream to take up a conversation
)

// note keeps what a client's request says that another upstream would have to be told.
func (c *conversation) note(e wire.Envelope) {
	method := e.MethodName()
	switch method {
	case methodInitialize, methodInitialized, "logging/setLevel", methodSubscribe, methodUnsubscribe:
	default:
		return
	}
	params := bytes.Clone(e.Bytes(e.Params))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch method {
	case methodInitialize:
		if c.version == "" {
			c.initialize = params
		}
	case methodInitialized:
		c.initialized = true
	case "logging/setLevel":
		c.level = params
	default:
		uri, ok := wire.Unquote(memberAt(params, "uri"))
		switch {
		case !ok:
		case method == methodUnsubscribe:
			delete(c.subscribed, uri)
		case len(c.subscribed) < maxSubscribed && len(params) <= maxKept:
			if c.subscribed == nil {
				c.subscribed = map[string][]byte{}
			}
			c.subscribed[uri] = params
		}
	}
}

// agree notes the protocol version of an answer to initialize.
func (c *conversation) agree(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

func (c *conversation) agreed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// lose notes that an upstream was lost that had been there for a time, and when the next may be started: at once after the first loss, and after growing
// waits, no two alike, when the ones after it are lost as well.
func (c *conversation) lose(why error, after time.Duration, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.why = why
	if after >= lasting {
		c.lost = 0
	}
	c.lost++
	c.next = now
	if c.lost > 1 {
		longest := min(longestWait, firstWait<<min(c.lost-2, 10))
		c.next = now.Add(longest/2 + rand.N(longest/2))
	}
}

// wait is how long no upstream may be started yet, and why the last was lost.
func (c *conversation) wait(now time.Time) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next.Sub(now), c.why
}

// settled is a front's session, nil where it has none. One that is ending is waited for: what the client says after it is for the next.
func settled(ctx context.Context, current func() *session) *session {
	s := current()
	if s == nil || s.ctx.Err() == nil {
		return s
	}
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	return current()
}

// lostError says that there is no upstream, why, and when there may be one again.
type lostError struct {
	why  error
	wait time.Duration // 0: it was tried just now
}

func (e *lostError) Error() string { return e.why.Error() }
func (e *lostError) Unwrap() error { return e.why }

// reopen starts an upstream in the place of one that was lost, and takes up the conversation with it. As with open the caller has called enter.
func (f *Facade) reopen(ctx context.Context, client front, c *conversation) (*session, error) {
	if wait, why := c.wait(f.now()); wait > 0 {
		f.work.Done()
		return nil, &lostError{why, wait}
	}
	s, err := f.open(ctx, client, c)
	if err == nil {
		go s.run()
		if err = s.resume(); err != nil {
			s.end(err)
			<-s.done
		}
	} else {
		f.work.Done()
	}
	if err != nil {
		c.lose(err, 0, f.now())
		return nil, &lostError{why: err}
	}
	f.logf("started the upstream again, since it was lost: %s", troubleOf(c.cause()))
	f.ResourcesChanged() // a notice may have had nobody to go through
	return s, nil
}

func (c *conversation) cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// resume tells a new upstream what the client told the one before it.
func (s *session) resume() error {
	c := s.conversation
	c.mu.Lock()
	initialize, version, initialized, level := c.initialize, c.version, c.initialized, c.level
	subscribed := make([][]byte, 0, len(c.subscribed))
	for _, params := range c.subscribed {
		subscribed = append(subscribed, params)
	}
	c.mu.Unlock()
	if version == "" {
		return nil // nothing was agreed on: the client will
	}
	ctx, cancel := context.WithTimeout(s.ctx, resumeTime)
	defer cancel()
	answer, err := s.ask(ctx, methodInitialize, initialize)
	switch {
	case err != nil && context.Cause(s.ctx) != nil:
		return context.Cause(s.ctx)
	case err != nil:
		return fmt.Errorf("the server was started again and did not answer initialize: %w", err)
	case present(answer.Error):
		return errors.New("the server was started again and refused initialize")
	}
	if now := s.agreed(answer); now != version {
		return fmt.Errorf("the server was started again and speaks protocol %s now, where %s was agreed on; open a new session", shown(now), version)
	}
	if initialized {
		s.initialized([]byte(`{"jsonrpc":"2.0","method":"` + methodInitialized + `"}`))
	}
	s.again(ctx, "logging/setLevel", level)
	for _, params := range subscribed {
		s.again(ctx, methodSubscribe, params)
	}
	s.announceTools()
	return nil
}

// again asks for what the client asked the upstream before this one; an upstream that refuses it now is told in the log.
func (s *session) again(ctx context.Context, method string, params []byte) {
	if params == nil {
		return
	}
	if answer, err := s.ask(ctx, method, params); err != nil || present(answer.Error) {
		s.notes.logf("the server was started again and did not take %s as before", method)
	}
}

// notBack refuses a request for which there is no upstream.
func notBack(err *lostError) refusal {
	r := refusal{code: codeServer, reason: upstreamGone, message: "the server was lost: " + troubleOf(err.why)}
	if err.wait > 0 {
		r.hint = fmt.Sprintf("nothing was sent; the server is started again for the first request in %v from now", err.wait.Round(time.Second/10))
		return r
	}
	r.message = "the server was lost and cannot be started again: " + troubleOf(err.why)
	r.hint = "nothing was sent; it is tried again for a later request, after a wait that grows; see what the server says with `anvil mcp inspect`"
	return r
}

// unanswerable refuses a request for which there is no upstream.
func unanswerable(err error) refusal {
	var lost *lostError
	if errors.As(err, &lost) {
		return notBack(lost)
	}
	return unreachable(err)
}

// maxTail bounds what an error repeats of the last lines that a server wrote to stderr, in lines and in bytes of each.
const maxTail, maxTailLine = 3, 200

// tailOf are the last lines that a server wrote to stderr before it ended, in one line; a line that speaks of a credential stays out.
func tailOf(exit *wire.ExitError) string {
	var kept []string
	for _, line := range exit.Stderr {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	kept = kept[max(0, len(kept)-maxTail):]
	for i, line := range kept {
		kept[i] = credentialFree(cut(line, maxTailLine))
	}
	if len(kept) == 0 {
		return ""
	}
	return "; its last words: " + string(canon.Quote(strings.Join(kept, " | ")))
}

func credentialFree(line string) string {
	if wording.NamesSecret(line) || len(wording.Secrets(line)) > 0 {
		return "(a line that speaks of a credential)"
	}
	return diag.Printable(line)
}
