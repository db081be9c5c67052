package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func isCode(err error, code int64) bool {
	var e *RPCError
	return errors.As(err, &e) && e.Code == code
}

// duet is a client over a pipe whose other end the test plays.
type duet struct {
	t     *testing.T
	c     *Client
	peer  Link
	mu    sync.Mutex
	noise []string
}

func newDuet(t *testing.T, o ClientOptions) *duet {
	a, b := Pipe()
	d := &duet{t: t, peer: b}
	o.OnNoise = func(kind string, _ []byte) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.noise = append(d.noise, kind)
	}
	d.c = NewClient(a, o)
	t.Cleanup(func() { d.c.Close() })
	return d
}

func (d *duet) heard() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.noise...)
}

func (d *duet) say(frame string) {
	d.t.Helper()
	if err := d.peer.Send(testContext(d.t), []byte(frame)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *duet) expect(want string) {
	d.t.Helper()
	got, err := d.peer.Recv(testContext(d.t))
	if err != nil {
		d.t.Fatal(err)
	}
	if string(got) != want {
		d.t.Fatalf("got  %s\nwant %s", got, want)
	}
}

type called struct {
	result string
	err    error
}

func (d *duet) call(ctx context.Context, method string, params []byte) <-chan called {
	out := make(chan called, 1)
	go func() {
		result, err := d.c.Call(ctx, method, params)
		out <- called{string(result), err}
	}()
	return out
}

func (d *duet) await(c <-chan called) called {
	d.t.Helper()
	select {
	case got := <-c:
		return got
	case <-time.After(patience):
		d.t.Fatal("the call does not return")
		return called{}
	}
}

func TestClientSpelling(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	one := d.call(testContext(t), "a\"b", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"a\"b"}`)
	two := d.call(testContext(t), "x", []byte("null"))
	d.expect(`{"jsonrpc":"2.0","id":2,"method":"x","params":null}`)
	d.say(`{"jsonrpc":"2.0","id":2,"result": {"n":1.0, "n":1.00} }`)
	d.say(`{"result":[],"jsonrpc":"2.0","id":1}`)
	if got := d.await(two); got.err != nil || got.result != `{"n":1.0, "n":1.00}` {
		t.Errorf("got %v", got)
	}
	if got := d.await(one); got.err != nil || got.result != `[]` {
		t.Errorf("got %v", got)
	}
	if err := d.c.Notify(testContext(t), "notifications/x", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	d.expect(`{"jsonrpc":"2.0","method":"notifications/x","params":{}}`)
	if noise := d.heard(); noise != nil {
		t.Errorf("noise: %q", noise)
	}
}

func TestClientErrors(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		code        int64
		message     string
	}{
		{"plain", `{"code":-32602,"message":"b\u0061d","data":1.0}`, -32602, "bad"},
		{"code spelled as float", `{"message":"m","code":-3.2602e4}`, -32602, "m"},
		{"code is a string", `{"code":"E1","message":"m"}`, 0, "m"},
		{"not an object", `"oops"`, 0, ""},
		{"null", `null`, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDuet(t, ClientOptions{})
			call := d.call(testContext(t), "x", nil)
			d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
			d.say(`{"jsonrpc":"2.0","id":1,"error":` + tt.reply + `}`)
			var got *RPCError
			if err := d.await(call).err; !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(&RPCError{Code: tt.code, Message: tt.message, Raw: []byte(tt.reply)}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestClientNoise(t *testing.T) {
	for _, tt := range []struct {
		name, frame string
		want        []string
		answers     bool
	}{
		{"string id", `{"jsonrpc":"2.0","id":"1","result":1}`, []string{NoiseLooseID}, true},
		{"float id", `{"jsonrpc":"2.0","id":1.0,"result":1}`, []string{NoiseLooseID}, true},
		{"no version", `{"id":1,"result":1}`, []string{NoiseNoVersion}, true},
		{"null error beside the result", `{"jsonrpc":"2.0","id":1,"error":null,"result":1}`, []string{NoiseAmbiguous}, true},
		{"duplicate id", `{"jsonrpc":"2.0","id":9,"id":1,"result":1}`, []string{NoiseDuplicateMember}, true},
		{"batch", `[{"jsonrpc":"2.0","id":1,"result":1}]`, []string{NoiseBatch}, true},
		{"unknown id", `{"jsonrpc":"2.0","id":2,"result":1}`, []string{NoiseUnknownID}, false},
		{"foreign id", `{"jsonrpc":"2.0","id":"x","result":1}`, []string{NoiseUnknownID}, false},
		{"id zero", `{"jsonrpc":"2.0","id":0,"result":1}`, []string{NoiseUnknownID}, false},
		{"result with a null id", `{"jsonrpc":"2.0","id":null,"result":{}}`, []string{NoiseNullID}, false},
		{"text", `hello`, []string{NoiseMalformed}, false},
		{"cut before the result", `{"jsonrpc":"2.0","id":1,`, []string{NoiseMalformed}, false},
		{"no message", `{"level":"info"}`, []string{NoiseMalformed}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDuet(t, ClientOptions{})
			call := d.call(testContext(t), "x", nil)
			d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
			d.say(tt.frame)
			if !tt.answers {
				d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
			}
			if got := d.await(call); got.err != nil || got.result != "1" {
				t.Errorf("got %v", got)
			}
			if diff := cmp.Diff(tt.want, d.heard()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
			d.ping()
			if diff := cmp.Diff(append(tt.want, NoiseDuplicateReply), d.heard()); diff != "" {
				t.Errorf("after a second reply (-want +got)\n%s", diff)
			}
		})
	}
}

// ping makes sure that the client has read everything said before.
func (d *duet) ping() {
	d.t.Helper()
	d.say(`{"jsonrpc":"2.0","id":"sync","method":"ping"}`)
	d.expect(`{"jsonrpc":"2.0","id":"sync","result":{}}`)
}

func TestClientCancel(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	call := d.call(ctx, "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	cancel()
	if got := d.await(call); !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %v", got)
	}
	d.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the caller gave up"}}`)
	d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
	d.ping()
	if noise := d.heard(); noise != nil {
		t.Errorf("a late reply is reported: %q", noise)
	}
	d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
	d.ping()
	if diff := cmp.Diff([]string{NoiseDuplicateReply}, d.heard()); diff != "" {
		t.Errorf("a second late reply (-want +got)\n%s", diff)
	}
}

// The protocol forbids to cancel initialize, so the next thing on the wire is the next call.
func TestClientDoesNotCancelInitialize(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	call := d.call(ctx, "initialize", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	cancel()
	d.await(call)
	d.call(testContext(t), "y", nil)
	d.expect(`{"jsonrpc":"2.0","id":2,"method":"y"}`)
}

func TestClientTombstonesAreBounded(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	for id := range uint64(3 * tombstones) {
		d.c.bury(id)
	}
	if len(d.c.dead) != tombstones || len(d.c.deadIDs) != tombstones {
		t.Errorf("kept %d and %d", len(d.c.dead), len(d.c.deadIDs))
	}
}

func TestClientPeerGone(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	call := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	d.peer.Close()
	if got := d.await(call); !errors.Is(got.err, io.EOF) {
		t.Errorf("got %v, want io.EOF", got)
	}
	<-d.c.Done()
	if err := d.c.Notify(testContext(t), "x", nil); !errors.Is(err, io.EOF) || !errors.Is(d.c.Err(), io.EOF) {
		t.Errorf("afterwards: got %v and %v", err, d.c.Err())
	}
}

func TestClientClose(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	call := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	if err := d.c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.await(call); !errors.Is(got.err, ErrClosed) || !errors.Is(d.c.Err(), ErrClosed) {
		t.Errorf("got %v and %v, want ErrClosed", got.err, d.c.Err())
	}
	if _, err := d.c.Call(testContext(t), "x", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: got %v", err)
	}
	if _, err := d.peer.Recv(testContext(t)); !errors.Is(err, io.EOF) {
		t.Errorf("the peer: got %v", err)
	}
}

// Notifications sent before a reply must be seen before the call returns.
func TestClientKeepsOrder(t *testing.T) {
	var seen []string // written by the reader, read after the reply that follows
	d := newDuet(t, ClientOptions{OnNotification: func(e Envelope) { seen = append(seen, string(e.Bytes(e.Params))) }})
	var want []string
	for i := range 1000 {
		call := d.call(testContext(t), "x", nil)
		d.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i+1))
		for k := range 3 {
			n := fmt.Sprint(3*i + k)
			want = append(want, n)
			d.say(`{"jsonrpc":"2.0","method":"notifications/message","params":` + n + `}`)
		}
		d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":1}`, i+1))
		d.await(call)
		if len(seen) != len(want) {
			t.Fatalf("call %d returned after %d of %d notifications", i, len(seen), len(want))
		}
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestClientConcurrentCalls(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	go echoPeer(d.peer)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 200 {
				want := fmt.Sprintf(`{"who":%d,"n":%d}`, i, k)
				got, err := d.c.Call(testContext(t), "x", []byte(want))
				if err != nil || string(got) != want {
					t.Errorf("got %s, %v, want %s", got, err, want)
				}
			}
		})
	}
	wg.Wait()
}

// echoPeer answers every request with its params until the link ends.
func echoPeer(link Link) {
	for {
		frame, err := link.Recv(context.Background())
		if err != nil {
			return
		}
		e, err := Scan(frame)
		if err != nil || !e.IsRequest() {
			continue
		}
		_ = link.Send(context.Background(), appendReply(nil, e.Bytes(e.ID), e.Bytes(e.Params), nil))
	}
}
