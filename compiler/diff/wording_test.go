package diff

import (
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestSlight(t *testing.T) {
	tests := []struct{ before, after, want string }{
		{"Lists orders.", "Lists  orders.\n", "spaced"},
		{"Lists orders", "Lists orders.", "spelling"},
		{"Lists the orders of a shop.", "Lists orders of the shop", "spelling"},
		{"list all orders", "List all orders", "spelling"},
		{"Retreives an order.", "Retrieves an order.", "spelling"},
		{"Recieves the order", "Receives the order", "spelling"},
		{"Deletes orders (soft delete).", "Deletes orders, soft delete.", "spelling"},
		{"Take orders.", "Ta\u212ae orders.", ""},
		{"Lists orders.", "Lists orders. Call it first.", ""},
		{"You must ask the user.", "You MUST ask the user.", ""},
		{"Do delete files.", "Do not delete files.", ""},
		{"You can't delete.", "You can delete.", ""},
		{"At most 10 orders.", "At most 100 orders.", ""},
		{"Include secrets.", "Exclude secrets.", ""},
		{"Encode the text.", "Decode the text.", ""},
		{"Enable logging.", "Disable logging.", ""},
		{"Reads /tmp/a.", "Reads /tmp/b.", ""},
		{"Reads .environ.", "Reads environ.", ""},
		{"Sends to example.com.", "Sends to examples.com.", ""},
		{"Returns now.", "Returns not.", ""},
		{"Lists orders.", "Lists оrders.", ""}, // with a Cyrillic letter
		{"Take orders.", "Ta\u212ae orders.", ""},
		{"Lists orders.", "Lists or\u200bders.", ""},
		{"Refunds orders.", "Orders refunds.", ""},
		{"", "Lists orders.", ""},
		{".", "!", ""},
		{"Retreives requst headrs", "Retrieves request headers", ""}, // too many for so short a text
	}
	for _, tt := range tests {
		got := slight(Change{Before: canon.Raw(canon.Quote(tt.before)), After: canon.Raw(canon.Quote(tt.after))})
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%q, %q: %q", tt.before, tt.after, got)
		}
	}
	if got := slight(Change{After: canon.Raw(`"a"`)}); got != "" {
		t.Errorf("a text that was not there before: %q", got)
	}
}
