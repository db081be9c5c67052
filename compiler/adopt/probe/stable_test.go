package probe

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/surface"
	"anvil/wire"
)

// TestRepeated captures a server that shows one tool in every other process only, and another with a counter in its text.
func TestRepeated(t *testing.T) {
	starts := 0
	reply := func(s *server, method, params string) string {
		switch method {
		case "initialize":
			starts++
		case "tools/list":
			if starts%2 == 0 {
				return fmt.Sprintf(`"result":{"tools":[{"name":"same"},{"name":"counts","description":"%d"},{"name":"comes"}]}`, starts)
			}
			return fmt.Sprintf(`"result":{"tools":[{"name":"same"},{"name":"counts","description":"%d"}]}`, starts)
		}
		return lists(nil)(s, method, params)
	}
	r, err := Repeated(t.Context(), Options{Dial: script{t, reply}.dial}, 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule+" "+f.Tool+": "+f.Message)
	}
	want := []string{
		"list-nondeterministic comes: not always there in 3 captures: tool comes",
		"list-nondeterministic counts: not always the same in 3 captures: tool counts",
	}
	if diff := cmp.Diff(want, got); diff != "" || starts != 3 {
		t.Errorf("%d starts (-want +got)\n%s", starts, diff)
	}
	starts = 0
	if r, err := Repeated(t.Context(), Options{Dial: script{t, lists(map[string]string{"": `{"tools":[]}`})}.dial}, 3); err != nil || len(r.Findings) != 0 {
		t.Errorf("a steady server: %v, %v", r.Findings, err)
	}
}

// TestRepeatedFailsHalfWay has the third capture fail: what was read and noticed until then is there, and the error says which one it was.
func TestRepeatedFailsHalfWay(t *testing.T) {
	starts := 0
	reply := func(s *server, method, params string) string {
		switch method {
		case "initialize":
			starts++
		case "tools/list":
			if starts == 2 {
				s.send(`{"jsonrpc":"2.0","id":99,"result":{}}`)
			}
			return fmt.Sprintf(`"result":{"tools":[{"name":"a","description":"%d"}]}`, starts)
		case "prompts/list":
			if starts == 3 {
				s.send(`{"id":%s,"error":{"code":-32000,"message":"broken"}}`, s.last)
				return ""
			}
		}
		return lists(nil)(s, method, params)
	}
	r, err := Repeated(t.Context(), Options{Dial: script{t, reply}.dial}, 4)
	wantFailure(t, err, BrokenList, "prompts/list (capture 3 of 4): call prompts/list: the server answered with error -32000: broken (read until then: 1 tool")
	var f *Failure
	if !errors.As(err, &f) || f.Stage != "prompts/list" || f.Capture != 3 || f.Of != 4 {
		t.Errorf("got %+v", f)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule+": "+f.Message)
	}
	want := []string{
		`missing-jsonrpc: a message lacks "jsonrpc": "2.0" (once)`,
		"list-nondeterministic: not always the same in 2 captures: tool a",
	}
	if diff := cmp.Diff(want, got); diff != "" || starts != 3 || r.Evidence.Pages["tools/list"] != 1 || len(r.Capture.Lists[surface.Tool]) != 1 {
		t.Errorf("%d starts, %+v (-want +got)\n%s", starts, r.Evidence, diff)
	}
	starts = 2
	r, err = Repeated(t.Context(), Options{Dial: script{t, reply}.dial}, 4)
	wantFailure(t, err, BrokenList, "prompts/list: ")
	if len(r.Findings) != 1 || r.Evidence.Noise[wire.NoiseNoVersion] != 1 {
		t.Errorf("the first capture: %+v", r)
	}
}
