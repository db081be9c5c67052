package main

// firstSeq numbers the first ledger entry. It is 2^53 + 1, the first integer that a double cannot hold: a peer that
// rounds numbers shows it at once.
const firstSeq = 9007199254740993

// maxMinor bounds an amount, in minor units.
const maxMinor = 9007199254740993

// States of a refund.
const (
	pending   = "pending"
	approved  = "approved"
	cancelled = "cancelled"
)

// money is an amount in the minor unit of its currency.
type money struct {
	AmountMinor int64  `json:"amountMinor"`
	Currency    string `json:"currency"`
}

// line is one article of a refund. Amount is for the whole quantity.
type line struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
	Amount   money  `json:"amount"`
}

// destination says where the money goes.
type destination struct {
	Method    string `json:"method"`
	Reference string `json:"reference,omitempty"`
}

// note is a remark of the desk's staff.
type note struct {
	Text   string `json:"text"`
	Author string `json:"author"`
}

// refund is shown as it is stored. FeeMinor is nil on a surface that does not show it.
type refund struct {
	ID          string      `json:"id"`
	PaymentID   string      `json:"paymentId"`
	CustomerID  string      `json:"customerId"`
	Status      string      `json:"status"`
	Reason      string      `json:"reason"`
	Total       money       `json:"total"`
	FeeMinor    *int64      `json:"feeMinor,omitempty"`
	Lines       []line      `json:"lines"`
	Destination destination `json:"destination"`
	Note        *note       `json:"note,omitempty"`
	LedgerSeq   int64       `json:"ledgerSeq"` // number of the last ledger entry about it
}

// payment is what a customer paid, and how much of it was given back or is about to be.
type payment struct {
	ID            string `json:"id"`
	CustomerID    string `json:"customerId"`
	Description   string `json:"description"`
	Paid          money  `json:"paid"`
	RefundedMinor int64  `json:"refundedMinor"`
}

// entry is one step of a refund. Entries are only ever appended.
type entry struct {
	Seq      int64  `json:"seq"`
	RefundID string `json:"refundId"`
	Event    string `json:"event"`
	Amount   money  `json:"amount"`
}

// message is a letter to a customer that waits in the outbox; nothing sends it.
type message struct {
	Number     int    `json:"number" jsonschema:"place of the message in the outbox, from 1"`
	CustomerID string `json:"customerId" jsonschema:"id of the customer the message is for"`
	Channel    string `json:"channel" jsonschema:"channel the message would leave by"`
	Text       string `json:"text" jsonschema:"text of the message"`
}
