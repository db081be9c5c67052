package view_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/view"
)

var start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// observed is a store in which two sessions of a workflow made three calls each, and one failed; and the resources over it.
func observed(t *testing.T) view.Resources {
	t.Helper()
	now := func() time.Time { return start.Add(time.Hour) }
	store, err := sqlstore.Open(t.Context(), ":memory:", sqlstore.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	var events []learn.Event
	for s := range 3 {
		for i, tool := range []string{"search", `read "all"`, "send"} {
			e := learn.Event{ID: fmt.Sprintf("s%d-%d", s, i), Session: fmt.Sprintf("s %d/ä", s), Workflow: "report", Client: "ann", Tool: learn.Tool{Server: "desk", Name: tool},
				At: start.Add(time.Duration(s*10+i+1) * time.Second), Duration: time.Second, Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
			if s == 2 && i == 1 {
				e.Outcome, e.Code = learn.Failed, "ETIMEDOUT"
			}
			events = append(events, e)
		}
	}
	if done, err := store.Record(t.Context(), events); err != nil || done.Kept != 9 {
		t.Fatal(done, err)
	}
	return view.Resources{Store: store, Make: func(ctx context.Context) (view.Document, error) {
		d, err := profile.Build(ctx, store, learn.Filter{}, now())
		if err != nil {
			return view.Document{}, err
		}
		return view.Build(d, time.Time{})
	}}
}

func read(t *testing.T, r view.Resources, uri string) (view.Content, *canon.Node) {
	t.Helper()
	c, err := r.Read(t.Context(), uri, view.Reader{})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	text := []byte(c.Text)
	switch c.MIMEType {
	case "application/yaml":
		if text, _, err = yaml.ToJSON(text); err != nil {
			t.Fatalf("%s: %v in\n%s", uri, err, c.Text)
		}
	case "application/json":
	default:
		return c, nil
	}
	n, err := canon.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", uri, err, c.Text)
	}
	return c, n
}

func TestToolsMetadataIsAResource(t *testing.T) {
	r := observed(t)
	for _, listed := range r.List() {
		c, n := read(t, r, listed.URI)
		if len(n.Get("tools").Elements()) != 3 || c.MIMEType != listed.MIMEType || n.Get("etag").Text() != c.ETag {
			t.Errorf("%s: %s", listed.URI, c.Text)
		}
		again, n := read(t, r, view.ToolsMetadataURI+"?if-none-match="+c.ETag)
		if is, _ := n.Get("notModified").Bool(); !is || n.Get("etag").Text() != c.ETag {
			t.Error(again.Text)
		}
	}
}

func TestGraphsAreResources(t *testing.T) {
	r := observed(t)
	session := "dev.adaptivemcp://execution-graph/s%202%2F%C3%A4"
	c, n := read(t, r, session+"?format=json&size=2")
	if len(n.Get("nodes").Elements()) != 2 || n.Get("nextCursor").Text() != "s2-1" {
		t.Error(c.Text)
	}
	_, n = read(t, r, session+"?size=2&cursor="+n.Get("nextCursor").Text())
	if len(n.Get("nodes").Elements()) != 1 || n.Get("nextCursor") != nil {
		t.Error("the second page has not the last call alone")
	}
	if _, n = read(t, r, session+"?format=json&size=2&if-none-match="+c.ETag); n.Get("etag").Text() != c.ETag || n.Get("nodes") != nil {
		t.Error("what has not changed is sent again")
	}
	for kind, head := range map[string]string{"mermaid": "flowchart", "dot": "digraph"} {
		if c, _ := read(t, r, session+"/"+kind); !strings.HasPrefix(strings.TrimSpace(c.Text), head) && !strings.Contains(c.Text, "graph") {
			t.Errorf("%s: %s", kind, c.Text)
		}
	}
	_, n = read(t, r, "dev.adaptivemcp://workflow-graph/report")
	if total, _ := n.Get("totalExecutions").Int(); total != 3 || len(n.Get("commonPatterns").Elements()) != 1 || n.Get("insights").Get("workflow_failure_rate") == nil {
		t.Errorf("%s", n.Raw)
	}
	if rate := n.Get("insights").Get("workflow_failure_rate"); rate.Get("interval").Get("high") == nil || rate.Get("observed_at").Text() == "" {
		t.Errorf("an insight without its interval or its date: %s", rate.Raw)
	}
	_, n = read(t, r, "dev.adaptivemcp://graph-insights/s%202%2F%C3%A4?format=json")
	if causes := n.Get("rootCauses").Elements(); len(causes) != 1 || causes[0].Text() != "s2-1" || len(n.Get("waitedForMs").Members) == 0 {
		t.Errorf("%s", n.Raw)
	}
}

// TestSessionsAsTheAuditLogSpellsThem: an id of a facade's session is found without its dashes too.
func TestSessionsAsTheAuditLogSpellsThem(t *testing.T) {
	r := observed(t)
	const digits = "23ac8edc937a4b1c9d2e3f4a5b6c7d8e"
	e := learn.Event{ID: "x", Session: learn.UUID(digits), Tool: learn.Tool{Server: "desk", Name: "search"}, At: start, Duration: time.Second, Outcome: learn.Succeeded, Attempts: 1,
		Input: learn.Unmeasured, Output: learn.Unmeasured}
	if _, err := r.Store.Record(t.Context(), []learn.Event{e}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{learn.UUID(digits), digits, strings.ToUpper(digits)} {
		if _, n := read(t, r, "dev.adaptivemcp://execution-graph/"+id+"?format=json"); len(n.Get("nodes").Elements()) != 1 {
			t.Errorf("%s: %s", id, n.Raw)
		}
	}
	if _, err := r.Read(t.Context(), "dev.adaptivemcp://execution-graph/"+strings.Repeat("0", 32), view.Reader{}); !errors.Is(err, view.ErrNoResource) {
		t.Errorf("a session that nobody observed: %v", err)
	}
}

func TestWhatIsNoResource(t *testing.T) {
	r := observed(t)
	for _, uri := range []string{"", "https://example.test", "dev.adaptivemcp://", "dev.adaptivemcp://other", "dev.adaptivemcp://tools-metadata/x", "dev.adaptivemcp://execution-graph/nobody",
		"dev.adaptivemcp://execution-graph//dot", "dev.adaptivemcp://execution-graph/%zz", "dev.adaptivemcp://tools-metadata?format=xml", "dev.adaptivemcp://tools-metadata?%zz",
		"dev.adaptivemcp://workflow-graph/nothing", "dev.adaptivemcp://workflow-graph/session:nobody", "dev.adaptivemcp://graph-insights/" + strings.Repeat("x", 100_000)} {
		if _, err := r.Read(t.Context(), uri, view.Reader{}); !errors.Is(err, view.ErrNoResource) || len(err.Error()) > 1000 {
			t.Errorf("%.60s: %v", uri, err)
		}
	}
}

// Templates name what can be read: an address made of each is.
func TestTemplatesAreServed(t *testing.T) {
	r := observed(t)
	for _, template := range r.Templates() {
		uri, _, _ := strings.Cut(template.URI, "{?")
		uri = strings.NewReplacer("{session}", "s%200%2F%C3%A4", "{workflow}", "report").Replace(uri)
		if c, _ := read(t, r, uri); c.MIMEType != template.MIMEType {
			t.Errorf("%s is %s", template.URI, c.MIMEType)
		}
	}
}

// A reader who may not know of a tool finds it nowhere, and what is left has an etag of its own.
func TestReadersSeeTheirToolsAlone(t *testing.T) {
	r := observed(t)
	most := func(tool learn.Tool) bool { return tool != learn.Tool{Server: "desk", Name: "send"} }
	for _, uri := range []string{view.ToolsMetadataURI, "dev.adaptivemcp://execution-graph/s%202%2F%C3%A4", "dev.adaptivemcp://execution-graph/s%202%2F%C3%A4/dot",
		"dev.adaptivemcp://workflow-graph/report", "dev.adaptivemcp://graph-insights/s%202%2F%C3%A4"} {
		all, err := r.Read(t.Context(), uri, view.Reader{})
		if err != nil {
			t.Fatal(err)
		}
		some, err := r.Read(t.Context(), uri, view.Reader{Shows: most})
		if err != nil || strings.Contains(some.Text, "send") || !strings.Contains(some.Text, "search") {
			t.Errorf("%s: %v\n%s", uri, err, some.Text)
		}
		if !strings.Contains(all.Text, "send") || all.ETag == some.ETag && all.ETag != "" {
			t.Errorf("%s: %s, %s\n%s", uri, all.ETag, some.ETag, all.Text)
		}
	}
	if c, err := r.Read(t.Context(), "dev.adaptivemcp://execution-graph/s%202%2F%C3%A4", view.Reader{Shows: func(learn.Tool) bool { return false }}); !errors.Is(err, view.ErrNoResource) {
		t.Errorf("%v: %s", err, c.Text)
	}
	d, err := r.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Read(t.Context(), view.ToolsMetadataURI, view.Reader{Shows: func(learn.Tool) bool { return true }}); err != nil || c.ETag != d.Etag {
		t.Errorf("who may see all has another etag: %s, %v", c.ETag, err)
	}
}

// Calls of others are not told one by one to a client that is known by its name.
func TestClientsSeeTheirCallsAlone(t *testing.T) {
	r := observed(t)
	for _, uri := range []string{"dev.adaptivemcp://execution-graph/s%202%2F%C3%A4", "dev.adaptivemcp://workflow-graph/report", "dev.adaptivemcp://graph-insights/s%202%2F%C3%A4"} {
		if c, err := r.Read(t.Context(), uri, view.Reader{Client: "ann"}); err != nil || c.Text == "" {
			t.Errorf("%s: %v", uri, err)
		}
		if c, err := r.Read(t.Context(), uri, view.Reader{Client: "bob"}); !errors.Is(err, view.ErrNoResource) {
			t.Errorf("%s: %v\n%s", uri, err, c.Text)
		}
	}
}

func TestAddressesThatAreAnswered(t *testing.T) {
	for uri, want := range map[string]bool{
		view.ToolsMetadataURI: true, view.ToolsMetadataURI + "?format=json": true, "DEV.AdaptiveMCP://Tools-Metadata#x": true, "dev.adaptivemcp://tools%2Dmetadata": true,
		"dev.adaptivemcp://tools-metadata/x": true, "dev.adaptivemcp://execution-graph/{session}{?format}": true, "dev.adaptivemcp://graph-insights/s": true,
		"dev.adaptivemcp://workflow-graph/": true, "": false, "dev.adaptivemcp://": false, "dev.adaptivemcp://other": false, "dev.adaptivemcp:tools-metadata": false,
		"dev.adaptivemcp://tools-metadata2": false, "file:///dev.adaptivemcp://tools-metadata": false, "dev.adaptivemcp://%zz": false,
	} {
		if got := (view.Resources{}).Has(uri); got != want {
			t.Errorf("%s: %v", uri, got)
		}
	}
}

// Without a store there is the view alone.
func TestWithoutAStoreThereAreNoGraphs(t *testing.T) {
	r := view.Resources{Make: observed(t).Make}
	if got := r.Templates(); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	if _, err := r.Read(t.Context(), "dev.adaptivemcp://execution-graph/s", view.Reader{}); !errors.Is(err, view.ErrNoResource) {
		t.Error(err)
	}
	if _, err := r.Read(t.Context(), view.ToolsMetadataURI, view.Reader{}); err != nil {
		t.Error(err)
	}
}
