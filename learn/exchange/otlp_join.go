package exchange

import (
	"cmp"
	"slices"

	"anvil/learn"
)

// trace is the spans of one trace, as they came.
type trace struct {
	id     traceID
	spans  []span
	weight int
}

// What is held of a trace, a span and a call, in bytes, without their strings. They are measured generously: slices grow ahead.
const (
	traceWeight = 256
	spanWeight  = 160
	callWeight  = 800
)

func (s span) weight() int {
	if s.call == nil {
		return spanWeight
	}
	e := s.call.event
	w := spanWeight + callWeight + len(s.call.method) + len(s.call.request) + len(s.call.address)
	for _, text := range []string{e.ID, e.Tool.Server, e.Tool.Name, e.Tool.Contract, e.Session, e.Workflow, e.Parent, e.Client, e.Code, e.Model, e.Decoding, e.Resolver,
		e.Input.Shape, e.Input.Text, e.Output.Shape, e.Output.Text} {
		w += len(text)
	}
	return w
}

// joining is a trace while its calls are found.
type joining struct {
	spans []span
	at    map[spanID]int // the place of each span
	above []int          // the nearest call at or above each span; none, or unknown
	into  []int          // the call that each call is a part of; itself, if none
}

const (
	none    = -1
	unknown = -2
)

// calls are the calls of a trace, each once, in the order in which their outermost spans came.
func (t *trace) calls() []*call {
	j := &joining{spans: t.spans, at: make(map[spanID]int, len(t.spans)), above: make([]int, len(t.spans)), into: make([]int, len(t.spans))}
	for i, s := range t.spans {
		j.above[i], j.into[i] = unknown, i
		if other, again := j.at[s.id]; !again {
			j.at[s.id] = i
		} else if t.spans[other].call == nil {
			j.at[s.id] = i
		} else {
			t.spans[i].call = nil // exported twice
		}
	}
	for i, s := range j.spans {
		if s.call != nil {
			if p := j.parent(i); p != none && j.oneCall(p, i) {
				j.into[i] = p
			}
		}
	}
	j.pair()
	return j.collect()
}

// parent is the nearest call above a span.
func (j *joining) parent(i int) int {
	p, there := j.at[j.spans[i].parent]
	if !there || p == i {
		return none
	}
	return j.up(p)
}

// up is the nearest call at or above a span. Every span is passed once: what was passed is remembered, and who is met again on the way up goes in a circle.
func (j *joining) up(i int) int {
	var path []int
	found := unknown
	for found == unknown {
		switch {
		case j.spans[i].call != nil:
			found = i
		case j.above[i] != unknown:
			found = j.above[i]
		default:
			j.above[i] = none
			path = append(path, i)
			p, there := j.at[j.spans[i].parent]
			if i = p; !there {
				found = none
			}
		}
	}
	for _, passed := range path {
		j.above[passed] = found
	}
	return found
}

// rank is how far inside a call a span of this kind lies: what an agent does, what its client sends, what the server sees.
func rank(kind int64) int {
	switch kind {
	case 0, kindInternal:
		return 1
	case kindClient:
		return 2
	case kindServer:
		return 3
	}
	return 0
}

// oneCall reports whether the spans of two calls, the second the nearest below the first, are of one call: the same tool by the same method, seen further inside.
func (j *joining) oneCall(outer, inner int) bool {
	o, i := j.spans[outer].call, j.spans[inner].call
	if i.own || o.event.Tool.Name != i.event.Tool.Name || o.method != "" && i.method != "" && o.method != i.method {
		return false
	}
	ro, ri := rank(o.kind), rank(i.kind)
	switch {
	case ro == 0 || ri == 0:
		return false
	case ro == 3 && ri == 1:
		return i.method == "" // the server's own span of the tool it runs
	case ro == 1 && ri == 2:
		// What a server's tool span sends on is another call: a gateway's.
		q := j.parent(outer)
		return q == none || rank(j.spans[q].call.kind) != 3 || j.spans[q].call.event.Tool.Name != o.event.Tool.Name
	}
	return ro < ri
}

type request struct{ id, tool string }

