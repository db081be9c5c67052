package canon

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// checkFormed holds what is read in one go against the same in several.
func checkFormed(t *testing.T, in []byte) {
	t.Helper()
	text, err := Canonical(in)
	got, err2 := ParseCanonical(in)
	outline, err3 := Outline(in, 1)
	if (err == nil) != (err2 == nil) || (err == nil) != (err3 == nil) {
		t.Fatalf("%q: %v, %v, %v", in, err, err2, err3)
	}
	if err != nil {
		return
	}
	want, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%q is read otherwise in one go", in)
	}
	plain, err := Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(outlined(plain), outline) {
		t.Errorf("%q has another outline", in)
	}
	checkTexts(t, plain)
}

// outlined is the outline of one container, made of the whole.
func outlined(n *Node) *Node {
	bare := func(n *Node) *Node { return &Node{Kind: n.Kind, Raw: n.Raw} }
	top := bare(n)
	for _, m := range n.Members {
		top.Members = append(top.Members, Member{m.Name, m.RawName, bare(m.Value)})
	}
	for _, item := range n.Items {
		top.Items = append(top.Items, bare(item))
	}
	return top
}

func checkTexts(t *testing.T, n *Node) {
	t.Helper()
	if text, ok := n.Str(); ok && !bytes.Equal(n.appendQuoted(nil), Quote(text)) {
		t.Errorf("%s is quoted %s, its text %s", n.Raw, n.appendQuoted(nil), Quote(text))
	}
	var b Builder
	for _, m := range n.Members {
		checkTexts(t, m.Value)
		b.AddMember(m, m.Value.Canonical())
	}
	if n.IsObject() && !bytes.Equal(b.Bytes(), n.Canonical()) {
		t.Errorf("%s built anew is %s", n.Raw, b.Bytes())
	}
	for _, item := range n.Items {
		checkTexts(t, item)
	}
}

func TestParseCanonical(t *testing.T) {
	for _, in := range []string{
		`{}`, ` [ ] `, `[[],{},""]`, `{"a":1,"b":{"c":[1.0,2e0,-0]}}`, `{"b":1,"a":2}`, `{"a":{"z":1,"y":2},"b":0}`, `{"a":1,"a":2,"":3}`, `{"a":1,"":2}`,
		`{"\u0061":1,"b":"\/\u00e9\ud83d\ude00"}`, `{"\ud800":"\ud800\u0041"}`, "\"\xed\xa0\x80\"", `"\ud800\udc00\ud800"`, `[1e20,1e20,1e20]`, `1e21`, `12345678901234567890123`,
		`{"\uffff":1,"\ud83d\ude00":2}`, `{"\ud83d\ude00":1,"\uffff":2}`, `{`, `{"a"}`, `[1,]`, `nul`, ``, `{"b":1,"a":}`, strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		checkFormed(t, []byte(in))
	}
	deep := []byte(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1))
	for name, read := range map[string]func([]byte) (*Node, error){"formed": ParseCanonical, "outline": func(src []byte) (*Node, error) { return Outline(src, 2) }} {
		if _, err := read(deep); err == nil {
			t.Errorf("%s: a text that is nested too deep is read", name)
		}
	}
}

// Readers are used again: nothing of one text gets into the next.
func TestParseAfterErrors(t *testing.T) {
	for range 100 {
		for _, bad := range []string{`{"a":[1,{"b":}]}`, `[[[1,2,`, `{"z":1,"a":{"b":[1,}}`} {
			if _, err := Parse([]byte(bad)); err == nil {
				t.Fatal("read")
			}
			if _, err := ParseCanonical([]byte(bad)); err == nil {
				t.Fatal("read")
			}
		}
		checkFormed(t, []byte(`{"a":[1,{"b":2}],"c":{}}`))
	}
}
