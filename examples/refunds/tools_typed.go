package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notifyInput and deleteInput are the arguments of the tools whose schemas the SDK derives from Go types.
type notifyInput struct {
	RefundID string `json:"refundId" jsonschema:"id of the refund the message is about"`
	Channel  string `json:"channel,omitempty" jsonschema:"email or sms; email when absent"`
	Text     string `json:"text" jsonschema:"what to tell the customer"`
}

type deleteInput struct {
	CustomerID string `json:"customerId" jsonschema:"id of the customer to delete"`
}

// addTypedTools registers the tools that hold no number a typed schema would round.
func (d *desk) addTypedTools(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{
		Name:        "notify_customer",
		Title:       "Notify the customer",
		Description: "Sends the customer of a refund a message. It cannot be taken back.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(true)},
	}, d.notifyCustomer)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "delete_customer",
		Description: "Deletes a customer who has no pending refund.",
	}, d.deleteCustomer)
}

func (d *desk) notifyCustomer(_ context.Context, _ *mcp.CallToolRequest, in notifyInput) (*mcp.CallToolResult, message, error) {
	switch in.Channel {
	case "":
		in.Channel = "email"
	case "email", "sms":
	default:
		return nil, message{}, fmt.Errorf("no channel %q: use email or sms", in.Channel)
	}
	sent, err := d.store.notify(in.RefundID, in.Channel, in.Text)
	return nil, sent, err
}

func (d *desk) deleteCustomer(_ context.Context, _ *mcp.CallToolRequest, in deleteInput) (*mcp.CallToolResult, any, error) {
	if err := d.store.deleteCustomer(in.CustomerID); err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "customer " + in.CustomerID + " deleted"}}}, nil, nil
}
