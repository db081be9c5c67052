package canon

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"white space goes", " {\"a\" :\t[ 1 ,\r\n2 ] } ", `{"a":[1,2]}`},
		{"names sorted", `{"b":1,"a":2,"":3}`, `{"":3,"a":2,"b":1}`},
		{"a prefix first", `{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		{"UTF-16 order, not UTF-8", "{\"\uffff\":1,\"\U00010000\":2}", "{\"\U00010000\":2,\"\uffff\":1}"},
		{"nested sorting", `{"z":{"y":1,"x":[{"b":0,"a":0}]},"a":{}}`, `{"a":{},"z":{"x":[{"a":0,"b":0}],"y":1}}`},
		{"duplicates stay in source order", `{"b":0,"a":2,"a":1}`, `{"a":2,"a":1,"b":0}`},
		{"__proto__ is a name like others", `{"__proto__":1,"a":2}`, `{"__proto__":1,"a":2}`},
		{"numeric names sort as text", `{"10":1,"9":2}`, `{"10":1,"9":2}`},
		{"escapes minimal", `"\u0041\/\u00e9\u000a\u001f\"\\"`, "\"A/é\\n\\u001f\\\"\\\\\""},
		{"surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"lone surrogate stays", `"\uD83D x"`, `"\ud83d x"`},
		{"reversed pair stays", `"\ude00\ud83d"`, `"\ude00\ud83d"`},
		{"invalid UTF-8 stays", "\"\xff\"", "\"\xff\""},
		{"html is not escaped", `"<&>"`, `"<&>"`},
		{"literals", `[true,false,null]`, `[true,false,null]`},
		{"big integer exact", `9007199254740993`, `9007199254740993`},
		{"twenty digits", `12345678901234567890`, `12345678901234567890`},
		{"twenty-two digits", `1234567890123456789012`, `1.234567890123456789012e+21`},
		{"one point zero", `1.0`, `1`},
		{"exponent", `1e2`, `100`},
		{"exponent zero", `-0.0e7`, `0`},
		{"minus zero", `-0`, `0`},
		{"trailing zeros", `1.500`, `1.5`},
		{"small", `0.000001`, `0.000001`},
		{"smaller", `0.0000001`, `1e-7`},
		{"huge", `1e400`, `1e+400`},
		{"ecmascript upper edge", `1e20`, `100000000000000000000`},
		{"ecmascript above edge", `1e21`, `1e+21`},
		{"exact fraction", `0.1000000000000000055511151231257827`, `0.1000000000000000055511151231257827`},
		{"beyond the bounds kept", `1e99999999999999999999`, `1e99999999999999999999`},
		{"tiny beyond the bounds kept", `1E-99999999`, `1E-99999999`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `[1`, `[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `01`, `1.`, `.5`, `+1`, `1e`, `-`, `"a`, `"\x"`, `"\u12g4"`, "\"\n\"",
		`tru`, `nul`, `1 2`, `{} x`, `[}`, `'a'`, strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "\ufeff{}",
	} {
		if _, err := Canonical([]byte(in)); !errors.Is(err, ErrSyntax) {
			t.Errorf("Canonical(%.20q): error %v, want ErrSyntax", in, err)
		}
		if _, err := Parse([]byte(in)); !errors.Is(err, ErrSyntax) {
			t.Errorf("Parse(%.20q): error %v, want ErrSyntax", in, err)
		}
	}
}

func TestDepthWithinTheCap(t *testing.T) {
	deep := []byte(strings.Repeat(`{"a":[`, MaxDepth/2) + strings.Repeat(`]}`, MaxDepth/2))
	got, err := Canonical(deep)
	if err != nil || !bytes.Equal(got, deep) {
		t.Fatalf("canonical form of %d levels: %v", MaxDepth, err)
	}
	if _, err := Parse(deep); err != nil {
		t.Fatal(err)
	}
}

// FuzzCanonical holds the canonical form against jsontext: the same texts are JSON, it is idempotent, and what RFC 8785 can
// express without loss comes out in the same bytes.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":[1.50,-0,1e21],"a":"\u00e9\ud800"}`, `[9007199254740993,0.1e-9]`, `{"a":1,"a":2}`, "\"\xff\"", `{"\u0061":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Canonical(in)
		valid := jsontext.Value(in).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if (err == nil) != valid {
			t.Fatalf("error %v, jsontext says valid=%v", err, valid)
		}
		if err != nil {
			return
		}
		again, err := Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("not idempotent: %q then %q (%v)", got, again, err)
		}
		node, err := Parse(in)
		if err != nil {
			t.Fatalf("parse: %v", err)
		}
		checkFormed(t, in)
		if Indented, err := Canonical(Indent(got, "")); err != nil || !bytes.Equal(Indented, got) {
			t.Fatalf("indentation changed the value: %q (%v)", Indented, err)
		}
		if flaws := node.Flaws(); len(flaws) == 0 {
			want := jsontext.Value(bytes.Clone(in))
			if err := want.Format(jsontext.ReorderRawObjects(true)); err != nil {
				t.Fatalf("no flaw found, but jsontext refuses: %v", err)
			}
			if !sameButNumbers(got, want) {
				t.Fatalf("got %q, jsontext %q", got, want)
			}
		}
	})
}

// sameButNumbers compares two canonical texts token by token; numbers must have one exact value.
func sameButNumbers(a, b []byte) bool {
	x, y := jsontext.NewDecoder(bytes.NewReader(a)), jsontext.NewDecoder(bytes.NewReader(b))
	for {
		s, errX := x.ReadToken()
		s = s.Clone()
		u, errY := y.ReadToken()
		if errX != nil || errY != nil {
			return errX == errY
		}
		if s.Kind() != u.Kind() {
			return false
		}
		if s.Kind() == '0' {
			m, _ := parseDecimal([]byte(s.String()))
			n, _ := parseDecimal([]byte(u.String()))
			if m.negative != n.negative || m.point != n.point || !bytes.Equal(m.digits, n.digits) {
				return false
			}
		} else if s.String() != u.String() {
			return false
		}
	}
}

// FuzzNumber holds number spelling against jsontext's RFC 8785 form wherever the value survives a double in shortest form.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.0", "123456789012345680000", "1e-7", "5e-324", "1.7976931348623157e308", "0.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Canonical([]byte(s))
		if err != nil || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
			return
		}
		rfc := jsontext.Value(s)
		if err := rfc.Canonicalize(); err != nil {
			return
		}
		d, ok := parseDecimal([]byte(strings.TrimSpace(s)))
		r, _ := parseDecimal(rfc)
		if ok && d.negative == r.negative && d.point == r.point && bytes.Equal(d.digits, r.digits) && string(got) != string(rfc) {
			t.Errorf("%s: got %s, RFC 8785 %s", s, got, rfc)
		}
	})
}
