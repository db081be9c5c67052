package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/stat"
	"anvil/learn/workflow"
)

// ExtensionID is the extension under which capabilities.extensions advertises the resources.
const ExtensionID = "dev.adaptivemcp/tools-metadata"

// The addresses of the resources. Behind ? may stand format=json or yaml (the default), and of a graph cursor, size and if-none-match.
const (
	scheme           = "dev.adaptivemcp://"
	ToolsMetadataURI = scheme + "tools-metadata"
)

// Resource is an entry of resources/list, or of resources/templates/list where URI is a template.
type Resource struct {
	URI, Name, Title, MIMEType string
}

// Resources serves what was learned as MCP resources. It only reads, and each read is of the moment.
type Resources struct {
	Store learn.Store                             // of the graphs; nil: there are none
	Make  func(context.Context) (Document, error) // the tools-metadata
}

// Reader is who reads; the zero value may read everything.
type Reader struct {
	Shows  func(learn.Tool) bool // reports a tool, without its contract, of which the reader may know; nil: all
	Client string                // whose calls alone are told one by one, as events name it; "": everybody's
}

// may reports an event that the reader may know of.
func (r Reader) may(e learn.Event) bool {
	return (r.Client == "" || e.Client == r.Client) && (r.Shows == nil || r.Shows(learn.Tool{Server: e.Tool.Server, Name: e.Tool.Name}))
}

// List are the resources that are always there.
func (Resources) List() []Resource {
	return []Resource{
		{ToolsMetadataURI, "tools-metadata", "Adaptive MCP Tools Metadata", mimeYAML},
		{ToolsMetadataURI + "?format=json", "tools-metadata-json", "Adaptive MCP Tools Metadata", mimeJSON},
	}
}

// Templates are the resources of single sessions and workflows, where there is a store to read them from.
func (r Resources) Templates() []Resource {
	if r.Store == nil {
		return nil
	}
	return []Resource{
		{scheme + "execution-graph/{session}{?format,cursor,size,if-none-match}", "execution-graph", "Calls of a session", mimeYAML},
		{scheme + "execution-graph/{session}/mermaid", "execution-graph-mermaid", "Calls of a session as a Mermaid diagram", "text/plain"},
		{scheme + "execution-graph/{session}/dot", "execution-graph-dot", "Calls of a session as a DOT graph", "text/vnd.graphviz"},
		{scheme + "workflow-graph/{workflow}{?format}", "workflow-graph", "Patterns and insights of a workflow", mimeYAML},
		{scheme + "graph-insights/{session}{?format}", "graph-insights", "What a session waited for, what failed, what repeated", mimeYAML},
	}
}

const (
	mimeYAML = "application/yaml"
	mimeJSON = "application/json"
)

// ErrNoResource is an address that names nothing.
var ErrNoResource = errors.New("there is no such resource")

// Content is what a resource holds.
type Content struct {
	URI, MIMEType string
	Text          string
	ETag          string // of what has one
}

// The first parts of the addresses.
const (
	toolsMetadata  = "tools-metadata"
	executionGraph = "execution-graph"
	workflowGraph  = "workflow-graph"
	graphInsights  = "graph-insights"
)

// Has reports an address, or the template of one, that is one of the resources' to answer, whether or not there is something at it. Letter case and escapes do not
// matter: some reader takes such an address for the same.
func (Resources) Has(uri string) bool {
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return false
	}
	first := uri[len(scheme):]
	if end := strings.IndexAny(first, "/?#"); end >= 0 {
		first = first[:end]
	}
	if text, err := url.PathUnescape(first); err == nil {
		first = text
	}
	return slices.Contains([]string{toolsMetadata, executionGraph, workflowGraph, graphInsights}, strings.ToLower(first))
}

// Read returns the content of a resource, without the tools and the calls of which the reader may not know. An address that names nothing, or a session or workflow that was
// not observed, is [ErrNoResource].
func (r Resources) Read(ctx context.Context, uri string, by Reader) (Content, error) {
	at, query, err := addressOf(uri)
	if err != nil {
		return Content{}, err
	}
	reader := reading{r, by}
	switch {
	case len(at) == 1 && at[0] == toolsMetadata:
		return reader.toolsMetadata(ctx, uri, query)
	case r.Store == nil:
	case len(at) == 2 && at[0] == executionGraph:
		return reader.graph(ctx, uri, at[1], query)
	case len(at) == 3 && at[0] == executionGraph && (at[2] == "mermaid" || at[2] == "dot"):
		return reader.diagram(ctx, uri, at[1], at[2])
	case len(at) == 2 && at[0] == workflowGraph:
		return reader.workflow(ctx, uri, at[1], query)
	case len(at) == 2 && at[0] == graphInsights:
		return reader.insights(ctx, uri, at[1], query)
	}
	return Content{}, fmt.Errorf("%w: %.200q", ErrNoResource, uri)
}

