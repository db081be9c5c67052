package facade

import (
	"testing"

	"anvil/compiler/canon"
)

func TestWithMember(t *testing.T) {
	for _, c := range []struct {
		object string
		path   []string
		want   string
	}{
		{`{}`, []string{"a"}, `{"a":1}`},
		{`{ }`, []string{"a"}, `{"a":1 }`},
		{`{"b":[{"a":2}] }`, []string{"a"}, `{"b":[{"a":2}],"a":1 }`},
		{`{ "a" : {"b":{}} , "c":1.0}`, []string{"a"}, `{ "a" : 1 , "c":1.0}`},
		{`{ "a" : {"b":"}" } , "c":1.0}`, []string{"a", "d/e"}, `{ "a" : {"b":"}","d/e":1 } , "c":1.0}`},
		{`{"a":null}`, []string{"a", "b"}, `{"a":{"b":1}}`},
		{`{"c":{}}`, []string{"a", "b"}, `{"c":{},"a":{"b":1}}`},
		{`{"a":{"b":2},"a":{}}`, []string{"a", "b"}, `{"a":{"b":1},"a":{"b":1}}`},
		{`{"\u0061":5}`, []string{"a"}, `{"\u0061":1}`},
		{``, []string{"a"}, `{"a":1}`},
	} {
		if got := string(withMember([]byte(c.object), []byte("1"), c.path...)); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.object, c.path, got, c.want)
		}
		inside := []byte("[0," + c.object + "]") // offsets are those in the object, wherever that stands
		if got := string(withMember(inside[3:len(inside)-1], []byte("1"), c.path...)); got != c.want {
			t.Errorf("inside, %s %q: got %s, want %s", c.object, c.path, got, c.want)
		}
	}
}

func TestWithElements(t *testing.T) {
	two := func(element []byte) bool { return canon.Equal(element, []byte("2")) }
	for _, c := range [][3]string{
		{`[]`, `9`, `[9]`}, {`[ ]`, `9`, `[9 ]`}, {`[]`, ``, `[]`}, {`[ 1 , "]" ]`, `9,8`, `[ 1 , "]",9,8 ]`}, {`[ 1 , "]" ]`, ``, `[ 1 , "]" ]`},
		{`[1, 2 ,{"a":[3]}]`, `9`, `[1,{"a":[3]},9]`}, {`[2]`, `9`, `[9]`}, {`[2]`, ``, `[]`}, {`[[],{}]`, `9`, `[[],{},9]`},
	} {
		if got := string(withElements([]byte(c[0]), []byte(c[1]), two)); got != c[2] {
			t.Errorf("%s with %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
