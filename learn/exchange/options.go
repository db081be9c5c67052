package exchange

import (
	"fmt"
	"regexp"
	"time"

	"anvil/learn"
)

// Options tune a reader. The zero value reads on behind what is bad, takes events of any time, and gives payloads no digest.
type Options struct {
	// Strict ends the reading at the first record that is bad.
	Strict bool
	// Now is the moment against which events from the future are refused; the zero time refuses none. A store refuses them in any case.
	Now time.Time
	// Digester measures the payloads in spans and in the events of adaptive-mcp. Without a key there are sizes and shapes, and no digests: one that everybody
	// can compute would give short payloads away.
	Digester learn.Digester
}

// The bounds of what is read, in bytes.
const (
	MaxLine = 1 << 20 // one line of anvil's own events
	MaxSpan = 4 << 20 // one span, and one event of adaptive-mcp: both may hold payloads
)

// A RecordError says which record was not taken and why. The records behind it are read, unless [Options.Strict].
type RecordError struct {
	Line int    // counted from 1; where the record ends
	Span string // "<trace>/<span>" in hex digits, where it is one
	Err  error
}

func (e *RecordError) Error() string {
	if e.Span != "" {
		return fmt.Sprintf("line %d, span %s: %v", e.Line, e.Span, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// A VersionError is a file of events that a newer anvil wrote: its first header says so, and nothing of it is read. Behind a newer header further down, where files
// were joined, each line is a [RecordError] up to the next header that is known.
type VersionError struct{ Version int64 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("schemaVersion is %d, and this version of anvil reads %d; use a newer anvil, or let it export the events again", e.Version, SchemaVersion)
}

// checked is e as [learn.Event.Checked] leaves it, payloads included.
func (o Options) checked(e learn.Event) (learn.Event, error) {
	now := o.Now
	if now.IsZero() {
		now = e.At
	}
	e.Input, e.Output = stated(e.Input), stated(e.Output)
	return e.Checked(now)
}

// measured is what may be kept of a payload.
func (o Options) measured(text []byte) learn.Payload {
	p := o.Digester.Payload(text)
	if len(o.Digester.Key) == 0 {
		p.Digest = ""
	}
	return p
}

// stated is a payload as a file states it, without what learn would not have written: such a file may come from anywhere.
func stated(p learn.Payload) learn.Payload {
	if p.Bytes < 0 {
		return learn.Unmeasured
	}
	if !payloadDigest.MatchString(p.Digest) {
		p.Digest = ""
	}
	if !learn.IsShape(p.Shape) {
		p.Shape = ""
	}
	if p.Text != "" {
		p.Text = learn.Redacted(p.Text)
	}
	return p
}

var payloadDigest = regexp.MustCompile(`^[0-9a-f]{32}$`)

// quoted is a name out of a file as a message gives it.
func quoted(name string) string {
	const most = 80
	if len(name) > most {
		name = name[:most] + "..."
	}
	return fmt.Sprintf("%q", learn.Redacted(name))
}