// reading is the reading of one reader.
type reading struct {
	Resources
	by Reader
}

// addressOf takes an address apart.
func addressOf(uri string) (at []string, query url.Values, err error) {
	rest, ours := strings.CutPrefix(uri, scheme)
	if !ours {
		return nil, nil, fmt.Errorf("%w: %.200q", ErrNoResource, uri)
	}
	path, raw, _ := strings.Cut(rest, "?")
	if query, err = url.ParseQuery(raw); err != nil {
		return nil, nil, fmt.Errorf("%w: %.200q has no query that can be read", ErrNoResource, uri)
	}
	for part := range strings.SplitSeq(path, "/") {
		text, err := url.PathUnescape(part)
		if err != nil || text == "" {
			return nil, nil, fmt.Errorf("%w: %.200q", ErrNoResource, uri)
		}
		at = append(at, text)
	}
	return at, query, nil
}

// as returns a JSON text in the format that was asked for.
func as(uri string, query url.Values, text []byte, etag string) (Content, error) {
	switch format := query.Get("format"); format {
	case "json":
		return Content{uri, mimeJSON, string(canon.Indent(text, "")) + "\n", etag}, nil
	case "", "yaml":
		inYAML, err := yaml.FromJSON(text)
		return Content{uri, mimeYAML, string(inYAML), etag}, err
	default:
		return Content{}, fmt.Errorf("%w: the format is json or yaml, not %.20q", ErrNoResource, format)
	}
}

func (r reading) toolsMetadata(ctx context.Context, uri string, query url.Values) (Content, error) {
	d, err := r.Make(ctx)
	if err != nil {
		return Content{}, err
	}
	if d, err = d.shownTo(r.by); err != nil {
		return Content{}, err
	}
	text, err := canon.EncodeCompact(d)
	if err != nil {
		return Content{}, err
	}
	if query.Get("if-none-match") == d.Etag {
		return notModified(uri, query, d.Etag)
	}
	return as(uri, query, text, d.Etag)
}

func notModified(uri string, query url.Values, etag string) (Content, error) {
	text, err := canon.EncodeCompact(struct {
		NotModified bool   `json:"notModified"`
		Etag        string `json:"etag"`
	}{true, etag})
	if err != nil {
		return Content{}, err
	}
	return as(uri, query, text, etag)
}

// sessionGraph is the graph of a session's calls.
func (r reading) sessionGraph(ctx context.Context, id string) (*workflow.Graph, error) {
	events, err := r.eventsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%w: no call of a session %.200q was observed", ErrNoResource, id)
	}
	return workflow.Build(events), nil
}

// eventsOf are the calls of a session, whose id may be spelled as the audit log has it.
func (r reading) eventsOf(ctx context.Context, id string) ([]learn.Event, error) {
	events, err := r.events(ctx, learn.Query{Session: id})
	if other, ok := learn.OtherSpelling(id); ok && err == nil && len(events) == 0 {
		return r.events(ctx, learn.Query{Session: other})
	}
	return events, err
}

// events are those of a query, the latest where there are too many.
func (r reading) events(ctx context.Context, q learn.Query) ([]learn.Event, error) {
	events, _, err := workflow.Latest(r.Store.Events(ctx, q), workflow.MostCalls)
	return slices.DeleteFunc(events, func(e learn.Event) bool { return !r.by.may(e) }), err
}

func (r reading) graph(ctx context.Context, uri, session string, query url.Values) (Content, error) {
	g, err := r.sessionGraph(ctx, session)
	if err != nil {
		return Content{}, err
	}
	size, _ := strconv.Atoi(query.Get("size")) // none, or no number: the default
	page := g.Page(query.Get("cursor"), size, query.Get("if-none-match"))
	if page.NotModified {
		return notModified(uri, query, page.ETag)
	}
	return as(uri, query, page.JSON(), page.ETag)
}

