package packcli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/emit/command"
)

// Help returns the help of a command, or of all of them for nil. What a server said in it is escaped and stands behind a bar, so that none of it
// passes for anvil's own.
func (c *CLI) Help(of *command.Command) string {
	if of != nil {
		return c.commandHelp(of)
	}
	var b strings.Builder
	s := c.document.Service
	fmt.Fprintf(&b, "%s: the approved operations of the MCP server %s %s, as commands\n\n", s.ID, quoted(s.Name), diag.Printable(diag.ShortName(s.Version)))
	fmt.Fprintf(&b, "usage: %s COMMAND [FLAG...] [-- SERVER ARG...]\n", c.program)
	titles := command.Groups(c.document, c.commands)
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
		fmt.Fprintf(&b, "\nnot approved, so no commands: %d of %d operations; see them with `anvil mcp inspect %s`, approve with `anvil mcp approve %s OPERATION`\n",
			n, len(c.document.Operations), diag.ShellPath(c.dir), diag.ShellPath(c.dir))
	}
	b.WriteString("\nflags of every command\n")
	writeOwnFlags(&b, "")
	writeExits(&b)
	fmt.Fprintf(&b, "\nsee `%s COMMAND --help` for one command\n", c.program)
	return b.String()
}

// Widths of the list of commands, in characters.
const (
	listedTitle = 60
	maxShown    = 4000 // of one text of a server's
)

func (c *CLI) listCommands(b *strings.Builder, group string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, cmd := range c.commands {
		if cmd.Group == group {
			fmt.Fprintf(w, "  %s\t%s\t| %s\n", strings.Join(append([]string{cmd.Name}, cmd.Aliases...), ", "), mark(cmd), diag.Printable(diag.Shorten(firstLine(cmd), listedTitle)))
		}
	}
	w.Flush()
}

// mark is the effect of a command in few words.
func mark(c command.Command) string {
	words := string(c.Effect.Kind)
	if c.Effect.Kind != air.Read {
		words = "changes, " + string(c.Effect.Risk) + " risk"
	}
	if c.Confirmation.Required {
		words += ", asks"
	}
	return words
}

func firstLine(c command.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Description), "\n")
	if line == "" {
		return c.Title
	}
	return line
}

// wholeOnly are the flags that no command takes.
const wholeOnly = " completion version "

func writeOwnFlags(b *strings.Builder, without string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, f := range command.Flags {
		if strings.Contains(without, " "+f.Name+" ") {
			continue
		}
		fmt.Fprintf(w, "  --%s\t%s\n", strings.TrimSpace(f.Name+" "+f.Value), f.Usage)
	}
	w.Flush()
}

func writeExits(b *strings.Builder) {
	b.WriteString("\nexit codes\n")
	for _, code := range slices.Sorted(maps.Keys(command.ExitCodes)) {
		fmt.Fprintf(b, "  %d  %s\n", code, command.ExitCodes[code])
	}
}

func (c *CLI) commandHelp(cmd *command.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s %s%s\n\n", c.program, cmd.Name, usageOf(cmd))
	writeServerText(&b, "", firstOf(cmd.Description, cmd.Title))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\neffect\t%s\n", effectOf(cmd))
	fmt.Fprintf(w, "confirmation\t%s\n", confirmationOf(cmd))
	fmt.Fprintf(w, "tool\t%s, as operation %s\n", quoted(cmd.Tool), cmd.Operation)
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "also called\t%s\n", strings.Join(cmd.Aliases, ", "))
	}
	w.Flush()
	if len(cmd.Params) > 0 {
		b.WriteString("\nflags\n")
	}
	for _, p := range cmd.Params {
		fmt.Fprintf(&b, "  %-28s  %s\n", strings.TrimSpace("--"+p.Flag+" "+label(p)), notes(p))
		if p.Description != "" {
			writeServerText(&b, "    ", p.Description)
		}
	}
	if cmd.More > 0 {
		fmt.Fprintf(&b, "  and %d arguments more, which --json alone gives; see --schema\n", cmd.More)
	}
	b.WriteString("\nflags of every command\n")
	writeOwnFlags(&b, wholeOnly)
	writeExits(&b)
	fmt.Fprintf(&b, "\nexample\n  %s\n", c.example(cmd))
	return b.String()
}

// usageOf is what has to be given.
func usageOf(cmd *command.Command) string {
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

func effectOf(cmd *command.Command) string {
	e := cmd.Effect
	words := "changes something"
	if e.Kind == air.Read {
		words = "reads only"
	}
	words += fmt.Sprintf(" (%s), %s risk", e.Action, e.Risk)
	if e.Kind != air.Read && !e.Reversible {
		words += ", " + e.Undo()
	}
	if cmd.Idempotency.Mode != air.IdempotencyNone {
		return words + ", may be repeated (" + string(cmd.Idempotency.Mode) + ")"
	}
	return words + ", not to be repeated without thought"
}

func confirmationOf(cmd *command.Command) string {
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
func notes(p air.Param) string {
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
	if len(p.Enum) > 0 {
		notes = append(notes, "one of "+choices(p.Enum))
	}
	if p.Format != "" {
		notes = append(notes, "format "+diag.Printable(diag.ShortName(p.Format)))
	}
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

// example is a line to copy: what is required, with values that the schema names or words to replace.
func (c *CLI) example(cmd *command.Command) string {
	words := []string{c.program, cmd.Name}
	for _, p := range cmd.Params {
		switch {
		case !p.Required:
		case p.Type == air.ParamBoolean:
			words = append(words, "--"+p.Flag)
		default:
			words = append(words, "--"+p.Flag, sample(p, cmd.Input))
		}
	}
	if cmd.Confirmation.Required && !cmd.Confirmation.HumanApproval {
		words = append(words, "--confirm")
	}
	return strings.Join(words, " ")
}

// sample is a value as a shell reads it.
func sample(p air.Param, input canon.Raw) string {
	values := slices.Clone(p.Enum)
	if len(p.Default) > 0 && !p.Repeated {
		values = append(values, p.Default)
	}
	if root, err := canon.Parse(input); err == nil && len(values) == 0 && !p.Repeated {
		for _, example := range root.Get("properties").Get(p.Name).Get("examples").Elements() {
			values = append(values, canon.Raw(example.Canonical()))
		}
	}
	for _, v := range values {
		word := string(v)
		if p.Type == air.ParamString {
			word = typed(v)
		}
		if word != "" && diag.Printable(word) == word && len(word) < 200 && !strings.HasPrefix(word, "--") && !strings.HasPrefix(word, "@") {
			return diag.ShellWord(word)
		}
	}
	return label(p)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
