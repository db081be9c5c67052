package yaml_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

func TestFromJSON(t *testing.T) {
	tests := []struct{ name, json, want string }{
		{"scalar", `"x"`, "x\n"},
		{"empty containers", `{"a":{},"b":[],"c":[{},[]]}`, "a: {}\nb: []\nc:\n  - {}\n  - []\n"},
		{"root array", `[1,[2,3],{"a":1,"b":[4]}]`, "- 1\n- - 2\n  - 3\n- a: 1\n  b:\n    - 4\n"},
		{"order is kept", `{"z":1,"a":{"x":2,"b":3}}`, "z: 1\na:\n  x: 2\n  b: 3\n"},
		{"numbers keep their spelling", `[9007199254740993,1e400,1.0,-0,1E+2,0.10]`,
			"- 9007199254740993\n- 1e400\n- 1.0\n- -0\n- 1E+2\n- 0.10\n"},
		{"literals", `[true,false,null]`, "- true\n- false\n- null\n"},
		{"strings that look like other types", `["yes","No","ON","null","~","1.0","0x1","2001-01-01","","y","<<","=","12:30","-",".inf"]`,
			"- \"yes\"\n- \"No\"\n- \"ON\"\n- \"null\"\n- \"~\"\n- \"1.0\"\n- \"0x1\"\n- \"2001-01-01\"\n- \"\"\n- \"y\"\n- \"<<\"\n- \"=\"\n- \"12:30\"\n- \"-\"\n- \".inf\"\n"},
		{"keys that look like other types", `{"no":1,"1":2,"":3,"a: b":4,"a b":5}`,
			"\"no\": 1\n\"1\": 2\n\"\": 3\n\"a: b\": 4\na b: 5\n"},
		{"plain", `["a, b [c] {d}","http://h/p?q=1#f","a 'b' \"c\"","/x","$HOME"]`,
			"- a, b [c] {d}\n- http://h/p?q=1#f\n- a 'b' \"c\"\n- /x\n- $HOME\n"},
		{"not plain", `["a #b","a: b","a:"," a","a ","#a","*a","&a","!a","%a","@a","|","- a","{a","[a"]`,
			"- \"a #b\"\n- \"a: b\"\n- \"a:\"\n- \" a\"\n- \"a \"\n- \"#a\"\n- \"*a\"\n- \"&a\"\n- \"!a\"\n- \"%a\"\n- \"@a\"\n- \"|\"\n- \"- a\"\n- \"{a\"\n- \"[a\"\n"},
		{"literal block", `{"a":"one\ntwo","b":"one\n\n# two\n","c":"one\n\n","d":["x\n\ty"]}`,
			"a: |-\n  one\n  two\nb: |\n  one\n\n  # two\nc: |+\n  one\n\nd:\n  - |-\n    x\n    \ty\n"},
		{"not literal", `["one \ntwo"," one\ntwo","\none","a\r\nb","a\u2028\nb","a\u0085\nb"]`,
			"- \"one \\ntwo\"\n- \" one\\ntwo\"\n- \"\\none\"\n- \"a\\r\\nb\"\n- \"a\\u2028\\nb\"\n- \"a\\u0085\\nb\"\n"},
		{"hidden characters are seen", `["a\u0000b\u001b\u007f","\ufeffa","a\u202eb","\udb40\udc41","\uffff"]`,
			"- \"a\\u0000b\\u001b\\u007f\"\n- \"\\ufeffa\"\n- \"a\\u202eb\"\n- \"\\U000e0041\"\n- \"\\uffff\"\n"},
		{"emoji", `["\ud83d\ude00","a 👩‍💻"]`, "- 😀\n- a 👩‍💻\n"},
		{"half a surrogate pair", `{"\ud800":"a\udfff\n"}`, "!json \"\\\"\\\\ud800\\\"\": !json \"\\\"a\\\\udfff\\\\n\\\"\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := yaml.FromJSON([]byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			checkRoundTrip(t, []byte(tt.json))
		})
	}
}

