package diag

import (
	"bytes"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestLongText(t *testing.T) {
	long := strings.Repeat("word ", 300)
	before, after := canon.Quote(long+"old"), canon.Quote(long+"new")
	got := diffLines(before, after, "x")
	if len(got) > 400 || !strings.Contains(got, "old") || !strings.Contains(got, "new") {
		t.Errorf("difference of long lines is not in view: %s", got)
	}
	many := canon.Quote(strings.Repeat("line\n", 500))
	if got := diffLines(nil, many, "x"); bytes.Count([]byte(got), []byte{'\n'}) > 20 {
		t.Errorf("long text is not cut: %d bytes", len(got))
	}
}
