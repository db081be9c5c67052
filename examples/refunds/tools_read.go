package main

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addReadTools registers the tools that change nothing.
func (d *desk) addReadTools(server *mcp.Server) {
	feeBlank := ""
	if d.surface.showFee {
		feeBlank = feeProperty
	}
	addTool(server, &mcp.Tool{
		Name:         "get_refund",
		Title:        "Get a refund",
		Description:  "Returns one refund with its lines, its note and its place in the ledger.",
		InputSchema:  schemaText(refundIDInput),
		OutputSchema: schemaText(refundOutput, "FEE", feeBlank),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
	}, d.getRefund)
	addTool(server, &mcp.Tool{
		Name:        "list_refunds",
		Title:       "List refunds",
		Description: "Lists refunds by id, a page at a time. Pass nextCursor as cursor until it is empty.",
		InputSchema: schemaText(listRefundsInput),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)},
	}, d.listRefunds)
	addTool(server, &mcp.Tool{
		Name:        "search_payments",
		Title:       "Search payments",
		Description: "Finds payments by text and amount, and says how much of each was refunded.",
		InputSchema: schemaText(searchPaymentsInput),
		Annotations: d.surface.searchHints,
	}, d.searchPayments)
	if d.surface.hasExport {
		addTool(server, &mcp.Tool{
			// A member the protocol does not know: whoever copies this tool must keep it.
			Meta:        mcp.Meta{"refunds.example/owner": "payments team", "refunds.example/costMinor": 0},
			Name:        "export_ledger",
			Title:       "Export the ledger",
			Description: "Returns the ledger as a file, and a link to the resource that holds all of it.",
			InputSchema: schemaText(exportLedgerInput),
			Annotations: &mcp.ToolAnnotations{Title: "Ledger export", ReadOnlyHint: true, OpenWorldHint: new(false)},
		}, d.exportLedger)
	}
}

func (d *desk) getRefund(in *args) (*mcp.CallToolResult, error) {
	id := in.text("refundId")
	if err := in.done(); err != nil {
		return nil, err
	}
	found, err := d.store.get(id)
	if err != nil {
		return nil, err
	}
	return structuredResult(d.shown(found))
}

func (d *desk) listRefunds(in *args) (*mcp.CallToolResult, error) {
	status := in.choice("status", "any", []string{"any", pending, approved, cancelled})
	cursor := in.optionalText("cursor", "")
	limit := in.integer("limit", 20, 1, 50)
	if err := in.done(); err != nil {
		return nil, err
	}
	page, next, err := d.store.list(status, cursor, int(limit))
	if err != nil {
		return nil, err
	}
	for i := range page {
		page[i] = d.shown(page[i])
	}
	return textResult(struct {
		Refunds    []refund `json:"refunds"`
		NextCursor string   `json:"nextCursor,omitempty"`
	}{page, next})
}

func (d *desk) searchPayments(in *args) (*mcp.CallToolResult, error) {
	query := in.text("query")
	minimum := in.integer("minimumMinor", 0, 0, maxMinor)
	if err := in.done(); err != nil {
		return nil, err
	}
	return textResult(d.store.search(query, minimum))
}

func (d *desk) exportLedger(in *args) (*mcp.CallToolResult, error) {
	format := in.choice("format", "csv", []string{"csv", "json"})
	from := in.integer("fromSeq", firstSeq, firstSeq, 1<<62)
	if err := in.done(); err != nil {
		return nil, err
	}
	file := &mcp.ResourceContents{URI: ledgerURI + "." + format, MIMEType: "text/csv"}
	var err error
	if format == "csv" {
		file.Text, err = ledgerCSV(d.store.entries(from))
	} else {
		file.MIMEType = "application/json"
		file.Text, err = ledgerJSON(d.store.entries(from))
	}
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.EmbeddedResource{Resource: file},
		&mcp.ResourceLink{URI: ledgerURI, Name: "ledger", MIMEType: "application/json"},
	}}, nil
}

func ledgerCSV(entries []entry) (string, error) {
	rows := [][]string{{"seq", "refundId", "event", "amountMinor", "currency"}}
	for _, e := range entries {
		rows = append(rows, []string{
			strconv.FormatInt(e.Seq, 10), e.RefundID, e.Event, strconv.FormatInt(e.Amount.AmountMinor, 10), e.Amount.Currency,
		})
	}
	var text strings.Builder
	err := csv.NewWriter(&text).WriteAll(rows)
	return text.String(), err
}

func ledgerJSON(entries []entry) (string, error) {
	text, err := json.Marshal(entries)
	return string(text), err
}

// shown returns a refund as the surface shows it.
func (d *desk) shown(r refund) refund {
	if !d.surface.showFee {
		r.FeeMinor = nil
	}
	return r
}
