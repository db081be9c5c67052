package packcli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/canon"
)

// day is when the approvals of these tests are looked at.
var day = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// of makes the command line of one approved operation, "run", with this input schema; and of "hidden", which nobody approved.
func of(schema string) *CLI {
	d := air.Document{Service: air.Service{ID: "svc"}}
	for _, name := range []string{"hidden", "run"} {
		o := air.Operation{ID: "svc." + name, MCP: air.MCP{ToolName: name}, CLI: air.CLI{Command: name}, State: air.StateReviewRequired, ContractDigest: "sha256:1"}
		if name == "run" {
			o.Input.Schema, o.State = canon.Raw(schema), air.StateApproved
			o.Approval = &air.Approval{Operation: o.ID, By: "ada", At: "2026-11-01T00:00:00Z", Expires: "2026-12-24", ContractDigest: o.ContractDigest}
		}
		d.Operations = append(d.Operations, o)
	}
	return New(d, Options{Called: "svc", Dir: "pack", Now: day})
}

// noFile is a world without files.
func noFile(name string) ([]byte, error) { return nil, errors.New("no file " + name) }

// typedAs returns the arguments that a line comes to, or what is wrong with it.
func typedAs(t *testing.T, c *CLI, line ...string) string {
	t.Helper()
	l, err := c.Parse(append([]string{"run"}, line...))
	if err != nil {
		return err.Error()
	}
	arguments, err := c.Arguments(l, noFile)
	if err != nil {
		return err.Error()
	}
	refused, unsure := c.Fit(t.Context(), l.Command, arguments)
	if unsure != nil {
		return "unsure: " + unsure.Error()
	}
	if refused != nil {
		return refused.Error()
	}
	return string(arguments)
}

