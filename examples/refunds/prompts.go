package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompts registers both prompts. A missing required argument is refused as the protocol asks: the SDK lists
// which arguments are required, and leaves the check to the handler.
func (d *desk) addPrompts(server *mcp.Server) {
	d.addPrompt(server, &mcp.Prompt{
		Name:        "review_refund",
		Title:       "Review a refund",
		Description: "Asks for a review of one refund against the policy.",
		Arguments:   d.surface.reviewArguments,
	}, d.reviewText)
	d.addPrompt(server, &mcp.Prompt{
		Name:        "answer_complaint",
		Title:       "Answer a complaint",
		Description: "Asks for a letter to a customer.",
		Arguments: []*mcp.PromptArgument{
			{Name: "complaint", Description: "What the customer wrote.", Required: true},
			{Name: "language", Description: "Language of the letter. English when absent."},
		},
	}, complaintText)
}

func (d *desk) addPrompt(server *mcp.Server, prompt *mcp.Prompt, text func(given map[string]string) (string, error)) {
	server.AddPrompt(prompt, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		for _, a := range prompt.Arguments {
			if a.Required && req.Params.Arguments[a.Name] == "" {
				return nil, invalidParams("prompt %s needs the argument %q", prompt.Name, a.Name)
			}
		}
		body, err := text(req.Params.Arguments)
		if err != nil {
			return nil, invalidParams("prompt %s: %v", prompt.Name, err)
		}
		message := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: body}}
		return &mcp.GetPromptResult{Description: prompt.Description, Messages: []*mcp.PromptMessage{message}}, nil
	})
}

func (d *desk) reviewText(given map[string]string) (string, error) {
	found, err := d.store.get(given["refundId"])
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("Review refund %s: %d %s (minor units), reason %s, now %s. Hold it against %s. Be %s.",
		found.ID, found.Total.AmountMinor, found.Total.Currency, found.Reason, found.Status, policyURI,
		orElse(given["tone"], "brief"))
	if audience := given["audience"]; audience != "" {
		text += " The reader is the " + audience + "."
	}
	return text, nil
}

func complaintText(given map[string]string) (string, error) {
	return fmt.Sprintf("Answer this complaint in %s, politely and without promising money: %s",
		orElse(given["language"], "English"), given["complaint"]), nil
}

func orElse(given, fallback string) string {
	if given == "" {
		return fallback
	}
	return given
}

func invalidParams(format string, values ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, values...)}
}
