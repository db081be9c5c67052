package exchange

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// protoFields are the fields of trace.proto, resource.proto and common.proto (opentelemetry-proto v1.7) that a file of spans may have, with their types. "[]" leads
// what is repeated.
var protoFields = map[string]map[string]string{
	"TracesData":           {"resourceSpans": "[]ResourceSpans"},
	"ResourceSpans":        {"resource": "Resource", "scopeSpans": "[]ScopeSpans", "schemaUrl": "string"},
	"Resource":             {"attributes": "[]KeyValue", "droppedAttributesCount": "uint32"},
	"ScopeSpans":           {"scope": "InstrumentationScope", "spans": "[]Span", "schemaUrl": "string"},
	"InstrumentationScope": {"name": "string", "version": "string", "attributes": "[]KeyValue", "droppedAttributesCount": "uint32"},
	"Span": {"traceId": "bytes16", "spanId": "bytes8", "traceState": "string", "parentSpanId": "bytes8", "flags": "uint32", "name": "string", "kind": "enum5",
		"startTimeUnixNano": "fixed64", "endTimeUnixNano": "fixed64", "attributes": "[]KeyValue", "droppedAttributesCount": "uint32", "status": "Status"},
	"Status":   {"message": "string", "code": "enum2"},
	"KeyValue": {"key": "string", "value": "AnyValue"},
	"AnyValue": {"stringValue": "string", "boolValue": "bool", "intValue": "int64", "doubleValue": "double"},
}

// scalars are the rules of the JSON mapping, with those of OTLP for ids (hex digits, not base64) and enums (numbers, not names).
var scalars = map[string]*regexp.Regexp{
	"string": regexp.MustCompile(`^"`), "bool": regexp.MustCompile(`^(true|false)$`), "int64": regexp.MustCompile(`^"-?(0|[1-9][0-9]{0,18})"$`),
	"fixed64": regexp.MustCompile(`^"(0|[1-9][0-9]{0,19})"$`), "uint32": regexp.MustCompile(`^(0|[1-9][0-9]{0,9})$`), "enum5": regexp.MustCompile(`^[0-5]$`),
	"enum2": regexp.MustCompile(`^[0-2]$`), "bytes16": regexp.MustCompile(`^"[0-9a-f]{32}"$`), "bytes8": regexp.MustCompile(`^"[0-9a-f]{16}"$`),
}

func breaches(n *canon.Node, of, at string) (found []string) {
	if rest, many := strings.CutPrefix(of, "[]"); many {
		if !n.IsArray() {
			return []string{at + " is no array"}
		}
		for i, item := range n.Items {
			found = append(found, breaches(item, rest, at+"/"+strconv.Itoa(i))...)
		}
		return found
	}
	if rule := scalars[of]; rule != nil {
		if !rule.Match(n.Raw) {
			found = append(found, fmt.Sprintf("%s is %s, and no %s", at, n.Raw, of))
		}
		return found
	}
	if !n.IsObject() || n.Repeats() || of == "AnyValue" && len(n.Members) != 1 {
		return []string{at + " is no " + of}
	}
	for _, m := range n.Members {
		field, known := protoFields[of][m.Name]
		if !known {
			found = append(found, of+" has no field "+m.Name)
			continue
		}
		found = append(found, breaches(m.Value, field, at+"/"+m.Name)...)
	}
	if of == "Span" {
		found = append(found, spanBreaches(n, at)...)
	}
	return found
}

// spanBreaches holds what the comments of trace.proto ask of a span.
func spanBreaches(n *canon.Node, at string) (found []string) {
	for _, name := range []string{"traceId", "spanId", "name", "startTimeUnixNano", "endTimeUnixNano"} {
		if n.Get(name).Text() == "" {
			found = append(found, at+" has no "+name)
		}
	}
	begin, _ := strconv.ParseUint(n.Get("startTimeUnixNano").Text(), 10, 64)
	if end, _ := strconv.ParseUint(n.Get("endTimeUnixNano").Text(), 10, 64); end < begin {
		found = append(found, at+" ends before it starts")
	}
	seen := map[string]bool{}
	for _, a := range n.Get("attributes").Elements() {
		key := a.Get("key").Text()
		if seen[key] {
			found = append(found, at+" has two attributes "+key)
		}
		seen[key] = true
	}
	return found
}

func TestSpansKeepTheRulesOfTheProto(t *testing.T) {
	events := randomEvents(t, 1200)
	var out bytes.Buffer
	if _, err := WriteOTLP(&out, all(events)); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	documents := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	for _, text := range documents {
		n, err := canon.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range breaches(n, "TracesData", "") {
			t.Error(b)
		}
		for _, r := range n.Get("resourceSpans").Elements() {
			for _, s := range r.Get("scopeSpans").Elements() {
				for _, sp := range s.Get("spans").Elements() {
					ids[sp.Get("traceId").Text()+sp.Get("spanId").Text()] = true
				}
			}
		}
	}
	if len(documents) != 3 || len(ids) != len(events) {
		t.Errorf("%d documents with %d spans of other ids", len(documents), len(ids))
	}
	// The checker can fail.
	for _, bad := range []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"AAAA"}]}]}]}`, `{"resource_spans":[]}`, `{"resourceSpans":null}`} {
		n, _ := canon.Parse([]byte(bad))
		if breaches(n, "TracesData", "") == nil {
			t.Errorf("%s keeps them", bad)
		}
	}
}
