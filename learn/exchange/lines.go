package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lines reads a text line by line and holds one.
type lines struct {
	r    *bufio.Reader
	most int // bytes of a line
	n    int // of the line read last, from 1
	line []byte
}

func newLines(r io.Reader, most int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

// errTooLong is a line beyond the bound; what is behind it can be read.
var errTooLong = errors.New("too long")

// next returns the next line that is not blank, without its end, until the next call. The end of the text is io.EOF.
func (l *lines) next() ([]byte, error) {
	for {
		l.n++
		l.line = l.line[:0]
		tooLong := false
		for more := true; more; {
			part, err := l.r.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
			if err != nil && !more && !(errors.Is(err, io.EOF) && len(l.line)+len(part) > 0) {
				return nil, err
			}
			if tooLong = tooLong || len(l.line)+len(part) > l.most+1; !tooLong {
				l.line = append(l.line, part...)
			}
		}
		if tooLong {
			return nil, fmt.Errorf("%w: a line has at most %d bytes; leave it out", errTooLong, l.most)
		}
		if line := bytes.TrimSpace(l.line); len(line) > 0 {
			return line, nil
		}
	}
}
