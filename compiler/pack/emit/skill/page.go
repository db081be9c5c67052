package skill

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Bounds of an operation's entry.
const (
	maxParams = 60 // arguments in its table
	maxValues = 12 // values that an argument's row lists
)

// capability is the page of one capability.
func (w writer) capability(c air.CapabilityContract) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s of `%s`, highest risk %s", escaped(c.DisplayName), counted(len(c.OperationIDs), "approved operation"), c.Service, c.Safety.HighestRisk)
	if c.Waiting > 0 {
		fmt.Fprintf(&b, "; %d more cannot be called, since nobody approved them", c.Waiting)
	}
	b.WriteString(".\nCommands are run in the folder of the pack. How to act and what never to do: [SKILL.md](../SKILL.md).\n")
	for _, id := range c.OperationIDs {
		o := w.operations[id]
		if err := w.operation(&b, o); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// operation writes the entry of one operation.
func (w writer) operation(b *strings.Builder, o air.Operation) error {
	fmt.Fprintf(b, "\n## %s\n\n", escaped(o.CanonicalName))
	fmt.Fprintf(b, "Command %s, MCP tool %s, operation %s.\n\n", diag.MarkdownCode(o.CLI.Command), diag.MarkdownCode(o.MCP.ToolName), diag.MarkdownCode(o.ID))
	b.WriteString(posture(o))
	switch {
	case o.Description == "":
		b.WriteString("\nThe server does not say what it does.\n")
	default:
		b.WriteString("\n" + block("The server says, quoted as data", o.Description))
	}
	arguments(b, o)
	if err := w.examples(b, o); err != nil {
		return err
	}
	b.WriteString("\n" + output(o))
	return nil
}

// posture tells effect, confirmation, idempotency and retries, each with its evidence.
func posture(o air.Operation) string {
	var b strings.Builder
	effect := "Reads and changes nothing"
	switch {
	case o.Effect.Kind == air.Read && o.Confirmation.Required:
		effect = "Is said to read only, which nobody has verified"
	case o.Effect.Kind != air.Read:
		effect = "May change something"
		if !o.Effect.Reversible {
			effect += " that cannot be taken back"
		}
	}
	fmt.Fprintf(&b, "- **Effect:** %s; risk %s%s.\n", effect, o.Effect.Risk, evidence(o, air.PredicateKind, air.PredicateRisk))
	confirmation := "not required"
	if o.Confirmation.Required {
		confirmation = "required, since " + o.Confirmation.Reason
		if o.Confirmation.HumanApproval {
			confirmation += "; a person's own yes, not a model's"
		}
	}
	fmt.Fprintf(&b, "- **Confirmation:** %s%s.\n", confirmation, evidence(o, air.PredicateConfirmation))
	again := map[air.IdempotencyMode]string{
		air.IdempotencyNatural:      "calling twice is as calling once",
		air.IdempotencyClientID:     "calling twice with the same id is as calling once",
		air.IdempotencyKeySupported: "calling twice with the same key is as calling once",
		air.IdempotencyRequired:     "needs a key; calling twice with the same one is as calling once",
		air.IdempotencyNone:         "calling twice may do it twice",
	}[o.Idempotency.Mode]
	if o.Idempotency.Key != "" {
		again += ", in the argument " + diag.MarkdownCode(o.Idempotency.Key)
	}
	if o.Retries.Mode != air.RetrySafe {
		again += "; never repeat it by yourself"
	}
	fmt.Fprintf(&b, "- **Again:** %s%s.\n", again, evidence(o, air.PredicateIdempotency))
	return b.String()
}

// evidence names the sources of what is said, the most reliable ways of each once: "(hint, name; a person approved it)".
func evidence(o air.Operation, predicates ...air.Predicate) string {
	var sources []string
	for _, c := range o.Evidence {
		word := strings.ReplaceAll(string(c.Source), "_", " ")
		if slices.Contains(predicates, c.Predicate) && c.Active() && !slices.Contains(sources, word) {
			sources = append(sources, word)
		}
	}
	if len(sources) == 0 {
		return ""
	}
	slices.Sort(sources)
	return " (evidence: " + strings.Join(sources, ", ") + ")"
}

// arguments writes the table of arguments, and what the server says of them.
func arguments(b *strings.Builder, o air.Operation) {
	params := o.Input.Params
	if len(params) == 0 {
		b.WriteString("\nIt takes no arguments.\n")
		return
	}
	b.WriteString("\n| Argument | Flag | Type | Required | Values |\n| --- | --- | --- | --- | --- |\n")
	var said strings.Builder
	for _, p := range params[:min(len(params), maxParams)] {
		required := "no"
		if p.Required {
			required = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", span(p.Name), span("--"+p.Flag), typeOf(p), required, values(p))
		if p.Description != "" {
			text, _ := shortened(strings.Join(strings.Fields(p.Description), " "), maxArgument)
			fmt.Fprintf(&said, "--%s: %s\n", p.Flag, text)
		}
	}
	if more := len(params) - maxParams; more > 0 {
		fmt.Fprintf(b, "\n%s: `--schema` prints all of them.\n", counted(more, "more argument"))
	}
	if said.Len() > 0 {
		b.WriteString("\n" + fenced("text", "> ", "The server says of the arguments, quoted as data", said.String(), maxParams*maxArgument))
	}
}

func typeOf(p air.Param) string {
	kind := string(p.Type)
	if p.Type == air.ParamJSON {
		kind = "JSON"
	}
	if p.Repeated {
		kind += ", repeated"
	}
	if p.Nullable {
		kind += ", or null"
	}
	return kind
}

// values tells which values an argument takes, and the one that is taken when it is left out.
func values(p air.Param) string {
	var list []string
	for _, v := range p.Enum[:min(len(p.Enum), maxValues)] {
		list = append(list, span(valueText(v)))
	}
	if more := len(p.Enum) - maxValues; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	text := strings.Join(list, ", ")
	if len(list) == 0 && p.Format != "" {
		text = "format " + span(p.Format)
	}
	if len(p.Default) > 0 {
		text += " (default " + span(string(p.Default)) + ")"
	}
	return strings.TrimSpace(text)
}

// examples writes one call on the command line and one by MCP, with the required arguments and made-up values.
func (w writer) examples(b *strings.Builder, o air.Operation) error {
	command := []string{"cli/" + w.document.Service.ID, diag.ShellWord(o.CLI.Command)}
	arguments := map[string]canon.Raw{}
	for _, p := range o.Input.Params {
		if !p.Required {
			continue
		}
		value := exampleOf(p)
		arguments[p.Name] = value
		if p.Repeated {
			arguments[p.Name] = slices.Concat(canon.Raw("["), value, canon.Raw("]"))
		}
		command = append(command, flagOf(p, value))
	}
	line := strings.Join(command, " ")
	if o.Effect.Kind != air.Read || o.Confirmation.Required {
		line += " --dry-run"
	}
	call, err := canon.EncodeCompact(struct {
		Name      string               `json:"name"`
		Arguments map[string]canon.Raw `json:"arguments"`
	}{o.MCP.ToolName, arguments})
	if err != nil {
		return err
	}
	b.WriteString("\n" + fenced("sh", "", "On the command line; the values are made up, so put in the real ones", line, maxExample))
	if o.Confirmation.Required {
		b.WriteString("\nOnce the person said yes: the same with `--confirm` in place of `--dry-run`.\n")
	}
	b.WriteString("\n" + json("By MCP, the parameters of `tools/call`", call))
	return nil
}

// flagOf writes an argument for a shell.
func flagOf(p air.Param, value canon.Raw) string {
	text := valueText(value)
	switch {
	case p.Type == air.ParamBoolean && text == "true":
		return "--" + p.Flag
	case p.Type == air.ParamBoolean:
		return "--" + p.Flag + "=" + text
	}
	return "--" + p.Flag + " " + diag.ShellWord(diag.Printable(text))
}

// exampleOf is a value of the argument's type: the default, the first of the values that are listed, or one that is plainly made up.
func exampleOf(p air.Param) canon.Raw {
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch p.Type {
	case air.ParamInteger, air.ParamNumber:
		return canon.Raw("1")
	case air.ParamBoolean:
		return canon.Raw("true")
	case air.ParamJSON:
		return canon.Raw("{}")
	}
	return canon.Raw(canon.Quote(strings.ToUpper(strings.ReplaceAll(p.Flag, "-", "_"))))
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
