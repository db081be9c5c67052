package workflow

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Trace is where a call stands in a distributed trace, as the W3C recommendation "Trace Context" has it.
type Trace struct {
	ID      string // of the trace: 32 lower-case hex digits, not all zero
	Span    string // of the call: 16 of them
	Parent  string // span of the call that made it; "" of a root
	Sampled bool
}

// ErrTraceparent marks a text that is no traceparent.
var ErrTraceparent = errors.New("not a traceparent of W3C Trace Context")

// The lengths of the parts of a traceparent, in bytes.
const (
	traceBytes     = 16
	spanBytes      = 8
	traceparentLen = len("00-") + 2*traceBytes + 1 + 2*spanBytes + len("-01")
)

// NewTrace begins a trace with ids drawn from random. It fails only where random does.
func NewTrace(random io.Reader) (Trace, error) {
	id, err := draw(random, traceBytes)
	if err != nil {
		return Trace{}, err
	}
	span, err := draw(random, spanBytes)
	return Trace{ID: id, Span: span, Sampled: true}, err
}

// Child is the place of a call that t's call makes: in the same trace, under a span of its own.
func (t Trace) Child(random io.Reader) (Trace, error) {
	span, err := draw(random, spanBytes)
	return Trace{ID: t.ID, Span: span, Parent: t.Span, Sampled: t.Sampled}, err
}

// draw makes an id that is not all zero.
func draw(random io.Reader, size int) (string, error) {
	id := make([]byte, size)
	for range 4 {
		if _, err := io.ReadFull(random, id); err != nil {
			return "", fmt.Errorf("draw the id of a trace: %w", err)
		}
		if text := hex.EncodeToString(id); !zero(text) {
			return text, nil
		}
	}
	return "", errors.New("draw the id of a trace: the source of randomness gives zeros only")
}

// String is the traceparent: "00-", the trace, the span, and whether it is sampled.
func (t Trace) String() string {
	flags := "00"
	if t.Sampled {
		flags = "01"
	}
	return "00-" + t.ID + "-" + t.Span + "-" + flags
}

// ParseTrace reads a traceparent as it came with a call. The span in it is that of whoever sent it: what is done for it is its [Trace.Child]. What a later version adds
// behind is passed over, as the recommendation asks.
func ParseTrace(traceparent string) (Trace, error) {
	s := traceparent
	if len(s) < traceparentLen || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return Trace{}, ErrTraceparent
	}
	version, id, span, flags := s[:2], s[3:35], s[36:52], s[53:55]
	rest := s[traceparentLen:]
	switch {
	case !isHex(version) || version == "ff" || !isHex(id) || !isHex(span) || !isHex(flags) || zero(id) || zero(span):
		return Trace{}, ErrTraceparent
	case version == "00" && rest != "" || rest != "" && rest[0] != '-':
		return Trace{}, ErrTraceparent
	}
	bits, _ := hex.DecodeString(flags)
	return Trace{ID: id, Span: span, Sampled: bits[0]&1 == 1}, nil
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

func zero(s string) bool { return strings.Trim(s, "0") == "" }
