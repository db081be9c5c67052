package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table lines up the columns of text for a terminal: cells end in a tab, rows in a line break, two blanks stand between columns, and none at the end of a
// line. Nothing is written before Flush. Cells are not escaped.
type Table struct {
	out  io.Writer
	text bytes.Buffer
	rows *tabwriter.Writer
}

// NewTable returns an empty table that will be written to w.
func NewTable(w io.Writer) *Table {
	t := &Table{out: w}
	t.rows = tabwriter.NewWriter(&t.text, 0, 8, 2, ' ', 0)
	return t
}

// Write adds text, as fmt.Fprintf writes it: cells that end in tabs, and rows that end in line breaks.
func (t *Table) Write(p []byte) (int, error) { return t.rows.Write(p) }

// Row adds a row.
func (t *Table) Row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

// Flush writes the table.
func (t *Table) Flush() error {
	if err := t.rows.Flush(); err != nil {
		return err
	}
	var lines strings.Builder
	for line := range strings.Lines(t.text.String()) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	t.text.Reset()
	_, err := io.WriteString(t.out, lines.String())
	return err
}
