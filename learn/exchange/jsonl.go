package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"anvil/compiler/canon"
	"anvil/learn"
)

// SchemaVersion is the version of a file of events. A member more is a new version.
const SchemaVersion = 1

// Format is how the first line of a file of events names what it is.
const Format = "anvil-events"

// Header is the first line. Another one may stand further down, where files were joined.
type Header struct {
	Format        string `json:"format"`        // [Format]
	SchemaVersion int64  `json:"schemaVersion"` // [SchemaVersion]
}

// Line is one event as a line of a file has it. What was not measured is absent; a zero was measured. Members stand in the order of the canonical form.
type Line struct {
	Asked         string       `json:"asked,omitzero"`    // what a person answered: "yes" or "no"
	At            string       `json:"at"`                // when the call ended: RFC 3339 in UTC, with six digits of a second
	Attempts      *int         `json:"attempts,omitzero"` // how often the call was sent; 1 if absent
	Client        string       `json:"client,omitzero"`   // who made the call
	Code          string       `json:"code,omitzero"`     // of the failure or refusal
	Contract      string       `json:"contract,omitzero"` // digest of the contract the call was made under
	Cost          *LineCost    `json:"cost,omitzero"`
	DurationNanos *int64       `json:"durationNanos,omitzero"` // how long the call took, in nanoseconds
	ID            string       `json:"id"`                     // unique
	Input         *LinePayload `json:"input,omitzero"`         // the arguments
	Model         string       `json:"model,omitzero"`         // that asked for the call
	Outcome       string       `json:"outcome"`                // succeeded, failed, cancelled or refused
	Output        *LinePayload `json:"output,omitzero"`        // the result
	Parent        string       `json:"parent,omitzero"`        // id of the event whose call made this one
	Decoding      string       `json:"decoding,omitzero"`      // its profile
	Resolver      string       `json:"resolver,omitzero"`      // version of the table that resolved the decoding
	Server        string       `json:"server,omitzero"`        // id of the service; absent where nobody says where the call went
	Session       string       `json:"session,omitzero"`
	Tokens        *LineTokens  `json:"tokens,omitzero"`
	Tool          string       `json:"tool"` // its name, verbatim
	Workflow      string       `json:"workflow,omitzero"`
}

// LineCost is an exact amount of money.
type LineCost struct {
	Amount   string `json:"amount"`   // decimal, at most six digits behind the point: "0.0021"
	Currency string `json:"currency"` // ISO 4217; "XXX" where it is not known
}

// LineTokens is what a call took of a model.
type LineTokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// LinePayload is what is kept of arguments or a result.
type LinePayload struct {
	Bytes  int64  `json:"bytes"`           // its size
	Digest string `json:"digest,omitzero"` // keyed hash, 32 hex digits, comparable within one store
	Shape  string `json:"shape,omitzero"`  // names and types without values
	Text   string `json:"text,omitzero"`   // redacted; only where somebody asked for it
}

// WriteJSONL writes a header and a line for each event, in their order, and returns how many events it wrote. It ends at the first error of events, at an event that
// [learn.Event.Checked] refuses, and at one that w does. The same events are the same bytes.
func WriteJSONL(w io.Writer, events iter.Seq2[learn.Event, error]) (int, error) {
	out := bufio.NewWriter(w)
	n := 0
	if err := writeLine(out, Header{Format, SchemaVersion}); err != nil {
		return 0, err
	}
	for e, err := range events {
		if err != nil {
			return n, errors.Join(err, out.Flush())
		}
		if e, err = (Options{}).checked(e); err != nil {
			return n, errors.Join(err, out.Flush())
		}
		if err := writeLine(out, lineOf(e)); err != nil {
			return n, err
		}
		n++
	}
	return n, out.Flush()
}

func writeLine(w *bufio.Writer, v any) error {
	text, err := canon.EncodeCompact(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(canon.MustCanonical(text), '\n'))
	return err
}

const moment = "2006-01-02T15:04:05.000000Z"

func lineOf(e learn.Event) Line {
	l := Line{Asked: string(e.Asked), At: e.At.UTC().Format(moment), Attempts: &e.Attempts, Client: e.Client, Code: e.Code, Contract: e.Tool.Contract, ID: e.ID,
		Input: linePayloadOf(e.Input), Model: e.Model, Outcome: string(e.Outcome), Output: linePayloadOf(e.Output), Parent: e.Parent, Decoding: e.Decoding,
		Resolver: e.Resolver, Server: e.Tool.Server, Session: e.Session, Tool: e.Tool.Name, Workflow: e.Workflow}
	if e.Timed() {
		nanos := e.Duration.Nanoseconds()
		l.DurationNanos = &nanos
	}
	if e.Tokens != nil {
		l.Tokens = &LineTokens{e.Tokens.Input, e.Tokens.Output}
	}
	if e.Cost != nil {
		l.Cost = &LineCost{e.Cost.Amount(), e.Cost.Currency}
	}
	return l
}

