package diag

import (
	"fmt"
	"io"
	"strings"
)

// Listing is how rows of cells that may hold others' words are written: lined up for a terminal, or as a table of Markdown. Cells are escaped and shortened.
type Listing struct {
	Header   []string // of the columns
	Markdown bool
	Indented bool // behind two blanks and, in text, without the header
	Most     int  // characters of a cell that are shown
}

// Write writes the rows; nothing where there are none.
func (l Listing) Write(w io.Writer, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	if l.Markdown {
		return l.markdown(w, rows)
	}
	t := NewTable(w)
	if !l.Indented {
		t.Row(l.Header...)
	}
	for _, row := range rows {
		var cells []string
		if l.Indented {
			cells = append(cells, " ")
		}
		for _, c := range row {
			cells = append(cells, Shorten(Printable(c), l.Most))
		}
		t.Row(cells...)
	}
	return t.Flush()
}

func (l Listing) markdown(w io.Writer, rows [][]string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "| %s |\n|%s\n", strings.Join(l.Header, " | "), strings.Repeat("---|", len(l.Header)))
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, MarkdownText(Shorten(c, l.Most)))
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | "))
	}
	_, err := io.WriteString(w, text.String())
	return err
}
