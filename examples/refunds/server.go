package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// desk is what the handlers share: the surface they keep to, and the store they work on.
type desk struct {
	surface surface
	store   *store
}

// newServer returns a server that offers shown over the given store. It may serve several sessions at once.
func newServer(shown surface, shop *store) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{
			Name:       "refunds",
			Title:      "Refund desk",
			Version:    shown.version,
			WebsiteURL: "https://refunds.example",
		},
		&mcp.ServerOptions{
			Instructions: shown.instructions,
			PageSize:     4, // below the number of tools, so that a reader of the list has to follow the cursor
			// The lists never change while a process lives, so none announces changes.
			Capabilities: &mcp.ServerCapabilities{
				Tools:     &mcp.ToolCapabilities{},
				Resources: &mcp.ResourceCapabilities{},
				Prompts:   &mcp.PromptCapabilities{},
			},
		})
	d := &desk{surface: shown, store: shop}
	d.addReadTools(server)
	d.addWriteTools(server)
	d.addTypedTools(server)
	d.addResources(server)
	d.addPrompts(server)
	return server
}

// answer is the work of one tool. An error of it is a result that says isError, with the error's text for the model.
type answer func(in *args) (*mcp.CallToolResult, error)

// addTool registers a tool whose schemas are written by hand; its arguments reach work undecoded.
func addTool(server *mcp.Server, tool *mcp.Tool, work answer) {
	server.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := work(parseArgs(req.Params.Arguments))
		if err != nil {
			var refusal mcp.CallToolResult
			refusal.SetError(err)
			return &refusal, nil
		}
		return result, nil
	})
}

// textResult answers with v as JSON text.
func textResult(v any) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
}

// structuredResult answers with v as structured content, and as JSON text for clients that do not read that.
func structuredResult(v any) (*mcp.CallToolResult, error) {
	result, err := textResult(v)
	if err != nil {
		return nil, err
	}
	result.StructuredContent = v
	return result, nil
}
