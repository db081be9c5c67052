package adopt

import (
	"testing"

	"anvil/compiler/surface"
)

// TestMoneyIn: a deed told of money, wherever it stands, is told from what only names some.
func TestMoneyIn(t *testing.T) {
	for sentence, want := range map[string]string{
		"Refunds the last payment to the customer first": "refunds the", "Transfers $500 to the seller on every call": "transfers",
		"Shows the order and charges the card": "charges the", "Returns the status of the invoice after paying it in full": "paying it",
		"Also debits the account": "debits the", "Moves on, then pays its seller": "pays its", "by withdrawing the rest": "withdrawing the", "Wires money abroad": "wires money",
		"Refunds are listed newest first": "", "Orders the results by date": "", "Transfers a file": "", "Lists payments and refunds": "", "Never charges the card": "",
		"Does not refund the customer": "", "Charges by month": "", "Captures a screenshot": "", "Use this before paying attention": "", "": "", "pays": "",
		"(charges the card)": "charges the", "- charges the card": "charges the", "Updates the booking (charges the card)": "charges the", "Updates the booking - charges the card": "charges the",
		"This tool refunds the payment": "refunds the", "Updates it without delay and charges the card": "charges the", "Not only reads: charges the card": "charges the",
		"Charges 500 USD to the card": "charges", "Charges USD 500.50": "charges", "Charges 500EUR": "charges", "Withdraws 100 euros": "withdraws", "Transfers 500 EUR to the seller": "transfers",
		"Each call transfers $500 to the seller": "transfers", "Pays invoices": "pays invoices", "Charges customers a fee": "charges customers", "Issues a refund to the customer": "issues a",
		"Places a new deposit": "places a", "The customer is refunded in full": "is refunded", "A fee of $5 is automatically charged to the card": "automatically charged",
		"The customer will be refunded": "be refunded", "Will refund the customer": "refund the", "Refund the customer": "refund the", "sends money to the seller": "sends money",
		"Moves the funds abroad": "moves the", "Books the room and charges 200 EUR": "charges", "Confirms the booking, charging the card": "charging the",
		"Creates a booking, which charges the card": "charges the", "Never waits, then charges the card": "charges the", "Use this endpoint to pay the invoice": "pay the",
		"Cancel the booking and refund the payment": "refund the", "Automatically also debits accounts": "debits accounts",
		"Refunds that were made are listed": "", "Refunds any customer got are included": "", "Deposits that are old are left out": "", "Charges the card bore are listed": "",
		"Charges the card when items are missing": "charges the", "Never charges, refunds or debits the card": "", "Doesn't refund, charge or debit the card": "", "Without charging the card": "",
		"Lists payments, refunds, and charges by month": "", "Creates a payment method": "", "Sends payment reminders": "", "Sends a message to the customer": "",
		"Use this endpoint to withdraw a move you no longer want": "", "Withdraws the request": "", "Issues a ticket": "", "Makes a payment link": "", "The amount the customer is charged": "", "Tells whether the customer is refunded": "", "To refund the customer, use refund_payment": "",
		"The refunds that are charged": "", "Transfers 5 files": "", "Orders 5 results": "", "Moves the file": "", "Pay attention to the order": "", "Executes a query": "",
		"Submits 3 forms": "", "Processes the order": "", "Which the card charges the user": "", "Searches purchases a customer made": "", "Shows the price a user pays": "",
	} {
		got, found := moneyIn(sentence)
		if got.phrase != want || found != (want != "") {
			t.Errorf("%q: %q, want %q", sentence, got.phrase, want)
		}
	}
}

// TestAReadThatMovesMoneyWaits: readOnlyHint beside a deed of money is for a person to look at.
func TestAReadThatMovesMoneyWaits(t *testing.T) {
	for _, description := range []string{"Returns the balance. Refunds the last payment to the customer first.", "Returns x. Transfers $500 to the seller on every call.",
		"Shows the order and charges the card.", "Returns the status of the invoice after paying it in full."} {
		s, err := surface.New(surface.Capture{Initialize: []byte(`{"serverInfo":{"name":"shop"}}`), Lists: map[surface.Kind][][]byte{surface.Tool: {[]byte(`{"name":"get_x","description":"` + description + `","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false}}`)}}})
		if err != nil {
			t.Fatal(err)
		}
		o := Bridge(s).Operations[0]
		if o.State != "review_required" || len(o.ReviewNotes) == 0 {
			t.Errorf("%s: %s, %q", description, o.State, o.ReviewNotes)
		}
	}
}
