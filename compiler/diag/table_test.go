package diag

import (
	"fmt"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	table := NewTable(&b)
	table.Row("a", "long cell", "")
	fmt.Fprintf(table, "longer\tb\t%s\n", "c")
	if b.Len() > 0 {
		t.Error("it is written before Flush")
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a       long cell\nlonger  b          c\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
