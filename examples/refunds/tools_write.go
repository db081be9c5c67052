package main

import (
	"math/big"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addWriteTools registers the tools that change refunds. create_refund and reopen_refund say nothing about their
// effect on purpose: much of what is adopted does not.
func (d *desk) addWriteTools(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name:        "create_refund",
		Description: "Creates a pending refund for a payment. The lines must add up to the total.",
		InputSchema: schemaText(createRefundInput, "REASONS", jsonList(d.surface.reasons)),
	}, d.createRefund)
	addTool(server, &mcp.Tool{
		Name:        "approve_refund",
		Title:       "Approve a refund",
		Description: "Approves a pending refund, which pays it out. Approving it again changes nothing.",
		InputSchema: schemaText(refundIDInput),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: false, DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false),
		},
	}, d.onRefund(d.store.approve))
	addTool(server, &mcp.Tool{
		Name:        "cancel_refund",
		Title:       "Cancel a refund",
		Description: d.surface.cancelDescription,
		InputSchema: schemaText(refundIDInput),
		Annotations: &mcp.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(false)},
	}, d.onRefund(d.store.cancel))
	addTool(server, &mcp.Tool{
		Name:        "set_refund_note",
		Title:       "Set the note of a refund",
		Description: "Replaces the note of a refund.",
		InputSchema: schemaText(setRefundNoteInput, "REQUIRED", jsonList(d.surface.noteRequired)),
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false)},
	}, d.setNote)
	if d.surface.hasReopen {
		addTool(server, &mcp.Tool{
			Name:        "reopen_refund",
			Description: "Makes a cancelled refund pending again.",
			InputSchema: schemaText(refundIDInput),
		}, d.onRefund(d.store.reopen))
	}
}

// onRefund is the work of a tool whose only argument is the refund to act on.
func (d *desk) onRefund(act func(id string) (refund, error)) answer {
	return func(in *args) (*mcp.CallToolResult, error) {
		id := in.text("refundId")
		if err := in.done(); err != nil {
			return nil, err
		}
		changed, err := act(id)
		if err != nil {
			return nil, err
		}
		return textResult(d.shown(changed))
	}
}

func (d *desk) setNote(in *args) (*mcp.CallToolResult, error) {
	id, n := in.text("refundId"), note{Text: in.text("text"), Author: "desk"}
	for _, name := range d.surface.noteRequired {
		if name == "author" {
			n.Author = in.text(name)
		}
	}
	n.Author = in.optionalText("author", n.Author)
	if len([]rune(n.Text)) > 500 {
		in.fail("text", "must be at most 500 characters")
	}
	if err := in.done(); err != nil {
		return nil, err
	}
	changed, err := d.store.setNote(id, n)
	if err != nil {
		return nil, err
	}
	return textResult(d.shown(changed))
}

func (d *desk) createRefund(in *args) (*mcp.CallToolResult, error) {
	asked := request{
		paymentID:   in.text("paymentId"),
		reason:      in.choice("reason", "", d.surface.reasons),
		total:       readMoney(in.object("total")),
		feePercent:  readFeePercent(in),
		destination: readDestination(in.object("destination")),
		key:         in.optionalText("requestKey", ""),
	}
	for _, item := range in.list("lines", 100) {
		asked.lines = append(asked.lines, line{
			SKU:      item.text("sku"),
			Quantity: item.requiredInteger("quantity", 1, 1000),
			Amount:   readMoney(item.object("amount")),
		})
		item.close()
	}
	if n := len(asked.key); n > 0 && (n < 8 || n > 64) {
		in.fail("requestKey", "must be 8 to 64 characters")
	}
	if err := in.done(); err != nil {
		return nil, err
	}
	made, err := d.store.create(asked)
	if err != nil {
		return nil, err
	}
	return textResult(d.shown(made))
}

func readMoney(in *args) money {
	m := money{
		AmountMinor: in.requiredInteger("amountMinor", 1, maxMinor),
		Currency:    in.choice("currency", "", []string{"EUR", "USD", "JPY"}),
	}
	in.close()
	return m
}

func readDestination(in *args) destination {
	d := destination{
		Method:    in.choice("method", "", []string{"original_payment", "store_credit"}),
		Reference: in.optionalText("reference", ""),
	}
	in.close()
	return d
}

// readFeePercent returns a percentage of at most two decimals, 0.25 when none is given.
func readFeePercent(in *args) *big.Rat {
	percent := in.decimal("feePercent", big.NewRat(1, 4))
	hundredths := new(big.Rat).Mul(percent, big.NewRat(100, 1))
	if percent.Sign() < 0 || percent.Cmp(big.NewRat(25, 2)) > 0 || !hundredths.IsInt() {
		in.fail("feePercent", "must be from 0 to 12.50 with at most two decimals")
	}
	return percent
}
