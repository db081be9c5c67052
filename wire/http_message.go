package wire

import (
	"bytes"
	"context"
	"io"
)

// Oversized returns what is known of the first oversized messages, at most 64, in the order in which they ended.
func (w *web) Oversized() []FrameTooLargeError { return w.oversized.all() }

// readBody reads an answer that is one message. announced is its length by the headers, trusted as far as one allocation of
// reasonable size. Of an oversized message the rest is read only where it is to be kept.
func (w *web) readBody(r io.Reader, announced int64) ([]byte, error) {
	limit := int64(w.oversized.limit)
	var buf bytes.Buffer
	if announced > 0 {
		buf.Grow(int(min(announced, limit, 1<<20)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) <= limit {
		return buf.Bytes(), nil
	}
	x := w.oversized.begin()
	_, _ = x.Write(buf.Bytes())
	if w.oversized.spool == nil {
		x.size = max(x.size, announced)
		return nil, x.end(announced > 0)
	}
	buf = bytes.Buffer{}
	_, err := io.CopyBuffer(x, io.LimitReader(r, skipFactor*limit+1-x.size), make([]byte, lineBuffer))
	return nil, x.end(err == nil && !x.isEndless())
}

// take queues what there is in data: a message, several, or none. x, when given, learns of the reply to its request. An error
// without an id answers the request it came back on, and so does a body, as a whole, that is no JSON.
func (h *HTTP) take(ctx context.Context, data []byte, x *exchange) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	e, err := Scan(data)
	if err == nil {
		return h.put(ctx, x.receive(e))
	}
	awaited := x != nil && x.want != nil
	messages, _, lost := ReadFrame(data)
	switch {
	case len(messages) > 0:
		x.noteReplies(messages)
		return h.push(ctx, Envelope{Raw: data}) // as it is, or its reader would not know that they came together
	case awaited && !x.streaming && !isUnreadable(err):
		return err
	case awaited && (!x.streaming || lost != nil && sameID(lost.ID, x.want)):
		x.answered = true
		lost = &ReplyLostError{ID: x.want, Err: err, Frame: data[:min(len(data), lostHead)]}
	case lost == nil:
		return h.push(ctx, Envelope{Raw: data}) // for its reader to report
	}
	return h.put(ctx, received{err: lost})
}

// receive is what a message is to the reader of the link, and to the exchange, which may be nil.
func (x *exchange) receive(e Envelope) received {
	if x == nil || x.want == nil || !e.IsResponse() {
		return received{env: e}
	}
	switch {
	case sameID(e.Bytes(e.ID), x.want):
		x.answered = true
	case !e.hasID() && !e.Error.absent() && !x.answered:
		x.answered = true
		return received{err: &ReplyLostError{ID: x.want, Err: newRPCError(e.Bytes(e.Error)), Frame: e.Raw[:min(len(e.Raw), lostHead)]}}
	}
	return received{env: e}
}

// noteReplies looks among messages for the reply.
func (x *exchange) noteReplies(messages []Envelope) {
	for _, e := range messages {
		x.receive(e)
	}
}

// takeEvent queues what an event holds.
func (h *HTTP) takeEvent(ctx context.Context, e event, x *exchange) error {
	if e.lost == nil {
		return h.take(ctx, e.data, x)
	}
	r, ok := receivedIn(e)
	if !ok {
		return nil
	}
	lost := r.err.(*ReplyLostError)
	if x != nil && x.want != nil && (lost.ID == nil || sameID(lost.ID, x.want)) {
		x.answered = true
		lost.ID = x.want
	}
	return h.put(ctx, r)
}

// receivedIn is what an event is to the reader of a link, if it is anything. What is no message is for the reader to report.
func receivedIn(e event) (r received, ok bool) {
	if e.lost != nil {
		id, reply := lostID(e.data, e.tail)
		return received{err: &ReplyLostError{ID: id, Err: e.lost, Frame: e.data}}, reply
	}
	data := bytes.TrimPrefix(e.data, []byte("\xef\xbb\xbf"))
	env, err := Scan(data)
	if err == nil {
		return received{env: env}, true
	}
	if _, _, lost := ReadFrame(data); lost != nil {
		return received{err: lost}, true
	}
	return received{env: Envelope{Raw: data}}, true
}
