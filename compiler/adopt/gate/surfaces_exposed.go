package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// exposedAlike reports what two servers' tools have in common for a client: the name under which it shows them. A client that is known to refuse it
// has a finding on its axis. Of those whose own prefix makes one name of two, and of which nothing more is known, there is one for everyone.
func (v *survey) exposedAlike(tools []offer) []diag.Finding {
	var findings []diag.Finding
	joined := joinedNames{}
	for _, a := range v.axes {
		limit, limited := a.profile.Limit(nameAcrossServers.ID)
		if !limited && a.profile.Naming.Prefix == "" {
			continue
		}
		a.limit = limit
		a.eachAlike(tools, func(t, other offer, exposed string) {
			switch {
			case limited:
				f := between(nameAcrossServers, t, fmt.Sprintf("%s are both shown as %s", both(other, t), called(exposed)))
				f.Hint = apartHint
				findings = append(findings, a.judge(f).Sealed(other.from.Server, other.Name))
			case t.Name != other.Name: // else it is reported for the name itself
				joined.add(a, t, other, exposed)
			}
		})
	}
	return append(findings, joined.findings()...)
}

const apartHint = "approve it on one server only, or configure one of the servers under another name"

func both(a, b offer) string {
	return fmt.Sprintf("tool %s of server %s and tool %s of server %s", called(a.Name), called(a.from.Server), called(b.Name), called(b.from.Server))
}

// eachAlike hands over every tool that the client shows under the name of an earlier one of another server.
func (a axis) eachAlike(tools []offer, yield func(t, other offer, exposed string)) {
	first, names := map[string]offer{}, a.called(tools)
	for _, t := range tools {
		exposed := a.profile.Expose(names[t.from], t.Name)
		if other, taken := first[exposed]; !taken {
			first[exposed] = t
		} else if other.from != t.from {
			yield(t, other, exposed)
		}
	}
}

// joinedName is what clients make of two tools that have different names.
type joinedName struct {
	t, other offer
	exposed  string   // by the first of the clients
	clients  []string // in the order of the data
	counts   bool     // for one of them
}

// joinedNames are the joined names by tool and other tool, in the order in which they were found.
type joinedNames struct {
	list []*joinedName
	at   map[[4]string]*joinedName
}

func (j *joinedNames) add(a axis, t, other offer, exposed string) {
	key := [4]string{t.from.Server, t.Name, other.from.Server, other.Name}
	if j.at == nil {
		j.at = map[[4]string]*joinedName{}
	}
	if j.at[key] == nil {
		j.at[key] = &joinedName{t: t, other: other, exposed: exposed}
		j.list = append(j.list, j.at[key])
	}
	j.at[key].clients = append(j.at[key].clients, a.profile.ID)
	j.at[key].counts = j.at[key].counts || a.counts
}

// findings are information unless one of the clients has to take the surfaces.
func (j *joinedNames) findings() []diag.Finding {
	var findings []diag.Finding
	for _, n := range j.list {
		f := between(nameAcrossServers, n.t, fmt.Sprintf("%s are both shown as %s by %s", both(n.other, n.t), called(n.exposed), n.clients[0]))
		if rest := n.clients[1:]; len(rest) > 0 {
			f.Message += ", and under one name by " + strings.Join(rest, ", ")
		}
		if f.Hint = apartHint; !n.counts {
			f.Class = diag.Info
		}
		findings = append(findings, f.Sealed(n.other.from.Server, n.other.Name))
	}
	return findings
}

// called are the servers' names for the client, with a number for those that would have the prefix of another.
func (a axis) called(tools []offer) map[*Surface]profiles.Names {
	names, servers := map[*Surface]profiles.Names{}, map[string]int{}
	for _, t := range tools {
		if _, known := names[t.from]; known {
			continue
		}
		n := NamesOf(t.from.Snapshot, t.from.Server, t.from.Plugin)
		if a.profile.Naming.Numbered {
			prefix := a.profile.Prefix(n)
			servers[prefix]++
			n.Number = servers[prefix]
		}
		names[t.from] = n
	}
	return names
}
