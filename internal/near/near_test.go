package near

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	names := []string{"get-refund", "list-refunds", "set-note", "get-order", "x", "x"}
	tests := []struct {
		word string
		want string
	}{
		{"get-refnud", "get-refund"}, {"getrefund", "get-refund"}, {"GET_REFUND", "get-refund"}, {"list", "list-refunds"}, {"frobnicate", ""}, {"", "x"},
		{strings.Repeat("get-refund", 100), ""}, {"get", "get-order get-refund"},
	}
	for _, tt := range tests {
		if got := strings.Join(Names(tt.word, names), " "); got != tt.want {
			t.Errorf("%.20q: got %q, want %q", tt.word, got, tt.want)
		}
	}
}
