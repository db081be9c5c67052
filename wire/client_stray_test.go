package wire

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const strayError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`

// An error that names no call ends the call that waits alone.
func TestClientStrayErrorOfOneCall(t *testing.T) {
	for _, frame := range []string{strayError, `{"jsonrpc":"2.0","error":{"code":-32700}}`} {
		d := newDuet(t, ClientOptions{})
		call := d.call(testContext(t), "x", nil)
		d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		d.say(frame)
		if got := d.await(call); !isCode(got.err, -32700) {
			t.Errorf("got %v", got)
		}
		d.say(strayError) // with nobody waiting it is noise alone
		d.ping()
		next := d.call(testContext(t), "x", nil)
		d.expect(`{"jsonrpc":"2.0","id":2,"method":"x"}`)
		d.say(`{"jsonrpc":"2.0","id":2,"result":2}`)
		if got := d.await(next); got.result != "2" {
			t.Errorf("the next call: got %v", got)
		}
		if diff := cmp.Diff([]string{NoiseNullID, NoiseNullID}, d.heard()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// Among several it is whose reply does not come, which shows once the others have theirs.
func TestClientStrayErrorsAmongCalls(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	calls := []<-chan called{nil}
	for _, sent := range []string{`1,"method":"x"}`, `2,"method":"x"}`, `3,"method":"x"}`, `4,"method":"x"}`} {
		calls = append(calls, d.call(testContext(t), "x", nil))
		d.expect(`{"jsonrpc":"2.0","id":` + sent)
	}
	d.say(strayError)
	d.say(strayError)
	d.ping()
	late := d.call(testContext(t), "x", nil) // sent afterwards, so not meant
	d.expect(`{"jsonrpc":"2.0","id":5,"method":"x"}`)
	d.say(`{"jsonrpc":"2.0","id":3,"result":3}`)
	if got := d.await(calls[3]); got.result != "3" {
		t.Errorf("call 3: got %v", got)
	}
	d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
	if got := d.await(calls[1]); got.result != "1" {
		t.Errorf("call 1: got %v", got)
	}
	for _, i := range []int{2, 4} {
		if got := d.await(calls[i]); !isCode(got.err, -32700) {
			t.Errorf("call %d: got %v", i, got)
		}
	}
	d.say(`{"jsonrpc":"2.0","id":5,"result":5}`)
	if got := d.await(late); got.result != "5" {
		t.Errorf("call 5: got %v", got)
	}
}

// A call that gives up may be the one meant, so the error goes with it rather than to a call that may yet be answered.
func TestClientStrayErrorOfCancelledCall(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	first := d.call(ctx, "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	second := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":2,"method":"x"}`)
	d.say(strayError)
	d.ping()
	cancel()
	if got := d.await(first); !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %v", got)
	}
	d.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the caller gave up"}}`)
	d.say(`{"jsonrpc":"2.0","id":2,"result":2}`)
	if got := d.await(second); got.result != "2" {
		t.Errorf("got %v", got)
	}
}

// A server may answer a notification with an error, which concerns no call: the one that is slow must not fail for it.
func TestClientStrayErrorAboutNotice(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	if err := d.c.Notify(testContext(t), "notifications/initialized", nil); err != nil {
		t.Fatal(err)
	}
	d.expect(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	calls := []<-chan called{nil}
	for _, sent := range []string{`1,"method":"x"}`, `2,"method":"x"}`, `3,"method":"x"}`} {
		calls = append(calls, d.call(testContext(t), "x", nil))
		d.expect(`{"jsonrpc":"2.0","id":` + sent)
	}
	d.say(strayError) // about the notification, it may be
	d.say(strayError) // about a call, certainly
	for _, i := range []string{"1", "2"} {
		d.say(`{"jsonrpc":"2.0","id":` + i + `,"result":` + i + `}`)
	}
	for i := 1; i <= 2; i++ {
		if got := d.await(calls[i]); got.result != fmt.Sprint(i) {
			t.Errorf("call %d: got %v", i, got)
		}
	}
	if got := d.await(calls[3]); !isCode(got.err, -32700) {
		t.Errorf("call 3: got %v", got)
	}
	slow := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":4,"method":"x"}`)
	if err := d.c.Notify(testContext(t), "notifications/x", nil); err != nil {
		t.Fatal(err)
	}
	d.expect(`{"jsonrpc":"2.0","method":"notifications/x"}`)
	other := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":5,"method":"x"}`)
	d.say(strayError)
	d.say(`{"jsonrpc":"2.0","id":5,"result":5}`)
	if got := d.await(other); got.result != "5" {
		t.Errorf("call 5: got %v", got)
	}
	d.ping()
	d.say(`{"jsonrpc":"2.0","id":4,"result":4}`)
	if got := d.await(slow); got.result != "4" {
		t.Errorf("the slow call: got %v", got)
	}
}
