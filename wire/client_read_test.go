package wire

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

func TestClientServesDefaults(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	d.ping()
	d.say(`{"jsonrpc":"2.0","id":7.0,"method":"roots/list"}`)
	d.expect(`{"jsonrpc":"2.0","id":7.0,"error":{"code":-32601,"message":"method not found: roots/list"}}`)
}

func TestClientServesRequests(t *testing.T) {
	entered := make(chan struct{})
	d := newDuet(t, ClientOptions{OnRequest: func(ctx context.Context, e Envelope) ([]byte, *RPCError) {
		switch e.MethodName() {
		case "slow":
			close(entered)
			<-ctx.Done()
			return nil, &RPCError{Code: 1}
		case "fail":
			return nil, &RPCError{Code: -1, Message: "a\"b"}
		case "relay":
			return nil, &RPCError{Code: -1, Raw: []byte(`{"code":1.0}`)}
		}
		return e.Bytes(e.Params), nil
	}})
	d.say(`{"jsonrpc":"2.0","id":"s","method":"slow"}`)
	<-entered
	for _, pair := range [][2]string{ // none of them waits for the slow one
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":1.0}}`, `{"jsonrpc":"2.0","id":1,"result":{"x":1.0}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"fail"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"a\"b"}}`},
		{`{"jsonrpc":"2.0","id":3,"method":"relay"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":1.0}}`},
	} {
		d.say(pair[0])
		d.expect(pair[1])
	}
	d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	d.say(`{"jsonrpc":"2.0","id":4,"method":"echo"}`)
	d.expect(`{"jsonrpc":"2.0","id":4,"result":{}}`) // and no reply to the cancelled one
}

func TestClientBoundsRequests(t *testing.T) {
	block := make(chan struct{})
	var mu sync.Mutex
	running, most, served := 0, 0, 0
	d := newDuet(t, ClientOptions{OnRequest: func(ctx context.Context, e Envelope) ([]byte, *RPCError) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		<-block
		mu.Lock()
		running--
		served++
		mu.Unlock()
		return nil, nil
	}})
	const sent = inboundRunning + inboundWaiting + 10
	for i := range sent {
		d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i))
	}
	call := d.call(testContext(t), "x", nil) // the reader is free all the while
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
	if got := d.await(call); got.err != nil {
		t.Fatal(got.err)
	}
	close(block)
	for range inboundRunning + inboundWaiting {
		if _, err := d.peer.Recv(testContext(t)); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if most > inboundRunning || served != inboundRunning+inboundWaiting || len(d.heard()) != 10 {
		t.Errorf("at most %d at a time, %d served, %d reported", most, served, len(d.heard()))
	}
}
