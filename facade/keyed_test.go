package facade

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

const keyedTool = `{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"slip":{"type":"string"}}}}`

func keyedOperation() *air.Operation {
	return &air.Operation{ID: "calc.add", ContractDigest: "sha256:" + strings.Repeat("cd", 32), State: air.StateApproved, Effect: air.Effect{Kind: air.Mutation},
		Idempotency: air.Idempotency{Mode: air.IdempotencyKeySupported, Mechanism: air.MechanismArgument, Key: "slip"}}
}

func keyedCall(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":%s}}`, id, arguments)
}

// A keyed write is made once: what comes after it gets the first result, from another client, another server and another facade as well.
func TestAKeyedWriteIsMadeOnce(t *testing.T) {
	var made atomic.Int64
	handle := func(s *script, e wire.Envelope) {
		if e.MethodName() != methodCall {
			s.answer(e)
			return
		}
		s.reply(e, fmt.Sprintf(`{"content":[], "made" : %d}`, made.Add(1)))
	}
	store := stateIn(t, time.Now)
	client := func() peer {
		u := &upstreams{t: t, tools: []string{keyedTool}, handle: handle}
		x := exposeAll(t, keyedTool)
		x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: keyedOperation()}
		c, _ := connect(t, newFacade(t, Options{Exposure: x, Dial: u.dial, Ledger: store, Service: "calc"}))
		return c
	}
	a, b := client(), client()
	const first, spelled = `{"a":1,"slip":"s-1"}`, `{ "slip" : "s-\u0031", "a" : 1.0 }`
	want := `"result":{"content":[], "made" : 1}`
	for i, c := range []peer{a, a, b} {
		if got := c.ask(keyedCall(i, []string{first, spelled, first}[i])); !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf(`"id":%d,`, i)) {
			t.Errorf("%d: %s", i, got)
		}
	}
	if got := b.ask(keyedCall(4, `{"a":2,"slip":"s-1"}`)); !strings.Contains(got, `"code":"key_conflict"`) {
		t.Errorf("other arguments: %s", got)
	}
	if got := b.ask(keyedCall(5, `{"a":1,"slip":"s-2"}`)); !strings.Contains(got, `"made" : 2`) {
		t.Errorf("another key: %s", got)
	}
	for i := range 2 { // without a key each call is one of its own
		if got := b.ask(keyedCall(6, `{"a":1}`)); !strings.Contains(got, fmt.Sprintf(`"made" : %d`, 3+i)) {
			t.Errorf("without a key: %s", got)
		}
	}
}

// What became of a write is written down before it is told: an error leaves the key free, a lost upstream leaves it unknown until somebody says what happened.
func TestWhatBecomesOfAKeyedWrite(t *testing.T) {
	mode := make(chan string, 1)
	begun, release := make(chan struct{}), make(chan struct{})
	u := &upstreams{t: t, tools: []string{keyedTool}}
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() != methodCall {
			s.answer(e)
			return
		}
		select {
		case m := <-mode:
			switch m {
			case "error":
				s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":-32602,"message":"no such account"}}`)
			case "die":
				s.link.Close()
			case "hang":
				close(begun)
				<-release
				s.answer(e)
			}
		default:
			s.answer(e)
		}
	}
	store := stateIn(t, time.Now)
	x := exposeAll(t, keyedTool)
	x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: keyedOperation()}
	f := newFacade(t, Options{Exposure: x, Dial: u.dial, Ledger: store, Service: "calc", ApprovalsCommand: "anvil mcp approvals --state kept"})
	a, _ := connect(t, f)
	b, _ := connect(t, f)
	a.ask(asksNobody)
	b.ask(asksNobody)
	call := func(key string) string { return keyedCall(1, `{"a":1,"slip":"`+key+`"}`) }

	mode <- "error"
	if got := a.ask(call("k1")); !strings.Contains(got, "no such account") {
		t.Errorf("the server's error: %s", got)
	}
	if got := a.ask(call("k1")); !strings.Contains(got, `"ran"`) {
		t.Errorf("after an error: %s", got)
	}

	mode <- "hang"
	a.send(call("k2"))
	<-begun
	if got := b.ask(call("k2")); !strings.Contains(got, `"code":"write_under_way"`) {
		t.Errorf("two at a time: %s", got)
	}
	close(release)
	if got := a.recv(); !strings.Contains(got, `"ran"`) {
		t.Errorf("the first: %s", got)
	}
	if got := b.ask(call("k2")); !strings.Contains(got, `"ran"`) {
		t.Errorf("its replay: %s", got)
	}

	mode <- "die"
	if got := a.ask(call("k3")); !strings.Contains(got, upstreamGone) {
		t.Errorf("lost: %s", got)
	}
	got := b.ask(call("k3"))
	outcomes, err := store.Outcomes(t.Context())
	if err != nil || len(outcomes) != 1 {
		t.Fatalf("%+v, %v", outcomes, err)
	}
	if !strings.Contains(got, `"code":"outcome_unknown"`) || !strings.Contains(got, "`anvil mcp approvals deny "+outcomes[0].ID+" --state kept`") {
		t.Errorf("after a loss: %s", got)
	}
	if _, err := store.Settle(t.Context(), outcomes[0].ID, false, "ada", "it is not there"); err != nil {
		t.Fatal(err)
	}
	if got := b.ask(call("k3")); !strings.Contains(got, `"ran"`) {
		t.Errorf("cleared: %s", got)
	}
}

