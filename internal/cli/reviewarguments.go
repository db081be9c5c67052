package cli

import (
	"fmt"
	"io"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
	"anvil/compiler/schema"
)

// writeArguments writes the table of arguments: each, and below it the parts of what is given as JSON.
func (r reviewedOperation) writeArguments(w io.Writer) {
	if len(r.Arguments) == 0 {
		fmt.Fprint(w, "\narguments none\n")
		return
	}
	fmt.Fprintln(w, "\narguments")
	t := diag.NewTable(w)
	for _, a := range commands.Arguments(commands.Command{Params: r.Arguments, Input: r.Input}) {
		flag, path, required := "--"+a.Flag, a.Path, ""
		if a.Part {
			flag, path = "", "  "+path
		}
		if a.Required {
			required = "required"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", diag.Printable(flag), diag.Printable(path), diag.Printable(a.Type), required, valuesOf(a))
	}
	_ = t.Flush()
	if root, err := canon.Parse(r.Input); err == nil {
		if more := len(schema.Properties(root)) - len(r.Arguments); more > 0 {
			fmt.Fprintf(w, "  and %s more, in the member input of --format json\n", counted(more, "argument"))
		}
	}
}

// valuesOf says which values an argument takes, all of those that are listed, and what is taken when it is left out.
func valuesOf(a commands.Argument) string {
	var parts []string
	if len(a.Enum) > 0 {
		words := make([]string, len(a.Enum))
		for i, v := range a.Enum {
			words[i] = bareValue(v)
		}
		parts = append(parts, "one of "+strings.Join(words, ", "))
	}
	if a.Format != "" {
		parts = append(parts, "format "+diag.Printable(a.Format))
	}
	parts = append(parts, a.Bounds...)
	if a.Pattern != "" {
		parts = append(parts, "pattern "+diag.Printable(a.Pattern))
	}
	if a.Default != nil {
		parts = append(parts, "default "+diag.Printable(string(a.Default)))
	}
	if a.Deeper {
		parts = append(parts, "more in the member input of --format json")
	}
	return strings.Join(parts, "; ")
}
