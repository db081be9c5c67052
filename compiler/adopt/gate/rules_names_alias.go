package gate

import (
	"cmp"
	"fmt"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// aliases proposes names for the tools of one server, all from one table: whichever rule asks, a tool has one alias, and no two tools share one.
type aliases struct {
	server string
	room   int // characters that every client leaves to a tool's name
	table  *profiles.Aliases
	err    error
}

// NamesOf are what the server of a surface is called. Without a configured name it is what it calls itself, which is what people begin with.
func NamesOf(s *surface.McpSurfaceSnapshot, server, plugin string) profiles.Names {
	return profiles.Names{
		Server: cmp.Or(server, profiles.ServerName(s.ServerName())), Plugin: plugin, Title: cmp.Or(s.Server.Get("title").Text(), s.ServerName()),
	}
}

// newAliases makes the table over all tools of a server. Those that meets reports, and those that fold to the identifier of an earlier one, need an
// alias though nothing else is wrong with their names.
func newAliases(n profiles.Names, tools []surface.Item, meets func(name string) bool) *aliases {
	a := &aliases{server: n.Server, room: profiles.All().Room(n)}
	if a.room < profiles.MinAlias {
		return a
	}
	groups, folds := folded(tools)
	var names []string
	for _, it := range tools {
		if it.Name != "" {
			names = append(names, it.Name)
		}
	}
	a.table, a.err = profiles.NewAliases(n.Server, names, a.room, func(name string) bool {
		return groups[folds[name]][0] != name || meets != nil && meets(name)
	})
	return a
}

// propose puts the tool's alias into the finding about it, behind what its hint says. It is the smallest fix of a name that some client refuses.
func (a *aliases) propose(f diag.Finding) diag.Finding {
	words := ""
	switch {
	case a.room < profiles.MinAlias:
		words = fmt.Sprintf("configure the server under a shorter name: beside %s clients leave a tool %d characters", called(a.server), max(a.room, 0))
	case a.err != nil, wording.MaskAll(f.Tool) != f.Tool: // an alias shows what its name begins with
		words = "rename it in the server"
	default:
		alias, _ := a.table.Alias(f.Tool)
		words, f.Fix = fmt.Sprintf("rename it in the server; every client takes %q", alias), &diag.Fix{Alias: alias}
	}
	if f.Hint != "" {
		words = f.Hint + "; or " + words
	}
	f.Hint = words
	return f
}

// rename proposes an alias for the tool that the finding is about.
func (v *survey) rename(f diag.Finding) diag.Finding {
	if v.aliases == nil {
		v.aliases = newAliases(v.names(), v.Tools(), nil)
	}
	return v.aliases.propose(f)
}

// names are what the server is called.
func (v *survey) names() profiles.Names {
	return NamesOf(v.McpSurfaceSnapshot, v.options.Server, v.options.Plugin)
}

// leastNames are the names behind which tools are judged. Where none is configured it is one character: what is too long then is too long under
// any name.
func (v *survey) leastNames() profiles.Names {
	n := v.names()
	n.Server = cmp.Or(v.options.Server, "s")
	return n
}
