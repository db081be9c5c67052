//lint:file-ignore SA1019 sampling, roots and logging are deprecated and still in use, so the facade has to carry them

package facade

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer is a typed server with everything a facade has to carry; the tool "secret" is never approved.
func sdkServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{
		PageSize: 2, Instructions: "be careful",
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "lo"}}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addAsking(server)
	addActing(server)
	addBesideTools(server)
	return server
}

// addText adds a tool that answers with a text.
func addText(server *mcp.Server, name string, run func(ctx context.Context, r *mcp.CallToolRequest) (string, error)) {
	server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := run(ctx, r)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

// addActing adds the tools that do something by themselves.
func addActing(server *mcp.Server) {
	addText(server, "echo", func(_ context.Context, r *mcp.CallToolRequest) (string, error) {
		return string(r.Params.Arguments), nil
	})
	addText(server, "secret", func(context.Context, *mcp.CallToolRequest) (string, error) { return "secret", nil })
	addText(server, "chatty", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		for i := range 5 {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: i}); err != nil {
				return "", err
			}
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)}); err != nil {
				return "", err
			}
		}
		return "said", nil
	})
	addText(server, "wait", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	addText(server, "grow", func(context.Context, *mcp.CallToolRequest) (string, error) {
		server.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object", "required": []string{"x"}}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		return "grown", nil
	})
}

// addAsking adds the tools that ask the client.
func addAsking(server *mcp.Server) {
	addText(server, "sample", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
		if err != nil {
			return "", err
		}
		return got.Content.(*mcp.TextContent).Text, nil
	})
	addText(server, "elicit", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "name?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
		}})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(got.Action, " ", got.Content["name"]), nil
	})
	addText(server, "roots", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		got, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		return got.Roots[0].URI, nil
	})
}

// addBesideTools adds what a server offers beside tools.
func addBesideTools(server *mcp.Server) {
	server.AddResource(&mcp.Resource{Name: "r", URI: "mem://r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "mem://r", Text: "content"}}}, nil
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "t", URITemplate: "mem://t/{x}"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "made"}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "prompt"}, nil
	})
}
