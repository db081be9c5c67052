package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

var (
	errNoReply     = errors.New("the answer holds no reply to the request")
	errStreamEnded = errors.New("the stream ended before the reply")
	errNotStream   = errors.New("the answer is not " + typeSSE)
)

// accept takes the answer to a POST.
func (h *HTTP) accept(x *exchange, resp *http.Response) error {
	if resp.StatusCode/100 != 2 {
		return h.refused(x, resp)
	}
	if id := resp.Header.Get(headerSession); x.opens && isHeaderToken(id) {
		h.mu.Lock()
		if x.ctx.Err() == nil {
			h.session = id
		}
		h.mu.Unlock()
	}
	switch t := mediaType(resp); {
	case t == typeSSE:
		x.release()
		if err := x.caller.Err(); err != nil {
			x.cancel() // let go of, it would not have cut the answer
			return err
		}
		x.streaming = true
		go h.readReplyStream(x, resp)
		return nil
	case x.want == nil:
		return nil
	case t == typeJSON:
		return h.readJSON(x, resp)
	case resp.StatusCode == http.StatusAccepted && h.listening():
		return nil // the reply may come on the standing stream
	case t == "":
		return fmt.Errorf("%s answered %s: %w", h.shown, printable(resp.Status, 100), errNoReply)
	default:
		return fmt.Errorf("%s answered with %s, want %s or %s: %w", h.shown, printable(t, 100), typeJSON, typeSSE, errNoReply)
	}
}

// refused makes an error of a failure status, unless the body is a proper JSON-RPC reply to the request.
func (h *HTTP) refused(x *exchange, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	gone := resp.StatusCode == http.StatusNotFound && resp.Request.Header.Get(headerSession) != ""
	if x.want != nil && resp.StatusCode != http.StatusUnauthorized && !gone && mediaType(resp) == typeJSON {
		if e, err := Scan(body); err == nil && e.IsResponse() && sameID(e.Bytes(e.ID), x.want) {
			return h.push(x.ctx, e)
		}
	}
	return h.statusError(resp, body)
}

// statusError makes an error of an answer whose body has been read.
func (w *web) statusError(resp *http.Response, body []byte) *StatusError {
	return &StatusError{
		Code: resp.StatusCode, Status: resp.Status, URL: w.shown, Body: string(body[:min(len(body), errorBody)]),
		Challenges: resp.Header.Values("WWW-Authenticate"), session: resp.Request.Header.Get(headerSession) != "", via: w.proxy(),
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
}

// longestRetryAfter bounds what a server may say of how long it does not want to be asked.
const longestRetryAfter = 24 * time.Hour

// retryAfter reads the header Retry-After (RFC 9110, 10.2.3): whole seconds or a date; 0 for anything else.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return max(0, min(wait, longestRetryAfter))
}

func (h *HTTP) readJSON(x *exchange, resp *http.Response) error {
	body, err := h.readBody(resp.Body, resp.ContentLength)
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", h.shown, h.cause(err))
	}
	if err := h.take(x.ctx, body, x); err != nil {
		return fmt.Errorf("read the answer of %s: %w", h.shown, err)
	}
	if !x.answered {
		return fmt.Errorf("read the answer of %s: %w", h.shown, errNoReply)
	}
	return nil
}

// sameID reports whether a reply's id means the request's, however it is spelled.
func sameID(got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	a, _, okA := readID(got)
	b, _, okB := readID(want)
	return okA && okB && a == b
}

// push queues e.
func (h *HTTP) push(ctx context.Context, e Envelope) error { return h.put(ctx, received{env: e}) }
