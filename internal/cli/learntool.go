package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"anvil/compiler/diag"
	"anvil/internal/near"
	"anvil/learn"
	"anvil/learn/sqlstore"
)

// filterOf picks one tool under all of its contracts.
func filterOf(t learn.Tool) learn.Filter {
	return learn.Filter{Server: t.Server, Nobodys: t.Server == "", Name: t.Name}
}

// foundTool returns the tool that a word of the line means, with the contract seen last: a name, a server, a slash and a name, or a slash and the name of a tool
// without a server. Servers and names may hold slashes themselves, so a word may mean several; then it means none, and the caller is asked to say which.
func (sh *shell) foundTool(s *sqlstore.Store, server, word string) (learn.Record, error) {
	if server != "" {
		r, err := s.Find(sh.ctx, server, word)
		return r, sh.unknownTool(s, word, err)
	}
	readings := []learn.Filter{{Name: word}}
	for i := range len(word) {
		if word[i] == '/' {
			readings = append(readings, filterOf(learn.Tool{Server: word[:i], Name: word[i+1:]}))
		}
	}
	var found []learn.Record
	for _, f := range readings {
		if f.Name == "" {
			continue
		}
		for r, err := range s.Records(sh.ctx, f) {
			if err != nil {
				return learn.Record{}, err
			}
			found = append(found, r)
		}
	}
	lastCall := func(r learn.Record) learn.Cell { return r.Cell(learn.All, learn.Dimensions{}) }
	found = learn.Latest(found, func(r learn.Record) learn.Tool { return r.Tool }, func(a, b learn.Record) int {
		return cmp.Or(lastCall(a).Last.Compare(lastCall(b).Last), a.Updated.Compare(b.Updated))
	})
	switch len(found) {
	case 0:
		return learn.Record{}, sh.unknownTool(s, word, learn.ErrUnknownTool)
	case 1:
		return found[0], nil
	}
	return learn.Record{}, severalTools(word, found)
}

// severalTools says how each of the tools that a word may mean is named alone.
func severalTools(word string, found []learn.Record) error {
	slices.SortFunc(found, func(a, b learn.Record) int { return a.Tool.Compare(b.Tool) })
	var ways []string
	for _, r := range found {
		switch {
		case r.Tool.Server == "":
			ways = append(ways, diag.ShellWord("/"+r.Tool.Name))
		case r.Tool.Name == word:
			ways = append(ways, diag.ShellWord(r.Tool.String()))
		default:
			ways = append(ways, "--server "+diag.ShellWord(r.Tool.Server)+" "+diag.ShellWord(r.Tool.Name))
		}
	}
	return usagef("%s may mean %d tools: %s; say which, as SERVER/TOOL or with --server", brief(word), len(found), strings.Join(ways[:min(len(ways), howMany)], ", or "))
}

// unknownTool says which tools may be meant.
func (sh *shell) unknownTool(s *sqlstore.Store, word string, err error) error {
	if !errors.Is(err, learn.ErrUnknownTool) {
		return err
	}
	var names []string
	for r, err := range s.Records(sh.ctx, learn.Filter{Windows: learn.OnlyAll}) {
		if err != nil {
			return err
		}
		names = append(names, r.Tool.String(), r.Tool.Name)
	}
	word = diag.Shorten(diag.Printable(word), 80)
	switch close := near.Names(word, names); {
	case len(close) > 0:
		return usagef("no tool %s was observed%s", word, near.Question(close, ""))
	case len(names) == 0:
		return usagef("no tool %s was observed, nor any other: calls are recorded with `anvil mcp serve PACK --learn DB`, or brought with `anvil learn import FILE`", word)
	}
	return usagef("no tool %s was observed; `anvil learn stats` without a name lists those that were", word)
}
