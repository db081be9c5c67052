package conformance

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/wire"
)

// The variables in which the suite tells a client what to do.
const (
	scenarioVariable = "MCP_CONFORMANCE_SCENARIO"
	contextVariable  = "MCP_CONFORMANCE_CONTEXT" // a JSON object, of some scenarios only
)

const (
	// patience bounds a scenario. It is below that of the suite, which kills a shell and leaves its children alone.
	patience = 20 * time.Second

	pageLimit = 100
)

// capabilities are those of anvil's full profile: everything a server may ask for is announced, and answered or declined.
const capabilities = `{"roots":{},"sampling":{},"elicitation":{"form":{}}}`

// Main does what the scenario named in the environment wants of a client of the server whose address is the last argument. It returns the
// exit code: 0 when the server answered as the scenario's server should, 2 when there is nothing to be done, 1 otherwise.
func Main(args []string, getenv func(string) string, stderr io.Writer) int {
	run, known := scenarios[getenv(scenarioVariable)]
	if !known || len(args) == 0 {
		fmt.Fprintf(stderr, "want a server's address, and one of these in %s: %s\n",
			scenarioVariable, strings.Join(slices.Sorted(maps.Keys(scenarios)), ", "))
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := runScenario(ctx, run, args[len(args)-1], getenv(contextVariable)); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func runScenario(ctx context.Context, run scenario, url, extra string) (err error) {
	var c client
	if extra != "" {
		if c.context, err = canon.Parse([]byte(extra)); err != nil {
			return fmt.Errorf("read %s: %w", contextVariable, err)
		}
	}
	c.session, err = wire.Connect(ctx, func(context.Context) (wire.Link, error) {
		return wire.DialAuto(wire.HTTPOptions{URL: url})
	}, wire.ConnectOptions{
		Hello:  wire.Hello{Name: "anvil-conformance", Version: "1", Capabilities: []byte(capabilities)},
		Client: wire.ClientOptions{OnRequest: answer},
	})
	if err != nil {
		return fmt.Errorf("connect to %s: %w", url, err)
	}
	defer c.session.Close()
	return run(ctx, &c)
}

// client is a session with the server of a scenario.
type client struct {
	session *wire.Session
	context *canon.Node // what the suite tells beyond the scenario's name; nil when it tells nothing
}

// list returns the items under member in the result of a list method, of all pages.
func (c *client) list(ctx context.Context, method, member string) ([]*canon.Node, error) {
	var items []*canon.Node
	var params []byte
	for range pageLimit {
		result, err := c.request(ctx, method, params)
		if err != nil {
			return nil, err
		}
		items = append(items, result.Get(member).Elements()...)
		cursor := result.Get("nextCursor")
		if cursor == nil {
			return items, nil
		}
		params = object("cursor", cursor.Raw)
	}
	return nil, fmt.Errorf("%s: more than %d pages", method, pageLimit)
}

func (c *client) tools(ctx context.Context) ([]*canon.Node, error) {
	return c.list(ctx, "tools/list", "tools")
}

// tool returns the listed tool of the given name.
func (c *client) tool(ctx context.Context, name string) (*canon.Node, error) {
	tools, err := c.tools(ctx)
	if err != nil {
		return nil, err
	}
	for _, tool := range tools {
		if tool.Get("name").Text() == name {
			return tool, nil
		}
	}
	return nil, fmt.Errorf("the server lists no tool called %s", name)
}

// call calls a tool and gives the server what else it asks for until the call is done. arguments is one raw JSON object. A result that the
// tool marks as an error is one.
func (c *client) call(ctx context.Context, name string, arguments []byte) (*canon.Node, error) {
	params := canon.Builder{}
	params.AddText("name", name)
	params.Add("arguments", arguments)
	result, err := c.complete(ctx, "tools/call", params.Bytes())
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	if failed, _ := result.Get("isError").Bool(); failed || !result.Get("content").IsArray() {
		return nil, fmt.Errorf("tool %s answered %s", name, result.Raw)
	}
	return result, nil
}

func (c *client) request(ctx context.Context, method string, params []byte) (*canon.Node, error) {
	raw, err := c.session.Call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return canon.Parse(raw)
}

// object returns a JSON object of one member.
func object(name string, value []byte) []byte {
	b := canon.Builder{}
	b.Add(name, value)
	return b.Bytes()
}
