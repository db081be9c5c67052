package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestVariables(t *testing.T) {
	env := map[string]string{"A": "one", "B": "two", "EMPTY": "", "TRICK": "${A}"}
	tests := []struct{ name, text, want string }{
		{"whole", "${A}", "one"},
		{"part", "x${A}y", "xoney"},
		{"several", "${A}-${B}${A}", "one-twoone"},
		{"default not needed", "${A:-d}", "one"},
		{"default", "${NONE:-d e:f}", "d e:f"},
		{"default for empty", "${EMPTY:-d}", "d"},
		{"empty is set", "[${EMPTY}]", "[]"},
		{"empty default", "[${NONE:-}]", "[]"},
		{"VS Code", "${env:A}${env:NONE:-d}", "oned"},
		{"escape", "$${A}", "${A}"},
		{"escape with default", "a$${A:-b}c", "a${A:-b}c"},
		{"escape beside a reference", "${A}$${A}${B}", "one${A}two"},
		{"two dollars and an escape", "$$${A}", "$${A}"},
		{"unterminated", "${A", "${A"},
		{"unterminated behind a reference", "${A}${B", "one${B"},
		{"lone dollar", "$A $ $$ 5$", "$A $ $$ 5$"},
		{"values are not read again", "${TRICK}", "${A}"},
		{"defaults are not read again", "${NONE:-${A}", "${A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := fmt.Sprintf(`{"servers": {"s": {"command": %s, "env": {"${A}": %[1]s}}}}`, canon.Quote("c"+tt.text))
			server, err := load(t, put(t, t.TempDir(), "mcp.json", src), env).Server("s")
			if err != nil {
				t.Fatal(err)
			}
			if server.Command != "c"+tt.want || server.Env["${A}"] != "c"+tt.want {
				t.Errorf("command %q, env %q, want c%s and the key as it is", server.Command, server.Env, tt.want)
			}
		})
	}
}

func TestVariablesInEveryField(t *testing.T) {
	path := put(t, t.TempDir(), "mcp.json", `{"servers": {
		"a": {"type": "${V}", "command": "${V}", "args": ["${V}"], "env": {"E": "${V}"}, "cwd": "/${V}", "note": "${V}"},
		"b": {"url": "http://${V}/", "headers": {"H": "${V}"}}}}`)
	file := load(t, path, map[string]string{"V": "stdio"})
	a, errA := file.Server("a")
	b, errB := file.Server("b")
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	got := []string{a.Transport, a.Command, a.Args[0], a.Env["E"], a.Dir, string(a.Extra["note"]), b.URL, b.Headers["H"]}
	want := `[stdio stdio stdio stdio /stdio "${V}" http://stdio/ stdio]`
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestMissingVariablesAreReportedAtOnce(t *testing.T) {
	path := put(t, t.TempDir(), "mcp.json", `{"servers": {
"a": {"command": "${ONE}",
  "args": ["x", "${TWO} ${ONE} ${TWO}"],
  "env": {"K": "${env:THREE}",
    "L": "${FOUR:-d}"}},
"b": {"command": "ok"},
"c": {"url": "https://h/${input:key}"}
}}`)
	file := load(t, path, nil)
	_, err := file.Server("a")
	checkLines(t, path, err, []string{
		`server "a": variables are not set (set it in the environment or in .env beside the file, or write ${NAME:-default})`,
		`  FILE:2: ONE in command`,
		`  FILE:3: TWO in args[1]`,
		`  FILE:3: ONE in args[1]`,
		`  FILE:4: THREE in env.K`})
	if _, err := file.Server("b"); err != nil {
		t.Errorf("a server without variables: %v", err)
	}
	_, err = file.Server("c")
	checkLines(t, path, err, []string{
		`server "c": a variable is not set (set it in the environment or in .env beside the file, or write ${NAME:-default}; ${input:...} is asked for by VS Code alone, so write ${NAME} for it)`,
		`  FILE:7: input:key in url`})
}

func TestWhereVariablesComeFrom(t *testing.T) {
	tests := []struct {
		mode                string // "" leaves the key out
		both, file, process string // what each variable becomes; "-" is missing
	}{
		{"", "from file", "from file", "from process"},
		{"enable", "from file", "from file", "from process"},
		{"dotenv", "from file", "from file", "-"},
		{"process", "from process", "-", "from process"},
		{"disable", "${BOTH}", "${FILE}", "${PROCESS}"},
	}
	for _, tt := range tests {
		t.Run("env "+tt.mode, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, ".env", "BOTH=from file\nFILE=from file\n")
			src := "servers:\n  BOTH: {command: '${BOTH}'}\n  FILE: {command: '${FILE}'}\n  PROCESS: {command: '${PROCESS}'}\n  ESCAPE: {command: '$${X}'}\n"
			if tt.mode != "" {
				src = "env: " + tt.mode + "\n" + src
			}
			file := load(t, put(t, dir, "anvil.yaml", src), map[string]string{"BOTH": "from process", "PROCESS": "from process"})
			for name, want := range map[string]string{"BOTH": tt.both, "FILE": tt.file, "PROCESS": tt.process} {
				server, err := file.Server(name)
				if want == "-" && err != nil {
					continue
				}
				if err != nil || server.Command != want {
					t.Errorf("%s became %q, error %v; want %q", name, server.Command, err, want)
				}
			}
			escape := map[bool]string{true: "$${X}", false: "${X}"}[tt.mode == "disable"]
			if server, err := file.Server("ESCAPE"); err != nil || server.Command != escape {
				t.Errorf("the escape became %q, error %v; want %q", server.Command, err, escape)
			}
		})
	}
}

func TestDotenv(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".env", "\uFEFF# comment\r\n\r\nA=plain value # comment\r\nexport B = 'it is $A # all'\nC=\"two\\nlines \\\"q\\\" \\$x \\z\" # c\nD=\nE=a=b#c\nF= # none\nA.b=1\nA=last\n")
	var src strings.Builder
	src.WriteString("servers:\n")
	want := map[string]string{"A": "last", "B": "it is $A # all", "C": "two\nlines \"q\" $x \\z", "D": "", "E": "a=b#c", "F": "", "A.b": "1"}
	for name := range want {
		fmt.Fprintf(&src, "  %s: {command: 'x${%s}'}\n", name, name)
	}
	file := load(t, put(t, dir, "anvil.yaml", src.String()), nil)
	for name, value := range want {
		if server, err := file.Server(name); err != nil || server.Command != "x"+value {
			t.Errorf("%s is %q, error %v; want x%q", name, server.Command, err, value)
		}
	}
}

func TestABrokenDotenvMattersWhenItIsNeeded(t *testing.T) {
	for content, want := range map[string]string{
		"A=1\nhunter2\n":    ":2: expected NAME=value",
		"A='hunter2\n":      ":1: A has a quote without end",
		"A=\"hunter2\\\"\n": ":1: A has a quote without end",
		"A='x'hunter2\n":    ":1: A has text behind its closing quote",
	} {
		dir := t.TempDir()
		dotenv := put(t, dir, ".env", content)
		file := load(t, put(t, dir, "mcp.json", `{"servers": {"a": {"command": "${A}"}, "b": {"command": "x$${A}"}}}`), map[string]string{"A": "1"})
		_, err := file.Server("a")
		if err == nil || !strings.Contains(err.Error(), filepath.Base(dotenv)+want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf(".env %q: error %v, want %s and no value", content, err, want)
		}
		if _, err := file.Server("b"); err != nil {
			t.Errorf("a server without variables: %v", err)
		}
	}
}
