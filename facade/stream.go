package facade

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	keepAlive   = 25 * time.Second // between comments on a silent stream, so that a dead connection shows
	writeTime   = 30 * time.Second // for a client to take one batch of events
	partingTime = time.Second      // for the last events of a session that is over
	lastReplies = 5 * time.Second  // for replies that come after the session is over
)

// Replies to requests that no upstream answers any more.
var (
	givenUpAndLost = refusal{code: codeServer, reason: upstreamGone, message: "the request was given up, and the server was lost", hint: "whether the request took effect is not known"}
	withoutReply   = refusal{code: codeServer, reason: upstreamGone, message: "the request ended without a reply", hint: "whether the request took effect is not known"}
)

// stream is one HTTP response that carries messages: that of a request, or the standing one.
type stream struct {
	queue      *queue
	standing   bool
	stateless  bool   // the reply's status tells of errors
	givenUp    bool   // by the client: there is perhaps no reply; guarded by the session's mu
	asked      []byte // the request's id, raw
	token      []byte // the request's progress token, nil without one
	upstreamID []byte // the id, and the progress token, that the session knows the request by; nil where it knows the client's
}

// write writes the response until the reply is written, the session is over or the client is gone, and returns the
// reply if it got that far. A reply that comes first is sent as plain JSON, anything else opens an event stream.
func (s *stream) write(w http.ResponseWriter, r *http.Request, session context.Context) (reply []byte) {
	out := events{w: w, control: http.NewResponseController(w), session: session, stateless: s.stateless}
	defer out.hurry()()
	if s.standing && out.open() != nil {
		return nil
	}
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-s.queue.wake:
		case <-r.Context().Done():
			return nil
		case <-ticker.C:
			if out.opened && out.send([]byte(": keep-alive\n\n")) != nil {
				return nil
			}
			continue
		}
		items, open := s.queue.take(nil)
		reply, err := out.write(items)
		if reply != nil || err != nil {
			return reply
		}
		if !open {
			out.abandon(s.asked)
			return nil
		}
	}
}

// events writes the frames of one response.
type events struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	session   context.Context
	opened    bool // as an event stream
	stateless bool // see stream
	buf       []byte
}

// limit sets the time in which the client has to take what is written next.
func (o *events) limit() {
	d := writeTime
	if o.session.Err() != nil {
		d = partingTime
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(d)) // unsupported by recorders, which never block
}

// hurry cuts writing short once the session is over; the function it returns must be called before the handler returns.
func (o *events) hurry() func() {
	done := make(chan struct{})
	stop := context.AfterFunc(o.session, func() {
		defer close(done)
		o.limit()
	})
	return func() {
		if !stop() {
			<-done
		}
		_ = o.control.SetWriteDeadline(time.Time{}) // the connection may serve other requests
	}
}

func (o *events) open() error {
	o.opened = true
	o.limit()
	header := o.w.Header()
	header.Set("Content-Type", typeSSE)
	header.Set("Cache-Control", "no-cache, no-transform")
	o.w.WriteHeader(http.StatusOK)
	return o.control.Flush()
}

// write writes items, the reply if it is among them last.
func (o *events) write(items []outgoing) (reply []byte, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	if first := items[0]; first.reply && !o.opened {
		o.w.Header().Set("Content-Length", strconv.Itoa(len(first.frame)))
		o.limit()
		status := http.StatusOK
		if o.stateless {
			status = statusOf(first.frame)
		}
		writeJSON(o.w, status, first.frame)
		return first.frame, o.control.Flush()
	}
	if !o.opened {
		if err := o.open(); err != nil {
			return nil, err
		}
	}
	o.buf = o.buf[:0]
	for _, item := range items {
		o.buf = appendEvent(o.buf, item.frame)
		if item.reply {
			reply = item.frame
		}
	}
	return reply, o.send(o.buf)
}

// appendEvent appends frame as one event. A line break in it, legal between tokens only, becomes a line of its own, which
// the reader joins again.
func appendEvent(dst, frame []byte) []byte {
	dst = append(dst, "event: message\n"...)
	for line := range bytes.SplitSeq(frame, []byte{'\n'}) {
		dst = append(dst, "data: "...)
		start := len(dst)
		dst = append(dst, line...)
		for i, c := range dst[start:] {
			if c == '\r' {
				dst[start+i] = ' '
			}
		}
		dst = append(dst, '\n')
	}
	return append(dst, '\n')
}

func (o *events) send(b []byte) error {
	o.limit()
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	return o.control.Flush()
}

// abandon ends a response to which no reply will come.
func (o *events) abandon(asked []byte) {
	switch {
	case o.opened:
	case o.stateless:
		writeJSON(o.w, http.StatusServiceUnavailable, withoutReply.frame(asked))
	default:
		httpErrorTo(o.w, http.StatusNotFound, "the session is over; open a new one with initialize", asked)
	}
}
