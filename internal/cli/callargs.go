package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/wire"
)

// callArguments returns the arguments as one JSON object. Those of --arg get the type that the tool's schema names, which
// schemaOf looks up; nil is none.
func (sh *shell) callArguments(c *cli.Context, schemaOf func() (*canon.Node, error)) ([]byte, error) {
	pairs := c.StringSlice("arg")
	switch {
	case c.IsSet("json") && len(pairs) > 0:
		return nil, usagef("--json and --arg exclude each other")
	case c.IsSet("json"):
		return sh.wholeArguments(c.String("json"))
	case len(pairs) == 0:
		return []byte("{}"), nil
	}
	root, err := schemaOf()
	if err != nil {
		return nil, err
	}
	return objectOfArguments(pairs, root)
}

// wholeArguments reads the value of --json; "-" is stdin.
func (sh *shell) wholeArguments(text string) ([]byte, error) {
	if text == "-" {
		sh.piped = true
		data, err := io.ReadAll(io.LimitReader(sh.in, maxArguments+1))
		if err != nil {
			return nil, fmt.Errorf("read arguments from stdin: %w", err)
		}
		if len(data) > maxArguments {
			return nil, usagef("the arguments on stdin are longer than %d bytes", maxArguments)
		}
		text = string(data)
	}
	node, err := canon.Parse([]byte(text))
	if err != nil {
		return nil, usagef("--json must be one JSON object: %w", err)
	}
	if !node.IsObject() {
		return nil, usagef("--json must be one JSON object, such as '{\"limit\": 1}'")
	}
	if node.Repeats() {
		return nil, usagef("--json gives a member of an object twice, and servers differ on which of them counts: give it once")
	}
	return node.Raw, nil
}

// listedTool looks the tool up in the server's list; nil for one that is not listed.
func listedTool(ctx context.Context, client *wire.Session, tool string) (*canon.Node, error) {
	var params []byte
	for range maxCallPages {
		result, err := client.Call(ctx, surface.Tool.Method(), params)
		if err != nil {
			return nil, err
		}
		node, err := canon.Parse(result)
		if err != nil {
			return nil, err
		}
		for _, it := range node.Get("tools").Elements() {
			if it.Get("name").Text() == tool {
				return it, nil
			}
		}
		cursor := node.Get("nextCursor")
		if cursor.Text() == "" {
			break
		}
		params = []byte(`{"cursor":` + string(cursor.Raw) + `}`)
	}
	return nil, nil
}

// Bounds of one call.
const (
	maxCallPages = 1000     // of the list of tools
	maxArguments = 16 << 20 // bytes read from stdin
)

func objectOfArguments(pairs []string, root *canon.Node) ([]byte, error) {
	object := []byte{'{'}
	seen := map[string]bool{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("--arg %q is not NAME=VALUE, such as --arg limit=1", pair)
		}
		if seen[name] {
			return nil, usagef("--arg %s is given twice; give a list as one JSON value: --arg '%s=[\"a\",\"b\"]'", name, name)
		}
		seen[name] = true
		text, err := argument(value, schema.TypeNames(root, root.Get("properties").Get(name)))
		if err != nil {
			return nil, usagef("--arg %s: %w", name, err)
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(append(object, canon.Quote(name)...), ':'), text...)
	}
	return append(object, '}'), nil
}

// argument spells value as JSON of one of the types that the tool's schema names. Without any it is an object or an array if it reads
// like one, and a string otherwise. The digits of a number are kept as they were typed.
func argument(value string, types []string) ([]byte, error) {
	node, err := canon.Parse([]byte(value))
	if err == nil {
		kind := schema.TypeName(node)
		fits := slices.Contains(types, kind) || kind == "integer" && slices.Contains(types, "number") || len(types) == 0 && (kind == "object" || kind == "array")
		if fits && node.Repeats() {
			return nil, fmt.Errorf("%s gives a member of an object twice, and servers differ on which of them counts: give it once", diag.Shorten(diag.Printable(value), malformedShown))
		}
		if fits && kind != "string" { // quotes that are typed are part of a string
			return node.Raw, nil
		}
	}
	if len(types) == 0 || slices.Contains(types, "string") {
		return canon.Quote(value), nil
	}
	return nil, fmt.Errorf("%q is no %s", value, strings.Join(types, " or "))
}
