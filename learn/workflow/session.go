package workflow

import (
	"cmp"
	"iter"
	"slices"

	"anvil/learn"
)

// Session is the calls of one session of a workflow.
type Session struct {
	ID       string
	Workflow string // "" where nobody named one
	Graph    *Graph
}

// Name is what a session's workflow is called where insights are kept: its name, or "session:" and the session's id where it has none, so that sessions without
// a workflow stay apart.
func (s Session) Name() string {
	if s.Workflow == "" {
		return "session:" + s.ID
	}
	return s.Workflow
}

// Sessions groups events by session and workflow, sorted by workflow, then by their first start, then by id. Calls of a session that name no workflow belong to
// the one that its others name, if that is one. Events without a session are left out: nothing says what they belong to.
func Sessions(events []learn.Event) []Session {
	named := map[string]string{} // the only workflow of a session; "" where there are several
	for _, e := range events {
		if e.Workflow == "" {
			continue
		}
		if have, known := named[e.Session]; known && have != e.Workflow {
			named[e.Session] = ""
		} else {
			named[e.Session] = e.Workflow
		}
	}
	type key struct{ session, workflow string }
	groups := map[key][]learn.Event{}
	for _, e := range events {
		if e.Session == "" {
			continue
		}
		k := key{e.Session, cmp.Or(e.Workflow, named[e.Session])}
		groups[k] = append(groups[k], e)
	}
	var sessions []Session
	for k, group := range groups {
		sessions = append(sessions, Session{k.session, k.workflow, Build(group)})
	}
	slices.SortFunc(sessions, func(a, b Session) int {
		return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), a.Graph.Nodes[0].Start.Compare(b.Graph.Nodes[0].Start), cmp.Compare(a.ID, b.ID))
	})
	return sessions
}

// MostCalls is how many calls workflows and graphs are made of where nobody says otherwise.
const MostCalls = 200_000

// Latest are the last of a sequence of events, no more than so many, in their order. cut: there were more.
func Latest(events iter.Seq2[learn.Event, error], most int) (latest []learn.Event, cut bool, err error) {
	n := 0
	for e, err := range events {
		if err != nil {
			return nil, false, err
		}
		if len(latest) < most {
			latest = append(latest, e)
		} else {
			latest[n%most] = e
		}
		n++
	}
	if cut = n > most; cut {
		latest = slices.Concat(latest[n%most:], latest[:n%most])
	}
	return latest, cut, nil
}

// failed reports a session in which a call failed.
func (s Session) failed() bool {
	return slices.ContainsFunc(s.Graph.Nodes, func(n Node) bool { return n.Outcome == learn.Failed })
}

// timed reports a session of which a call was timed.
func (s Session) timed() bool {
	return slices.ContainsFunc(s.Graph.Nodes, func(n Node) bool { return n.Timed() })
}

// tools names the tools of nodes, in their order: with their server, without their contract.
func (g *Graph) tools(nodes []int) []learn.Tool {
	tools := make([]learn.Tool, len(nodes))
	for at, i := range nodes {
		tools[at] = plain(g.Nodes[i].Tool)
	}
	return tools
}

// plain is a tool whatever its contract.
func plain(t learn.Tool) learn.Tool { return learn.Tool{Server: t.Server, Name: t.Name} }
