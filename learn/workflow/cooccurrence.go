package workflow

import (
	"cmp"
	"maps"
	"slices"

	"anvil/compiler/canon"
	"anvil/learn"
)

// What it takes for tools to be told of as used together.
const (
	fewestTogether = 2   // sessions, of a tool and of the two
	topPartners    = 3   //
	mostPaired     = 256 // different tools of a session that are paired, by their first calls: pairs grow with the square
)

// ToolCooccurrence is the key of the insight of which other tools a tool's sessions use.
const ToolCooccurrence = "tool_cooccurrence"

// partner is one entry of the insight.
type partner struct {
	Tool     string    `json:"tool"`
	Server   string    `json:"server,omitempty"`
	Sessions int       `json:"sessions"`
	Support  canon.Raw `json:"support"`
}

// Cooccurrence is the insight [ToolCooccurrence] of each tool that has one: which others its sessions use as well, at most three, with how many sessions use both
// and which share of the tool's own that is. Tools are told apart by server, and the insight is for the contract that was called last.
func Cooccurrence(sessions []Session, o Options) map[learn.Tool]learn.Insight {
	in := map[learn.Tool]int{}
	together := map[learn.Tool]map[learn.Tool]int{}
	last := map[learn.Tool]learn.Event{}
	for _, tools := range bySession(sessions, last) {
		for _, a := range tools {
			in[a]++
			if together[a] == nil {
				together[a] = map[learn.Tool]int{}
			}
			for _, b := range tools {
				if a != b {
					together[a][b]++
				}
			}
		}
	}
	found := map[learn.Tool]learn.Insight{}
	for tool, n := range in {
		if n < fewestTogether {
			continue
		}
		if partners := top(together[tool], n); len(partners) > 0 {
			found[last[tool].Tool] = o.insight(ToolCooccurrence, partners, min(95, 50+5*n), int64(n), last[tool].At)
		}
	}
	return found
}

// bySession lists the different tools of each session, and notes the latest event of each tool. Parts of one session that name several workflows are one.
func bySession(sessions []Session, last map[learn.Tool]learn.Event) map[string][]learn.Tool {
	tools := map[string][]learn.Tool{}
	seen := map[string]map[learn.Tool]bool{}
	for _, s := range sessions {
		if seen[s.ID] == nil {
			seen[s.ID] = map[learn.Tool]bool{}
		}
		for i := range s.Graph.Nodes {
			e := s.Graph.Nodes[i].Event
			tool := plain(e.Tool)
			if had, known := last[tool]; !known || cmp.Or(e.At.Compare(had.At), e.Tool.Compare(had.Tool)) > 0 {
				last[tool] = e
			}
			if !seen[s.ID][tool] && len(tools[s.ID]) < mostPaired {
				seen[s.ID][tool] = true
				tools[s.ID] = append(tools[s.ID], tool)
			}
		}
	}
	return tools
}

// top are the partners of a tool with the most sessions.
func top(with map[learn.Tool]int, of int) []partner {
	tools := slices.SortedFunc(maps.Keys(with), func(a, b learn.Tool) int {
		return cmp.Or(cmp.Compare(with[b], with[a]), a.Compare(b))
	})
	var partners []partner
	for _, t := range tools[:min(len(tools), topPartners)] {
		if n := with[t]; n >= fewestTogether {
			partners = append(partners, partner{learn.Storable(t.Name), learn.Storable(t.Server), n, share(float64(n) / float64(of))})
		}
	}
	return partners
}
