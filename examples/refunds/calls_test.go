package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// call is one call of a sequence, in which later ones see what earlier ones did. Arguments are JSON text, for exact
// numbers. The content, as text, must contain want; refused says that the result must be an error.
type call struct {
	tool, arguments, want string
	refused               bool
}

// bigRefund asks for all of a payment that a double would round.
const bigRefund = `{"paymentId":"pay-505","reason":"late","requestKey":"settle-2026",
	"total":{"amountMinor":9007199254740993,"currency":"JPY"},"feePercent":0,
	"lines":[{"sku":"ALL","quantity":1,"amount":{"amountMinor":9007199254740993,"currency":"JPY"}}],
	"destination":{"method":"original_payment"}}`

const goodwill = `{"paymentId":"pay-502","reason":"goodwill","total":{"amountMinor":399,"currency":"EUR"},
	"lines":[{"sku":"CURTAIN","quantity":1,"amount":{"amountMinor":399,"currency":"EUR"}}],"destination":{"method":"store_credit","reference":"c-1"}}`

// callsV1 calls every tool of v1, and provokes the refusals that matter.
func callsV1() []call {
	return append(callsOfBoth(),
		call{tool: "get_refund", arguments: `{"refundId":"rf-1001"}`, want: `"feeMinor":32,`},
		call{tool: "create_refund", arguments: goodwill, want: `"id":"rf-1005","paymentId":"pay-502"`},
		call{tool: "set_refund_note", arguments: `{"refundId":"rf-1005","text":"Gift."}`, want: `"note":{"text":"Gift.","author":"desk"}`},
		call{tool: "export_ledger", arguments: `{"fromSeq":9007199254740996}`, want: `9007199254740996,rf-1001,approved,12900,EUR\n`},
		call{tool: "export_ledger", arguments: `{"format":"json","fromSeq":9007199254740997}`, want: `[{\"seq\":9007199254740997,`},
		call{tool: "export_ledger", arguments: `{}`, want: `"type":"resource_link"`},
		call{tool: "export_ledger", arguments: `{"format":"xml"}`, want: "must be one of csv, json", refused: true})
}

// callsV2 calls every tool of v2; what v2 narrowed is refused.
func callsV2() []call {
	return append(callsOfBoth(),
		call{tool: "create_refund", arguments: goodwill, want: "arguments.reason must be one of damaged, late, not_as_described", refused: true},
		call{tool: "set_refund_note", arguments: `{"refundId":"rf-1002","text":"Gift."}`, want: "arguments.author is required", refused: true},
		call{tool: "reopen_refund", arguments: `{"refundId":"rf-1003"}`, want: `"status":"pending"`},
		call{tool: "reopen_refund", arguments: `{"refundId":"rf-1003"}`, want: "only a cancelled one can be reopened", refused: true})
}

