package facade

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"anvil/wire"
)

// clientFrames are odd but legal messages of a client's. The id is X where the upstream may see another.
var clientFrames = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`,
	`{ "method" : "resources/read" , "params" : { "uri" : "a:\u002f\/" , "n" : [ 1.0 , 1e2 , -0 , 9007199254740993 ] } , "id" : "s\u0074r" , "jsonrpc" : "2.0" }`,
	`{"id":12345678901234567890,"jsonrpc":"2.0","method":"prompts/get","params":{"name":"p","name":"q"}}`,
	`{"jsonrpc":"2.0","id":-1.50e+3,"method":"completion/complete","params":{"_meta":{"progressToken":12345678901234567890}}}`,
	`{"jsonrpc":"2.0","id":"","method":"vendor/x\u0000y","params":[1,2],"vendor":{"id":5,"method":"tools/call"}}`,
	`{"jsonrpc":"2.0","id":"tools/call","method":"logging/setLevel","params":{"level":"tools/call"}}`,
	`{"id":1,"method":"no/version"}`,
	`{"jsonrpc":"1.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}`,
	`{"jsonrpc":"2.0","id":"` + strings.Repeat("long", 50) + `","method":"ping"}`,
	`{"jsonrpc":"2.0","method":"notifications/vendor","params":{"\ud83d\ude00":"\ud800"}}`,
	`{"jsonrpc":"2.0","id":null,"method":"notifications/null-id"}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.10}}`,
	`{"jsonrpc":"2.0","id":"srv-1","result":{"roots":[]},"x":1.0}`,
	`{"jsonrpc":"2.0","id":7.0,"error":{"code":"odd","message":"\u00e9","data":null,"more":1}}`,
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"raw\":\"\xff\xfe\"}}",
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{"experimental":{"n":1.0}},"clientInfo":{"name":"c","version":"0","x":1e2}}}`,
}

// replies are how the upstream answers, one after the other; %s is the id it was asked with.
var replies = []string{
	`{"jsonrpc":"2.0","id":%s,"result":{}}`,
	`{"result":{"n":1.0,"big":9007199254740993},"jsonrpc":"2.0","id":%s}`,
	`{"result":{"s":"\u00e9\/"},"id" : %s ,"extra":[]}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":"not a number","message":5,"data":{"a":1e2},"more":true}}`,
	`{"jsonrpc":"2.0","id":%s,"result":null,"error":null}`,
	` {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"unheard-of","x":1}],"a":1,"a":2}} `,
	`{"jsonrpc":"2.0","result":"` + strings.Repeat("x", 5000) + `","id":%s}`,
}

// pushed are messages of the upstream's own.
var pushed = []string{
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":1.0}}}`,
	`{"jsonrpc":"2.0","id":"srv-1","method":"roots/list"}`,
	`{"jsonrpc":"2.0","id":7.0,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1e2}}`,
	`{ "method":"elicitation/create","id":12345678901234567890,"jsonrpc":"2.0","params":null,"x":1 }`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"srv-1"}}`,
	`{"method":"vendor/notice"}`,
}

// talk runs the whole conversation over a link and returns what each side received; the upstream's view has every request
// id replaced, since there the facade may use its own.
func talk(t *testing.T, u *upstreams, client peer) (atClient, atUpstream []string) {
	t.Helper()
	answered := 0
	for i, frame := range clientFrames {
		client.send(frame)
		if e, err := wire.Scan([]byte(frame)); err != nil {
			t.Fatalf("frame %d: %v", i, err)
		} else if e.IsRequest() {
			answered++
			atClient = append(atClient, client.recv())
		}
	}
	client.send(`{"jsonrpc":"2.0","id":"end","method":"end"}`)
	for range append(pushed, "reply") {
		atClient = append(atClient, client.recv())
	}
	for _, frame := range u.only().received() {
		e, err := wire.Scan([]byte(frame))
		if err != nil {
			t.Fatal(err)
		}
		if e.IsRequest() {
			frame = string(e.WithID(nil, []byte("X")))
		}
		atUpstream = append(atUpstream, frame)
	}
	return atClient, atUpstream
}

func oddScript(t *testing.T) *upstreams {
	return &upstreams{t: t, handle: func() func(*script, wire.Envelope) {
		n := 0
		return func(s *script, e wire.Envelope) {
			if e.MethodName() == "end" {
				for _, frame := range pushed {
					s.send(frame)
				}
			}
			if e.IsRequest() {
				s.send(fmt.Sprintf(replies[n%len(replies)], e.Bytes(e.ID)))
				n++
			}
		}
	}()}
}

func TestEveryFrameIsByteEqualThroughTheFacade(t *testing.T) {
	direct := oddScript(t)
	link, err := direct.dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	wantClient, wantUpstream := talk(t, direct, peer{t, link})

	through := oddScript(t)
	client, _ := connect(t, newFacade(t, Options{Dial: through.dial}))
	gotClient, gotUpstream := talk(t, through, client)

	compare(t, "client", gotClient, wantClient)
	compare(t, "upstream", gotUpstream, wantUpstream)
}

func compare(t *testing.T, side string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s received %d frames, want %d", side, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, frame %d:\n got %s\nwant %s", side, i, got[i], want[i])
		}
	}
}

// What came before a result must never come after it.
func TestNotificationsStayAheadOfTheirResult(t *testing.T) {
	const rounds, notices = 200, 50
	u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			for i := range notices {
				s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%d}}`, i))
			}
		}
		s.answer(e)
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial})
	client, _ := connect(t, f)
	for round := range rounds {
		client.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add"}}`, round))
		for i := range notices {
			if got, want := client.recv(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%d}}`, i); got != want {
				t.Fatalf("round %d: got %s, want %s", round, got, want)
			}
		}
		if got := client.recv(); !strings.Contains(got, `"ran"`) {
			t.Fatalf("round %d: got %s, want the result", round, got)
		}
	}
}

// Upstreams spell ids their own way, and some answer what nobody asked.
func TestOddReplies(t *testing.T) {
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		id := string(e.Bytes(e.ID))
		s.send(`{"jsonrpc":"2.0","id":99,"result":"nobody asked"}`)
		s.send(`{"jsonrpc":"2.0","id":"zz","result":"nobody asked"}`)
		s.send("not JSON at all")
		switch e.MethodName() {
		case "text":
			s.send(`{"jsonrpc":"2.0","id":"` + id + `","result":1}`)
		case "point":
			s.send(`{"jsonrpc":"2.0","id":` + id + `.0,"result":2}`)
		case "twice":
			s.send(`{"jsonrpc":"2.0","id":77,"id":` + id + `,"result":3}`)
		case "joined":
			s.send(`{"jsonrpc":"2.0","method":"n"}{"jsonrpc":"2.0","id":` + id + `,"result":5}`)
		case "batch":
			s.send(`[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":` + id + `,"result":4}]`)
		}
		s.send(`{"jsonrpc":"2.0","id":` + id + `,"result":"again"}`)
	}}
	client, _ := connect(t, newFacade(t, Options{Dial: u.dial}))
	for _, c := range []struct {
		method string
		want   []string
	}{
		{"text", []string{`{"jsonrpc":"2.0","id":"a","result":1}`}},
		{"point", []string{`{"jsonrpc":"2.0","id":"a","result":2}`}},
		{"twice", []string{`{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"the upstream's reply was dropped: a member of the message is given more than once","data":{"code":"upstream_error","hint":"whether the request took effect is not known; examine the server with ` + "`anvil mcp inspect`" + `"}}}`}},
		{"joined", []string{`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":"a","result":5}`}},
		{"batch", []string{`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":"a","result":4}`}},
	} {
		client.send(`{"jsonrpc":"2.0","id":"a","method":"` + c.method + `"}`)
		for _, want := range c.want {
			if got := client.recv(); got != want {
				t.Errorf("%s: got %s, want %s", c.method, got, want)
			}
		}
	}
}