func (r reading) diagram(ctx context.Context, uri, session, kind string) (Content, error) {
	g, err := r.sessionGraph(ctx, session)
	if err != nil {
		return Content{}, err
	}
	if kind == "dot" {
		return Content{URI: uri, MIMEType: "text/vnd.graphviz", Text: g.DOT()}, nil
	}
	return Content{URI: uri, MIMEType: "text/plain", Text: g.Mermaid()}, nil
}

// workflowPage is what is published of a workflow.
type workflowPage struct {
	Workflow string             `json:"workflowId"`
	Sessions int                `json:"totalExecutions"`
	Success  float64            `json:"successRate"`
	MeanMs   float64            `json:"avgDurationMs"`
	Patterns []pattern          `json:"commonPatterns"`
	Insights map[string]Insight `json:"insights"`
}

type pattern struct {
	Pattern string `json:"pattern"`
	Runs    int    `json:"runs"`
}

func (r reading) workflow(ctx context.Context, uri, name string, query url.Values) (Content, error) {
	q := learn.Query{Workflow: name}
	if session, unnamed := strings.CutPrefix(name, "session:"); unnamed {
		q = learn.Query{Session: session}
	}
	events, err := r.events(ctx, q)
	if err != nil {
		return Content{}, err
	}
	sessions := slices.DeleteFunc(workflow.Sessions(events), func(s workflow.Session) bool { return s.Name() != name })
	if len(sessions) == 0 {
		return Content{}, fmt.Errorf("%w: no call of a workflow %.200q was observed", ErrNoResource, name)
	}
	stats := workflow.StatsOf(sessions)
	page := workflowPage{name, stats.Sessions, stats.Succeeded, float64(stats.Mean.Microseconds()) / 1000, []pattern{}, insightsOf(workflow.Evaluate(sessions, workflow.Options{})[name])}
	for _, p := range workflow.Patterns(sessions) {
		page.Patterns = append(page.Patterns, pattern{p.Pattern(), p.Sessions})
	}
	text, err := canon.EncodeCompact(page)
	if err != nil {
		return Content{}, err
	}
	return as(uri, query, text, canon.Digest(text))
}

func insightsOf(all []learn.Insight) map[string]Insight {
	published := map[string]Insight{}
	for _, i := range all {
		published[i.Key] = insightOf(profile.Insight{Key: i.Key, Value: i.Value, Confidence: float64(i.Confidence) / 100, Source: i.Source, N: i.N,
			Low: stat.Round4(i.Low), High: stat.Round4(i.High), Window: i.Window, ObservedAt: profile.Moment(i.ObservedAt)})
	}
	return published
}

// insightsPage is what one session shows.
type insightsPage struct {
	Session     string           `json:"sessionId"`
	WallClockMs float64          `json:"wallClockMs"`
	WaitedFor   map[string]int64 `json:"waitedForMs"` // by tool
	Failed      []string         `json:"rootCauses"`  // ids of the calls that failed by themselves
	Repeated    []pattern        `json:"repetitions"`
	Problems    []string         `json:"problems"` // of the events themselves
}

func (r reading) insights(ctx context.Context, uri, session string, query url.Values) (Content, error) {
	g, err := r.sessionGraph(ctx, session)
	if err != nil {
		return Content{}, err
	}
	clock := g.WallClock()
	page := insightsPage{Session: session, WaitedFor: map[string]int64{}, Failed: []string{}, Repeated: []pattern{}, Problems: []string{}}
	names := map[string]string{}
	for _, n := range g.Nodes {
		names[n.ID] = n.Tool.String()
	}
	shares := clock.Share()
	for _, id := range slices.Sorted(maps.Keys(shares)) {
		page.WaitedFor[names[id]] += shares[id].Milliseconds()
		page.WallClockMs += float64(shares[id].Microseconds()) / 1000
	}
	page.Failed = append(page.Failed, g.CausalCascade().RootCauses...)
	for _, repeated := range g.Repetitions() {
		page.Repeated = append(page.Repeated, pattern{repeated.Pattern(), repeated.Count})
	}
	for _, p := range g.Problems {
		page.Problems = append(page.Problems, p.String())
	}
	text, err := canon.EncodeCompact(page)
	if err != nil {
		return Content{}, err
	}
	return as(uri, query, bytes.ToValidUTF8(text, []byte("\uFFFD")), canon.Digest(text))
}
