package facade

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/learn"
	"anvil/wire"
)

// observed keeps what a facade tells of its calls, with the payloads as they were then.
type observed struct {
	mu  sync.Mutex
	all []learn.Observation
	had []string
	got chan struct{}
}

func (o *observed) take(seen learn.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.had = append(o.had, string(seen.Arguments)+" -> "+string(seen.Result))
	seen.Arguments, seen.Result = nil, nil
	seen.Release()
	o.all = append(o.all, seen)
	o.got <- struct{}{}
}

func (o *observed) wait(t *testing.T, n int) ([]learn.Observation, []string) {
	t.Helper()
	for range n {
		select {
		case <-o.got:
		case <-time.After(patience):
			t.Fatalf("observed %d calls, want %d", len(o.all), n)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all, o.had
}

func TestCallsAreObserved(t *testing.T) {
	waiting := make(chan wire.Envelope, 1)
	u := &upstreams{t: t, tools: []string{addTool, echoTool, deleteTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() != methodCall {
			s.answer(e)
			return
		}
		switch text := string(e.Raw); {
		case strings.Contains(text, "fail"):
			s.reply(e, `{"isError":true,"content":[]}`)
		case strings.Contains(text, "forge"):
			s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":-32602,"message":"no","data":{"code":"policy_denied"}}}`)
		case strings.Contains(text, "wait"):
			waiting <- e
		default:
			s.reply(e, `{"content":[{"type":"text","text":"42"}]}`)
		}
	}}
	seen := &observed{got: make(chan struct{}, 100)}
	changed := strings.Replace(echoTool, `"object"`, `"array"`, 1)
	expose := exposeAll(t, addTool, changed)
	f := newFacade(t, Options{Exposure: expose, Dial: u.dial, Service: "calc", Observe: seen.take})
	client, _ := connect(t, f)
	for i, arguments := range []string{`{"a":1}`, `{"a":"fail"}`, `{"a":"forge"}`} {
		client.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":%s}}`, i+1, arguments))
	}
	client.ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	client.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"made up","arguments":{}}}`)
	client.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"add","arguments":{"a":"wait"}}}`)
	late := <-waiting
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
	seen.wait(t, 5)
	u.only().reply(late, `{"content":[]}`) // it comes all the same
	client.ask(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}}`)
	all, had := seen.wait(t, 1)

	want := []string{
		"add succeeded  {\"a\":1} -> {\"content\":[{\"type\":\"text\",\"text\":\"42\"}]}", "add failed isError {\"a\":\"fail\"} -> {\"isError\":true,\"content\":[]}",
		"add failed jsonrpc:-32602 {\"a\":\"forge\"} -> ", "echo refused schema_mismatch {} -> ", "add cancelled  {\"a\":\"wait\"} -> ",
		"add succeeded   -> {\"content\":[{\"type\":\"text\",\"text\":\"42\"}]}",
	}
	ids := map[string]bool{}
	for i, o := range all {
		if got := fmt.Sprint(o.Tool.Name, " ", o.Outcome, " ", o.Code, " ", had[i]); got != want[i] {
			t.Errorf("call %d: %s, want %s", i, got, want[i])
		}
		checked, err := o.Checked(time.Now())
		if err != nil || checked.ID != o.ID || checked.Session != o.Session || o.Tool.Server != "calc" || o.Tool.Contract != expose.Tools[o.Tool.Name].Item.ContractDigest() || ids[o.ID] {
			t.Errorf("call %d: %+v, %v", i, o.Event, err)
		}
		ids[o.ID] = true
		if o.Timed() == (o.Outcome == learn.Refused) {
			t.Errorf("call %d: %v took %v", i, o.Outcome, o.Duration)
		}
	}
	if all[5].Input.Bytes != -1 || all[0].Input.Bytes != 7 {
		t.Errorf("sizes %d and %d", all[5].Input.Bytes, all[0].Input.Bytes)
	}
}

// TestLostCallsAreFailures: a session that ends leaves no call untold.
func TestLostCallsAreFailures(t *testing.T) {
	called := make(chan struct{})
	u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			close(called)
			s.link.Close()
			return
		}
		s.answer(e)
	}}
	seen := &observed{got: make(chan struct{}, 100)}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Observe: seen.take})
	client, _ := connect(t, f)
	client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{}}}`)
	<-called
	if all, _ := seen.wait(t, 1); all[0].Outcome != learn.Failed || all[0].Code != upstreamGone {
		t.Errorf("%+v", all[0].Event)
	}
}

// TestLargePayloadsAreMeasuredAlone: what is too large to be copied has a size and no digest.
func TestLargePayloadsAreMeasuredAlone(t *testing.T) {
	large := strings.Repeat("x", maxObserved)
	u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			s.reply(e, `{"content":[{"type":"text","text":"`+large+`"}]}`)
			return
		}
		s.answer(e)
	}}
	seen := &observed{got: make(chan struct{}, 100)}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Observe: seen.take})
	client, _ := connect(t, f)
	client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"` + large + `"}}}`)
	all, had := seen.wait(t, 1)
	if had[0] != " -> " || all[0].Input.Bytes <= maxObserved || all[0].Output.Bytes <= maxObserved {
		t.Errorf("%d and %d bytes, %d were copied", all[0].Input.Bytes, all[0].Output.Bytes, len(had[0]))
	}
}
