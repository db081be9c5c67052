package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	noiseLines = 8       // lines of noise kept
	noiseBytes = 2 << 10 // bytes kept of each
)

// noiseLog keeps the first lines of output that were not messages, and counts all of them.
type noiseLog struct {
	mu    sync.Mutex
	lines [][]byte
	count int
	bom   bool
}

func (n *noiseLog) add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	if len(n.lines) < noiseLines {
		n.lines = append(n.lines, bytes.Clone(line[:min(len(line), noiseBytes)]))
	}
}

// lineReader cuts a server's output into messages. Servers print banners and log lines to stdout, some indent their
// messages over several lines, and none of it may end the session or pass unrecorded.
type lineReader struct {
	r       *bufio.Reader
	max     int
	noise   *noiseLog
	started bool
	queue   []Envelope // messages read but not handed over: the rest of a batch
	partial []byte     // lines that begin a message written over several
}

func newLineReader(r io.Reader, max int, noise *noiseLog) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max, noise: noise}
}

// next returns the next message. After an error nothing more can be read.
func (l *lineReader) next() (Envelope, error) {
	for {
		if len(l.queue) > 0 {
			e := l.queue[0]
			l.queue = l.queue[1:]
			return e, nil
		}
		line, err := l.line()
		if len(bytes.TrimSpace(line)) > 0 {
			l.take(line)
		}
		if err != nil && len(l.queue) == 0 {
			l.dropPartial()
			return Envelope{}, err
		}
	}
}

// line returns the next line without its end, owned by the caller; at the end of input it returns io.EOF beside what
// was left.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		chunk, err := l.r.ReadSlice('\n')
		if len(line)+len(chunk) > l.max+len("\r\n") {
			return nil, &FrameTooLargeError{l.max}
		}
		line = append(line, chunk...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > l.max {
			return nil, &FrameTooLargeError{l.max}
		}
		return l.trimBOM(line), err
	}
}

func (l *lineReader) trimBOM(line []byte) []byte {
	if l.started {
		return line
	}
	l.started = len(line) > 0
	rest, found := bytes.CutPrefix(line, []byte("\xef\xbb\xbf"))
	if found {
		l.noise.mu.Lock()
		l.noise.bom = true
		l.noise.mu.Unlock()
	}
	return rest
}

// take queues the message or messages in line, or records it as noise.
func (l *lineReader) take(line []byte) {
	e, err := Scan(line)
	switch {
	case err == nil && e.isMessage():
		l.dropPartial()
		l.queue = append(l.queue, e)
	case errors.Is(err, ErrBatch):
		l.dropPartial()
		l.takeBatch(line)
	case len(l.partial) > 0:
		l.join(line)
	case errors.Is(err, ErrTruncated) && bytes.HasPrefix(line, []byte("{")):
		l.partial = append(l.partial, line...)
	default:
		l.noise.add(line)
	}
}

func (l *lineReader) takeBatch(line []byte) {
	envelopes := splitBatch(line)
	if len(envelopes) == 0 {
		l.noise.add(line)
	}
	l.queue = append(l.queue, envelopes...)
}

// splitBatch returns the messages of a batch, leaving out what is none.
func splitBatch(batch []byte) []Envelope {
	var envelopes []Envelope
	spans, _ := Elements(batch)
	for _, s := range spans {
		if e, err := Scan(batch[s.Start:s.End:s.End]); err == nil && e.isMessage() {
			envelopes = append(envelopes, e)
		}
	}
	return envelopes
}

// join adds line to a message begun on an earlier one. An indented message ends with a brace in the first column, so
// only such a line is worth a scan of the whole; this keeps the work linear.
func (l *lineReader) join(line []byte) {
	l.partial = append(append(l.partial, '\n'), line...)
	switch {
	case len(l.partial) > l.max:
		l.dropPartial()
	case line[0] == '}':
		if e, err := Scan(l.partial); err == nil && e.isMessage() {
			l.queue = append(l.queue, e)
			l.partial = nil
		} else if !errors.Is(err, ErrTruncated) {
			l.dropPartial()
		}
	}
}

// dropPartial gives up on a message begun and not finished: it was noise.
func (l *lineReader) dropPartial() {
	if len(l.partial) == 0 {
		return
	}
	for line := range bytes.SplitSeq(l.partial, []byte{'\n'}) {
		l.noise.add(line)
	}
	l.partial = nil
}