// callsOfBoth is what both surfaces answer alike.
func callsOfBoth() []call {
	return []call{
		{tool: "get_refund", arguments: `{"refundId":"rf-1001"}`, want: `"ledgerSeq":9007199254740996`},
		{tool: "get_refund", arguments: `{"refundId":"rf-9"}`, want: `no refund "rf-9": list_refunds shows the ids`, refused: true},
		{tool: "get_refund", arguments: `{"refundID":"rf-1001"}`, want: "arguments.refundId is required", refused: true},
		{tool: "list_refunds", arguments: `{"limit":2}`, want: `"nextCursor":"rf-1002"`},
		{tool: "list_refunds", arguments: `{"limit":2,"cursor":"rf-1002"}`, want: `{"refunds":[{"id":"rf-1003"`},
		{tool: "list_refunds", arguments: `{"status":"pending"}`, want: `{"refunds":[{"id":"rf-1002"`},
		{tool: "list_refunds", arguments: `{"status":"lost"}`, want: "must be one of any, pending, approved, cancelled", refused: true},
		{tool: "list_refunds", arguments: `{"cursor":"rf-0"}`, want: "start again without a cursor", refused: true},
		{tool: "search_payments", arguments: `{"query":"DESK","minimumMinor":20000}`, want: `[{"id":"pay-503"`},
		{tool: "search_payments", arguments: `{"query":"sofa"}`, want: `[]`},
		{tool: "create_refund", arguments: bigRefund, want: `"id":"rf-1004"`},
		{tool: "create_refund", arguments: bigRefund, want: `"id":"rf-1004"`},
		{tool: "create_refund", arguments: strings.Replace(bigRefund, "late", "damaged", 1), want: "choose a new key", refused: true},
		{tool: "create_refund", arguments: strings.Replace(bigRefund, "settle-2026", "settle-again", 1), want: "above the 0 left to refund", refused: true},
		{tool: "create_refund", arguments: strings.NewReplacer("settle-2026", "settle-less", `"total":{"amountMinor":9007199254740993`, `"total":{"amountMinor":9007199254740992`).Replace(bigRefund), want: "lines add up to 9007199254740993", refused: true},
		{tool: "create_refund", arguments: strings.Replace(bigRefund, `"feePercent":0`, `"feePercent":0.255`, 1), want: "at most two decimals", refused: true},
		{tool: "create_refund", arguments: strings.Replace(bigRefund, "settle-2026", "short", 1), want: "requestKey must be 8 to 64 characters", refused: true},
		{tool: "search_payments", arguments: `{"query":"wholesale"}`, want: `"refundedMinor":9007199254740993`},
		{tool: "approve_refund", arguments: `{"refundId":"rf-1004"}`, want: `"status":"approved"`},
		{tool: "approve_refund", arguments: `{"refundId":"rf-1004"}`, want: `"status":"approved"`},
		{tool: "approve_refund", arguments: `{"refundId":"rf-1003"}`, want: "is cancelled: create a new one", refused: true},
		{tool: "cancel_refund", arguments: `{"refundId":"rf-1004"}`, want: `"status":"cancelled"`},
		{tool: "cancel_refund", arguments: `{"refundId":"rf-1004"}`, want: "is cancelled already", refused: true},
		{tool: "search_payments", arguments: `{"query":"wholesale"}`, want: `"refundedMinor":0`},
		{tool: "set_refund_note", arguments: `{"refundId":"rf-1002","text":"Called.","author":"ida"}`, want: `"note":{"text":"Called.","author":"ida"}`},
		{tool: "notify_customer", arguments: `{"refundId":"rf-1002","text":"it is on its way"}`, want: `Dear Bo, about rf-1002: it is on its way`},
		{tool: "notify_customer", arguments: `{"refundId":"rf-1002","channel":"sms","text":"again"}`, want: `"number":2`},
		{tool: "notify_customer", arguments: `{"refundId":"rf-1002","channel":"fax","text":"a"}`, want: "use email or sms", refused: true},
		{tool: "delete_customer", arguments: `{"customerId":"cus-bo"}`, want: "refund rf-1002 of customer cus-bo is pending", refused: true},
		{tool: "delete_customer", arguments: `{"customerId":"cus-cem"}`, want: "customer cus-cem deleted"},
		{tool: "delete_customer", arguments: `{"customerId":"cus-cem"}`, want: "no customer", refused: true},
	}
}

// check makes the call and compares its content. A refusal is a result of the tool, never an error of the protocol.
func (c call) check(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	result, err := session.CallTool(deadline(t), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
	if err != nil {
		t.Errorf("%s %s: %v", c.tool, c.arguments, err)
		return
	}
	var text strings.Builder
	for _, block := range result.Content {
		if plain, ok := block.(*mcp.TextContent); ok {
			text.WriteString(plain.Text)
			continue
		}
		raw, err := json.Marshal(block)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(raw)
	}
	if result.IsError != c.refused || !strings.Contains(text.String(), c.want) {
		t.Errorf("%s %s: got isError %t and %s, want isError %t and %s", c.tool, c.arguments, result.IsError, text.String(), c.refused, c.want)
	}
	if c.tool == "get_refund" && (result.StructuredContent == nil) != c.refused {
		t.Errorf("%s %s: structured content %v", c.tool, c.arguments, result.StructuredContent)
	}
}
