package facade

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/wire"
)

var memberSeeds = []string{
	`{}`, ` { } `, `{"a":1}`, `{ "a" : 1 , "b" : [ 1 , {"c":"}"} ] , "a":{} }`, `{"\"":"\\","x\\":"\\\"" ,"":null}`,
	"{\n\t\"a\"\r:\ntrue\n,\"b\":\"\u00e9\"}\n", `{"a":-1.5e+3,"b":[],"c":{},"d":[[]],"e":"[{,:"}`, `{"a":"\\\\\"","b":"\u005c"}`,
}

// FuzzEachMember holds the quick walk over members to the parser's opinion on everything Scan lets through.
func FuzzEachMember(f *testing.F) {
	for _, seed := range append(memberSeeds, clientFrames...) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		if _, err := wire.Scan(frame); err != nil {
			return
		}
		node, err := canon.Parse(frame)
		if err != nil {
			return
		}
		i := 0
		eachMember(frame, func(name, value []byte) {
			if i < len(node.Members) {
				want := node.Members[i]
				if !bytes.Equal(name, want.RawName) || !bytes.Equal(value, want.Value.Raw) {
					t.Errorf("member %d of %q is %s: %s, want %s: %s", i, frame, name, value, want.RawName, want.Value.Raw)
				}
			}
			i++
		})
		if i != len(node.Members) {
			t.Errorf("%d members in %q, want %d", i, frame, len(node.Members))
		}
	})
}

// A text of nothing but escapes must cost no more than its length: going over the rest at each takes minutes here.
func TestManyEscapes(t *testing.T) {
	for _, escape := range []string{`\n`, `\"`, `\\`, `x\n`} {
		text := []byte(`"` + strings.Repeat(escape, 2<<20) + `","`)
		start := time.Now()
		if got, want := stringEnd(text, 0), len(text)-len(`","`); got != want {
			t.Errorf("%s: the text ends at %d, want %d", escape, got, want)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: it took %v", escape, took)
		}
	}
}

func TestWithID(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1234,"result":"a long result, longer than what is before the id"}`,
		`{"result":"a long result, longer than what is behind the id","id":1234}`,
		`{"id":1234}`,
	} {
		for _, id := range []string{`7`, `1234`, `"a much longer id than the frame has"`, `""`} {
			e, err := wire.Scan([]byte(frame))
			if err != nil {
				t.Fatal(err)
			}
			want := string(e.WithID(nil, []byte(id)))
			if got := string(withID(e, []byte(id))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
	e, _ := wire.Scan([]byte(`{"method":"x"}`))
	if got := string(withID(e, []byte("1"))); got != `{"method":"x"}` {
		t.Errorf("without an id: %s", got)
	}
}

func TestOwnID(t *testing.T) {
	for raw, want := range map[string]uint64{`7`: 7, `"7"`: 7, `7.0`: 7, `7e0`: 7, `"\u0037"`: 7, `18446744073709551615`: 1<<64 - 1} {
		if got, ok := ownID([]byte(raw)); !ok || got != want {
			t.Errorf("%s: got %d, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{`-7`, `7.5`, `"x"`, `""`, `"7.0"`, `1e40`} {
		if got, ok := ownID([]byte(raw)); ok {
			t.Errorf("%s: got %d", raw, got)
		}
	}
}

// A refusal is JSON whatever the client's text was, and keeps the request's id as it was spelled.
func TestRefusalFrame(t *testing.T) {
	for _, text := range []string{"plain", "\"\\\n\x00", "\xff\xfe", "\u2028\U0001F600"} {
		for _, id := range []string{"1.0", `"\u0061"`, "null"} {
			frame := refusal{code: codeParams, message: shown(text) + text, reason: "r", hint: text}.frame([]byte(id))
			e, err := wire.Scan(frame)
			if err != nil || string(e.Bytes(e.ID)) != id || !present(e.Error) {
				t.Errorf("%s: %v", fmt.Sprintf("%q", frame), err)
			}
		}
	}
}

// The JSON text of one name can be another tool's name letter by letter.
func TestKnownNamesAreDecoded(t *testing.T) {
	known := map[string]Tool{`a\b`: {Item: surface.Item{Name: `a\b`}}, "add": {Item: surface.Item{Name: "add"}}}
	for raw, want := range map[string]string{`"a\b"`: "a\b", `"a\\b"`: `a\b`, `"add"`: "add", `"\u0061dd"`: "add"} {
		if got, _, problem := callParams([]byte(`{"name":`+raw+`}`), known); got != want || problem != "" {
			t.Errorf("%s is read as %q (%s), want %q", raw, got, problem, want)
		}
	}
	if _, _, problem := callParams([]byte(`{"name":5}`), map[string]Tool{"": {}}); problem == "" {
		t.Error("a number passes for a name")
	}
}
