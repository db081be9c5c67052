package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	cli "github.com/urfave/cli/v2"
)

func testShell() *shell {
	return &shell{ctx: nil, out: &resultWriter{w: &bytes.Buffer{}}, err: &bytes.Buffer{}}
}

func TestFlagsFirst(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"nothing", "anvil", "anvil"},
		{"in order already", "anvil mcp inspect --format json x", "anvil mcp inspect --format json x"},
		{"behind the argument", "anvil mcp inspect x --format json", "anvil mcp inspect --format json x"},
		{"joined value", "anvil mcp inspect x --format=json y", "anvil mcp inspect --format=json x y"},
		{"before the command", "anvil --format json mcp --fail-on warning inspect x", "anvil mcp inspect --format json --fail-on warning x"},
		{"a switch takes no word", "anvil mcp approve --all pack", "anvil mcp approve --all pack"},
		{"a switch between arguments", "anvil mcp approve pack --read-only op", "anvil mcp approve --read-only pack op"},
		{"a value that looks like a flag", "anvil mcp call t tool --arg -x=1", "anvil mcp call --arg -x=1 t tool"},
		{"repeated", "anvil mcp call t --arg a=1 tool --arg b=2", "anvil mcp call --arg a=1 --arg b=2 t tool"},
		{"a dash is an argument", "anvil mcp inspect - --out -", "anvil mcp inspect --out - -"},
		{"unknown flag", "anvil mcp inspect x --frob y", "anvil mcp inspect --frob x y"},
		{"value missing", "anvil mcp inspect x --format", "anvil mcp inspect --format x"},
		{"an argument named like a command", "anvil mcp inspect inspect", "anvil mcp inspect inspect"},
		{"a value named like a command", "anvil mcp snapshot --name inspect t", "anvil mcp snapshot --name inspect t"},
		{"unknown command", "anvil mcp frob x", "anvil mcp frob x"},
		{"help wins", "anvil mcp inspect x --format json --help", "anvil mcp inspect --help"},
	}
	app := testShell().app()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), flagsFirst(app, strings.Fields(tt.line))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitRest(t *testing.T) {
	tests := []struct {
		name, line string
		words      []string
		rest       []string
	}{
		{"none", "anvil mcp", []string{"anvil", "mcp"}, nil},
		{"empty", "anvil --", []string{"anvil"}, []string{}},
		{"the first one splits", "anvil x -- cmd -- --help", []string{"anvil", "x"}, []string{"cmd", "--", "--help"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			words, rest := splitRest(strings.Fields(tt.line))
			if diff := cmp.Diff(tt.words, words); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rest, rest); diff != "" {
				t.Errorf("rest (-want +got):\n%s", diff)
			}
		})
	}
}

// Reordering reads flags before the command is known, so a name must take a value on every command or on none.
func TestFlagsHaveOneShape(t *testing.T) {
	shape := map[string]string{}
	var walk func(path string, flags []cli.Flag, commands []*cli.Command)
	walk = func(path string, flags []cli.Flag, commands []*cli.Command) {
		for _, f := range flags {
			_, isBool := f.(*cli.BoolFlag)
			for _, name := range f.Names() {
				now := map[bool]string{true: "a switch", false: "with a value"}[isBool]
				if was, ok := shape[name]; ok && was != now {
					t.Errorf("%s: --%s is %s here and %s elsewhere", path, name, now, was)
				}
				shape[name] = now
				if name == "help" || name == "h" || len(name) == 1 {
					t.Errorf("%s: flag %q is short, or the library's own", path, name)
				}
			}
		}
		for _, c := range commands {
			walk(path+" "+c.Name, c.Flags, c.Subcommands)
			if c.Usage == "" {
				t.Errorf("%s %s has no usage line", path, c.Name)
			}
		}
	}
	app := testShell().app()
	walk("anvil", app.Flags, app.Commands)
	if shape["format"] != "with a value" || shape["all"] != "a switch" {
		t.Errorf("the walk saw too little: %v", shape)
	}
}
