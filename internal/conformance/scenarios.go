package conformance

import (
	"context"
	"errors"
	"fmt"

	"anvil/compiler/canon"
	"anvil/wire"
)

// scenario does what a server of the suite's waits for. It fails when the server does not answer as it should; what the server makes of the
// client's part is for the suite to say.
type scenario func(ctx context.Context, c *client) error

// scenarios are those of the suite that concern connecting, listing and calling, by the suite's names.
var scenarios = map[string]scenario{
	"initialize":                          justList,
	"request-metadata":                    justList,
	"json-schema-ref-no-deref":            justList,
	"tools_call":                          callWith("add_numbers", `{"a":5,"b":3}`),
	"elicitation-sep1034-client-defaults": callWith("test_client_elicitation_defaults", `{}`),
	"sse-retry":                           callWith("test_reconnection", `{}`),
	"sep-2322-client-request-state":       callAll,
	"json-schema-2020-12-preservation":    echoSchema,
	"http-standard-headers":               useEverything,
	"http-custom-headers":                 callAsTold,
	"http-invalid-tool-headers":           callValid,
}

func justList(ctx context.Context, c *client) error {
	_, err := c.tools(ctx)
	return err
}

// callWith calls a tool that the server must list.
func callWith(name, arguments string) scenario {
	return func(ctx context.Context, c *client) error {
		if _, err := c.tool(ctx, name); err != nil {
			return err
		}
		_, err := c.call(ctx, name, []byte(arguments))
		return err
	}
}

// callAll calls every tool, and lets the server ask for more.
func callAll(ctx context.Context, c *client) error {
	tools, err := c.tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if _, err := c.call(ctx, tool.Get("name").Text(), []byte("{}")); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema gives a tool's schema back to the server as it arrived.
func echoSchema(ctx context.Context, c *client) error {
	tool, err := c.tool(ctx, "json_schema_2020_12_tool")
	if err != nil {
		return err
	}
	_, err = c.call(ctx, "json_schema_echo", object("schema", tool.Get("inputSchema").Raw))
	return err
}

// useEverything calls every tool, reads every resource and gets every prompt.
func useEverything(ctx context.Context, c *client) error {
	if err := callAll(ctx, c); err != nil {
		return err
	}
	for _, use := range []struct{ list, items, get, by string }{
		{"resources/list", "resources", "resources/read", "uri"},
		{"prompts/list", "prompts", "prompts/get", "name"},
	} {
		items, err := c.list(ctx, use.list, use.items)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return fmt.Errorf("%s: the server lists nothing", use.list)
		}
		for _, item := range items {
			if _, err := c.complete(ctx, use.get, object(use.by, item.Get(use.by).Raw)); err != nil {
				return err
			}
		}
	}
	return nil
}

// callAsTold makes the calls that the suite gives, of tools that mirror arguments in headers.
func callAsTold(ctx context.Context, c *client) error {
	calls := c.context.Get("toolCalls").Elements()
	if len(calls) == 0 {
		return errors.New("the suite names no tool to call")
	}
	for _, call := range calls {
		name := call.Get("name").Text()
		tool, err := c.tool(ctx, name)
		if err != nil {
			return err
		}
		bound, err := bindings(tool.Get("inputSchema"))
		if err != nil {
			return fmt.Errorf("tool %s: %w", name, err)
		}
		arguments := call.Get("arguments")
		if _, err := c.call(wire.WithParamHeaders(ctx, mirrored(bound, arguments)), name, arguments.Raw); err != nil {
			return err
		}
	}
	return nil
}

// callValid calls the tools that a client may use: not those which bind arguments to headers in a way that SEP-2243 forbids.
func callValid(ctx context.Context, c *client) error {
	tools, err := c.tools(ctx)
	if err != nil {
		return err
	}
	called := 0
	for _, tool := range tools {
		if _, err := bindings(tool.Get("inputSchema")); err != nil {
			continue
		}
		if _, err := c.call(ctx, tool.Get("name").Text(), object("region", canon.Quote("us-west1"))); err != nil {
			return err
		}
		called++
	}
	if called == 0 || called == len(tools) {
		return fmt.Errorf("%d of %d tools can be called, want some and not all", called, len(tools))
	}
	return nil
}
