package workflow

import (
	"cmp"
	"maps"
	"slices"

	"anvil/learn"
)

// Costs is what calls cost, exact and by currency. Each list of money is sorted by currency and has each once.
type Costs struct {
	Total  []learn.Money
	ByTool []ToolCost // by tool
	ByNode []NodeCost // in the order of the graph, those whose cost is known
	OnPath []learn.Money
}

// ToolCost is what the calls of one tool under one contract cost.
type ToolCost struct {
	Tool learn.Tool
	Cost []learn.Money
}

// NodeCost is what one call cost.
type NodeCost struct {
	ID   string
	Cost learn.Money
}

// Costs sums what calls cost; a path's apart.
func (g *Graph) Costs(path []string) Costs {
	total, onPath := purse{}, purse{}
	tools := map[learn.Tool]purse{}
	var c Costs
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Cost == nil {
			continue
		}
		c.ByNode = append(c.ByNode, NodeCost{n.ID, *n.Cost})
		total.add(*n.Cost)
		if tools[n.Tool] == nil {
			tools[n.Tool] = purse{}
		}
		tools[n.Tool].add(*n.Cost)
	}
	for _, i := range g.find(path) {
		if cost := g.Nodes[i].Cost; cost != nil {
			onPath.add(*cost)
		}
	}
	for _, tool := range slices.SortedFunc(maps.Keys(tools), learn.Tool.Compare) {
		c.ByTool = append(c.ByTool, ToolCost{tool, tools[tool].list()})
	}
	c.Total, c.OnPath = total.list(), onPath.list()
	return c
}

// purse is millionths by currency.
type purse map[string]int64

func (p purse) add(m learn.Money) { p[m.Currency] = plus(p[m.Currency], max(0, m.Micros)) }

func (p purse) list() []learn.Money {
	var all []learn.Money
	for currency, micros := range p {
		all = append(all, learn.Money{Micros: micros, Currency: currency})
	}
	slices.SortFunc(all, func(a, b learn.Money) int { return cmp.Compare(a.Currency, b.Currency) })
	return all
}

// spent is what all calls of the graph cost.
func (g *Graph) spent() purse {
	p := purse{}
	for i := range g.Nodes {
		if cost := g.Nodes[i].Cost; cost != nil {
			p.add(*cost)
		}
	}
	return p
}
