package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"anvil/compiler/canon"
	"anvil/learn"
)

// ReadOTLP goes through the tool calls in spans of OpenTelemetry: documents of OTLP JSON (TracesData, or an export request), one after another. Several spans of
// one call are one event. A span that is not taken, or a document behind the place at which it cannot be read, is a *[RecordError]; reading goes on at the next
// line that begins with a brace.
//
// Spans come in any order, so those of a trace are held until the input ends, at most [maxOpen] bytes of them: beyond that the traces that began first are closed,
// and what comes of them later makes events of its own. Events come trace by trace, in the order in which traces began.
func ReadOTLP(r io.Reader, o Options) iter.Seq2[learn.Event, error] { return readOTLP(r, o, maxOpen) }

func readOTLP(r io.Reader, o Options, most int) iter.Seq2[learn.Event, error] {
	return func(yield func(learn.Event, error) bool) {
		in := &otlpReader{scanner: newScanner(r), options: o, yield: yield, open: map[traceID]*trace{}, most: most}
		err := in.documents()
		if errors.Is(err, errStopped) {
			return
		}
		if !in.flush(0) {
			return
		}
		if err != nil {
			var record *RecordError
			if !errors.As(err, &record) {
				err = fmt.Errorf("read line %d: %w", in.line, err)
			}
			yield(learn.Event{}, err)
		}
	}
}

// maxOpen is how much of the spans of open traces is held, in bytes.
const maxOpen = 64 << 20

var (
	errStopped = errors.New("the caller has seen enough")
	errNoSpans = errors.New(`it has no "resourceSpans"; is it a file of spans in OTLP JSON?`)
)

type otlpReader struct {
	*scanner
	options Options
	yield   func(learn.Event, error) bool
	open    map[traceID]*trace
	order   []*trace // as they began
	weight  int      // of what is open, in bytes
	most    int
	found   bool // the document has resourceSpans
	members int  // of the document
}

// documents reads all of them. It returns nil at the end, errStopped, what a strict reading ends with, or an error of the input.
func (in *otlpReader) documents() error {
	for {
		if err := in.next(); err != nil {
			return unlessEnd(err)
		}
		in.found, in.members = false, 0
		err := in.object("a document", in.document)
		broken := err != nil
		if !broken && in.members > 0 && !in.found {
			err = errNoSpans
		}
		var input inputError
		switch {
		case err == nil:
			continue
		case errors.Is(err, errStopped), errors.As(err, &input):
			return err
		}
		if err := in.bad(spanOf(nil), err); err != nil {
			return err
		}
		if broken {
			if err := in.resume(); err != nil {
				return unlessEnd(err)
			}
		}
	}
}

func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// bad tells of a record that is not taken; in a strict reading it is the end.
func (in *otlpReader) bad(name string, err error) error {
	var told *RecordError
	if errors.As(err, &told) {
		return err
	}
	record := &RecordError{Line: in.line, Span: name, Err: err}
	if in.options.Strict {
		return record
	}
	if !in.yield(learn.Event{}, record) {
		return errStopped
	}
	return nil
}

func (in *otlpReader) document(name string) error {
	in.members++
	if name != "resourceSpans" {
		return in.skip()
	}
	in.found = true
	return in.array("resourceSpans", func() error {
		from := new(resource)
		return in.object("a resource's spans", func(name string) error {
			switch name {
			case "resource":
				return in.resource(from)
			case "scopeSpans", "instrumentationLibrarySpans": // the second is its name before OTLP 0.15
				return in.array(name, func() error { return in.scope(from) })
			}
			return in.skip()
		})
	})
}

func (in *otlpReader) resource(from *resource) error {
	text, err := in.value(MaxSpan)
	if errors.Is(err, errTooLong) {
		return in.bad(spanOf(nil), fmt.Errorf("its resource is %w", err))
	}
	if err != nil {
		return err
	}
	n, err := canon.Outline(text, 8)
	if err == nil {
		var a attributes
		if a, err = attributesOf(n.Get("attributes")); err == nil {
			if from.service = a.text(nameService); len(from.service) > maxKept {
				from.service = ""
			}
			return nil
		}
	}
	return in.bad(spanOf(nil), fmt.Errorf("a resource cannot be read: %w", err))
}

func (in *otlpReader) scope(from *resource) error {
	return in.object("a scope's spans", func(name string) error {
		if name != "spans" {
			return in.skip()
		}
		return in.array("spans", func() error { return in.span(from) })
	})
}

// span reads one span, and puts it with its trace.
func (in *otlpReader) span(from *resource) error {
	text, err := in.value(MaxSpan)
	if errors.Is(err, errTooLong) {
		return in.bad(spanOf(nil), fmt.Errorf("its span is %w; export it without payloads", err))
	}
	if err != nil {
		return err
	}
	s, err := in.options.readSpan(text, from)
	if err != nil {
		return in.bad(spanOf(&s), err)
	}
	if s.call != nil {
		s.call.line = in.line
	}
	in.keep(s)
	if !in.flush(in.most) {
		return errStopped
	}
	return nil
}

// spanOf names a span in a message, as far as its ids were read.
func spanOf(s *span) string {
	if s == nil || s.id == (spanID{}) {
		return ""
	}
	return s.name()
}

func (in *otlpReader) keep(s span) {
	t := in.open[s.trace]
	if t == nil {
		t = &trace{id: s.trace}
		in.open[s.trace] = t
		in.order = append(in.order, t)
		in.weight += traceWeight
		t.weight += traceWeight
	}
	t.spans = append(t.spans, s)
	w := s.weight()
	t.weight += w
	in.weight += w
}

// flush closes traces, the oldest first, until the open ones weigh no more than most. It reports whether the caller wants more.
func (in *otlpReader) flush(most int) bool {
	for in.weight > most && len(in.order) > 0 {
		t := in.order[0]
		in.order[0], in.order = nil, in.order[1:]
		delete(in.open, t.id)
		in.weight -= t.weight
		for _, c := range t.calls() {
			e, err := in.options.checked(c.event)
			if err != nil {
				err = &RecordError{Line: c.line, Err: err}
			}
			if !in.yield(e, err) {
				return false
			}
		}
	}
	return true
}
