package canon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNode(t *testing.T) {
	n, err := Parse([]byte(` {"a":{"b":[true,null,"x\u0041"]},"n":12e1,"f":1.5,"dup":1,"dup":2,"NAME":"no"} `))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Get("a").Get("b").Items[2].Text(); got != "xA" {
		t.Errorf("text %q", got)
	}
	if v, ok := n.Get("n").Int(); v != 120 || !ok {
		t.Errorf("12e1 is %d, %v", v, ok)
	}
	if _, ok := n.Get("f").Int(); ok {
		t.Error("1.5 taken for a whole number")
	}
	if v, _ := n.Get("dup").Int(); v != 2 {
		t.Errorf("dup is %d, want the last", v)
	}
	if n.Get("name") != nil {
		t.Error("names must be case-exact")
	}
	if v, ok := n.Get("absent").Get("deeper").Bool(); v || ok {
		t.Error("absent is not a boolean")
	}
	if got := string(n.Get("a").Raw); got != `{"b":[true,null,"x\u0041"]}` {
		t.Errorf("raw %s", got)
	}
}

func TestFlaws(t *testing.T) {
	n, err := Parse([]byte("{\"a/b\":[1,{\"k\":1,\"k\":2}],\"s\":\"\\ud800\",\"p\":\"\\ud83d\\ude00\",\"u\":\"\xff\",\"n\":1e999999}"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Flaw{
		{DuplicateName, "/a~1b/1/k"}, {LoneSurrogate, "/s"}, {InvalidUTF8, "/u"}, {NumberTooLarge, "/n"},
	}
	if diff := cmp.Diff(want, n.Flaws()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEncodeDecode(t *testing.T) {
	type doc struct {
		Z string `json:"z"`
		A Raw    `json:"a"`
		M map[string]int
	}
	in := doc{Z: "<&\u2028>", A: Raw(`{"b":1.0,"a":"\ud800","a":9007199254740993}`), M: map[string]int{"y": 1, "x": 2}}
	got, err := Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"z\": \"<&\u2028>\",\n  \"a\": {\n    \"b\": 1.0,\n    \"a\": \"\\ud800\",\n    \"a\": 9007199254740993\n  },\n  \"M\": {\n    \"x\": 2,\n    \"y\": 1\n  }\n}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for name, text := range map[string]string{"unknown": `{"q":1}`, "case": `{"Z":"x"}`, "duplicate": `{"z":"1","z":"2"}`, "trailing": `{} {}`} {
		if err := Decode([]byte(text), new(doc)); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func TestDigest(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty object", `{ }`, "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
		{"empty array", `[]`, "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"},
	}
	for _, tt := range tests {
		got, err := DigestOf([]byte(tt.in))
		if err != nil || got != tt.want || !IsDigest(got) {
			t.Errorf("%s: %s, %v", tt.name, got, err)
		}
	}
	if IsDigest("sha256:00") || IsDigest("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a") {
		t.Error("IsDigest accepts a wrong shape")
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\\n\x01", "é\u2028😀", "\xed\xa0\x80", "\xff", "\xed\xa0\x80\xed\xbf\xbf", "\xed\xa0\x80\xed\xa0\x80\xed\xbf\xbf"} {
		n, err := Parse(Quote(s))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Text(); got != s {
			t.Errorf("Quote(%q) reads as %q", s, got)
		}
	}
}

func TestBuilder(t *testing.T) {
	n, err := Parse([]byte(`{"z":1.0,"\ud800":2,"a":{"y":1,"x":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	var b Builder
	for _, m := range n.Members {
		b.AddMember(m, m.Value.Canonical())
	}
	b.AddText("t", "x\n")
	b.Add("absent", nil)
	b.AddNode("absent too", n.Get("nothing"))
	if got, want := string(b.Bytes()), `{"a":{"x":2,"y":1},"t":"x\n","z":1,"\ud800":2}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string((&Builder{}).Bytes()); got != "{}" {
		t.Error(got)
	}
	if got := string(Set([]byte("2"), []byte("1"), []byte("2"))); got != "[1,2]" {
		t.Error(got)
	}
}

func TestIndentOfDeepTextStaysSmall(t *testing.T) {
	deep := []byte(strings.Repeat(`{"a":[1,`, 4000) + "null" + strings.Repeat(`]}`, 4000))
	out := Indent(deep, "")
	if len(out) > 2*len(deep) || !Equal(out, deep) {
		t.Errorf("%d bytes became %d", len(deep), len(out))
	}
}

func TestRepeats(t *testing.T) {
	var long []string
	for i := range 20 {
		long = append(long, fmt.Sprintf(`"m%d":{}`, i))
	}
	many := strings.Join(long, ",")
	tests := []struct {
		text string
		want bool
	}{
		{`{"a":1,"b":2}`, false}, {`{"a":{"b":1},"b":[{"a":1},{"a":1}]}`, false}, {`{` + many + `}`, false},
		{`{"a":1,"b":2,"a":1}`, true}, {`[{"x":[{"a":1,"\u0061":2}]}]`, true}, {`{` + many + `,"m3":1}`, true},
	}
	for _, tt := range tests {
		n, err := Parse([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Repeats(); got != tt.want {
			t.Errorf("%s: %v", tt.text, got)
		}
	}
}