func TestCancellationKeepsItsMeaning(t *testing.T) {
	var held []wire.Envelope
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		switch e.MethodName() {
		case "slow":
			held = append(held, e)
		case "release":
			s.reply(held[1], `"late"`)
			s.reply(e, `"done"`)
		}
	}}
	client, _ := connect(t, newFacade(t, Options{Dial: u.dial}))
	client.send(`{"jsonrpc":"2.0","id":"one","method":"slow"}`)
	client.send(`{"jsonrpc":"2.0","id":1.0,"method":"slow"}`)
	// 2 is the id of the second request upstream and of none here.
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"requestId":"one"}}`)
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"b\u0065cause", "requestId" : 1, "n":1.0}}`)
	client.send(`{"jsonrpc":"2.0","id":3,"method":"release"}`)
	// The reply to a cancelled request passes as it would without a facade.
	if got, want := client.recv(), `{"jsonrpc":"2.0","id":1.0,"result":"late"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := client.recv(), `{"jsonrpc":"2.0","id":3,"result":"done"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"b\u0065cause", "requestId" : 2, "n":1.0}}`
	if got := u.only().received(); len(got) != 4 || got[2] != want {
		t.Errorf("the upstream received %q", got)
	}
}

// A call that waits for the verification can be cancelled too: then it never goes up.
func TestCancelledWhileHeld(t *testing.T) {
	release := make(chan struct{})
	u := &upstreams{t: t, tools: []string{addTool, echoTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodList {
			go func() {
				<-release
				s.answer(e)
			}()
			return
		}
		s.answer(e)
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool, echoTool), Dial: u.dial})
	client, _ := connect(t, f)
	client.send(callAdd)
	client.ask(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	u.only().await(t, methodList)
	client.send(callEcho)
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := client.ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`); !strings.Contains(got, `"id":3`) {
		t.Errorf("a ping waits for the walk: got %s", got)
	}
	close(release)
	if got := client.recv(); !strings.Contains(got, `"id":2`) {
		t.Errorf("got %s", got)
	}
	got := u.only().methods()
	if slices.Sort(got); !slices.Equal(got, []string{"ping", "ping", methodCall, methodList}) {
		t.Errorf("the upstream received %q", got)
	}
}

// A request for which no connection came about took no effect; one that was sent and not answered may have.
func TestWhatWasNotSentTookNoEffect(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset")}
	for err, want := range map[error]string{
		fmt.Errorf("send: %w", refused): "nothing was sent, so the request took no effect",
		fmt.Errorf("send: %w", reset):   "whether the request took effect is not known",
	} {
		f := newFacade(t, Options{Dial: func(context.Context) (wire.Link, error) {
			return failingExchange{err: err, closed: make(chan struct{})}, nil
		}})
		client, _ := connect(t, f)
		if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(got, want) {
			t.Errorf("%v: got %s, want %s", err, got, want)
		}
	}
}

// failingExchange is a link of exchanges, as HTTP is, of which none comes about.
type failingExchange struct {
	err    error
	closed chan struct{}
}

func (l failingExchange) Send(context.Context, []byte) error { return l.err }
func (l failingExchange) Recv(ctx context.Context) ([]byte, error) {
	select {
	case <-l.closed:
		return nil, wire.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
func (l failingExchange) Close() error                     { close(l.closed); return nil }
func (l failingExchange) SetProtocolVersion(string)        {}
func (l failingExchange) OpenStream(context.Context) error { return l.err }