func linePayloadOf(p learn.Payload) *LinePayload {
	if p.Bytes < 0 {
		return nil
	}
	return &LinePayload{p.Bytes, p.Digest, p.Shape, p.Text}
}

// ReadJSONL goes through the events of a file that [WriteJSONL] wrote, in their order. A record that is not taken is a *[RecordError] in its place. A file without
// a header, one that begins with a newer one (*[VersionError]) and an error of r end the reading.
func ReadJSONL(r io.Reader, o Options) iter.Seq2[learn.Event, error] {
	return func(yield func(learn.Event, error) bool) {
		in := newLines(r, MaxLine)
		var newer error // what the header says under which a line stands, unless it is one of ours
		for first := true; ; first = false {
			text, err := in.next()
			switch {
			case errors.Is(err, io.EOF) && first:
				return
			case err != nil && !errors.Is(err, errTooLong):
				tell(yield, in.n, err)
				return
			}
			var e learn.Event
			var header bool
			if err == nil {
				e, header, err = readLine(text, o)
			}
			var version *VersionError
			later := errors.As(err, &version)
			switch {
			case first && later, first && !header:
				if !later {
					err = errNoHeader
				}
				yield(learn.Event{}, &RecordError{Line: in.n, Err: err})
				return
			case later:
				newer = fmt.Errorf("it stands behind the header in line %d, whose %s", in.n, version.Error())
				err = errors.New(version.Error())
			case header && err == nil:
				newer = nil
			case newer != nil:
				err = newer
			}
			switch {
			case err != nil:
				if !yield(learn.Event{}, &RecordError{Line: in.n, Err: err}) || o.Strict {
					return
				}
			case !header && !yield(e, nil):
				return
			}
		}
	}
}

var errNoHeader = fmt.Errorf(`the file does not begin with {"format":"%s","schemaVersion":%d}; is it one of adaptive-mcp or of OpenTelemetry?`, Format, SchemaVersion)

// tell yields an error of the reader itself; the end of the text is none.
func tell(yield func(learn.Event, error) bool, line int, err error) {
	if !errors.Is(err, io.EOF) {
		yield(learn.Event{}, fmt.Errorf("read line %d: %w", line, err))
	}
}

// readLine reads an event, or a header.
func readLine(text []byte, o Options) (e learn.Event, header bool, err error) {
	n, err := canon.Outline(text, lineDepth)
	if err != nil {
		return e, false, err
	}
	if n.Get("format").Text() == Format {
		if version, _ := n.Get("schemaVersion").Int(); version > SchemaVersion {
			return e, true, &VersionError{version}
		} else if version < 1 {
			return e, false, fmt.Errorf("the header states no schemaVersion; it is %d", SchemaVersion)
		}
		return e, true, known(n, reflect.TypeFor[Header]())
	}
	if err := known(n, reflect.TypeFor[Line]()); err != nil {
		return e, false, err
	}
	if flaws := n.Flaws(); len(flaws) > 0 {
		return e, false, fmt.Errorf("%s at %s; export the events again", flaws[0].Kind, quoted(flaws[0].Pointer))
	}
	var l Line
	if err := canon.Decode(text, &l); err != nil {
		return e, false, mistyped(n)
	}
	if e, err = l.event(); err != nil {
		return e, false, err
	}
	e, err = o.checked(e)
	return e, false, err
}

// lineDepth is how deep a line has nodes: one more than an event has objects.
const lineDepth = 3

// known refuses members that are not in the struct t or what it holds, by name.
func known(n *canon.Node, t reflect.Type) error {
	if !n.IsObject() {
		return fmt.Errorf("%s is no object of version %d", quoted(string(n.Raw[:min(len(n.Raw), 20)])), SchemaVersion)
	}
	for _, m := range n.Members {
		of, is := members[t][m.Name]
		if !is {
			return fmt.Errorf("version %d has no member %s; use the anvil that wrote it, or take the member out", SchemaVersion, quoted(m.Name))
		}
		if of.Kind() == reflect.Struct && m.Value.IsObject() {
			if err := known(m.Value, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// members are the names and types of what a file is made of, by type.
var members = membersOf(reflect.TypeFor[Header](), reflect.TypeFor[Line](), reflect.TypeFor[LineCost](), reflect.TypeFor[LineTokens](), reflect.TypeFor[LinePayload]())

func membersOf(types ...reflect.Type) map[reflect.Type]map[string]reflect.Type {
	all := map[reflect.Type]map[string]reflect.Type{}
	for _, t := range types {
		all[t] = map[string]reflect.Type{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			of := t.Field(i).Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			all[t][name] = of
		}
	}
	return all
}