// pair joins a server's span to the client's by the id of their JSON-RPC request, where the spans between them are missing. Such ids are only told apart within a
// session, so each client's span takes one at most.
func (j *joining) pair() {
	clients, taken := map[request][]int{}, map[int]bool{}
	for i, s := range j.spans {
		if s.call != nil && s.call.kind == kindServer && j.into[i] != i {
			taken[j.into[i]] = true
		}
	}
	for i, s := range j.spans {
		if s.call != nil && s.call.request != "" && s.call.kind == kindClient && !taken[i] {
			key := request{s.call.request, s.call.event.Tool.Name}
			clients[key] = append(clients[key], i)
		}
	}
	for i, s := range j.spans {
		if s.call == nil || s.call.request == "" || s.call.kind != kindServer || j.into[i] != i || s.call.own {
			continue
		}
		key := request{s.call.request, s.call.event.Tool.Name}
		waiting := clients[key]
		for n, c := range waiting[:min(len(waiting), maxAlike)] {
			client := j.spans[c].call
			if !(client.session && s.call.session && client.event.Session != s.call.event.Session) {
				j.into[i], clients[key] = c, slices.Delete(waiting, n, n+1)
				break
			}
		}
	}
}

// maxAlike is how many calls of one request id are looked at to find the one of a server's span.
const maxAlike = 64

// root is the outermost span of the call that a span is of. Who goes in a circle is its own.
func (j *joining) root(i int) int {
	at := i
	for range maxParts {
		if j.into[at] == at {
			return at
		}
		at = j.into[at]
	}
	return i
}

// maxParts is how many spans of one call stand inside one another at most: an agent's, its client's, the server's, the server's own of its tool.
const maxParts = 4

func (j *joining) collect() []*call {
	parts := map[int][]*call{}
	var roots []int
	for i, s := range j.spans {
		if s.call == nil {
			continue
		}
		r := j.root(i)
		if r == i {
			roots = append(roots, i)
			continue
		}
		parts[r] = append(parts[r], s.call)
	}
	calls := make([]*call, 0, len(roots))
	for _, r := range roots {
		c := j.spans[r].call
		c.finish(parts[r])
		if p := j.parent(r); p != none && c.event.Parent == "" && !c.own {
			if p = j.root(p); p != r {
				c.event.Parent = j.spans[p].call.event.ID
			}
		}
		calls = append(calls, c)
	}
	return calls
}

// finish gives a call what its inner spans know and it does not.
func (c *call) finish(parts []*call) {
	e := &c.event
	for _, p := range parts {
		o := p.event
		if p.kind == kindClient {
			c.sends++
		}
		if !c.session && p.session {
			e.Session, c.session = o.Session, true
		}
		if e.Outcome == learn.Failed && o.Outcome == learn.Failed && e.Code == learn.UnknownCode {
			e.Code = o.Code
		}
		e.Model, e.Workflow, e.Tool.Contract = cmp.Or(e.Model, o.Model), cmp.Or(e.Workflow, o.Workflow), cmp.Or(e.Tool.Contract, o.Tool.Contract)
		e.Tokens, e.Cost = cmp.Or(e.Tokens, o.Tokens), cmp.Or(e.Cost, o.Cost)
		if !e.Timed() {
			e.Duration = o.Duration
		}
		if e.Input.Bytes < 0 {
			e.Input = o.Input
		}
		if e.Output.Bytes < 0 {
			e.Output = o.Output
		}
	}
	e.Attempts = max(e.Attempts, c.sends)
	if !c.own {
		c.attribute(parts)
	}
}

// attribute says whose tool was called, and by whom: as a span states it, by the address that the client called, or as the server calls itself.
func (c *call) attribute(parts []*call) {
	e := &c.event
	all := append([]*call{c}, parts...)
	for _, p := range all {
		e.Tool.Server = cmp.Or(e.Tool.Server, p.event.Tool.Server, p.address)
	}
	for _, p := range all {
		if p.kind == kindServer {
			e.Tool.Server = cmp.Or(e.Tool.Server, p.from.service)
		}
	}
	if c.kind != kindServer {
		e.Client = cmp.Or(e.Client, c.from.service)
	}
}