func TestSchemasOfEveryKind(t *testing.T) {
	recursive := `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"kid":{"$ref":"#/$defs/n"}}}}}`
	tests := []struct {
		name, schema string
		line         []string
		want         string
	}{
		{"true", `true`, []string{"--json", `{"a":[1.50]}`}, `{"a":[1.50]}`},
		{"true takes nothing", `true`, nil, `{}`},
		{"false", `false`, nil, "the schema allows no arguments at all, not even none: no call can fit it; see `svc run --help`"},
		{"empty", `{}`, []string{"--json", `{"a":1}`}, `{"a":1}`},
		{"none", ``, []string{"--json", `{"a":1}`}, `{"a":1}`},
		{"no properties", `{"type":"object"}`, nil, `{}`},
		{"none allowed", `{"type":"object","additionalProperties":false}`, []string{"--json", `{"a":1}`}, "--json has \"a\", which the schema does not know; see `svc run --help`"},
		{"no object", `{"type":"array"}`, nil, "the schema takes no object, so that no call can fit it: it wants array; see `svc run --help`"},
		{"recursive", recursive, []string{"--kid", `{"kid":{"kid":{}}}`}, `{"kid":{"kid":{"kid":{}}}}`},
		{"recursive and wrong", recursive, []string{"--kid", `{"kid":{"kid":7}}`}, "--kid at \"/kid/kid\" takes object, not number; see `svc run --help`"},
		{"a circle", `{"$ref":"#"}`, nil, "unsure: a reference in it leads to itself"},
		{"unknown dialect", `{"$schema":"urn:x","type":"object"}`, nil, "unsure: its dialect is not known"},
		{"no schema", `7`, nil, "unsure: it is no schema"},
		{"required without a description", `{"required":["x"]}`, nil, "--x is required; see `svc run --help`"},
		{"nullable", `{"properties":{"a":{"type":["boolean","null"]}}}`, []string{"--a=null"}, `{"a":null}`},
		{"nullable text stays text", `{"properties":{"a":{"type":["string","null"]}}}`, []string{"--a=null"}, `{"a":"null"}`},
		{"repeated booleans", `{"properties":{"a":{"type":"array","items":{"type":"boolean"}}}}`, []string{"--a", "--a=false"}, `{"a":[true,false]}`},
		{"not text", `{"properties":{"a":{"type":"string"}}}`, []string{"--a", "\xff"}, "--a is no text: it is not UTF-8; see `svc run --help`"},
		{"enum of numbers", `{"properties":{"a":{"type":"number","enum":[1.0,2.5]}}}`, []string{"--a", "1.00"}, `{"a":1.00}`},
		{"huge number", `{"properties":{"a":{"type":"number"}}}`, []string{"--a", "1e99999999999"}, "--a: \"1e99999999999\" is no number; see `svc run --help`"},
		{"a name to escape", `{"properties":{"a\u001b\"b":{"type":"integer"}}}`, []string{"--a-b", "1"}, `{"a\u001b\"b":1}`},
		{"a limit", `{"properties":{"a":{"maxLength":2,"type":"string"}}}`, []string{"--a", "abc"}, "--a is refused by the schema's maxLength 2; see `svc run --help`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, typedAs(t, of(tt.schema), tt.line...)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A tool of 2,000 arguments has flags for some of them, takes all of them, and answers at once.
func TestTwoThousandArguments(t *testing.T) {
	var properties, members []string
	for i := range 2000 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"integer","description":"one of many"}`, i))
		members = append(members, fmt.Sprintf(`"p%d":%d`, i, i))
	}
	whole := "{" + strings.Join(members, ",") + "}"
	c := of(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
	start := time.Now()
	l, err := c.Parse([]string{"run", "--json", whole, "--p0", "9007199254740993"})
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := c.Arguments(l, noFile)
	if want := strings.Replace(whole, `"p0":0`, `"p0":9007199254740993`, 1); err != nil || string(arguments) != want {
		t.Errorf("%v: %.60s", err, arguments)
	}
	if refused, unsure := c.Fit(t.Context(), l.Command, arguments); refused != nil || unsure == nil {
		t.Errorf("refused %v, unsure %v", refused, unsure)
	}
	help := c.Help(l.Command)
	if !strings.Contains(help, fmt.Sprintf("and %d arguments more, which --json alone gives", l.Command.More)) {
		t.Error("the help does not tell of the rest")
	}
	if _, err := c.Parse([]string{"run", "--p1999x", "1"}); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Error(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestApprovalThatIsOver(t *testing.T) {
	c := of(`{}`)
	later := New(c.document, Options{Dir: "pack", Now: day.AddDate(0, 1, 0)})
	_, err := later.Parse([]string{"run"})
	want := "\"run\" is no command any more: the approval of operation \"svc.run\" by \"ada\" expired on 2026-12-24; approve it again with `anvil mcp approve pack svc.run`"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if len(later.commands) != 0 || strings.Contains(later.Help(nil), "\n  run ") {
		t.Error("it is listed all the same")
	}
}

func TestWordsThatBashTookApart(t *testing.T) {
	tests := []struct {
		words  []string
		want   string
		offset int
	}{
		{[]string{"run", "--a", "=", "b"}, "run|--a=b", 4},
		{[]string{"run", "--a", "="}, "run|--a=", 4},
		{[]string{"run", "--a", "=", "b", ":", "c"}, "run|--a=b:c", 6},
		{[]string{"run", "a", "=", "b"}, "run|a|=|b", 0},
		{[]string{":", "a"}, ":a", 1},
		{[]string{""}, "", 0},
	}
	for _, tt := range tests {
		got, offset := rejoined(tt.words)
		if strings.Join(got, "|") != tt.want || offset != tt.offset {
			t.Errorf("%q: got %q from %d, want %q from %d", tt.words, got, offset, tt.want, tt.offset)
		}
	}
}

// A program's name stands in scripts: one that a script would read as more than a name is not used there.
func TestNameInScripts(t *testing.T) {
	c := of(`{}`)
	for called, want := range map[string]string{"bin/desk": "complete -F _anvil_pack desk\n", "bin/a b;c": "complete -F _anvil_pack 'a b;c'\n", "bin/x\ntouch owned": "complete -F _anvil_pack svc\n"} {
		script := New(c.document, Options{Called: called, Now: day}).Script("bash")
		if !strings.HasSuffix(script, want) || strings.Contains(script, "\ntouch") {
			t.Errorf("%q gives\n%s", called, script)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("run\n--a\n1\n--json\n{}", "bash")
	f.Add("--complete\n\n--\n-\n--=", "zsh")
	f.Add("run\n--a=\n:\n=", "fish")
	c := of(`{"properties":{"a":{"type":"integer","enum":[1,2]},"b":{"type":"boolean"},"c":{}}}`)
	f.Fuzz(func(t *testing.T, line, shell string) {
		words := strings.Split(line, "\n")
		for row := range strings.Lines(c.Complete(shell, words)) {
			if strings.ContainsAny(row, "\x1b\x00") {
				t.Errorf("a completion steers the terminal: %q", row)
			}
		}
		l, err := c.Parse(words)
		if err != nil || l.Command == nil {
			return
		}
		arguments, err := c.Arguments(l, noFile)
		if err != nil {
			return
		}
		if n, err := canon.Parse(arguments); err != nil || !n.IsObject() || len(n.Flaws()) > 0 {
			t.Errorf("%q gives %s: %v", words, arguments, err)
		}
	})
}
