package telemetry

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// FuzzParent holds the parent against what OpenTelemetry's own reader makes of it.
func FuzzParent(f *testing.F) {
	for _, text := range []string{parent, "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "ff" + parent[2:], "01" + parent[2:] + "-more", parent + "-more", strings.ToUpper(parent), parent[:50], "00-é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := parseParent([]byte(text))
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": text})
		want := trace.SpanContextFromContext(ctx)
		if got.remote && want.IsValid() && (got.trace != want.TraceID() || got.span != want.SpanID() || got.flags != want.TraceFlags()&trace.FlagsSampled) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
		if got.remote && !want.IsValid() && text[53:55] <= "02" { // OpenTelemetry refuses flags that nobody has defined yet, which W3C wants ignored
			t.Errorf("%q: %+v", text, got)
		}
		if !got.remote && want.IsValid() && text[:2] == "00" {
			t.Errorf("%q is a parent", text)
		}
	})
}

func TestParentsOfRequests(t *testing.T) {
	for params, want := range map[string]bool{
		`{"name":"a","_meta":{"traceparent":"` + parent + `"}}`: true,
		`{"name":"a","_meta":{"progressToken":1}}`:              false,
		`{"name":"a","_meta":null}`:                             false,
		`{"name":"a","_meta":{"traceparent":7}}`:                false,
		`{"name":"a","_meta":{"traceparent":""}}`:               false,
		`{"name":"a"}`: false,
		``:             false,
	} {
		if got := ParentOf([]byte(params)).remote; got != want {
			t.Errorf("%s: %v", params, got)
		}
	}
}
