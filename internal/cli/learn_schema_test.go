package cli

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"anvil/docs"
	"anvil/learn"
	"anvil/learn/exchange"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/storetest"
)

// lineNarrower is what Go's types do not say of a line of events, by type and member.
func lineNarrower() map[string]map[string]any {
	var outcomes []any
	for _, o := range learn.Outcomes {
		outcomes = append(outcomes, o)
	}
	name := map[string]any{"minLength": 1}
	return map[string]map[string]any{
		"Header.format": {"const": exchange.Format}, "Header.schemaVersion": {"const": exchange.SchemaVersion},
		"Line.outcome": {"enum": outcomes}, "Line.asked": {"enum": []any{learn.SaidYes, learn.SaidNo}}, "Line.id": name, "Line.tool": name,
		"Line.at": {"pattern": "Z$"}, "LineCost.amount": {"pattern": `^-?[0-9]+(\.[0-9]{1,6})?$`}, "LineCost.currency": {"pattern": "^[A-Z]{3}$"},
		"LinePayload.digest": {"pattern": "^[0-9a-f]{32}$"},
	}
}

const (
	linesID   = "urn:anvil:learn-events:1"
	learnedID = "urn:anvil:learned:1"
)

func linesSchema(t *testing.T) []byte {
	t.Helper()
	m := newSchemaMaker(t, lineNarrower(), nil)
	header, line := m.define(reflect.TypeFor[exchange.Header]()), m.define(reflect.TypeFor[exchange.Line]())
	return m.text(map[string]any{"$id": linesID, "title": "A line of a file of observed calls",
		"description": "The first line is a header; one may stand further down, where files were joined. Every other line is a call that ended.", "oneOf": []any{header, line}})
}

func learnedSchema(t *testing.T) []byte {
	t.Helper()
	share := map[string]any{"minimum": 0, "maximum": 1}
	m := newSchemaMaker(t, map[string]map[string]any{
		"Calls.failureRate": share, "Calls.low": share, "Calls.high": share, "Share.low": share, "Share.high": share, "Insight.confidence": share,
		"Annotation.risk": {"enum": []any{"low", "medium", "high"}},
	}, metadataWords)
	s := m.object(reflect.TypeFor[profile.Document]())
	s["properties"].(map[string]any)["schemaVersion"] = map[string]any{"const": profile.SchemaVersion}
	s["$id"], s["title"], s["description"] = learnedID, "What was learned of tools", m.comment(reflect.TypeFor[profile.Document](), "")
	return m.text(s)
}

func TestLearnSchemasAreFresh(t *testing.T) {
	checkFresh(t, "learn-events.schema.json", linesSchema(t))
	checkFresh(t, "learned.schema.json", learnedSchema(t))
	if got := mustExit(t, 0, "schema", "learn-events"); !bytes.Equal(got, docs.LearnEventsSchema) {
		t.Error("anvil schema learn-events prints something else than docs/learn-events.schema.json")
	}
	if got := mustExit(t, 0, "schema", "learned"); !bytes.Equal(got, docs.LearnedSchema) {
		t.Error("anvil schema learned prints something else than docs/learned.schema.json")
	}
}

// TestLearnedFitsItsSchema holds what a store exports and what is profiled of it against the published schemas, and shows that they refuse what is none.
func TestLearnedFitsItsSchema(t *testing.T) {
	now := storetest.Morning.AddDate(0, 1, 0)
	s, err := sqlstore.Open(t.Context(), ":memory:", sqlstore.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if done, err := s.Record(t.Context(), storetest.RandomEvents(rand.New(rand.NewPCG(7, 7)), 400)); err != nil || done.Kept < 300 {
		t.Fatal(done, err)
	}
	var lines bytes.Buffer
	var events iter.Seq2[learn.Event, error] = s.Events(t.Context(), learn.Query{})
	if _, err := exchange.WriteJSONL(&lines, events); err != nil {
		t.Fatal(err)
	}
	v := validatorOf(t, docs.LearnEventsSchema, linesID)
	for line := range bytes.Lines(lines.Bytes()) {
		if err := fault(t, v, line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	for _, bad := range []string{`{"format":"anvil-events","schemaVersion":2}`, `{"at":"2026-03-02T08:00:00.000000Z","id":"x","outcome":"begun","tool":"t"}`, `{"id":"x"}`} {
		if fault(t, v, []byte(bad)) == nil {
			t.Errorf("%s fits", bad)
		}
	}
	d, err := profile.Build(t.Context(), s, learn.Filter{}, now)
	if err != nil || len(d.Tools) == 0 {
		t.Fatal(len(d.Tools), err)
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	v = validatorOf(t, docs.LearnedSchema, learnedID)
	if err := fault(t, v, text); err != nil {
		t.Error(err)
	}
	changed := bytes.Replace(text, []byte(fmt.Sprintf(`"schemaVersion": %d`, profile.SchemaVersion)), []byte(`"schemaVersion": 99`), 1)
	if bytes.Equal(changed, text) || fault(t, v, changed) == nil {
		t.Error("another version fits")
	}
}
