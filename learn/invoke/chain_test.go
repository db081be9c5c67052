package invoke

import (
	"context"
	"errors"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/advise"
)

// Assertion 25: the order of hooks.
func TestHooksRunInOrderAndBack(t *testing.T) {
	var ran []string
	fails := ""
	hook := func(what string) error {
		ran = append(ran, what)
		if what == fails {
			return errors.New("it fails")
		}
		return nil
	}
	named := func(name string) Middleware {
		return Middleware{Name: name,
			Init:    func(context.Context) error { return hook("init " + name) },
			Before:  func(context.Context, *Invocation) error { return hook("before " + name) },
			After:   func(context.Context, *Invocation) error { return hook("after " + name) },
			OnError: func(context.Context, *Invocation, error) { _ = hook("onError " + name) },
			View:    func(*Invocation) canon.Raw { _ = hook("view " + name); return nil },
		}
	}
	chain, err := NewChain(named("a"), Middleware{Name: "bare"}, named("b"))
	if err != nil {
		t.Fatal(err)
	}
	var l log
	c := client(t, &l, Options{Chain: chain})
	for _, step := range []struct{ fails, want string }{
		{"init b", "init a, init b"},
		{"", "init b, before a, before b, call, after b, after a, view a, view b"}, // what failed once is initialised again, the rest is not
		{"", "before a, before b, call, after b, after a, view a, view b"},
		{"before a", "before a"},
		{"before b", "before a, before b, onError a, view a"},
		{"call", "before a, before b, call, onError b, onError a, view a, view b"},
		{"after b", "before a, before b, call, after b, onError a, view a, view b"},
		{"after a", "before a, before b, call, after b, after a, view a, view b"},
	} {
		ran, fails = nil, step.fails
		l = log{}
		done, err := c.Run(t.Context(), search, func(context.Context, *Call) (Result, error) { return Result{Output: []byte("1")}, hook("call") })
		if got := strings.Join(ran, ", "); got != step.want {
			t.Errorf("%q fails: ran %s\nwant %s", step.fails, got, step.want)
		}
		failed := step.fails != ""
		if o := l.only(t); failed != (err != nil) || failed != (o.Outcome == learn.Failed) || failed && step.fails != "call" && o.Code != CodeHook || done.Outcome != o.Outcome {
			t.Errorf("%q fails: %v, observed %s %q", step.fails, err, o.Outcome, o.Code)
		}
	}
}

func TestNamesInAChainAreDifferent(t *testing.T) {
	if _, err := NewChain(Middleware{Name: "a"}, Middleware{Name: "b"}, Middleware{Name: "a"}); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("two of one name: %v", err)
	}
	if _, err := NewChain(Middleware{}); err == nil {
		t.Error("one without a name")
	}
}

// What was decided on is what is called: a hook may not send it elsewhere, and what the gate does to its copy counts for nothing.
func TestTheToolStaysTheOneThatWasDecidedOn(t *testing.T) {
	undone := false
	chain, _ := NewChain(Middleware{Name: "detour", Before: func(_ context.Context, inv *Invocation) error { inv.Call.Tool.Name = "delete"; return nil },
		OnError: func(context.Context, *Invocation, error) { undone = true }})
	var l log
	done, err := client(t, &l, Options{Chain: chain}).Run(t.Context(), search, says("1"))
	if err == nil || done.Executed || !undone {
		t.Errorf("%+v, %v", done, err)
	}
	l = log{}
	gate := func(_ context.Context, call *Call) (advise.Verdict, error) {
		call.Tool.Name = "delete"
		return advise.Verdict{Decision: advise.Allow}, nil
	}
	_, err = client(t, &l, Options{Gate: gate}).Run(t.Context(), search, func(_ context.Context, call *Call) (Result, error) {
		if call.Tool != search.Tool {
			t.Errorf("called %v", call.Tool)
		}
		return Result{}, nil
	})
	if err != nil || l.only(t).Tool != search.Tool {
		t.Errorf("%v", err)
	}
}

// shorten is a compressor that keeps the first letter, and fails where told.
func shorten(err error) Compressor {
	return func(_ context.Context, text string) (Compressed, error) {
		if text == "panic" {
			panic(text)
		}
		return Compressed{Text: text[:1], Hash: "h1"}, err
	}
}

// Assertion 25: compression.
func TestCompression(t *testing.T) {
	headroom := func(answer string, err error) Compressor {
		return Headroom{Call: func(_ context.Context, tool string, arguments []byte) (string, error) {
			if tool != "headroom_compress" || string(arguments) != `{"content":"a long text"}` {
				t.Errorf("%s %s", tool, arguments)
			}
			return answer, err
		}}.Compress
	}
	for _, test := range []struct {
		name                   string
		by                     Compressor
		output, want, wantView string
	}{
		{"a text", shorten(nil), `"a long text"`, `"a"`, `{"hash":"h1"}`},
		{"a compressor that fails", shorten(coded("E_FULL")), `"a long text"`, `"a long text"`, `{"error":"E_FULL"}`},
		{"one that says why in words", shorten(errors.New("token abc")), `"a long text"`, `"a long text"`, `{"error":"unknown"}`},
		{"one that panics", shorten(nil), `"panic"`, `"panic"`, `{"error":"panic"}`},
		{"an object", shorten(nil), `{"a":"long text"}`, `{"a":"long text"}`, `{"skipped":true}`},
		{"a number", shorten(nil), `12345`, `12345`, `{"skipped":true}`},
		{"no JSON", shorten(nil), `oops`, `oops`, `{"skipped":true}`},
		{"headroom, by counts", headroom(`{"compressed":"short","hash":"h2","original_tokens":300,"compressed_tokens":100}`, nil), `"a long text"`, `"short"`, `{"hash":"h2","savingsPercent":66.67}`},
		{"headroom, as given", headroom(`{"compressed":"short","savings_percent":41.5,"original_tokens":300,"compressed_tokens":100}`, nil), `"a long text"`, `"short"`, `{"savingsPercent":41.5}`},
		{"headroom, no counts", headroom(`{"compressed":"short","original_tokens":0,"compressed_tokens":1}`, nil), `"a long text"`, `"short"`, `{}`},
		{"headroom, empty", headroom(`{"compressed":""}`, nil), `"a long text"`, `"a long text"`, `{"error":"unknown"}`},
		{"headroom, no JSON", headroom(`sorry`, nil), `"a long text"`, `"a long text"`, `{"error":"unknown"}`},
		{"headroom, away", headroom("", coded("ECONNREFUSED")), `"a long text"`, `"a long text"`, `{"error":"ECONNREFUSED"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain, err := NewChain(Compression(test.by))
			if err != nil {
				t.Fatal(err)
			}
			var l log
			done, err := client(t, &l, Options{Chain: chain}).Run(t.Context(), search, says(test.output))
			if err != nil || string(done.Result.Output) != test.want || len(done.Views) != 1 || string(done.Views[0].Value) != test.wantView {
				t.Errorf("%v: %s, views %s; want %s, %s", err, done.Result.Output, done.Views, test.want, test.wantView)
			}
			if o := l.only(t); string(o.Result) != test.output || o.Outcome != learn.Succeeded {
				t.Errorf("observed %s %s", o.Outcome, o.Result)
			}
		})
	}
}
