package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHTTPResumesReply(t *testing.T) {
	var mu sync.Mutex
	var resumed []string
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		answerSSE(w, "id: 1\nretry: 1\ndata: "+frameB+"\n\n")
	}, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		resumed = append(resumed, r.Header.Get("Last-Event-ID"))
		if len(resumed) == 1 {
			answerSSE(w, "id: 2\ndata:\n\n")
			return
		}
		answerSSE(w, "id: 3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}\n\n")
	})
	got, err := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{}).Call(testContext(t), "x", nil)
	if err != nil || string(got) != "3" {
		t.Errorf("got %s, %v", got, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"1", "2"}, resumed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHTTPGivesUpResuming(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		answerSSE(w, "id: 1\nretry: 1\ndata: "+frameB+"\n\n")
	}, func(w http.ResponseWriter, r *http.Request) { answerSSE(w, ": nothing\n\n") })
	_, err := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{}).Call(testContext(t), "x", nil)
	if !errors.Is(err, errStreamEnded) {
		t.Errorf("got %v", err)
	}
}

func TestHTTPStandingStream(t *testing.T) {
	got := make(chan string, 10)
	gets := make(chan string, 10)
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) { w.WriteHeader(202) },
		func(w http.ResponseWriter, r *http.Request) {
			gets <- r.Header.Get("Last-Event-ID")
			switch len(gets) {
			case 1:
				answerSSE(w, "id: 5\nretry: 1\ndata: "+frameB+"\n\n")
			default:
				answerSSE(w, "data: "+frameB+"\n\ndata: {oops\n\n")
				<-r.Context().Done()
			}
		})
	h := dial(t, HTTPOptions{URL: s.URL})
	noise := make(chan string, 10)
	c := NewClient(h, ClientOptions{
		OnNotification: func(e Envelope) { got <- e.MethodName() },
		OnNoise:        func(kind string, frame []byte) { noise <- kind + " " + string(frame) },
	})
	if err := h.OpenStream(testContext(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if m := <-got; m != "notifications/x" {
			t.Errorf("got %s", m)
		}
	}
	if n := <-noise; n != "malformed {oops" {
		t.Errorf("noise %q", n)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if first, second := <-gets, <-gets; first != "" || second != "5" {
		t.Errorf("connections after %q and %q", first, second)
	}
}

func TestHTTPStandingStreamRefused(t *testing.T) {
	for status, wantErr := range map[int]bool{405: false, 401: true, 200: true} {
		s := serveHTTP(t, nil, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		if err := dial(t, HTTPOptions{URL: s.URL}).OpenStream(testContext(t)); (err != nil) != wantErr {
			t.Errorf("%d: got %v", status, err)
		}
	}
}

// A server may never answer, or never end its stream; a cancelled call must hold neither caller nor connection.
func TestHTTPCancel(t *testing.T) {
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream=%v", stream), func(t *testing.T) {
			entered, left, cancelled := make(chan struct{}), make(chan struct{}), make(chan string, 1)
			s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
				if e.IsNotification() {
					cancelled <- string(e.Bytes(e.Params))
					w.WriteHeader(202)
					return
				}
				if stream {
					answerSSE(w, ": wait\n\n")
				}
				close(entered)
				<-r.Context().Done()
				close(left)
			}, nil)
			c := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{})
			ctx, cancel := context.WithCancel(testContext(t))
			go func() { <-entered; cancel() }()
			if _, err := c.Call(ctx, "x", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if got, want := <-cancelled, `{"requestId":1,"reason":"the caller gave up"}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			<-left
			if c.Err() != nil {
				t.Errorf("the link ended: %v", c.Err())
			}
		})
	}
}

// A caller that gives up just as the stream begins, when it no longer holds the answer, still cuts it: nothing reads it then, and a
// server may keep it open for ever.
func TestHTTPCancelAsTheStreamBegins(t *testing.T) {
	left := make(chan struct{})
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, _ Envelope) {
		answerSSE(w, ": wait\n\n")
		<-r.Context().Done()
		close(left)
	}, nil)
	h := dial(t, HTTPOptions{URL: s.URL})
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	e, err := Scan(frame)
	if err != nil {
		t.Fatal(err)
	}
	x, err := h.begin(testContext(t), e)
	if err != nil {
		t.Fatal(err)
	}
	defer h.end(x)
	gaveUp, cancel := context.WithCancel(testContext(t))
	cancel()
	x.caller = gaveUp
	if err := h.post(x, e, frame); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-left
}

// Without a Client the loss of a reply comes out of Recv, once, and the link lives on.
func TestHTTPTellsOfLostReply(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		if e.MethodName() == "lose" {
			answerSSE(w, "")
			return
		}
		answerJSON(w, result(e, "1"))
	}, nil)
	h := dial(t, HTTPOptions{URL: s.URL})
	if err := h.Send(testContext(t), []byte(`{"jsonrpc":"2.0","id":"a-1","method":"lose"}`)); err != nil {
		t.Fatal(err)
	}
	_, err := h.Recv(testContext(t))
	var lost *ReplyLostError
	if !errors.As(err, &lost) || string(lost.ID) != `"a-1"` || !errors.Is(err, errStreamEnded) || errors.Is(err, io.EOF) {
		t.Fatalf("got %v, want the loss of a-1", err)
	}
	if err := h.Send(testContext(t), []byte(`{"jsonrpc":"2.0","id":2,"method":"keep"}`)); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Recv(testContext(t)); err != nil || string(got) != `{"jsonrpc":"2.0","id":2,"result":1}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// A standing stream that brings nothing, over and over, is given up.
func TestHTTPStandingStreamIsGivenUp(t *testing.T) {
	var mu sync.Mutex
	opened := 0
	s := serveHTTP(t, nil, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		opened++
		mu.Unlock()
		answerSSE(w, "retry: 1\n\n")
	})
	h := dial(t, HTTPOptions{URL: s.URL})
	resp, err := h.get(testContext(t), "")
	if err != nil {
		t.Fatal(err)
	}
	f := follower{h: h}
	if err := f.follow(testContext(t), resp); !errors.Is(err, errStreamEnded) {
		t.Errorf("got %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if opened != standTries+1 {
		t.Errorf("opened %d times, want %d", opened, standTries+1)
	}
}
