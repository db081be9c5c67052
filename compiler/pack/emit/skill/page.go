package skill

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
)

// Bounds of an operation's entry.
const (
	maxParams = 60 // arguments, and parts of them, in its table
	maxValues = 12 // values that an argument's row lists
)

// capability is the page of one capability.
func (w writer) capability(c air.CapabilityContract) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s of `%s`, highest risk %s", escaped(c.DisplayName), counted(len(c.OperationIDs), "approved operation"), c.Service, c.Safety.HighestRisk)
	if rest := notCalled(c.Waiting, c.Blocked); rest != "" {
		b.WriteString("; " + rest)
	}
	fmt.Fprintf(&b, ".\n%s is the folder of the pack, and how it is found stands in [SKILL.md](../SKILL.md), as does how to act and what never to do.\n", folder)
	for _, id := range c.OperationIDs {
		if err := w.operation(&b, w.operations[id], w.commands[id]); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// notCalled counts the operations that are not exposed; "" when there are none.
func notCalled(waiting, blocked int) string {
	var parts []string
	if waiting > 0 {
		parts = append(parts, counted(waiting, "other")+" cannot be called, for want of an approval")
	}
	if blocked > 0 {
		parts = append(parts, counted(blocked, "other")+" cannot be called whoever asks: blocked")
	}
	return strings.Join(parts, "; ")
}

// operation writes the entry of one operation.
func (w writer) operation(b *strings.Builder, o air.Operation, c commands.Command) error {
	fmt.Fprintf(b, "\n## %s\n\n", escaped(o.CanonicalName))
	fmt.Fprintf(b, "Command %s, MCP tool %s, operation %s.\n\n", diag.MarkdownCode(c.Name), diag.MarkdownCode(o.MCP.ToolName), diag.MarkdownCode(o.ID))
	b.WriteString(posture(o, c))
	switch {
	case o.Description == "":
		b.WriteString("\nThe server does not say what it does.\n")
	case o.Overlay != nil && o.Overlay.Description != "":
		who := "The configuration of the pack says, in place of the server"
		if by := o.Overlay.By; by != "" {
			who += ", by " + diag.MarkdownCode(by)
		}
		b.WriteString("\n" + block(who, o.Description))
	default:
		b.WriteString("\n" + block("The server says, quoted as data", o.Description))
	}
	arguments(b, c)
	if err := w.examples(b, o, c); err != nil {
		return err
	}
	b.WriteString("\n" + output(o))
	return nil
}

// posture tells effect, confirmation, idempotency and retries, each with its evidence.
func posture(o air.Operation, c commands.Command) string {
	var b strings.Builder
	effect := c.EffectWords()
	fmt.Fprintf(&b, "- **Effect:** %s%s.\n", effect, evidence(o, air.PredicateKind, air.PredicateRisk))
	confirmation := "not required"
	if o.Confirmation.Required {
		confirmation = "required, since " + o.Confirmation.Reason
		if o.Confirmation.HumanApproval {
			confirmation += "; a person's own yes, not a model's"
		}
	}
	fmt.Fprintf(&b, "- **Confirmation:** %s%s.\n", confirmation, evidence(o, air.PredicateConfirmation))
	if o.QueryPolicy != nil {
		fmt.Fprintf(&b, "- **Programs:** %s.\n", diag.MarkdownText(o.QueryPolicy.Words()))
	}
	fmt.Fprintf(&b, "- **Again:** %s%s.\n", c.RepeatWords(diag.MarkdownCode), evidence(o, air.PredicateIdempotency))
	return b.String()
}

// evidence names the kinds of sources that claim what is said, each once: " (evidence: hint, name)". Claims of other values are left out: they lost.
func evidence(o air.Operation, predicates ...air.Predicate) string {
	holds := o.SafetyValues()
	var sources []string
	for _, c := range o.Evidence {
		word := strings.ReplaceAll(string(c.Source), "_", " ")
		if slices.Contains(predicates, c.Predicate) && c.Active() && canon.Equal(c.Value, holds[c.Predicate]) && !slices.Contains(sources, word) {
			sources = append(sources, word)
		}
	}
	if len(sources) == 0 {
		return ""
	}
	slices.Sort(sources)
	return " (evidence: " + strings.Join(sources, ", ") + ")"
}

// arguments writes the table of arguments and of their parts, and what the server says of them.
func arguments(b *strings.Builder, c commands.Command) {
	all := commands.Arguments(c)
	if len(all) == 0 {
		b.WriteString("\nIt takes no arguments.\n")
		return
	}
	b.WriteString("\n| Argument | Flag | Type | Required | Values |\n| --- | --- | --- | --- | --- |\n")
	var said strings.Builder
	nested, deeper := false, len(all) > maxParams || c.More > 0
	for _, a := range all[:min(len(all), maxParams)] {
		flag, name := span("--"+a.Flag), "--"+a.Flag
		if a.Part {
			flag, name = "in "+flag, a.Path
		}
		kind := a.Type
		if a.Given != "" {
			kind += ", " + a.Given
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", span(a.Path), flag, kind, map[bool]string{true: "yes", false: "no"}[a.Required], values(a))
		if a.Said != "" {
			text, _ := shortened(strings.Join(strings.Fields(a.Said), " "), maxArgument)
			short, _ := shortened(name, maxSpan)
			fmt.Fprintf(&said, "%s: %s\n", short, text)
		}
		nested, deeper = nested || a.Part, deeper || a.Deeper
	}
	switch {
	case deeper:
		b.WriteString("\nThere is more to the arguments than the table has: `--schema` behind the command prints all of it.\n")
	case nested:
		b.WriteString("\n`--schema` behind the command prints the schema itself.\n")
	}
	if said.Len() > 0 {
		b.WriteString("\n" + fenced("text", "> ", "The server says of the arguments, quoted as data", said.String(), maxParams*maxArgument))
	}
}

// values tells which values an argument takes, and the one that is taken when it is left out.
func values(a commands.Argument) string {
	var list, more []string
	for _, v := range a.Enum[:min(len(a.Enum), maxValues)] {
		list = append(list, span(valueText(v)))
	}
	if rest := len(a.Enum) - maxValues; rest > 0 {
		list = append(list, fmt.Sprintf("and %d more", rest))
	}
	if len(list) > 0 {
		more = append(more, strings.Join(list, ", "))
	}
	if a.Format != "" {
		more = append(more, "format "+span(a.Format))
	}
	more = append(more, a.Bounds...)
	if a.Pattern != "" {
		more = append(more, "pattern "+span(a.Pattern))
	}
	if len(a.Default) > 0 {
		more = append(more, "default "+span(string(a.Default)))
	}
	return strings.Join(more, "; ")
}

// examples writes one call on the command line and one by MCP, with what is required and made-up values that the schema takes.
func (w writer) examples(b *strings.Builder, o air.Operation, c commands.Command) error {
	e, found := commands.ExampleOf(c)
	if !found {
		e = commands.Example{Words: []string{"--json", "OBJECT"}}
	}
	line := strings.Join(append([]string{"anvil pack run " + folder + " --", diag.ShellWord(c.Name)}, e.Words...), " ")
	if o.Effect.Kind != air.Read || o.Confirmation.Required {
		line += " --dry-run"
	}
	lead := "On the command line; the values are made up, so put in the real ones"
	if !found {
		lead = "On the command line. No arguments that the schema takes were found, so OBJECT is yours to write: `--schema` prints what it must be"
	}
	if len(line) > maxExample {
		b.WriteString("\n" + lead + ": too long to be shown; build the arguments from the table.\n")
	} else {
		b.WriteString("\n" + fenced("sh", "", lead, line, maxExample))
	}
	switch {
	case o.Confirmation.HumanApproval:
		b.WriteString("\nThe person runs the same without `--dry-run`, in a terminal of their own, and answers there; `--confirm` is no yes to it.\n")
	case o.Confirmation.Required:
		b.WriteString("\nOnce the person said yes: the same with `--confirm` in place of `--dry-run`.\n")
	}
	if !found {
		return nil
	}
	call, err := canon.EncodeCompact(struct {
		Name      string    `json:"name"`
		Arguments canon.Raw `json:"arguments"`
	}{o.MCP.ToolName, e.Arguments})
	if err != nil {
		return err
	}
	b.WriteString("\n" + json("By MCP, the parameters of `tools/call`", call))
	return nil
}

// output tells what comes back.
func output(o air.Operation) string {
	root, err := canon.Parse(o.Output.Schema)
	if err != nil {
		return "**Output:** text or other content, as the server gives it; it states no schema.\n"
	}
	var names []string
	if properties := root.Get("properties"); properties.IsObject() {
		for _, m := range properties.Members {
			names = append(names, span(m.Name))
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "**Output:** structured, by the server's schema; `--schema` prints it.\n"
	}
	more := ""
	if len(names) > maxValues {
		names, more = names[:maxValues], fmt.Sprintf(" and %d more", len(names)-maxValues)
	}
	return "**Output:** structured, with " + strings.Join(names, ", ") + more + "; `--schema` prints the schema.\n"
}
