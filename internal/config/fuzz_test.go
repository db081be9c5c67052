package config

import (
	"bytes"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func FuzzBlankComments(f *testing.F) {
	for _, seed := range []string{`{"a": "// \" /* x", "b": [1, 2]}`, "{} // c", "{/* a\nb */}", `[1,]`, `"`, `"\`, "/*", "[,/**/]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got := blankComments(src)
		if len(got) != len(src) || bytes.Count(got, []byte("\n")) != bytes.Count(src, []byte("\n")) {
			t.Errorf("bytes or lines moved: %q became %q", src, got)
		}
		if _, err := canon.Parse(src); err == nil && !bytes.Equal(got, src) {
			t.Errorf("JSON without comments changed: %q became %q", src, got)
		}
	})
}

func FuzzRedacted(f *testing.F) {
	for _, seed := range []string{"a b", "--x=y", "https://u:p@h/?q#f", "${A:-b}", "NAME=v", "-eA", "%zz", "'", "://", "a=="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		const secret = "hunter2"
		line := Server{Command: s, URL: s, Env: map[string]string{s: secret}, Headers: map[string]string{s: secret},
			Args: []string{s, "--token=" + secret + s, "--api-key", secret + s, "-H", "A: " + secret + s, "-e", "B=" + secret + s}}.Redacted()
		if !strings.Contains(s, secret[:1]) && strings.Contains(line, secret) {
			t.Errorf("a secret shows in %q", line)
		}
		if strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("more than a line: %q", line)
		}
		q := (&expander{lookup: func(string) (string, bool) { return "", false }})
		if out, missing := q.expand(s); !strings.Contains(s, "${") && (out != s || len(missing) > 0) {
			t.Errorf("text without a variable changed: %q became %q", s, out)
		}
	})
}
