// Package commands says what the commands of a pack are: one for each approved operation, their flags and arguments, the flags that all have, the
// exit codes, and an example of each. It is what the emitters of the command line and of the skill, and the command line itself, agree on.
//
// It reads an AIR document, knows no pack's files and calls nothing. pack/emit/command writes the catalogue, internal/packcli reads what was typed.
package commands

import (
	"cmp"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Command is one approved operation as a command line has it.
type Command struct {
	Name         string           `json:"command"`
	Aliases      []string         `json:"aliases,omitempty"`
	Operation    string           `json:"operation"` // id; a name of the command too
	Tool         string           `json:"tool"`      // the server's name of it
	Group        string           `json:"group,omitzero"`
	Title        string           `json:"title"`
	Description  string           `json:"description,omitzero"` // the server's words
	Effect       air.Effect       `json:"effect"`
	Idempotency  air.Idempotency  `json:"idempotency"`
	Retries      air.Retries      `json:"retries"`
	Confirmation air.Confirmation `json:"confirmation"`
	QueryPolicy  *air.QueryPolicy `json:"queryPolicy,omitempty"` // what people state of the programs that it runs; nothing checks a program
	Params       []air.Param      `json:"params"`
	More         int              `json:"more,omitzero"` // arguments beyond Params, for --json alone
	Input        canon.Raw        `json:"input,omitzero"`
	Output       canon.Raw        `json:"output,omitzero"`
}

// Group is a capability with the commands in it.
type Group struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Commands []string `json:"commands"`
}

// Names returns what calls an operation: its command, its aliases and its id.
func Names(o air.Operation) []string {
	return append(append([]string{o.CLI.Command}, o.CLI.Aliases...), o.ID)
}

// Commands returns the commands of d by name: one for each approved operation. A name that stands for several operations, approved or not, case
// left aside, is none of a command's; the operation's id, which nothing else is called, is left then.
func Commands(d air.Document) []Command {
	taken := map[string]int{}
	for _, o := range d.Operations {
		own := map[string]bool{}
		for _, name := range Names(o) {
			if key := Fold(name); !own[key] {
				own[key] = true
				taken[key]++
			}
		}
	}
	groups := d.Memberships()
	all := []Command{}
	for _, o := range d.Operations {
		if o.State != air.StateApproved {
			continue
		}
		c := commandOf(o, func(name string) bool { return taken[Fold(name)] == 1 && usable(name) })
		c.Group = groups[o.ID]
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Command) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Operation, b.Operation))
	})
	return all
}

// Fold brings names that a person takes for one into one spelling.
func Fold(name string) string { return strings.ToLower(name) }

// usable reports a name that a command line takes for no flag and a shell for one plain word.
func usable(name string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
}

func commandOf(o air.Operation, free func(name string) bool) Command {
	c := Command{
		Name: o.ID, Operation: o.ID, Tool: o.MCP.ToolName, Title: o.DisplayName, Description: o.Description,
		Effect: o.Effect, Idempotency: o.Idempotency, Retries: o.Retries, Confirmation: o.Confirmation, QueryPolicy: o.QueryPolicy,
		Params: air.Params(o.Input.Schema), Input: o.Input.Schema, Output: o.Output.Schema,
	}
	if free(o.CLI.Command) {
		c.Name = o.CLI.Command
	}
	for _, alias := range o.CLI.Aliases {
		if free(alias) {
			c.Aliases = append(c.Aliases, alias)
		}
	}
	if c.Params == nil {
		c.Params = []air.Param{}
	}
	if root, err := canon.Parse(o.Input.Schema); err == nil {
		c.More = len(schema.Properties(root)) - len(c.Params)
	}
	return c
}

// Groups returns the capabilities that have commands, by id; commands without one are a group without an id, the last.
func Groups(d air.Document, all []Command) []Group {
	titles := map[string]string{}
	for _, c := range d.Capabilities {
		titles[c.ID] = c.DisplayName
	}
	members := map[string][]string{}
	for _, c := range all {
		members[c.Group] = append(members[c.Group], c.Name)
	}
	groups := []Group{}
	for id, names := range members {
		groups = append(groups, Group{id, titles[id], names})
	}
	slices.SortFunc(groups, func(a, b Group) int {
		if (a.ID == "") != (b.ID == "") {
			return strings.Compare(b.ID, a.ID)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return groups
}
