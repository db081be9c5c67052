package facade

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestGivenTwice(t *testing.T) {
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `"k%d":{"k%d":[],"x":1},`, i, i)
	}
	for value, want := range map[string]string{
		``: "", `{}`: "", `{"a":1}`: "", `{"a":1,"b":{"a":1,"b":2}}`: "", `[{"a":1},{"a":1}]`: "", `{"a":["a","a"],"b":"a"}`: "",
		`{"a":1,"a":2}`: "a", `{"a":1,"\u0061":2}`: "a", `{"x":[0,{"y":{"a":1 , "b":2 , "a" : 3}}]}`: "a", `{"a":{"b":1},"c":{"b":1},"a":0}`: "a",
		`{"":1,"":2}`: "", `{"é":1,"\u00e9":2}`: "é", `{"a\"b":1,"a\"b":2}`: `a"b`, `{"a":":","b":"a:"}`: "",
		"{" + many.String() + `"z":1}`: "", "{" + many.String() + `"k77":1}`: "k77", "{" + many.String() + `"\u006b77":1}`: "k77",
	} {
		name, twice := givenTwice([]byte(value))
		if twice != (want != "" || value == `{"":1,"":2}`) || name != want {
			t.Errorf("%.80s: %q, %v; want %q", value, name, twice, want)
		}
	}
}

// What canonical JSON refuses as a duplicate is refused here, and nothing else.
func FuzzGivenTwice(f *testing.F) {
	for _, seed := range []string{`{"a":1,"a":2}`, `{"a":{"b":[{"c":1}]},"\u0061":""}`, `[{"a":1},{"a":2}]`, `{"\\":1,"\u005c":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) == 0 || text[0] != '{' && text[0] != '[' {
			return
		}
		node, err := canon.Parse([]byte(text))
		if err != nil {
			return // no frame holds it
		}
		duplicate := false
		for _, flaw := range node.Flaws() {
			if flaw.Kind == canon.LoneSurrogate || flaw.Kind == canon.InvalidUTF8 {
				return // what reads alike and is not counts as given twice
			}
			duplicate = duplicate || flaw.Kind == canon.DuplicateName
		}
		if _, twice := givenTwice([]byte(text)); twice != duplicate {
			t.Errorf("%q: %v, and canon says %v", text, twice, duplicate)
		}
	})
}

func TestGivenTwiceKeepsNothing(t *testing.T) {
	value := []byte(`{"filter":{"from":"2026-01-01","to":"2026-02-01","tags":["a","b"]},"limit":20,"note":"` + strings.Repeat("x", 64<<10) + `"}`)
	if n := testing.AllocsPerRun(100, func() { givenTwice(value) }); n > 6 { // fewer than the members there are; the race detector empties the pool now and then
		t.Errorf("%v allocations", n)
	}
}

// Arguments that two readers could read in two ways reach no server.
func TestAmbiguousArgumentsAreRefused(t *testing.T) {
	u := &upstreams{t: t, tools: []string{addTool}}
	client, _ := connect(t, newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial}))
	call := func(params string) string {
		return client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
	}
	for params, says := range map[string]string{
		`{"name":"add","arguments":{"a":1,"a":2}}`:                    `gives a member twice: \"a\"`,
		`{"name":"add","arguments":{"a":{"b":[{"x":1,"\u0078":2}]}}}`: `gives a member twice: \"x\"`,
		`{"name":"add","arguments":{"a":1},"arguments":{"a":2}}`:      "params.arguments is given more than once",
		`{"name":"add","arguments":{"a":1},"Arguments":{"a":2}}`:      "which some readers take for name or arguments",
		`{"name":"add","arguments":[1]}`:                              "params.arguments is not an object",
	} {
		got := call(params)
		if !strings.Contains(got, says) || !strings.Contains(got, `"code":"ambiguous_message"`) {
			t.Errorf("%s: %s", params, got)
		}
	}
	for _, params := range []string{`{"name":"add","arguments":{"a":1}}`, `{"name":"add"}`, `{"name":"add","arguments":null}`, `{"name":"add","arguments":{}}`} {
		if got := call(params); strings.Contains(got, "error") {
			t.Errorf("%s: %s", params, got)
		}
	}
}
