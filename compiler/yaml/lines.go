package yaml

import (
	"bytes"
	"strconv"

	"anvil/compiler/canon"
)

// fromJSONSource finishes ToJSON for a source that is JSON, read as n.
func fromJSONSource(src []byte, n *canon.Node) ([]byte, Lines, error) {
	l := lineFinder{src: src, lines: Lines{}, line: 1}
	if err := l.value(n, ""); err != nil {
		return nil, nil, err
	}
	return bytes.Clone(bytes.TrimSpace(src)), l.lines, nil
}

// lineFinder walks a parsed value along its source, which holds nothing between two tokens but white space and
// punctuation, and counts newlines on its way.
type lineFinder struct {
	src   []byte
	pos   int // everything before it is counted
	line  int
	lines Lines
}

// skip moves to the next token.
func (l *lineFinder) skip() {
	for ; l.pos < len(l.src) && bytes.IndexByte([]byte(" \t\r\n,:"), l.src[l.pos]) >= 0; l.pos++ {
		if l.src[l.pos] == '\n' {
			l.line++
		}
	}
}

func (l *lineFinder) value(n *canon.Node, at string) error {
	l.skip()
	if _, ok := l.lines[at]; !ok {
		l.lines[at] = l.line
	}
	if !n.IsObject() && !n.IsArray() {
		l.pos += len(n.Raw)
		return nil
	}
	l.pos++
	for i, item := range n.Items {
		if err := l.value(item, at+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	for _, m := range n.Members {
		if err := l.member(m, at+canon.Pointer(m.Name)); err != nil {
			return err
		}
	}
	l.skip()
	l.pos++ // the closing bracket
	return nil
}

func (l *lineFinder) member(m canon.Member, at string) error {
	l.skip()
	if first, ok := l.lines[at]; ok {
		return errorAt(l.line, "key %q was already given on line %d", m.Name, first)
	}
	l.lines[at] = l.line
	l.pos += len(m.RawName)
	return l.value(m.Value, at)
}