func TestFromJSONRefuses(t *testing.T) {
	tests := []struct{ name, json, want string }{
		{"not JSON", `{a: 1}`, "not valid JSON"},
		{"two values", `1 2`, "not valid JSON"},
		{"duplicate name", `{"a":[{"b":1,"b":2}]}`, `"/a/0/b" is given twice`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", `"/a" is not UTF-8`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := yaml.FromJSON([]byte(tt.json))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestRoundTripOfExtremes(t *testing.T) {
	long := strings.Repeat("k", 5000)
	tests := []struct{ name, json string }{
		{"long keys", fmt.Sprintf(`{%q:1,"a":{%q:{"b":%q}},"c":[{%q:[]}]}`, long, long, long, long)},
		{"long key with a literal block", fmt.Sprintf(`{%q:"a\nb\n"}`, long)},
		{"long key in flow style", nested(40, fmt.Sprintf(`{%q:{"x":[1,"yes"]}}`, long))},
		{"half a pair in flow style", nested(40, `{"\ud800":"\udc00","a":"b\nc"}`)},
		{"deep arrays", nested(canon.MaxDepth, "")},
		{"deep objects", strings.Repeat(`{"a":`, 2000) + `1` + strings.Repeat(`}`, 2000)},
		{"long line", `"` + strings.Repeat("word ", 20000) + `end"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkRoundTrip(t, []byte(tt.json)) })
	}
}

func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

// checkRoundTrip holds the promise of FromJSON for one value.
func checkRoundTrip(t *testing.T, src []byte) {
	t.Helper()
	text, err := yaml.FromJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := yaml.ToJSON(text)
	if err != nil {
		t.Fatalf("ToJSON: %v\n%s", err, clip(text))
	}
	if quick, err := yaml.JSON(text); err != nil || !bytes.Equal(quick, back) {
		t.Errorf("JSON gives %s (%v)\nToJSON %s\nyaml %s", clip(quick), err, clip(back), clip(text))
	}
	if !canon.Equal(src, back) {
		t.Errorf("not equal after the round trip\nsource %s\nyaml %s\nback %s", clip(src), clip(text), clip(back))
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 2000)] }

func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":null}],"c":"x\ny\n","d":{}}`, `["\u0085","\u2028","\ufeff","\ud83d\ude00","\ud800"]`, `[1e400,-0,9007199254740993]`,
		`"# a\n# b"`, `{"?":"- ","":"","a: b":"c #d"}`, `"---\n...\n"`, `["a\n\tb","a\n  b\n\n\n","%YAML 1.1\n---"]`, `[[[[]]],[{"x":[{}]}]]`,
		"\"\xc3\xa9\\t\"", `"<<"`, `{"<<":{"a":1}}`, `"a\n---\nb"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := yaml.FromJSON(src); err != nil {
			return // not JSON, or one of the two kinds that are refused
		}
		checkRoundTrip(t, src)
	})
}

// FuzzString reaches odd strings faster than FuzzRoundTrip, as key, value, list item and inside a nested block.
func FuzzString(f *testing.F) {
	for _, seed := range []string{"", " ", "a\n b\n", "\t", "a\tb", "a:\tb", "- a", "? a", "0b1", "1_000", "a\u00a0", "\u3000", "'", "\"", "\\", "a\n#b\n", "|", ">"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := canon.Quote(strings.ToValidUTF8(s, "\uFFFD"))
		checkRoundTrip(t, fmt.Appendf(nil, `{%s:%s,"list":[%s,[%s],{"k":%s,"l":1}]}`, q, q, q, q, q))
		checkRoundTrip(t, q)
	})
}

func TestFromJSONQuoted(t *testing.T) {
	source := []byte(`{"::a":"one\n::error::two\n","b":[{"x":"plain"},"\ud800",1,null,{}],"##[c]":"::d"}`)
	got, err := yaml.FromJSONQuoted(source)
	if err != nil {
		t.Fatal(err)
	}
	want := "\"::a\": \"one\\n::error::two\\n\"\n\"b\":\n  - \"x\": \"plain\"\n  - !json \"\\\"\\\\ud800\\\"\"\n  - 1\n  - null\n  - {}\n\"##[c]\": \"::d\"\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	back, _, err := yaml.ToJSON(got)
	if err != nil || !canon.Equal(source, back) {
		t.Errorf("read as %s: %v", back, err)
	}
	for _, text := range []string{"", "yes", "a: b", "\u202e\n", "\xed\xa0\x80"} {
		if back, _, err := yaml.ToJSON([]byte("[" + yaml.Quote(text) + "]")); err != nil || !canon.Equal(back, canon.List(canon.Quote(text))) {
			t.Errorf("%q is quoted as %s, and read as %s: %v", text, yaml.Quote(text), back, err)
		}
	}
}
