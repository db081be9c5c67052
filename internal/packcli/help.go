package packcli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
)

// Help returns the help of a command, or of all of them for nil. What a server said in it is escaped and stands behind a bar, so that none of it
// passes for anvil's own.
func (c *CLI) Help(of *commands.Command) string {
	if of != nil {
		return c.commandHelp(of)
	}
	var b strings.Builder
	s := c.document.Service
	fmt.Fprintf(&b, "%s: the approved operations of the MCP server %s %s, as commands\n\n", s.ID, quoted(s.Name), diag.Printable(diag.ShortName(s.Version)))
	fmt.Fprintf(&b, "usage: %s COMMAND [FLAG...] [-- SERVER ARG...]\n", c.program)
	titles := commands.Groups(c.document, c.commands)
	for _, g := range titles {
		title := g.ID
		if g.Title != "" {
			title = quoted(g.Title)
		}
		if title == "" {
			title = "others"
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		c.listCommands(&b, g.ID)
	}
	if n := len(c.document.Operations) - len(c.commands); n > 0 {
		fmt.Fprintf(&b, "\nnot approved, so no commands: %d of %d operations%s; see them with `anvil mcp inspect %s`, approve with `anvil mcp approve %s OPERATION`\n",
			n, len(c.document.Operations), c.blockedOnes(), diag.ShellPath(c.dir), diag.ShellPath(c.dir))
	}
	if c.server != "" && c.server == c.name {
		fmt.Fprintf(&b, "\nthe server is started as %s, out of PATH: do not put this program there under that name, or it starts itself; link to it under another\n", quoted(c.server))
	}
	b.WriteString("\nflags of every command\n")
	writeOwnFlags(&b, "")
	writeExits(&b)
	fmt.Fprintf(&b, "\nsee `%s COMMAND --help` for one command\n", c.program)
	return b.String()
}

// blockedOnes counts the operations that no approval exposes.
func (c *CLI) blockedOnes() string {
	n := 0
	for _, o := range c.document.Operations {
		if o.State == air.StateBlocked {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (blocked, whoever approves: %d)", n)
}

// Widths of the list of commands, in characters.
const (
	listedTitle = 60
	maxShown    = 4000 // of one text of a server's
)

func (c *CLI) listCommands(b *strings.Builder, group string) {
	w := diag.NewTable(b)
	for _, cmd := range c.commands {
		if cmd.Group == group {
			fmt.Fprintf(w, "  %s\t%s\t| %s\n", strings.Join(append([]string{cmd.Name}, cmd.Aliases...), ", "), mark(cmd), diag.Printable(diag.Shorten(firstLine(cmd), listedTitle)))
		}
	}
	w.Flush()
}

// mark is the effect of a command in few words.
func mark(c commands.Command) string {
	words := string(c.Effect.Kind)
	if c.Effect.Kind != air.Read {
		words = "changes, " + string(c.Effect.Risk) + " risk"
	}
	if c.Confirmation.Required {
		words += ", asks"
	}
	return words
}

func firstLine(c commands.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Description), "\n")
	if line == "" {
		return c.Title
	}
	return line
}

// wholeOnly are the flags that no command takes.
const wholeOnly = " completion version "

func writeOwnFlags(b *strings.Builder, without string) {
	w := diag.NewTable(b)
	for _, f := range commands.Flags {
		if strings.Contains(without, " "+f.Name+" ") {
			continue
		}
		fmt.Fprintf(w, "  --%s\t%s\n", strings.TrimSpace(f.Name+" "+f.Value), f.Usage)
	}
	w.Flush()
}

func writeExits(b *strings.Builder) {
	b.WriteString("\nexit codes\n")
	for _, code := range slices.Sorted(maps.Keys(commands.ExitCodes)) {
		fmt.Fprintf(b, "  %d  %s\n", code, commands.ExitCodes[code])
	}
}

func (c *CLI) commandHelp(cmd *commands.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s %s%s\n\n", c.program, cmd.Name, usageOf(cmd))
	writeServerText(&b, "", firstOf(cmd.Description, cmd.Title))
	w := diag.NewTable(&b)
	fmt.Fprintf(w, "\neffect\t%s\n", diag.Printable(cmd.EffectWords()+"; "+cmd.RepeatWords(quoted)))
	fmt.Fprintf(w, "confirmation\t%s\n", confirmationOf(cmd))
	if cmd.QueryPolicy != nil {
		fmt.Fprintf(w, "programs\t%s\n", diag.Printable(cmd.QueryPolicy.Words()))
	}
	fmt.Fprintf(w, "tool\t%s, as operation %s\n", quoted(cmd.Tool), cmd.Operation)
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "also called\t%s\n", strings.Join(cmd.Aliases, ", "))
	}
	w.Flush()
	if len(cmd.Params) > 0 {
		b.WriteString("\nflags\n")
	}
	writeArguments(&b, cmd)
	if cmd.More > 0 {
		fmt.Fprintf(&b, "  and %d arguments more, which --json alone gives; see --schema\n", cmd.More)
	}
	b.WriteString("\nflags of every command\n")
	writeOwnFlags(&b, wholeOnly)
	writeExits(&b)
	fmt.Fprintf(&b, "\nexample\n  %s\n", c.example(cmd))
	return b.String()
}

