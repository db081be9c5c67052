package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/internal/config"
	"anvil/wire"
)

func (sh *shell) callCommand() *cli.Command {
	return &cli.Command{
		Name: "call", Usage: "call one tool of a live server, or of a pack through its policy",
		ArgsUsage: "TARGET TOOL",
		Description: `A server is called directly; a pack is called through its facade, where only approved operations exist. With a command behind
--, TOOL alone stands before it. Of a pack, TOOL may be an operation's id. A tool whose name begins with a dash is named by --tool=NAME
in place of TOOL. --format json prints the server's result as it came.

What anvil refuses itself, since it is not approved, is another tool than was approved, or has no yes, exits 1; 6 is an error of the tool or its server.
An operation that waits for a person's yes is asked about at a terminal, whatever --confirm says.

A result that does not fit the outputSchema of its tool is told on stderr (rule output-vs-observed), and changes the exit code with --strict alone.

` + targetUsage,
		Flags: targetFlags(
			formatFlag("text", "json"),
			&cli.StringFlag{Name: "tool", Usage: "`NAME` of the tool, in place of TOOL: --tool=--all"},
			&cli.StringSliceFlag{Name: "arg", Usage: "an argument as `NAME=VALUE`, given once for each; the tool's schema decides its type"},
			&cli.StringFlag{Name: "json", Usage: "all arguments as one JSON `OBJECT`; - reads it from stdin"},
			&cli.BoolFlag{Name: "strict", Usage: "exit 1 unless the result fits the outputSchema that the tool declares, if it declares one"},
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
	if c.IsSet("tool") {
		args = append(args, c.String("tool"))
	}
	if len(args) == 0 || sh.rest == nil && len(args) != 2 || sh.rest != nil && len(args) != 1 {
		return usagef("say which tool of which server: anvil mcp call TARGET TOOL, or anvil mcp call TOOL -- COMMAND ARG...")
	}
	limit, err := timeout(c)
	if err != nil {
		return err
	}
	tool := args[len(args)-1]
	target, err := sh.target(c, args[:len(args)-1], sh.rest)
	if err != nil {
		return err
	}
	way, err := sh.wayTo(c, target, tool)
	if err != nil {
		return err
	}
	defer way.close()
	if way.dial == nil { // through a pack, where nothing is started before the yes
		if err := sh.askAndOpen(c, &way); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeoutCause(sh.ctx, limit, errors.New("no answer within "+limit.String()+"; give more with --timeout"))
	defer cancel()
	result, err := sh.callTool(ctx, c, way)
	if err != nil {
		return way.explain(ctx, target, err)
	}
	if err := sh.printCallResult(way.tool, result.raw, format); err != nil {
		return err
	}
	return sh.tellMisfit(result, c.Bool("strict"))
}

// callTool opens a session, calls the tool once, and holds what it answered against what it declares.
func (sh *shell) callTool(ctx context.Context, c *cli.Context, way way) (called, error) {
	session, err := wire.Connect(ctx, way.dial, wire.ConnectOptions{Hello: wire.Hello{Name: "anvil", Version: version}})
	if err != nil {
		return called{}, err
	}
	defer session.Close()
	if way.params == nil {
		arguments, err := sh.callArguments(c, func() (*canon.Node, error) {
			tool, err := listedTool(ctx, session, way.tool)
			return tool.Get("inputSchema"), err
		})
		if err != nil {
			return called{}, err
		}
		way.params = callParams(way.tool, arguments)
	}
	raw, err := session.Call(ctx, "tools/call", way.params)
	if err != nil {
		return called{}, err
	}
	return heldResult(ctx, session, way.tool, raw), nil
}

// way is how to reach a tool.
type way struct {
	tool   string // its name for the server
	params []byte // of the call, where they are known before there is a session
	dial   func(context.Context) (wire.Link, error)
	close  func()
	ended  func() error // why the facade in between ended; nil when it did not, or there is none
	own    *refusals    // of the facade in between; nil when there is none

	through *throughPack // what is called through; nil for a live server
}

// throughPack is an operation of a pack, to be called through its facade.
type throughPack struct {
	pack      *pack.Pack
	document  air.Document
	typed     string
	operation air.Operation // without a name when the pack has none of it
}

// explain tells a tool that was refused from a server that is gone, and says what to do.
func (w way) explain(ctx context.Context, t config.Target, err error) error {
	var coded *exitError
	var rpc *wire.RPCError
	if cause := w.ended(); cause != nil {
		return &exitError{exitUnreachable, cause}
	}
	switch {
	case errors.As(err, &coded):
		return err
	case errors.As(err, &rpc):
		return w.refused(t, rpc)
	case errors.Is(err, wire.ErrAuthRequired):
		return &exitError{exitAuth, fmt.Errorf("%s: the server asks for authentication: %w%s", calledTarget(t), err, adviceFor(t.Server.Redacted(), err))}
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if isMissing(err) {
		return usagef("%s: the server cannot be started: %w", calledTarget(t), err)
	}
	return &exitError{exitUnreachable, fmt.Errorf("%s: the server could not be reached: %w%s", calledTarget(t), err, adviceFor(t.Server.Redacted(), err))}
}

// refused is an error reply: of the facade in this process, which says what to do and was asked for nothing a tool did, or of the server, whose advice
// is not anvil's.
func (w way) refused(t config.Target, rpc *wire.RPCError) error {
	hint := "see the tools with `anvil mcp inspect " + shellTarget(t) + "`"
	if w.own == nil {
		return &exitError{exitTool, fmt.Errorf("%s; %s", told(rpc), hint)}
	}
	own, found := w.own.find(rpc)
	if !found {
		return &exitError{exitTool, fmt.Errorf("tool %q: the server answered with an error: %s; %s", w.tool, told(rpc), hint)}
	}
	code := exitUnreachable
	switch {
	case own.Policy():
		code = exitFindings
	case own.Auth():
		code = exitAuth
	}
	return &refusal{air.ErrorCode(own.Code), &exitError{code, fmt.Errorf("%s (code %d); %s", rpc.Message, rpc.Code, cmp.Or(own.Hint, hint))}}
}

// maxTold is how many characters of a server's message anvil repeats.
const maxTold = 2000

// malformedShown is how many characters of an error that is none are shown.
const malformedShown = 200

// told is what an error reply says, in one line, so that no line of it passes for anvil's own.
func told(rpc *wire.RPCError) string {
	if n, err := canon.Parse(rpc.Raw); rpc.Raw != nil {
		_, whole := n.Get("code").Int()
		if _, text := n.Get("message").Str(); err != nil || !whole || !text {
			return "a malformed reply: its error is " + diag.Shorten(diag.Printable(string(rpc.Raw)), malformedShown) + ", and not an object with a whole number as code and a text as message"
		}
	}
	return fmt.Sprintf("%s (code %d)", diag.Shorten(diag.Printable(rpc.Message), maxTold), rpc.Code)
}

// wayTo returns how to reach the tool: a live server directly, a pack through its facade, so that what is not approved stays uncallable on
// this path too.
func (sh *shell) wayTo(c *cli.Context, t config.Target, tool string) (way, error) {
	w := way{tool: tool, close: func() {}, ended: func() error { return nil }}
	switch t.Kind {
	case config.KindSnapshot:
		return w, usagef("%s is a snapshot: there is no server to call; give the server itself, or a pack of mode facade", t.Path)
	case config.KindPack:
		return sh.wayThrough(c, t.Path, w)
	}
	var err error
	w.dial, _, err = sh.dialer(t.Server, nil)
	return w, err
}

// wayThrough is the way through the facade of a pack. The tool may be given as its operation's id.
func (sh *shell) wayThrough(c *cli.Context, dir string, w way) (way, error) {
	p, document, err := openToCall(dir)
	if err != nil {
		return w, err
	}
	matches := operationsCalled(document, w.tool)
	if len(matches) > 1 {
		return w, ambiguous(w.tool, matches)
	}
	w.through = &throughPack{pack: p, document: document, typed: w.tool}
	if len(matches) == 1 {
		w.through.operation, w.tool = matches[0], matches[0].MCP.ToolName
	}
	return w, nil
}

// askAndOpen makes the request of an operation of a pack, asks for the yes that it wants, and opens the pack's facade. One that is not approved asks
// nobody: the facade refuses it.
func (sh *shell) askAndOpen(c *cli.Context, w *way) error {
	o := w.through.operation
	arguments, err := sh.callArguments(c, func() (*canon.Node, error) {
		if o.Input.Schema == nil {
			return nil, nil
		}
		return canon.Parse(o.Input.Schema)
	})
	if err != nil {
		return err
	}
	w.params = callParams(w.tool, arguments)
	now, _ := w.through.document.WithApprovals(pack.Approvals(w.through.document), sh.now()) // some may have ended since the pack was built
	if is, _ := now.Find(o.ID); is.State == air.StateApproved {
		if err := sh.confirmed(question{w.through.typed, is.Confirmation, w.params, c.Bool("confirm")}); err != nil {
			return err
		}
	}
	w.own = &refusals{}
	f, err := sh.openFacade(c, w.through.pack, w.through.document, facadeWatch{refused: w.own.add}) // what it would log is in its reply
	if err != nil {
		return err
	}
	w.dial, w.ended = sh.connectFacade(f)
	w.close = func() { f.Close() }
	return nil
}
