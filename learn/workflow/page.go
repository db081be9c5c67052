package workflow

import (
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// defaultPage is how many nodes a page has where nobody says.
const defaultPage = 50

// Page is a part of a graph as it is published.
type Page struct {
	Nodes       []Node
	Edges       []Edge // of the whole graph, whatever the page
	Next        string // cursor of the next page: the last id of this one; "" on the last page
	ETag        string // digest of the whole graph and of which page this is
	NotModified bool   // the reader has it; there are neither nodes nor edges

	graph *Graph
}

// Page returns the nodes behind the one that cursor names, at most size of them; 50 where size is not positive. A cursor of "" or of no node in the graph is the
// first page. If have is the page's ETag, the page is not modified.
func (g *Graph) Page(cursor string, size int, have string) Page {
	if size <= 0 {
		size = defaultPage
	}
	from := 0
	if cursor != "" {
		from = slices.IndexFunc(g.Nodes, func(n Node) bool { return n.ID == cursor }) + 1
	}
	to := min(len(g.Nodes), from+min(size, len(g.Nodes)))
	p := Page{Nodes: g.Nodes[from:to:to], Edges: g.Edges(), graph: g}
	if to < len(g.Nodes) {
		p.Next = g.Nodes[to-1].ID
	}
	all, _ := canon.EncodeCompact(published{g.publish(g.Nodes), publishEdges(p.Edges), ""})
	which, _ := canon.EncodeCompact([]int{from, to})
	p.ETag = canon.Digest(all, which)
	if have == p.ETag {
		return Page{ETag: p.ETag, NotModified: true}
	}
	return p
}

// JSON is the page as a canonical JSON text: nodes, edges and, unless it is the last page, nextCursor.
func (p Page) JSON() []byte {
	compact, err := canon.EncodeCompact(published{p.graph.publish(p.Nodes), publishEdges(p.Edges), learn.Storable(p.Next)})
	if err != nil {
		panic(err) // all of it is our own structs, and texts that are valid
	}
	return canon.MustCanonical(compact)
}

// published is a graph or a part of it in JSON, with the names of the reference.
type published struct {
	Nodes []publishedNode `json:"nodes"`
	Edges []publishedEdge `json:"edges"`
	Next  string          `json:"nextCursor,omitempty"`
}

type publishedEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type publishedNode struct {
	ID         string          `json:"id"`
	Tool       string          `json:"toolName"`
	Server     string          `json:"serverName,omitempty"`
	Contract   string          `json:"digest,omitempty"`
	Session    string          `json:"sessionId,omitempty"`
	Workflow   string          `json:"workflowId,omitempty"`
	Parents    []string        `json:"parentIds,omitempty"`
	Children   []string        `json:"childrenIds,omitempty"`
	Start      string          `json:"timestamp"`
	DurationMs *int64          `json:"durationMs,omitempty"`
	Outcome    string          `json:"status"`
	Code       string          `json:"errorCode,omitempty"`
	Model      string          `json:"model,omitempty"`
	Cost       *publishedMoney `json:"cost,omitempty"`
}

type publishedMoney struct {
	Amount   canon.Raw `json:"amount"`
	Currency string    `json:"currency"`
}

func (g *Graph) publish(nodes []Node) []publishedNode {
	all := make([]publishedNode, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		p := publishedNode{ID: learn.Storable(n.ID), Tool: learn.Storable(n.Tool.Name), Server: learn.Storable(n.Tool.Server), Contract: learn.Storable(n.Tool.Contract), Session: learn.Storable(n.Session),
			Workflow: learn.Storable(n.Workflow), Start: n.Start.UTC().Format(time.RFC3339Nano), Outcome: learn.Storable(string(n.Outcome)), Code: learn.Storable(n.Code), Model: learn.Storable(n.Model)}
		for _, id := range g.ids(n.Parents) {
			p.Parents = append(p.Parents, learn.Storable(id))
		}
		for _, id := range g.ids(n.Children) {
			p.Children = append(p.Children, learn.Storable(id))
		}
		if n.Timed() {
			ms := n.Duration.Round(time.Millisecond).Milliseconds()
			p.DurationMs = &ms
		}
		if n.Cost != nil {
			p.Cost = &publishedMoney{canon.Raw(n.Cost.Amount()), learn.Storable(n.Cost.Currency)}
		}
		all[i] = p
	}
	return all
}

func publishEdges(edges []Edge) []publishedEdge {
	all := make([]publishedEdge, len(edges))
	for i, e := range edges {
		all[i] = publishedEdge{learn.Storable(e.From), learn.Storable(e.To)}
	}
	return all
}
