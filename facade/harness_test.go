package facade

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/compiler/surface"
	"anvil/wire"
)

// patience bounds every wait of a test for something that has to happen.
const patience = 20 * time.Second

const (
	addTool    = `{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}},"x-vendor":{"n":9007199254740993,"s":"\u00e9\/"}}`
	echoTool   = `{ "inputSchema" : {"type":"object"} , "name" : "echo" , "annotations":{"readOnlyHint":true} }`
	deleteTool = `{"name":"delete","inputSchema":{"type":"object"}}`
)

// TestMain lets the test binary stand in for servers and gateways in processes of their own.
func TestMain(m *testing.M) {
	if peer := os.Getenv("ANVIL_FACADE_PEER"); peer != "" {
		runPeer(peer)
		return
	}
	os.Exit(m.Run())
}

// peerCommand starts this test binary as the named peer.
func peerCommand(peer string) wire.Command {
	return wire.Command{Args: []string{os.Args[0]}, Env: wire.BaseEnv(map[string]string{"ANVIL_FACADE_PEER": peer})}
}

func exposeAll(t testing.TB, tools ...string) Exposure {
	t.Helper()
	expose := Exposure{Tools: map[string]Tool{}}
	for _, tool := range tools {
		item, err := surface.NewItem(surface.Tool, []byte(tool))
		if err != nil {
			t.Fatal(err)
		}
		expose.Tools[item.Name] = Tool{Item: item}
	}
	return expose
}

// script is a raw upstream: it records what it is sent and answers as told.
type script struct {
	link   wire.Link
	handle func(s *script, e wire.Envelope) // nil lets the defaults answer
	note   chan struct{}                    // signalled after each frame

	mu    sync.Mutex
	got   []string
	asked wire.Envelope // a request that waits, for the script of a test
	tools []string
}

// upstreams makes scripts on demand and keeps them.
type upstreams struct {
	t      testing.TB
	tools  []string
	handle func(s *script, e wire.Envelope)

	mu   sync.Mutex
	all  []*script
	work sync.WaitGroup
}

func (u *upstreams) dial(context.Context) (wire.Link, error) {
	near, far := wire.Pipe()
	s := &script{link: far, handle: u.handle, tools: u.tools, note: make(chan struct{}, 1)}
	u.mu.Lock()
	u.all = append(u.all, s)
	u.mu.Unlock()
	u.work.Go(s.run)
	return near, nil
}

func (u *upstreams) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.all)
}

// only returns the one script there is.
func (u *upstreams) only() *script {
	u.t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.all) != 1 {
		u.t.Fatalf("%d upstreams were dialled, want 1", len(u.all))
	}
	return u.all[0]
}

// last returns the newest of the scripts.
func (u *upstreams) last() *script {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.all[len(u.all)-1]
}

func (s *script) run() {
	for {
		frame, err := s.link.Recv(context.Background())
		if err != nil {
			return
		}
		s.mu.Lock()
		s.got = append(s.got, string(frame))
		s.mu.Unlock()
		select {
		case s.note <- struct{}{}:
		default:
		}
		e, err := wire.Scan(frame)
		if err != nil {
			continue
		}
		if s.handle != nil {
			s.handle(s, e)
		} else {
			s.answer(e)
		}
	}
}

// answer is how a plain server behaves.
func (s *script) answer(e wire.Envelope) {
	if !e.IsRequest() {
		return
	}
	switch e.MethodName() {
	case methodInitialize:
		s.reply(e, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"script","version":"1.0"}}`)
	case methodList:
		s.mu.Lock()
		tools := strings.Join(s.tools, ",")
		s.mu.Unlock()
		s.reply(e, `{"tools":[`+tools+`]}`)
	default:
		s.reply(e, `{"ran":`+string(e.Bytes(e.Method))+`}`)
	}
}

func (s *script) reply(e wire.Envelope, result string) {
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, e.Bytes(e.ID), result))
}

func (s *script) send(frame string) { _ = s.link.Send(context.Background(), []byte(frame)) }

func (s *script) setTools(tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
}

func (s *script) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

// methods returns the methods of the requests and notifications received.
func (s *script) methods() []string {
	var methods []string
	for _, frame := range s.received() {
		if e, err := wire.Scan([]byte(frame)); err == nil && present(e.Method) {
			methods = append(methods, e.MethodName())
		}
	}
	return methods
}

func (s *script) sawMethod(method string) bool {
	for _, m := range s.methods() {
		if m == method {
			return true
		}
	}
	return false
}

// await waits until the script has received a frame that holds part.
func (s *script) await(t testing.TB, part string) string {
	t.Helper()
	deadline := time.After(patience)
	for {
		for _, frame := range s.received() {
			if strings.Contains(frame, part) {
				return frame
			}
		}
		select {
		case <-s.note:
		case <-deadline:
			t.Fatalf("the upstream did not receive %s; it received %q", part, s.received())
		}
	}
}

// logBook collects the facade's lines.
type logBook struct {
	mu    sync.Mutex
	lines []string
}

func (l *logBook) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func newFacade(t testing.TB, o Options) *Facade {
	t.Helper()
	if o.Name == "" {
		o.Name = "demo"
	}
	if o.Exposure.Server == nil {
		o.Exposure.Server = []byte(`{"name":"script","version":"1.0"}`)
	}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// peer is a raw client on a link.
type peer struct {
	t    testing.TB
	link wire.Link
}

func (p peer) send(frame string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.link.Send(ctx, []byte(frame)); err != nil {
		p.t.Fatalf("send %s: %v", frame, err)
	}
}

func (p peer) recv() string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	frame, err := p.link.Recv(ctx)
	if err != nil {
		p.t.Fatalf("receive: %v", err)
	}
	return string(frame)
}

func (p peer) ask(frame string) string {
	p.t.Helper()
	p.send(frame)
	return p.recv()
}

// connect serves one raw client and returns it with the channel Serve's result comes on.
func connect(t testing.TB, f *Facade) (peer, <-chan error) {
	t.Helper()
	near, far := wire.Pipe()
	done := make(chan error, 1)
	go func() { done <- f.Serve(context.Background(), far) }()
	t.Cleanup(func() { near.Close() })
	return peer{t, near}, done
}

// standard is a facade of add and echo over a script that offers delete as well.
func standard(t testing.TB) (*upstreams, peer, *logBook) {
	t.Helper()
	u := &upstreams{t: t, tools: []string{addTool, deleteTool, echoTool}}
	book := &logBook{}
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Known = map[string]Closed{"delete": {}}
	f := newFacade(t, Options{Exposure: exposure, Dial: u.dial, Log: book.add})
	client, _ := connect(t, f)
	return u, client, book
}

// noLeak fails the test when goroutines are left once it and its cleanups are over; call it first.
func noLeak(t *testing.T) {
	t.Helper()
	before, _ := goroutines()
	t.Cleanup(func() {
		deadline := time.Now().Add(5 * time.Second)
		for {
			now, stacks := goroutines()
			if now <= before {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("%d goroutines are left, there were %d before:\n%s", now, before, stacks)
				return
			}
			time.Sleep(time.Millisecond) // the runtime offers nothing to wait on
		}
	})
}

// goroutines counts them, but for the one package wire keeps to start processes from.
func goroutines() (int, string) {
	buf := make([]byte, 1<<20)
	stacks := string(buf[:runtime.Stack(buf, true)])
	return strings.Count("\n"+stacks, "\ngoroutine ") - strings.Count(stacks, "created by anvil/wire.init."), stacks
}
