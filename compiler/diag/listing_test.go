package diag

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListing(t *testing.T) {
	rows := [][]string{{"a|b", "1"}, {"x\x1b[31m\ny", strings.Repeat("é", 9)}}
	for _, tt := range []struct {
		name string
		l    Listing
		rows [][]string
		want string
	}{
		{"text", Listing{Header: []string{"NAME", "N"}, Most: 8}, rows[:1], "NAME  N\na|b   1\n"},
		{"indented", Listing{Header: []string{"NAME", "N"}, Most: 8, Indented: true}, rows[:1], "   a|b  1\n"},
		{"Markdown", Listing{Header: []string{"NAME", "N"}, Most: 8, Markdown: true, Indented: true}, rows[:1], "| NAME | N |\n|---|---|\n| a\\|b | 1 |\n"},
		{"nothing", Listing{Header: []string{"NAME", "N"}, Most: 8, Markdown: true}, nil, ""},
	} {
		var b bytes.Buffer
		if err := tt.l.Write(&b, tt.rows); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, markdown := range []bool{true, false} {
		var b bytes.Buffer
		if err := (Listing{Header: []string{"A", "B"}, Most: 8, Markdown: markdown}).Write(&b, rows); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); strings.Contains(b.String(), "\x1b") || lines != 3 && !markdown || lines != 4 && markdown || strings.Contains(b.String(), strings.Repeat("é", 9)) {
			t.Errorf("Markdown %v: %q", markdown, b.String())
		}
	}
}
