package exchange

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// perDocument is how many spans stand in one document.
const perDocument = 500

// scopeName is the instrumentation scope of what anvil writes, and the service of its resource.
const scopeName = "anvil"

// WriteOTLP writes events as spans of the client that made the call, in documents of OTLP JSON of at most 500 spans, one a line, and returns how many events it
// wrote. [ReadOTLP] gives the same events back. It ends where [WriteJSONL] ends, and at an event after the year 2262, which a span cannot hold.
func WriteOTLP(w io.Writer, events iter.Seq2[learn.Event, error]) (int, error) {
	out := bufio.NewWriter(w)
	n := 0
	var spans [][]byte
	write := func() error {
		if len(spans) == 0 {
			return out.Flush()
		}
		n += len(spans)
		_, err := out.Write(append(document(spans), '\n'))
		spans = spans[:0]
		return errors.Join(err, out.Flush())
	}
	for e, err := range events {
		var text []byte
		if err == nil {
			e, err = (Options{}).checked(e)
		}
		if err == nil {
			text, err = spanOfEvent(e)
		}
		if err != nil {
			failed := write()
			return n, errors.Join(err, failed)
		}
		if spans = append(spans, text); len(spans) == perDocument {
			if err := write(); err != nil {
				return n, err
			}
		}
	}
	err := write()
	return n, err
}

// document is one TracesData message.
func document(spans [][]byte) []byte {
	var name attributeList
	name.text(nameService, scopeName)
	var of, scope, scoped, whole canon.Builder
	of.Add("attributes", canon.List(name...))
	scope.AddText("name", scopeName)
	scoped.Add("scope", scope.Bytes())
	scoped.Add("spans", canon.List(spans...))
	var resource canon.Builder
	resource.Add("resource", of.Bytes())
	resource.Add("scopeSpans", canon.List(scoped.Bytes()))
	whole.Add("resourceSpans", canon.List(resource.Bytes()))
	return whole.Bytes()
}

// spanOfEvent is one Span message. Numbers of 64 bits are strings, ids are hex digits, enums are numbers, as the JSON mapping of OTLP asks.
func spanOfEvent(e learn.Event) ([]byte, error) {
	if e.At.Year() > lastYear {
		return nil, fmt.Errorf("event %s ended at %s, which a span cannot say; leave it out", quoted(e.ID), e.At.Format(time.RFC3339))
	}
	end := e.At.UnixNano()
	start, stated := end, false
	if stated = !e.Timed() || end-e.Duration.Nanoseconds() <= 0 || end <= 0; !stated {
		start = end - e.Duration.Nanoseconds()
	}
	trace, id := idsOf(e)
	var b canon.Builder
	b.Add("attributes", canon.List(attributesOfEvent(e, stated)...))
	b.Add("endTimeUnixNano", integer(end))
	b.Add("kind", strconv.AppendInt(nil, kindClient, 10))
	b.AddText("name", methodCall+" "+e.Tool.Name)
	if parent := parentOf(e, trace); parent != "" {
		b.AddText("parentSpanId", parent)
	}
	b.AddText("spanId", id)
	b.Add("startTimeUnixNano", integer(start))
	if e.Outcome == learn.Failed {
		var status canon.Builder
		status.Add("code", strconv.AppendInt(nil, statusError, 10))
		b.Add("status", status.Bytes())
	}
	b.AddText("traceId", trace)
	return b.Bytes(), nil
}

// lastYear is the last that nanoseconds in 63 bits reach whole.
const lastYear = 2261

// integer is a number of 64 bits as protocol buffers spell it in JSON.
func integer(i int64) []byte { return canon.Quote(strconv.FormatInt(i, 10)) }

// idsOf are the ids of an event's span: those it came with, or ones made of its session and id, so that the same event has the same ones.
func idsOf(e learn.Event) (trace, id string) {
	if isSpanName(e.ID) {
		return e.ID[:32], e.ID[33:]
	}
	return traceOf(e), madeID("span", e.ID, 8)
}

