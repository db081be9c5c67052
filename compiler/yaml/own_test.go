package yaml_test

import (
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

// TestReadOwn takes the short way for what FromJSON writes, and for nothing that could mean something else.
func TestReadOwn(t *testing.T) {
	for _, tt := range []struct {
		name, yaml, want string // want is "" where the library has to read it
	}{
		{"mapping", "a: b\n\"1\": 2\nc: {}\nd: []\n", `{"a":"b","1":2,"c":{},"d":[]}`},
		{"nested", "a:\n  b:\n    - c: null\n      d: true\n    - - 1\n      - \"x: y\"\n", `{"a":{"b":[{"c":null,"d":true},[1,"x: y"]]}}`},
		{"literal", "a: |\n  one\n\n    two\nb: |-\n  x\n  y\nc: |+\n  z\n\n", `{"a":"one\n\n  two\n","b":"x\ny","c":"z\n\n"}`},
		{"escapes", "- \"\\\"\\\\\\n\\t\\r\\u0085\\U000e0041é\"\n", `["\"\\\n\t\r` + "\u0085\U000e0041é" + `"]`},
		{"scalar alone", "a\n", ""},
		{"comment", "a: b # c\n", ""},
		{"comment line", "# c\na: b\n", ""},
		{"empty line", "a: b\n\nc: d\n", ""},
		{"second document", "a: b\n---\nc: d\n", ""},
		{"given twice", "a: b\na: c\n", ""},
		{"given twice among many", strings.Join(strings.Split("abcdefghijklmnopqrsta", ""), ": x\n") + ": x\n", ""},
		{"spelled in two ways", "a: b\n\"a\": c\n", ""},
		{"list on the column of its key", "a:\n- b\n", ""},
		{"other indentation", "a:\n   b: c\n", ""},
		{"goes on below", "a: b\n  c\n", ""},
		{"flow", "a: [b]\n", ""},
		{"alias", "a: &x b\nc: *x\n", ""},
		{"tag", "a: !!str b\n", ""},
		{"single quotes", "a: 'b'\n", ""},
		{"word for a boolean", "a: yes\n", ""},
		{"number that JSON has not", "a: 0x1\n", ""},
		{"date", "a: 2001-01-01\n", ""},
		{"escape that is not written", "a: \"\\x41\"\n", ""},
		{"half a pair", "a: \"\\ud800\"\n", ""},
		{"line break within quotes", "a: \"b\n  c\"\n", ""},
		{"hidden sign", "a: \"b\u2028c\"\n", ""},
		{"hidden sign, plain", "a: b\u202ec\n", ""},
		{"literal with blank lines that are cut", "a: |\n  b\n  c\n\nd: e\n", ""},
		{"literal with a line of its indentation", "a: |-\n  b\n  \n", ""},
		{"literal with an indicator", "a: |2\n   b\n   c\n", ""},
		{"white space at the end of a line", "a: b \n", ""},
		{"windows", "a: b\r\n", ""},
		{"no newline at the end", "a: b", ""},
		{"not UTF-8", "a: \"\xff\"\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := yaml.ReadOwn([]byte(tt.yaml))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("read as %s (%v), want %s", got, ok, tt.want)
			}
			if back, _, err := yaml.ToJSON([]byte(tt.yaml)); ok && (err != nil || !canon.Equal(back, got)) {
				t.Errorf("ToJSON reads %s: %v", back, err)
			}
		})
	}
}