// writeArguments writes the flags of a command, and below those that take JSON what stands in it.
func writeArguments(b *strings.Builder, cmd *commands.Command) {
	for _, a := range commands.Arguments(*cmd) {
		left, right := quoted(a.Path), partNotes(a)
		if p, ok := paramOf(cmd, a.Flag); ok && !a.Part {
			left, right = strings.TrimSpace("--"+p.Flag+" "+label(p)), notes(p, a)
		} else {
			left = "  " + left
		}
		fmt.Fprintf(b, "  %-28s  %s\n", left, right)
		if a.Said != "" {
			writeServerText(b, "    ", a.Said)
		}
	}
}

// partNotes say what a part of an argument is.
func partNotes(a commands.Argument) string {
	notes := []string{a.Type}
	if a.Required {
		notes = append(notes, "required")
	}
	return strings.Join(append(notes, limits(a)...), "; ")
}

// limits say which values an argument takes.
func limits(a commands.Argument) (notes []string) {
	if len(a.Enum) > 0 {
		notes = append(notes, "one of "+choices(a.Enum))
	}
	if a.Format != "" {
		notes = append(notes, "format "+diag.Printable(diag.ShortName(a.Format)))
	}
	notes = append(notes, a.Bounds...)
	if a.Pattern != "" {
		notes = append(notes, "pattern "+quoted(a.Pattern))
	}
	if a.Deeper {
		notes = append(notes, "more in --schema")
	}
	return notes
}

// usageOf is what has to be given.
func usageOf(cmd *commands.Command) string {
	var b strings.Builder
	for _, p := range cmd.Params {
		if p.Required {
			fmt.Fprintf(&b, " --%s", strings.TrimSpace(p.Flag+" "+label(p)))
		}
	}
	if cmd.Confirmation.Required && !cmd.Confirmation.HumanApproval {
		b.WriteString(" --confirm")
	}
	return b.String() + " [FLAG...]"
}

// writeServerText writes a text of the server's, each line escaped and behind a bar.
func writeServerText(b *strings.Builder, indent, text string) {
	short := diag.Shorten(strings.TrimSpace(text), maxShown)
	for line := range strings.SplitSeq(short, "\n") {
		fmt.Fprintf(b, "%s| %s\n", indent, diag.Printable(strings.TrimSuffix(line, "\r")))
	}
	if short != strings.TrimSpace(text) {
		fmt.Fprintf(b, "%s(cut here; commands.json beside the launcher has all of it)\n", indent)
	}
}

func confirmationOf(cmd *commands.Command) string {
	if !cmd.Confirmation.Required {
		return "not asked for"
	}
	if cmd.Confirmation.HumanApproval {
		return "a person's yes at a terminal (" + diag.Printable(cmd.Confirmation.Reason) + "), whatever --confirm says"
	}
	return "asked for (" + diag.Printable(cmd.Confirmation.Reason) + "): --confirm says yes; on a terminal anvil asks"
}

// label is what stands for a flag's value.
func label(p air.Param) string {
	switch p.Type {
	case air.ParamBoolean:
		return ""
	case air.ParamString:
		return "TEXT"
	}
	return strings.ToUpper(string(p.Type))
}

// notes say what a flag takes.
func notes(p air.Param, a commands.Argument) string {
	var notes []string
	if p.Required {
		notes = append(notes, "required")
	}
	switch {
	case p.Type == air.ParamBoolean && !p.Repeated:
		notes = append(notes, "or --"+p.Flag+"=false")
	case p.Type == air.ParamJSON:
		notes = append(notes, "JSON text, or @FILE")
	}
	if p.Repeated {
		notes = append(notes, "once for each value")
	}
	notes = append(notes, limits(a)...)
	if p.Nullable {
		notes = append(notes, "null is taken too, by --json")
	}
	if len(p.Default) > 0 {
		notes = append(notes, "default "+shown(p.Default, maxChoice))
	}
	if p.Name != p.Flag {
		notes = append(notes, "sent as "+quoted(p.Name))
	}
	return strings.Join(notes, "; ")
}

// example is a line to copy: what is required, with made-up values that the schema takes.
func (c *CLI) example(cmd *commands.Command) string {
	words := []string{c.program, cmd.Name}
	e, found := commands.ExampleOf(*cmd)
	if !found {
		e.Words = []string{"--json", "OBJECT"}
	}
	words = append(words, e.Words...)
	if cmd.Confirmation.Required && !cmd.Confirmation.HumanApproval {
		words = append(words, "--confirm")
	}
	line := strings.Join(words, " ")
	if !found {
		line += "\n  (no arguments that the schema takes were found: write OBJECT by --schema)"
	}
	return line
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
