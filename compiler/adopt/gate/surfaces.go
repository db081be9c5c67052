package gate

import (
	"cmp"
	stdcontext "context"
	"fmt"
	"slices"
	"sync"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// Surface is one server of a configuration, as [CheckTogetherContext] is given it.
type Surface struct {
	Server   string // the configured name
	Plugin   string // the plugin that brings it, where one does
	Snapshot *surface.McpSurfaceSnapshot
	Costs    *Counter // of the snapshot; nil lets the gate count for itself
}

// CheckTogetherContext judges what only shows when several servers are given to one client: names that meet, names that look alike, texts of one
// that name tools of another, and what all tools come to. What is wrong with one server alone is [Check]'s. The verdict is empty for fewer than two surfaces. Of the options it reads
// Clients, Accepted and Now. It ends as [CheckContext] does.
func CheckTogetherContext(ctx stdcontext.Context, surfaces []Surface, o Options) (Verdict, error) {
	o.Server = ""
	var snapshots []*surface.McpSurfaceSnapshot
	for _, s := range surfaces {
		snapshots = append(snapshots, s.Snapshot)
	}
	c := newCollector(o, snapshots...)
	if len(surfaces) < 2 {
		return c.verdict(), nil
	}
	return unlessEnded(ctx, func() Verdict {
		v := &survey{options: o, ctx: ctx}
		for _, client := range profiles.All().Clients {
			v.axes = append(v.axes, axis{profile: client, counts: slices.Contains(o.Clients, client.ID)})
		}
		v.meet(surfaces, c)
		return c.verdict()
	})
}

// meet hands what is found of the surfaces together to the collector.
func (v *survey) meet(surfaces []Surface, c *collector) {
	sorted := slices.Clone(surfaces)
	slices.SortStableFunc(sorted, func(a, b Surface) int { return cmp.Compare(a.Server, b.Server) })
	tools := gather(sorted)
	for _, find := range []func() []diag.Finding{
		func() []diag.Finding {
			return renamed(sorted, slices.Concat(sameNames(tools), v.exposedAlike(tools), alikeAcross(tools)))
		},
		func() []diag.Finding { return v.speakingOfOthers(sorted, tools) },
		func() []diag.Finding { return v.together(sorted) },
	} {
		found := find()
		newVeil(nil).over(found)
		if c.add(found); v.ended() {
			return
		}
	}
}

// renamed proposes an alias for every tool that meets one of another server's, from one table over all tools of its server.
func renamed(surfaces []Surface, findings []diag.Finding) []diag.Finding {
	meets := map[string]map[string]bool{} // by server and tool
	isMet := func(f diag.Finding) bool { return f.Rule == nameAcrossServers.ID || f.Rule == toolShadowing.ID }
	for _, f := range findings {
		if isMet(f) {
			if meets[f.Server] == nil {
				meets[f.Server] = map[string]bool{}
			}
			meets[f.Server][f.Tool] = true
		}
	}
	tables := map[string]*aliases{}
	for _, s := range surfaces {
		if met := meets[s.Server]; met != nil && tables[s.Server] == nil {
			tables[s.Server] = newAliases(NamesOf(s.Snapshot, s.Server, s.Plugin), s.Snapshot.Tools(), func(name string) bool { return met[name] })
		}
	}
	for i, f := range findings {
		if isMet(f) {
			findings[i] = tables[f.Server].propose(f)
		}
	}
	return findings
}

// acrossServers are the rules by which a server has a finding for what another one lists.
var acrossServers = []string{nameAcrossServers.ID, toolShadowing.ID, confusableName.ID, injectionCues.ID}

// NeedsOthers reports an acceptance that may be about what only several servers together show, so that a look at one of them does not tell whether it
// is used.
func (a Acceptance) NeedsOthers() bool {
	return a.Fingerprint != "" || slices.Contains(acrossServers, a.Rule)
}

// offer is a tool and the server that lists it.
type offer struct {
	surface.Item
	from *Surface
}

// gather returns the named tools of all surfaces, server by server; one that a server lists twice is there once.
func gather(surfaces []Surface) []offer {
	var tools []offer
	for i := range surfaces {
		last := ""
		for _, it := range (&survey{McpSurfaceSnapshot: surfaces[i].Snapshot}).named() {
			if it.Name != last {
				tools = append(tools, offer{it, &surfaces[i]})
			}
			last = it.Name
		}
	}
	return tools
}

// between starts a finding about a tool that meets one of another server.
func between(rule diag.Rule, t offer, message string) diag.Finding {
	f := about(rule, t.Item, "/name", message, t.Node.Get("name"))
	f.Server = t.from.Server
	return f
}

// sameNames reports tools that have the name of another server's: shadowing where they are not the same tool.
func sameNames(tools []offer) []diag.Finding {
	var findings []diag.Finding
	first := map[string]offer{}
	for _, t := range tools {
		other, taken := first[t.Name]
		if !taken {
			first[t.Name] = t
			continue
		}
		rule, words := nameAcrossServers, "list the same tool"
		if t.Digest != other.Digest { // another description alone is how a tool is shadowed
			rule, words = toolShadowing, "list different tools under the name"
		}
		f := between(rule, t, fmt.Sprintf("servers %s and %s %s %s", called(other.from.Server), called(t.from.Server), words, called(t.Name)))
		f.Hint = "approve it on one server only, or serve both through the facade, which keeps them apart"
		findings = append(findings, f.Sealed(other.from.Server))
	}
	return findings
}

// alikeAcross reports names that look like a tool's of another server.
func alikeAcross(tools []offer) []diag.Finding {
	var findings []diag.Finding
	seen, first := newLooks(), map[string]*Surface{}
	own := map[string]map[*Surface]bool{}
	for _, t := range tools {
		if own[t.Name] == nil {
			own[t.Name], first[t.Name] = map[*Surface]bool{}, t.from
		}
		own[t.Name][t.from] = true
	}
	for _, t := range tools {
		other, found := seen.addAny(t.Name)
		if !found || own[other][t.from] {
			continue
		}
		f := alike(t.Item, other, fmt.Sprintf("tool name %s looks like %s of server %s", spelled(t.Name), spelled(other), called(first[other].Server)))
		f.Server = t.from.Server
		findings = append(findings, f.Sealed(first[other].Server, other))
	}
	return findings
}

// together judges the sums: tools and tokens of all servers, by what each client takes beside its own.
func (v *survey) together(surfaces []Surface) []diag.Finding {
	count, bound := 0, 0
	for i, s := range surfaces {
		if s.Costs == nil {
			surfaces[i].Costs = NewCounter(s.Snapshot)
		}
		count += len(s.Snapshot.Tools())
		for _, it := range s.Snapshot.Tools() {
			bound += atMost(it)
		}
	}
	leaving := sync.OnceValue(func() []spentTool { return leavingTogether(surfaces) })
	findings := v.toolsPerClient("configuration", fmt.Sprintf("%d servers list", len(surfaces)), count, leaving)
	return append(findings, v.tokensPerClient("configuration", fmt.Sprintf("the tools of %d servers take", len(surfaces)), bound, func() spent {
		return spentTogether(surfaces)
	})...)
}

// leavingTogether are the tools of all surfaces in the order in which they are left out. Which of two servers' near-duplicates is the better is not
// known; those within one server go first.
func leavingTogether(surfaces []Surface) []spentTool {
	var tools []spentTool
	for _, s := range surfaces {
		for _, t := range (newSurvey(s.Snapshot, Options{Costs: s.Costs})).leaving() {
			t.label = s.Server + ": " + t.label
			tools = append(tools, t)
		}
	}
	return inOrder(tools)
}

func spentTogether(surfaces []Surface) spent {
	var sum spent
	for i := range surfaces {
		s := &surfaces[i]
		for _, c := range s.Costs.ranked() {
			c.Tool = s.Server + ": " + c.Tool
			sum.ranked, sum.tokens = append(sum.ranked, c), sum.tokens+c.Tokens
		}
		sum.estimator = cmp.Or(sum.estimator, s.Costs.Estimator())
	}
	slices.SortStableFunc(sum.ranked, func(a, b Cost) int { return b.Tokens - a.Tokens })
	return sum
}
