package yaml_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

func TestToJSON(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", `null`},
		{"comment only", "# nothing\n", `null`},
		{"byte order mark", "\uFEFFa: 1\n", `{"a":1}`},
		{"plain words of YAML 1.1", "[yes, no, on, off, y]", `["yes","no","on","off","y"]`},
		{"null and booleans", "- ~\n-\n- Null\n- TRUE\n- false\n", `[null,null,null,true,false]`},
		{"exact numbers", "- 9007199254740993\n- 1.10\n- 1e400\n- -0\n", `[9007199254740993,1.10,1e400,-0]`},
		{"numbers of YAML 1.1 are text", "- 1_000\n- 22:22\n- 2001-01-01\n- 0b1\n", `["1_000","22:22","2001-01-01","0b1"]`},
		{"quoted numbers are text", "- '1'\n- \"0x1\"\n- !!str 7\n", `["1","0x1","7"]`},
		{"blocks", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`},
		{"flow with comments and a trailing comma", "{a: [1, 2,], # c\n b: 'x'}\n", `{"a":[1,2],"b":"x"}`},
		{"explicit core tags", "!!map {a: !!seq [1]}", `{"a":[1]}`},
		{"JSON with tabs", "{\n\t\"a\":\t[1,\t\"\\ud83d\\ude00\"]\n}\n", "{\n\t\"a\":\t[1,\t\"\\ud83d\\ude00\"]\n}"},
		{"windows newlines", "a: 1\r\nb: x\r\n", `{"a":1,"b":"x"}`},
		{"one document with markers", "%YAML 1.2\n---\na: 1\n...\n", `{"a":1}`},
		{"quoted merge key", "\"<<\": 1", `{"<<":1}`},
		{"half a pair", `- !json '"\ud800"'`, `["\ud800"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := yaml.ToJSON([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestToJSONRefuses(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"duplicate key", "a: 1\nb: 2\n'a': 3\n", `line 3: key "a" was already given on line 1`},
		{"duplicate key, nested", "x:\n  - b: 1\n    b: 2\n", `line 3: key "b" was already given on line 2`},
		{"duplicate key in JSON", "{\n\"a\": 1,\n\"\\u0061\": 2}", `line 3: key "a" was already given on line 2`},
		{"anchor", "a: &x 1\n", "line 1: anchor &x is not allowed"},
		{"alias", "a: 1\nb: *x\n", "anchor 'x'"},
		{"merge key", "a: 1\n<<: {b: 2}\n", "line 2: merge key << is not allowed"},
		{"custom tag", "a: !secret x\n", "line 1: tag !secret is not allowed"},
		{"type tag", "a: !!int 7\n", "line 1: tag !!int is not allowed"},
		{"tag of another kind", "!!str [a]\n", "line 1: tag !!str is not allowed"},
		{"redefined tag", "%TAG !! tag:example.com,2000:\n---\n!!str a\n", "is not allowed"},
		{"number key", "\n1: a\n", "line 2: key 1 is not a string; quote it"},
		{"null key", "? \n: a\n", "is not a string"},
		{"list key", "? [a]\n: b\n", "line 1: a key must be a string"},
		{"hexadecimal", "a: 1\nb: 0x1F\n", "line 2: 0x1F is a number to some readers"},
		{"leading zero", "a: 007\n", "007 is a number to some readers"},
		{"infinity", "a: -.inf\n", "-.inf is a number to some readers"},
		{"not a number", "a: .nan\n", ".nan is a number to some readers"},
		{"two documents", "a: 1\n---\nb: 2\n", "line 2: a second document starts here"},
		{"tab indentation", "a:\n\tb: 1\n", "line 2: "},
		{"unclosed", "a: 1\nb: [1, 2\nc: 3\n", "line "},
		{"not UTF-8", "a: 1\nb: \xff\n", "line 2: the text is not UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "line 1: the text is not UTF-8"},
		{"control character", "a: \x01\n", "control characters are not allowed"},
		{"misused json tag", "a: !json 7\n", "line 1: !json is for a JSON string literal only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := yaml.ToJSON([]byte(tt.src))
			var placed *yaml.Error
			if !errors.As(err, &placed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s, error %v, want an *Error with %q", out, err, tt.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, src string
		want      yaml.Lines
	}{
		{"YAML", "# c\na:\n  b: 1\n  c/d:\n    - x\n    - y: |\n        z\n",
			yaml.Lines{"": 2, "/a": 2, "/a/b": 3, "/a/c~1d": 4, "/a/c~1d/0": 5, "/a/c~1d/1": 6, "/a/c~1d/1/y": 6}},
		{"JSON", "\n{\n  \"a\": {\n    \"b\": 1,\n    \"c/d\": [\"x,:\\n\",\n {\"y\"\n:\n{}}]}}",
			yaml.Lines{"": 2, "/a": 3, "/a/b": 4, "/a/c~1d": 5, "/a/c~1d/0": 5, "/a/c~1d/1": 6, "/a/c~1d/1/y": 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, err := yaml.ToJSON([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLinesAtFallsBackToTheValueAround(t *testing.T) {
	lines := yaml.Lines{"": 1, "/a": 3, "/a/b": 5}
	for pointer, want := range map[string]int{"/a/b": 5, "/a/x/y": 3, "/z": 1, "": 1} {
		if got := lines.At(pointer); got != want {
			t.Errorf("At(%q) = %d, want %d", pointer, got, want)
		}
	}
	if got := (yaml.Lines)(nil).At("/a"); got != 0 {
		t.Errorf("At on no lines = %d, want 0", got)
	}
}

func FuzzToJSON(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, {c: d}]\n", "{\"a\":\n 1}", "? a\n: b\n", "a: |2-\n   x\n", "&a [*a]", "!!binary aGk=", "- - a\n  - b\n", "'a\n\n b'", "a: b # c\n", "%TAG ! x\n---\n!a b",
		"a: b\n\"c\": d\nl:\n  - |-\n    x\n    y\n  - k: 1\n    m: \"\\u0085\"\n  - - {}\n    - []\nz: |+\n  t\n\n", "a: b\na: c\n", "a: |\n  x\n\n", "a:\n- b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, lines, err := yaml.ToJSON(src)
		if quick, fault := yaml.JSON(src); (err == nil) != (fault == nil) || !bytes.Equal(quick, out) {
			t.Fatalf("JSON gives %s (%v), ToJSON %s (%v)", quick, fault, out, err)
		}
		if err != nil {
			return
		}
		if _, err := canon.Parse(out); err != nil {
			t.Fatalf("output is not JSON: %v\n%s", err, out)
		}
		total := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(string(src)), "\n") + 1
		for pointer, line := range lines {
			if line < 1 || line > total {
				t.Errorf("line %d of %q is outside the %d lines of the source", line, pointer, total)
			}
		}
		checkRoundTrip(t, out)
	})
}
