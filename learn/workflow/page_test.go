package workflow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/learn"
)

func line(n int) *Graph {
	var events []learn.Event
	for i := range n {
		parent := ""
		if i > 0 {
			parent = fmt.Sprint("n", i-1)
		}
		events = append(events, call(fmt.Sprint("n", i), parent, 10*i, 5))
	}
	return Build(events)
}

// Assertion 36.
func TestPages(t *testing.T) {
	g := line(5)
	for _, test := range []struct {
		cursor string
		want   []string
		next   string
	}{
		{"", []string{"n0", "n1"}, "n1"},
		{"n1", []string{"n2", "n3"}, "n3"},
		{"n2", []string{"n3", "n4"}, ""},
		{"n4", nil, ""},
		{"of another day", []string{"n0", "n1"}, "n1"},
	} {
		p := g.Page(test.cursor, 2, "")
		var ids []string
		for _, n := range p.Nodes {
			ids = append(ids, n.ID)
		}
		if !slices.Equal(ids, test.want) || p.Next != test.next || len(p.Edges) != 4 {
			t.Errorf("behind %q: %q, next %q, %d edges", test.cursor, ids, p.Next, len(p.Edges))
		}
		if again := g.Page(test.cursor, 2, p.ETag); !again.NotModified || again.Nodes != nil || again.Edges != nil || again.ETag != p.ETag {
			t.Errorf("the reader of %q has it, and gets %+v", test.cursor, again)
		}
	}
	if p := g.Page("n1", 2, g.Page("", 2, "").ETag); p.NotModified {
		t.Error("who has the first page does not have the second")
	}
	if line(6).Page("", 2, "").ETag == g.Page("", 2, "").ETag {
		t.Error("the graph grew, and its tag did not move")
	}
	if p := g.Page("", 0, ""); len(p.Nodes) != 5 {
		t.Errorf("a page of no size has %d nodes", len(p.Nodes))
	}
	if p := Build(nil).Page("", 2, ""); p.Next != "" || p.ETag == "" || !bytes.Equal(p.JSON(), []byte(`{"edges":[],"nodes":[]}`)) {
		t.Errorf("of nothing: %s", p.JSON())
	}
}

func TestPageAsJSON(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 10, costing("0.0021", "USD")), call("b", "a", 2, 5, failing)})
	got := string(g.Page("", 1, "").JSON())
	want := `{"edges":[{"from":"a","to":"b"}],"nextCursor":"a","nodes":[{"childrenIds":["b"],"cost":{"amount":0.0021,"currency":"USD"},"durationMs":10,"id":"a",` +
		`"serverName":"srv","sessionId":"s1","status":"succeeded","timestamp":"2026-03-02T08:15:00Z","toolName":"a"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Assertion 32, the traceparent.
func TestTraceparent(t *testing.T) {
	random := bytes.NewReader([]byte(strings.Repeat("\x00", 24) + strings.Repeat("\x0a\xb1", 40)))
	if _, err := NewTrace(bytes.NewReader(nil)); err == nil {
		t.Error("no randomness, and a trace")
	}
	root, err := NewTrace(random) // zeros are drawn again
	if err != nil {
		t.Fatal(err)
	}
	child, err := root.Child(random)
	if err != nil {
		t.Fatal(err)
	}
	if child.ID != root.ID || child.Parent != root.Span || len(root.ID) != 32 || len(root.Span) != 16 || root.Parent != "" || zero(root.ID) {
		t.Errorf("root %+v, child %+v", root, child)
	}
	if s := root.String(); len(s) != 55 || s != "00-"+root.ID+"-"+root.Span+"-01" {
		t.Errorf("traceparent %q", s)
	}
	got, err := ParseTrace(child.String())
	if want := (Trace{ID: child.ID, Span: child.Span, Sampled: true}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	id, span := strings.Repeat("a1", 16), strings.Repeat("b2", 8)
	for text, good := range map[string]bool{
		"00-" + id + "-" + span + "-00": true, "00-" + id + "-" + span + "-03": true, "cc-" + id + "-" + span + "-01-more": true, "cc-" + id + "-" + span + "-01": true,
		"": false, "00-" + id + "-" + span + "-01-more": false, "cc-" + id + "-" + span + "-01more": false, "ff-" + id + "-" + span + "-01": false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": false, "00-" + id + "-" + strings.Repeat("0", 16) + "-01": false,
		"00-" + strings.ToUpper(id) + "-" + span + "-01": false, "00-" + id + "-" + span + "-0g": false, "00_" + id + "-" + span + "-01": false,
	} {
		if _, err := ParseTrace(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add("00-" + strings.Repeat("a1", 16) + "-" + strings.Repeat("b2", 8) + "-01")
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := ParseTrace(text)
		if err != nil {
			return
		}
		if again, err := ParseTrace(trace.String()); err != nil || again != trace {
			t.Errorf("%q is read as %+v, and that as %+v, %v", text, trace, again, err)
		}
	})
}

func TestPageIsJSONWhateverNamesHold(t *testing.T) {
	for _, name := range hostile {
		g := Build([]learn.Event{call(name, name+"?", 0, 10, using(name), func(e *learn.Event) { e.Session, e.Workflow, e.Model, e.Code = name, name, name, name }), call("b", name, 0, 1)})
		if _, err := canon.Parse(g.Page("", 1, "").JSON()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
