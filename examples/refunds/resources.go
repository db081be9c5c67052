package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	policyURI    = "refunds://policy"
	ledgerURI    = "refunds://ledger"
	refundPrefix = "refunds://refund/"
)

const policyText = `# Refund policy

- Damaged or wrong goods: the whole amount, at any time.
- Late goods: up to a quarter of the amount.
- A refund above 500.00 needs the customer's consent in writing.
`

// addResources registers the policy, the ledger where the surface has it, and one resource for each refund.
func (d *desk) addResources(server *mcp.Server) {
	server.AddResource(&mcp.Resource{
		URI:         policyURI,
		Name:        "policy",
		Title:       "Refund policy",
		Description: "When money goes back, and how much of it.",
		MIMEType:    "text/markdown",
		Size:        int64(len(policyText)),
	}, content("text/markdown", func(string) (string, error) { return policyText, nil }))
	if d.surface.hasExport {
		server.AddResource(&mcp.Resource{
			URI:         ledgerURI,
			Name:        "ledger",
			Title:       "Ledger",
			Description: "Every step of every refund, oldest first.",
			MIMEType:    "application/json",
			Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant"}, Priority: 0.25},
		}, content("application/json", func(string) (string, error) { return ledgerJSON(d.store.entries(firstSeq)) }))
	}
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: refundPrefix + "{id}",
		Name:        "refund",
		Title:       "Refund",
		Description: "One refund by its id.",
		MIMEType:    "application/json",
	}, content("application/json", d.refundText))
}

// refundText returns the refund that uri names, as JSON.
func (d *desk) refundText(uri string) (string, error) {
	found, err := d.store.get(strings.TrimPrefix(uri, refundPrefix))
	if err != nil {
		return "", mcp.ResourceNotFoundError(uri)
	}
	text, err := json.Marshal(d.shown(found))
	return string(text), err
}

// content makes a handler of a function that returns a resource's text.
func content(mimeType string, text func(uri string) (string, error)) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		body, err := text(uri)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: body}}}, nil
	}
}
