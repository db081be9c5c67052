package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzScanAgainstPeer holds Scan against another reader of JSON: both accept the same texts, and find the same bytes of each
// member. The peer is set to accept what Scan passes on for later stages to report: bytes that are not UTF-8, lone
// surrogates, and names given twice, of which the last counts. Depth is bounded by both, at 10000 levels; TestPeerDepth
// holds that both stop at the same level.
func FuzzScanAgainstPeer(f *testing.F) {
	for _, seed := range peerSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := Scan(in)
		value, members, peerErr := peerRead(in)
		isJSON := err == nil || errors.Is(err, ErrBatch) || errors.Is(err, ErrNotMessage)
		if isJSON != (peerErr == nil) {
			t.Fatalf("Scan says %v, the peer %v", err, peerErr)
		}
		if errors.Is(err, ErrBatch) != (isJSON && value.Kind() == '[') {
			t.Fatalf("Scan says %v of an array, or of none", err)
		}
		if peerErr != nil || value.Kind() != '{' {
			return
		}
		if err != nil && !hasOddShape(members) {
			t.Fatalf("Scan refuses %q: %v", in, err)
		}
		if err == nil {
			compareWithPeer(t, e, members)
		}
	})
}

// peerMembers are the raw values of an object by decoded name, in order.
type peerMembers map[string][]string

func (m peerMembers) last(name string) string {
	if values := m[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// peerRead reads one value, and its members if it is an object.
func peerRead(in []byte) (jsontext.Value, peerMembers, error) {
	d := jsontext.NewDecoder(bytes.NewReader(in), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	value, err := d.ReadValue()
	if err != nil {
		return nil, nil, err
	}
	value = value.Clone()
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("text after the value")
	}
	if value.Kind() != '{' {
		return value, nil, nil
	}
	members := peerMembers{}
	d = jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, nil, err
		}
		key := name.String()
		member, err := d.ReadValue()
		if err != nil {
			return nil, nil, err
		}
		members[key] = append(members[key], string(member))
	}
	return value, members, nil
}

// hasOddShape reports whether a method or an id makes an object no message.
func hasOddShape(members peerMembers) bool {
	method, id := members.last("method"), members.last("id")
	return method != "" && method[0] != '"' || id != "" && strings.ContainsRune("{[tf", rune(id[0]))
}

func compareWithPeer(t *testing.T, e Envelope, members peerMembers) {
	dup := len(members["jsonrpc"]) > 1
	for name, span := range map[string]Span{
		"id": e.ID, "method": e.Method, "params": e.Params, "result": e.Result, "error": e.Error,
	} {
		if got, want := string(e.Bytes(span)), members.last(name); got != want {
			t.Errorf("%s: got %q, the peer reads %q", name, got, want)
		}
		dup = dup || len(members[name]) > 1
	}
	if e.Dup != dup {
		t.Errorf("Dup is %v, the peer has %v", e.Dup, members)
	}
	version, isText := Unquote([]byte(members.last("jsonrpc")))
	if e.NoVersion == (isText && version == "2.0") {
		t.Errorf("NoVersion is %v of %q", e.NoVersion, members["jsonrpc"])
	}
	if method := members.last("method"); method != "" {
		want, err := jsontext.AppendUnquote(nil, method)
		if err != nil { // of bytes that are not UTF-8, which Scan keeps and the peer replaces
			return
		}
		if got := e.MethodName(); got != string(want) {
			t.Errorf("the method is %q, the peer reads %q", got, want)
		}
	}
}

// peerSeeds are real messages, hostile ones, and texts at the edge of the grammar.
var peerSeeds = []string{
	`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"anvil","version":"1"}}}`,
	`{"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"example-servers/everything","title":"Everything","version":"2.0.0"}},"jsonrpc":"2.0","id":0}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"result":{"tools":[{"name":"echo","description":"Echoes back the input","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"},"execution":{"taskSupport":"forbidden"}}],"nextCursor":"c\u0031"},"jsonrpc":"2.0","id":3}`,
	`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":9007199254740993,"b":1.0e2},"_meta":{"progressToken":7}}}`,
	`{"jsonrpc":"2.0","id":"ask roots/list","method":"roots/list","params":{}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"x":[1,2,{}]}}}`,
	`{"method":"notifications/message","params":{"level":"info","data":"caf\u00e9 \ud83d\ude00 \ud800"},"jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":1,"result":{},"\u0069d":2,"i\u0064":3}`, `{"jsonrpc":"2\u002e0","id":1,"result":1}`,
	`{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"id":1,"result":1,"error":null}`, `{"ID":1,"Id":2,"METHOD":"x","id":3}`,
	`{"id":{},"method":5}`, `{"id":[1],"result":1}`, `{"id":-0,"result":1}`, `{"id":1e400,"result":1}`, `{"id":true,"id":1}`,
	"{\"id\":\"\xff\xfe\",\"m\xc3\":1}", "{\"method\":\"\xed\xa0\x80\"}", "\xef\xbb\xbf{}", "{\"a\":\"\x7f\"}", "{\"a\":\"\u2028\"}",
	`{"a":"\`, `{"a":"\u12"}`, `{"a":"\u12G4"}`, `{"a":"\U0041"}`, `{"a":"\'"}`, "{\"a\":\"\n\"}", "{\"a\":\"\t\"}",
	`{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e+}`, `{"a":1E-0}`, `{"a":-0.0e+00}`, `{"a":+1}`, `{"a":0x1}`, `{"a":NaN}`,
	`{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1:2}`, `{"a":[1,]}`, `{"a":[,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a":{]}`, `{"a":1}}`,
	`{} {}`, `{}x`, "{}\x00", "{\x00}", "\v{}", "\u00a0{}", " \t\r\n{ } \n", `[]`, `[{}]`, `[{},]`, `[`, `nul`, `nulll`, `tru`, `"`, `""`, `1`, `-`, ``,
	`{"":{"":{"":[[[[[]]]]]}}}`, `{"aaaaaaaaaaaaaaaa":"aaaaaaa\\\"aaaaaaa","id":"aaaaaaaa"}`, `/* c */{}`, `{"a":1 // c
}`,
}

// TestPeerDepth holds that both stop at the same level.
func TestPeerDepth(t *testing.T) {
	for levels, accepted := range map[int]bool{MaxDepth - 1: true, MaxDepth: true, MaxDepth + 1: false} {
		in := []byte(`{"result":` + nested("[", "]", levels-1) + `}`)
		_, err := Scan(in)
		_, _, peerErr := peerRead(in)
		if (err == nil) != accepted || (peerErr == nil) != accepted {
			t.Errorf("%d levels: Scan says %v, the peer %v", levels, err, peerErr)
		}
	}
}
