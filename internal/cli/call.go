package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/wire"
)

func (sh *shell) callCommand() *cli.Command {
	return &cli.Command{
		Name: "call", Usage: "call one tool of a live server, or of a pack through its policy",
		ArgsUsage: "TARGET TOOL", Description: targetUsage + " (then TOOL alone stands before --)",
		Flags: targetFlags(
			formatFlag("text", "json"),
			&cli.StringSliceFlag{Name: "arg", Usage: "an argument as `NAME=VALUE`; the tool's schema decides its type"},
			&cli.StringFlag{Name: "json", Usage: "all arguments as one JSON `OBJECT`"},
			&cli.BoolFlag{Name: "confirm", Usage: "say yes to an operation that asks for confirmation"},
		),
		Action: sh.call,
	}
}

func (sh *shell) call(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json")
	if err != nil {
		return err
	}
	args := c.Args().Slice()
	if len(args) == 0 || sh.rest == nil && len(args) != 2 || sh.rest != nil && len(args) != 1 {
		return usagef("say which tool of which server: anvil mcp call TARGET TOOL, or anvil mcp call TOOL -- COMMAND ARG...")
	}
	tool := args[len(args)-1]
	target, err := sh.target(c, args[:len(args)-1], sh.rest)
	if err != nil {
		return err
	}
	dial, closeAll, err := sh.callDialer(c, target, tool)
	if err != nil {
		return err
	}
	defer closeAll()
	ctx, cancel := context.WithTimeoutCause(sh.ctx, c.Duration("timeout"), errors.New("no answer within "+c.Duration("timeout").String()+"; give more with --timeout"))
	defer cancel()
	link, err := dial(ctx)
	if err != nil {
		return &exitError{exitUnreachable, fmt.Errorf("%s: the server could not be reached: %w", shellTarget(target), err)}
	}
	client := wire.NewClient(link, wire.ClientOptions{})
	defer client.Close()
	if _, err := wire.Handshake(ctx, client, wire.Hello{Name: "anvil", Version: version}); err != nil {
		return notReached(ctx, target, err)
	}
	arguments, err := sh.callArguments(ctx, c, client, tool)
	if err != nil {
		return notReached(ctx, target, err)
	}
	params := []byte(`{"name":` + string(canon.Quote(tool)) + `,"arguments":` + string(arguments) + `}`)
	result, err := client.Call(ctx, "tools/call", params)
	if err != nil {
		return notReached(ctx, target, err)
	}
	return sh.printCallResult(result, format)
}