func traceOf(e learn.Event) string {
	if e.Session != "" {
		return madeID("session", e.Session, 16)
	}
	return madeID("event", e.ID, 16)
}

func madeID(kind, of string, size int) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + of))
	sum[0] |= 1 // never zeros alone, which are no id
	return hex.EncodeToString(sum[:size])
}

func isSpanName(id string) bool {
	if len(id) != 49 || id[32] != '/' {
		return false
	}
	var trace traceID
	var span spanID
	return hexText(id[:32], trace[:]) && hexText(id[33:], span[:])
}

// parentOf is the id of the parent's span, if that is of the same trace.
func parentOf(e learn.Event, trace string) string {
	switch {
	case e.Parent == "":
		return ""
	case isSpanName(e.Parent) && e.Parent[:32] == trace:
		return e.Parent[33:]
	case !isSpanName(e.Parent) && e.Session != "" && trace == traceOf(e):
		return madeID("span", e.Parent, 8)
	}
	return ""
}

// attributeList is a list of KeyValue messages.
type attributeList [][]byte

func (l *attributeList) add(names []string, kind string, value []byte) {
	var v, pair canon.Builder
	v.Add(kind, value)
	pair.AddText("key", names[0])
	pair.Add("value", v.Bytes())
	*l = append(*l, pair.Bytes())
}

// text adds a string, unless it is empty.
func (l *attributeList) text(names []string, value string) {
	if value != "" {
		l.add(names, "stringValue", canon.Quote(value))
	}
}

func (l *attributeList) integer(names []string, value int64) {
	l.add(names, "intValue", integer(value))
}

func (l *attributeList) payload(names payloadNames, p learn.Payload) {
	if p.Bytes < 0 {
		return
	}
	l.integer(names.bytes, p.Bytes)
	l.text(names.digest, p.Digest)
	l.text(names.shape, p.Shape)
	l.text(names.text, p.Text)
}

// attributesOfEvent has the attributes of the conventions first, and behind them what only anvil reads.
func attributesOfEvent(e learn.Event, durationStated bool) attributeList {
	var l attributeList
	l.text(nameOperation, operationTool)
	l.text(nameMethod, methodCall)
	l.text(nameTool, e.Tool.Name)
	switch {
	case e.Outcome == learn.Failed && e.Code == learn.UnknownCode:
		l.text(nameErrorType, otherError)
	case e.Outcome == learn.Failed:
		l.text(nameErrorType, e.Code)
	case e.Outcome == learn.Cancelled:
		l.text(nameErrorType, string(learn.Cancelled))
	}
	l.text(nameSession, e.Session)
	l.text(nameModel, e.Model)
	if e.Tokens != nil {
		l.integer(nameInputTokens, e.Tokens.Input)
		l.integer(nameOutputTokens, e.Tokens.Output)
	}
	l.text(nameEventID, e.ID)
	l.text(nameOutcome, string(e.Outcome))
	l.integer(nameAttempts, int64(e.Attempts))
	for _, one := range []struct {
		names []string
		value string
	}{{nameEventParent, e.Parent}, {nameServer, e.Tool.Server}, {nameContract, e.Tool.Contract}, {nameClient, e.Client}, {nameWorkflow, e.Workflow},
		{nameDecoding, e.Decoding}, {nameResolver, e.Resolver}, {nameAsked, string(e.Asked)}, {nameCode, e.Code}} {
		l.text(one.names, one.value)
	}
	if durationStated {
		l.integer(nameDuration, e.Duration.Nanoseconds())
	}
	if e.Cost != nil {
		l.integer(nameCostMicros, e.Cost.Micros)
		l.text(nameCostCurrency, e.Cost.Currency)
	}
	l.payload(nameInput, e.Input)
	l.payload(nameOutput, e.Output)
	return l
}
