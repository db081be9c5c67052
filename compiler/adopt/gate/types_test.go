package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// standing writes an object in which value stands at the place of a member.
func standing(place, value string) string {
	steps := strings.Split(place, "/")
	for i := len(steps) - 1; i >= 0; i-- {
		switch steps[i] {
		case "[]":
			value = "[" + value + "]"
		case "*":
			value = `{"any":` + value + "}"
		default:
			value = "{" + string(canon.Quote(steps[i])) + ":" + value + "}"
		}
	}
	return value
}

var anyValue = []string{"null", "true", "false", "0", "1.5", "1e400", "-99999999999999999999", `""`, `"optional"`, `"user"`, `"dark"`, `"\ud800"`, "\"\xff\"",
	"[]", "[[]]", "[5,null]", "{}", `{"any":5}`, `{"":{}}`, `{"a":1,"a":2}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), `"` + strings.Repeat("é", 500) + `"`}

// TestEveryTypedMember puts every kind of value in the place of every member that has a type, beside an item in order. There is one finding, at
// that place, exactly when the value is no such thing.
func TestEveryTypedMember(t *testing.T) {
	fine := map[surface.Kind]string{
		surface.Tool: `"name":"x","inputSchema":{"type":"object"}`, surface.Resource: `"uri":"x"`, surface.ResourceTemplate: `"uriTemplate":"x"`, surface.Prompt: `"name":"x"`,
	}
	try := func(subject string, m member, value, document string) {
		t.Helper()
		node, err := canon.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		s, err := surface.New(corpus.CaptureOf(node, "test"))
		if err != nil {
			t.Fatal(err)
		}
		of, err := canon.Parse([]byte(value))
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, f := range only(Check(s, Options{}).Findings, "wrong-type-member") {
			if f.Class != diag.Error || f.Subject != subject || len([]rune(f.Message)) > 350 {
				t.Errorf("%s %s: %+v", m.place, value, f)
			}
			at = append(at, f.Pointer)
		}
		want := "/" + strings.NewReplacer("[]", "0", "*", "any").Replace(m.place)
		if m.wants.holds(of) {
			if len(at) > 0 && at[0] == want {
				t.Errorf("%s %.80s is wanted and reported", m.place, value)
			}
		} else if len(at) != 1 || at[0] != want {
			t.Errorf("%s %.80s: findings at %v, want one at %s", m.place, value, at, want)
		}
	}
	for kind, members := range typedMembers {
		for _, m := range members {
			for _, value := range anyValue {
				odd := "{" + fine[kind] + "," + strings.TrimPrefix(standing(m.place, value), "{")
				try(string(kind)+"/x", m, value, `{"`+kind.List()+`":[`+odd+`,{`+strings.Replace(fine[kind], `"x"`, `"y"`, 1)+`}]}`)
			}
		}
	}
	for _, m := range typedServer {
		for _, value := range anyValue {
			try("server", m, value, `{"initialize":`+standing(m.place, value)+`}`)
		}
	}
}

// FuzzCheck judges whatever a server could list. Every finding says what and where it is, and the report can be written.
func FuzzCheck(f *testing.F) {
	for _, rule := range Rules {
		data, err := os.ReadFile(filepath.Join("testdata", "rules", rule.ID, "fires.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, err := canon.Parse(data)
		if err != nil {
			return
		}
		s, err := surface.New(corpus.CaptureOf(node, "fuzz"))
		if err != nil {
			t.Fatal(err)
		}
		verdict := Check(s, Options{})
		for _, f := range verdict.Findings {
			if f.Rule == "" || f.Subject == "" || f.Message == "" || f.Fingerprint == "" {
				t.Errorf("%+v", f)
			}
		}
		report, err := diag.NewReport("inspect", verdict.Findings).JSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := canon.Parse(report); err != nil {
			t.Fatal(err)
		}
	})
}
