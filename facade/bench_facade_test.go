package facade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/facade/audit"
	"anvil/facade/policy"
	"anvil/facade/telemetry"
	"anvil/wire"
)

// benchFacade serves the server on stdio; full has policy, audit log and metrics on, as `anvil mcp serve --audit FILE --metrics ADDRESS` does.
func benchFacade(full bool) {
	debug.SetGCPercent(400) // as anvil mcp serve has it
	o, end, err := benchOptions(full, func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, benchServer()) })
	if err != nil {
		panic(err)
	}
	f, err := New(o)
	if err != nil {
		panic(err)
	}
	if err := errors.Join(f.ServeStdio(context.Background(), os.Stdin, os.Stdout), f.Close(), end()); err != nil {
		panic(err)
	}
}

// benchOptions serve every tool of the server that dial reaches. Their operations are approved reads.
func benchOptions(full bool, dial func(context.Context) (wire.Link, error)) (o Options, end func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o = Options{Name: "bench", Dial: dial}
	if o.Exposure.Tools, err = benchTools(ctx, dial); err != nil || !full {
		return o, func() error { return nil }, err
	}
	if o.Exposure.Policy, err = benchPolicy(o.Exposure.Tools); err != nil {
		return o, nil, err
	}
	if o.Telemetry, err = telemetry.Start(ctx, telemetry.Options{Listen: true}); err != nil {
		return o, nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return o, nil, err
	}
	o.Audit, err = audit.Open(ctx, audit.Options{Path: filepath.Join(dir, "audit.jsonl"), Pack: "bench"})
	return o, func() error {
		return errors.Join(o.Audit.Close(), o.Telemetry.Close(context.Background()), os.RemoveAll(dir))
	}, err
}

// benchTools asks the server for its tools.
func benchTools(ctx context.Context, dial func(context.Context) (wire.Link, error)) (map[string]Tool, error) {
	link, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	client := wire.NewClient(link, wire.ClientOptions{})
	defer client.Close()
	if _, err := wire.Handshake(ctx, client, wire.Hello{Name: "bench", Version: "0"}); err != nil {
		return nil, err
	}
	result, err := client.Call(ctx, methodList, nil)
	if err != nil {
		return nil, err
	}
	list, err := canon.Parse(result)
	if err != nil {
		return nil, err
	}
	tools := map[string]Tool{}
	for _, tool := range list.Get("tools").Elements() {
		item, err := surface.NewItem(surface.Tool, tool.Raw)
		if err != nil {
			return nil, err
		}
		tools[item.Name] = Tool{Item: item, Operation: &air.Operation{
			ID: "bench." + item.Name, State: air.StateApproved, MCP: air.MCP{ToolName: item.Name}, ContractDigest: item.ContractDigest(),
			Effect: air.Effect{Kind: air.Read, Risk: air.RiskLow}, Input: air.Input{Schema: canon.Raw(tool.Get("inputSchema").Raw)},
		}}
	}
	return tools, nil
}

// benchPolicy has two rules that hold for no call: one has to read an argument of each to find that out, the other reads none.
func benchPolicy(tools map[string]Tool) (*policy.Set, error) {
	reads := map[string]string{"echo": "arguments.n", "get-sum": "arguments.a"}
	rules := []pack.PolicyRule{{ID: "eve", When: `effect == "read" && caller == "eve"`, Then: pack.PolicyDeny, Reason: "not for eve"}}
	var operations []policy.Operation
	for name, tool := range tools {
		operations = append(operations, policy.Operation{Operation: *tool.Operation})
		if argument := reads[name]; argument != "" && (name != "echo" || len(tools) == 1) { // server-everything has an echo of its own
			rules = append(rules, pack.PolicyRule{ID: "none-" + name, When: fmt.Sprintf("tool == %q && %s == 0", name, argument), Then: pack.PolicyDeny, Reason: "nothing to do"})
		}
	}
	set, _, err := policy.Compile("bench", operations, policy.Source{Name: "facade.yaml", Policy: pack.Policy{Rules: rules}})
	return set, err
}
