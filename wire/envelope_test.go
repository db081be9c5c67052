package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parts is an Envelope with its spans resolved, for comparison.
type parts struct {
	ID, Method, Params, Result, Error string
	NoVersion, Dup                    bool
}

func partsOf(e Envelope) parts {
	return parts{
		string(e.Bytes(e.ID)), string(e.Bytes(e.Method)), string(e.Bytes(e.Params)), string(e.Bytes(e.Result)),
		string(e.Bytes(e.Error)), e.NoVersion, e.Dup,
	}
}

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     parts
	}{
		{"request", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"id":9}}}`,
			parts{ID: "7", Method: `"tools/call"`, Params: `{"name":"x","arguments":{"id":9}}`}},
		{"id last", `{"result":{"id":1,"jsonrpc":"1"},"jsonrpc":"2.0","id":"a"}`,
			parts{ID: `"a"`, Result: `{"id":1,"jsonrpc":"1"}`}},
		{"space everywhere", " \t{ \"jsonrpc\" : \"2.0\" ,\r\n \"id\" : -1.5e3 , \"result\" : [ 1 , { } , [ ] ] } \n",
			parts{ID: "-1.5e3", Result: "[ 1 , { } , [ ] ]"}},
		{"escaped names", `{"\u006asonrpc":"2\u002e0","\u0069d":3,"m\u0065thod":"x"}`, parts{ID: "3", Method: `"x"`}},
		{"wrong case is another member", `{"JSONRPC":"2.0","ID":1,"Method":"x"}`, parts{NoVersion: true}},
		{"version missing", `{"id":1,"result":null}`, parts{ID: "1", Result: "null", NoVersion: true}},
		{"version wrong", `{"jsonrpc":2.0,"id":1,"result":0}`, parts{ID: "1", Result: "0", NoVersion: true}},
		{"duplicate id, last wins", `{"jsonrpc":"2.0","id":1,"result":{},"\u0069d":2}`,
			parts{ID: "2", Result: "{}", Dup: true}},
		{"duplicate version", `{"jsonrpc":"2.0","jsonrpc":"2.0"}`, parts{Dup: true}},
		{"duplicate unknown member is not ours", `{"jsonrpc":"2.0","x":1,"x":2}`, parts{}},
		{"null id", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`,
			parts{ID: "null", Error: `{"code":-32700}`}},
		{"brackets and escapes in strings", `{"jsonrpc":"2.0","method":"a}\"]\\","params":["\u00e9\/\b\f\n\r\t"]}`,
			parts{Method: `"a}\"]\\"`, Params: `["\u00e9\/\b\f\n\r\t"]`}},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xc0\"}", parts{Method: "\"\xff\xc0\""}},
		{"empty object", `{}`, parts{NoVersion: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Scan([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, partsOf(e)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func nested(open, close string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(close, n)
}

func TestScanRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     error
	}{
		{"nothing", "", ErrTruncated},
		{"space", " \n", ErrTruncated},
		{"open brace", "{", ErrTruncated},
		{"half a name", `{"id`, ErrTruncated},
		{"name alone", `{"id"`, ErrTruncated},
		{"no value", `{"id":`, ErrTruncated},
		{"no end", `{"id":1`, ErrTruncated},
		{"half an escape", `{"id":"\u00`, ErrTruncated},
		{"ends in a backslash", `{"id":"\`, ErrTruncated},
		{"half a literal", `{"id":tru`, ErrTruncated},
		{"half a number", `{"id":-`, ErrTruncated},
		{"trailing comma", `{"id":1,}`, ErrSyntax},
		{"missing comma", `{"id":1 "x":2}`, ErrSyntax},
		{"leading comma", `{,"id":1}`, ErrSyntax},
		{"missing colon", `{"id" 1}`, ErrSyntax},
		{"bare name", `{id:1}`, ErrSyntax},
		{"crossed brackets", `{"id":1,"params":[{]}}`, ErrSyntax},
		{"array comma", `{"params":[1,]}`, ErrSyntax},
		{"leading zero", `{"id":01}`, ErrSyntax},
		{"plus", `{"id":+1}`, ErrSyntax},
		{"dot", `{"id":1.}`, ErrSyntax},
		{"exponent", `{"id":1e}`, ErrSyntax},
		{"bad escape", `{"id":"\x"}`, ErrSyntax},
		{"bad hex", `{"id":"\u00g0"}`, ErrSyntax},
		{"raw control", "{\"id\":\"a\x01\"}", ErrSyntax},
		{"raw newline in a string", "{\"id\":\"a\nb\"}", ErrSyntax},
		{"NUL for space", "{\x00\"id\":1}", ErrSyntax},
		{"NUL at the end", "{\"id\":1}\x00", ErrSyntax},
		{"two messages", `{"id":1}{"id":2}`, ErrSyntax},
		{"garbage after", `{"id":1} x`, ErrSyntax},
		{"text", "Server started", ErrSyntax},
		{"bracketed text", "[INFO] Server started", ErrSyntax},
		{"BOM", "\xef\xbb\xbf{}", ErrSyntax},
		{"batch", ` [{"id":1}] `, ErrBatch},
		{"empty batch", `[]`, ErrBatch},
		{"number", "1", ErrNotMessage},
		{"string", `"x"`, ErrNotMessage},
		{"null", "null", ErrNotMessage},
		{"method of another type", `{"method":5}`, ErrNotMessage},
		{"id object", `{"id":{}}`, ErrNotMessage},
		{"id true", `{"id":true}`, ErrNotMessage},
		{"too deep", `{"params":` + nested("[", "]", MaxDepth) + `}`, ErrDepth},
		{"too deep, unclosed", strings.Repeat(`{"a":`, MaxDepth+1), ErrDepth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Scan([]byte(tt.in)); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := Scan([]byte(`{"params":` + nested("[", "]", MaxDepth-1) + `}`)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
}

func TestEnvelopeKinds(t *testing.T) {
	for _, tt := range []struct {
		in                              string
		request, notification, response bool
	}{
		{`{"id":1,"method":"m"}`, true, false, false},
		{`{"id":"","method":"m"}`, true, false, false},
		{`{"id":null,"method":"m"}`, false, true, false},
		{`{"method":"m"}`, false, true, false},
		{`{"id":1,"result":null}`, false, false, true},
		{`{"id":null,"error":{}}`, false, false, true},
		{`{"id":1,"method":"m","result":1}`, true, false, false},
		{`{"id":1}`, false, false, false},
	} {
		e, err := Scan([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		got := []bool{e.IsRequest(), e.IsNotification(), e.IsResponse()}
		if diff := cmp.Diff([]bool{tt.request, tt.notification, tt.response}, got); diff != "" {
			t.Errorf("%s: request, notification, response (-want +got)\n%s", tt.in, diff)
		}
	}
}

func TestMethodName(t *testing.T) {
	e, err := Scan([]byte(`{"method":"tools\/\u0063all\ud83d\ude00\ud800"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.MethodName(), "tools/call\U0001F600\uFFFD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWithID(t *testing.T) {
	for _, tt := range []struct{ in, id, want string }{
		{`{"jsonrpc":"2.0", "id" : 1 ,"x":1.0}`, `"abc"`, `{"jsonrpc":"2.0", "id" : "abc" ,"x":1.0}`},
		{`{"result":{"id":1},"\u0069d":"long one"}`, `2`, `{"result":{"id":1},"\u0069d":2}`},
		{`{"method":"m"}`, `2`, `{"method":"m"}`},
	} {
		e, err := Scan([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.WithID([]byte("> "), []byte(tt.id))); got != "> "+tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestMember(t *testing.T) {
	for _, tt := range []struct {
		name, object, member, want string
		found                      bool
	}{
		{"plain", `{"name":"x","arguments":{"name":"y"}}`, "name", `"x"`, true},
		{"escaped", `{"n\u0061me":1}`, "name", "1", true},
		{"last duplicate", `{"a":1,"a":2}`, "a", "2", true},
		{"name with a backslash", `{"a\\b":1}`, `a\b`, "1", true},
		{"escapes are not their spelling", `{"a\u0062":1}`, `a\u0062`, "", false},
		{"empty name", `{"":1}`, "", "1", true},
		{"case matters", `{"Name":1}`, "name", "", false},
		{"absent", `{"a":1}`, "b", "", false},
		{"empty", `{}`, "b", "", false},
		{"array", `["a"]`, "a", "", false},
		{"nothing", "", "a", "", false},
		{"broken after the hit", `{"a":1,`, "a", "", false},
		{"trailing", `{"a":1} x`, "a", "", false},
		{"space", " { \"a\" : 1 } ", "a", "1", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ok := Member([]byte(tt.object), tt.member)
			if got := tt.object[s.Start:s.End]; got != tt.want || ok != tt.found {
				t.Errorf("got %q %v, want %q %v", got, ok, tt.want, tt.found)
			}
		})
	}
}

func TestElements(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
		ok   bool
	}{
		{`[]`, nil, true},
		{` [ 1 , {"a":[2]} ,"x" ] `, []string{"1", `{"a":[2]}`, `"x"`}, true},
		{`[1`, nil, false}, {`[1,]`, nil, false}, {`[1]]`, nil, false}, {`{}`, nil, false}, {``, nil, false},
	} {
		spans, ok := Elements([]byte(tt.in))
		var got []string
		for _, s := range spans {
			got = append(got, tt.in[s.Start:s.End])
		}
		if ok != tt.ok || ok && !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q %v, want %q %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestReadID(t *testing.T) {
	for _, tt := range []struct {
		in    string
		id    uint64
		loose bool
		ok    bool
	}{
		{"1", 1, false, true}, {"18446744073709551615", 0, true, false}, {`"1"`, 1, true, true},
		{`"18446744073709551615"`, 1<<64 - 1, true, true}, {"1.0", 1, true, true}, {"1e0", 1, true, true},
		{"10.00e-1", 1, true, true}, {"0.1e1", 1, true, true}, {"-0", 0, true, true}, {"0e400", 0, true, true},
		{"1.5", 0, true, false}, {"-1", 0, true, false}, {"1e19", 0, true, false}, {"1e999999999999", 0, true, false},
		{`"x"`, 0, true, false}, {`""`, 0, true, false}, {`"\u0031"`, 1, true, true}, {"null", 0, true, false}, {"", 0, false, false},
	} {
		id, loose, ok := readID([]byte(tt.in))
		if ok != tt.ok || ok && (id != tt.id || loose != tt.loose) {
			t.Errorf("%s: got %d loose=%v ok=%v, want %d loose=%v ok=%v", tt.in, id, loose, ok, tt.id, tt.loose, tt.ok)
		}
	}
}

func TestQuoteAndUnquote(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\x00\x1f</script>", "é\u2028\U0001F600"} {
		quoted := appendQuoted(nil, s)
		if got, ok := Unquote(quoted); !ok || got != s {
			t.Errorf("%q: got %q %v from %s", s, got, ok, quoted)
		}
		var std string
		if err := json.Unmarshal(quoted, &std); err != nil || std != s {
			t.Errorf("%q: encoding/json reads %q, %v", s, std, err)
		}
	}
	for _, raw := range []string{"", `"`, `1`, `"a`, `"a"b"`, "\"\n\"", `"\"`, `"\x"`} {
		if got, ok := Unquote([]byte(raw)); ok {
			t.Errorf("%s: got %q, want a refusal", raw, got)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`,
		`{"result":{"tools":[]},"jsonrpc":"2.0","id":"x"}`, `{"\u0069d":1,"id":2,"error":{"code":-1.0e2}}`,
		`[{"id":1},[]]`, `"\ud800"`, `{"a":{"b":[[{}],true,false,null,-0.1E+2]}}`, "{\"id\":\"\xff\"}", `{"id":1}}`,
		nested("[", "]", 70), `{"id":true}`, "\xef\xbb\xbf{}", `{"":"aaaaaaa\"aaaaaaaa\\"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := Scan(in)
		isJSON := err == nil || errors.Is(err, ErrBatch) || errors.Is(err, ErrNotMessage)
		if isJSON != json.Valid(in) {
			t.Fatalf("Scan says %v, encoding/json says valid=%v", err, json.Valid(in))
		}
		if err == nil {
			checkAgainstStandard(t, e)
			checkSplice(t, e)
		} else if errors.Is(err, ErrBatch) {
			checkElements(t, in)
		}
	})
}

func checkAgainstStandard(t *testing.T, e Envelope) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(e.Raw, &members); err != nil {
		t.Fatal(err)
	}
	for name, span := range map[string]Span{
		"id": e.ID, "method": e.Method, "params": e.Params, "result": e.Result, "error": e.Error,
	} {
		want, there := members[name]
		if there == span.absent() || !bytes.Equal(e.Bytes(span), want) {
			t.Errorf("%s: got %q, want %q", name, e.Bytes(span), want)
		}
		if found, ok := Member(e.Raw, name); ok != there || found != span {
			t.Errorf("Member(%s): got %v %v, want %v %v", name, found, ok, span, there)
		}
	}
	if there := string(members["jsonrpc"]) == `"2.0"`; there && e.NoVersion {
		t.Error("the version is there and was not seen")
	}
}

func checkSplice(t *testing.T, e Envelope) {
	spliced, err := Scan(e.WithID(nil, []byte(`"new"`)))
	if err != nil {
		t.Fatal(err)
	}
	want := partsOf(e)
	if want.ID != "" {
		want.ID = `"new"`
	}
	if diff := cmp.Diff(want, partsOf(spliced)); diff != "" {
		t.Errorf("after WithID (-want +got)\n%s", diff)
	}
}

func checkElements(t *testing.T, in []byte) {
	var want []json.RawMessage
	if err := json.Unmarshal(in, &want); err != nil {
		t.Fatal(err)
	}
	spans, ok := Elements(in)
	if !ok || len(spans) != len(want) {
		t.Fatalf("got %d elements, %v, want %d", len(spans), ok, len(want))
	}
	for i, s := range spans {
		if !bytes.Equal(in[s.Start:s.End], want[i]) {
			t.Errorf("element %d: got %q, want %q", i, in[s.Start:s.End], want[i])
		}
	}
}