// notReached tells a tool that was refused or failed from a server that is gone.
func notReached(ctx context.Context, t config.Target, err error) error {
	var coded *exitError
	var rpc *wire.RPCError
	switch {
	case errors.As(err, &coded):
		return err
	case errors.As(err, &rpc):
		hint := ""
		if data, parseErr := canon.Parse(rpc.Raw); parseErr == nil {
			if text := data.Get("data").Get("hint").Text(); text != "" {
				hint = "; " + text
			}
		}
		return &exitError{exitTool, fmt.Errorf("%s (code %d)%s", rpc.Message, rpc.Code, hint)}
	case errors.Is(err, wire.ErrAuthRequired):
		return &exitError{exitAuth, fmt.Errorf("%s: the server asks for authentication: %w", shellTarget(t), err)}
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &exitError{exitUnreachable, fmt.Errorf("%s: %w", shellTarget(t), err)}
}

// callDialer returns how to reach the tool: a live server directly, a pack through its facade, so that what is not approved stays
// uncallable on this path too.
func (sh *shell) callDialer(c *cli.Context, t config.Target, tool string) (dial func(context.Context) (wire.Link, error), done func(), err error) {
	switch t.Kind {
	case config.KindSnapshot:
		return nil, nil, usagef("%s is a snapshot: there is no server to call", t.Path)
	case config.KindPack:
		if err := sh.confirmed(c, t.Path, tool); err != nil {
			return nil, nil, err
		}
		f, err := sh.openFacade(c, t.Path)
		if err != nil {
			return nil, nil, err
		}
		return sh.connectFacade(f), func() { f.Close() }, nil
	}
	dial, _, err = dialer(t.Server)
	return dial, func() {}, err
}

// confirmed refuses an operation that asks for confirmation and did not get it.
func (sh *shell) confirmed(c *cli.Context, dir, tool string) error {
	p, err := openTrusted(dir)
	if err != nil {
		return err
	}
	d, err := p.Document()
	if err != nil {
		return err
	}
	for _, o := range d.Operations {
		if o.MCP.ToolName == tool && o.State == air.StateApproved && o.Confirmation.Required && !c.Bool("confirm") {
			return usagef("%s asks for confirmation (%s); nothing was called; say yes with --confirm", tool, o.Confirmation.Reason)
		}
	}
	return nil
}

// callArguments returns the arguments as one JSON object. Those of --arg get the type that the tool's schema names.
func (sh *shell) callArguments(ctx context.Context, c *cli.Context, client *wire.Client, tool string) ([]byte, error) {
	pairs, whole := c.StringSlice("arg"), c.String("json")
	if whole != "" {
		node, err := canon.Parse([]byte(whole))
		if err != nil || !node.IsObject() {
			return nil, usagef("--json must be one JSON object")
		}
		if len(pairs) > 0 {
			return nil, usagef("--json and --arg exclude each other")
		}
		return node.Raw, nil
	}
	if len(pairs) == 0 {
		return []byte("{}"), nil
	}
	root, err := inputSchema(ctx, client, tool)
	if err != nil {
		return nil, err
	}
	return objectOfArguments(pairs, root)
}

// inputSchema looks the tool's input schema up; a tool that is not listed has none.
func inputSchema(ctx context.Context, client *wire.Client, tool string) (*canon.Node, error) {
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
				return it.Get("inputSchema"), nil
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

const maxCallPages = 1000

func objectOfArguments(pairs []string, root *canon.Node) ([]byte, error) {
	object := []byte{'{'}
	seen := map[string]bool{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("--arg %q is not NAME=VALUE", pair)
		}
		if seen[name] {
			return nil, usagef("--arg %s is given twice; give a list as one JSON value: --arg '%s=[\"a\",\"b\"]'", name, name)
		}
		seen[name] = true
		text, err := argument(value, root.Get("properties").Get(name))
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

// argument spells value as JSON of the type that the property's schema names; without one it is a string. The digits of a number are kept
// as they were typed.
func argument(value string, property *canon.Node) ([]byte, error) {
	types := typesOf(property)
	node, err := canon.Parse([]byte(value))
	if err == nil && types[jsonType(node)] {
		return node.Raw, nil
	}
	if len(types) == 0 || types["string"] {
		return canon.Quote(value), nil
	}
	var names []string
	for name := range types {
		names = append(names, name)
	}
	return nil, fmt.Errorf("%q is no %s", value, strings.Join(names, " or "))
}

func typesOf(property *canon.Node) map[string]bool {
	types := map[string]bool{}
	t := property.Get("type")
	if name := t.Text(); name != "" {
		types[name] = true
	}
	for _, item := range t.Elements() {
		types[item.Text()] = true
	}
	if types["string"] && len(types) == 1 {
		return types
	}
	if types["number"] {
		types["integer"] = true
	}
	return types
}

func jsonType(n *canon.Node) string {
	switch n.Kind {
	case canon.Object:
		return "object"
	case canon.Array:
		return "array"
	case canon.Number:
		if r, ok := n.Rat(); ok && r.IsInt() {
			return "integer"
		}
		return "number"
	case canon.True, canon.False:
		return "boolean"
	case canon.Null:
		return "null"
	}
	return "json-string" // a quoted string is text, quotes included, unless the schema is unknown
}

// printCallResult prints what the tool returned, and exits 6 when it reports an error.
func (sh *shell) printCallResult(result []byte, format string) error {
	node, err := canon.Parse(result)
	if err != nil {
		return err
	}
	if format == "json" {
		fmt.Fprintf(sh.out, "%s\n", canon.Indent(compact(result), ""))
	} else {
		sh.printContent(node)
	}
	if failed, _ := node.Get("isError").Bool(); failed {
		return &exitError{exitTool, errors.New("the tool reports an error")}
	}
	return nil
}

func compact(text []byte) []byte {
	data, err := canon.EncodeCompact(canon.Raw(text))
	if err != nil {
		return text
	}
	return data
}

func (sh *shell) printContent(result *canon.Node) {
	for _, block := range result.Get("content").Elements() {
		switch kind := block.Get("type").Text(); kind {
		case "text":
			fmt.Fprintln(sh.out, printableLines(block.Get("text").Text()))
		case "image", "audio":
			size := base64.StdEncoding.DecodedLen(len(block.Get("data").Text()))
			fmt.Fprintf(sh.out, "(%s, %s, about %d bytes; see it with --format json)\n", kind, diag.Printable(block.Get("mimeType").Text()), size)
		case "resource", "resource_link":
			uri := block.Get("uri").Text() + block.Get("resource").Get("uri").Text()
			fmt.Fprintf(sh.out, "(%s %s)\n", kind, diag.Printable(uri))
			if text, ok := block.Get("resource").Get("text").Str(); ok {
				fmt.Fprintln(sh.out, printableLines(text))
			}
		default:
			fmt.Fprintf(sh.out, "(%s; see it with --format json)\n", diag.Printable(kind))
		}
	}
	if structured := result.Get("structuredContent"); structured != nil {
		fmt.Fprintf(sh.out, "%s\n", printableLines(string(canon.Indent(structured.Canonical(), ""))))
	}
}