// A write that its client gives up may have taken effect.
func TestAKeyedWriteThatIsGivenUp(t *testing.T) {
	called := make(chan struct{}, 1)
	u := &upstreams{t: t, tools: []string{keyedTool}}
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			called <- struct{}{}
			return
		}
		s.answer(e)
	}
	store := stateIn(t, time.Now)
	x := exposeAll(t, keyedTool)
	x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: keyedOperation()}
	client, _ := connect(t, newFacade(t, Options{Exposure: x, Dial: u.dial, Ledger: store, Service: "calc"}))
	client.send(keyedCall(1, `{"slip":"k"}`))
	<-called
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	got := ""
	for end := time.Now().Add(patience); time.Now().Before(end) && !strings.Contains(got, outcomeUnknown); time.Sleep(time.Millisecond) {
		got = client.ask(keyedCall(2, `{"slip":"k"}`))
	}
	if !strings.Contains(got, outcomeUnknown) {
		t.Errorf("got %s", got)
	}
}

// repeatable is keyedOperation where the pack says that a call with its key does no harm twice.
func repeatable() *air.Operation {
	o := keyedOperation()
	o.Retries = harmless().Retries
	o.Retries.Basis = air.BasisIdempotencyKey
	return o
}

// A write that may be made again by its key is made again with it alone.
func TestAWriteWithoutItsKeyIsNotMadeAgain(t *testing.T) {
	for arguments, want := range map[string]bool{`{"slip":"s"}`: true, `{"a":1}`: false, `{"slip":""}`: false, `{"slip":7}`: false} {
		synctest.Test(t, func(t *testing.T) {
			u := dying(t, 1)
			u.tools = []string{keyedTool}
			x := exposeAll(t, keyedTool)
			x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: repeatable()}
			client, _ := connect(t, newFacade(t, Options{Exposure: x, Dial: u.dial}))
			client.ask(asksNobody)
			client.send(keyedCall(1, arguments))
			got := client.recv()
			for got == changed {
				got = client.recv()
			}
			if strings.Contains(got, `"ran"`) != want || u.count() != map[bool]int{true: 2, false: 1}[want] {
				t.Errorf("%s: %d upstreams, %s", arguments, u.count(), got)
			}
		})
	}
}

// What a later try comes to does not tell what came of an earlier one that was lost: the write stays unknown, and its key is not free.
func TestALaterTryFreesNoKey(t *testing.T) {
	u := dying(t, 1)
	u.tools = []string{keyedTool}
	dial := func(ctx context.Context) (wire.Link, error) {
		if u.count() > 0 { // the second upstream has another tool under the name, which the gate refuses
			u.tools = []string{changedAdd}
		}
		return u.dial(ctx)
	}
	store := stateIn(t, time.Now)
	x := exposeAll(t, keyedTool)
	x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: repeatable()}
	client, _ := connect(t, newFacade(t, Options{Exposure: x, Dial: dial, Ledger: store, Service: "calc"}))
	client.ask(asksNobody)
	client.send(keyedCall(1, `{"slip":"s"}`))
	got := client.recv()
	for got == changed {
		got = client.recv()
	}
	if !strings.Contains(got, schemaMismatch) {
		t.Errorf("got %s", got)
	}
	outcomes, err := store.Outcomes(t.Context())
	if err != nil || len(outcomes) != 1 {
		t.Errorf("%d unknown outcomes, %v", len(outcomes), err)
	}
}
