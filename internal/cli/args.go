package cli

import (
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"
)

// splitRest takes the words behind the first "--" off the line.
func splitRest(args []string) (words, rest []string) {
	for i, a := range args {
		if a == "--" {
			return args[:i:i], append([]string{}, args[i+1:]...)
		}
	}
	return args, nil
}

// flagsFirst brings a line into the order that the library reads: the command words, the flags, the arguments. The library stops reading
// flags at the first argument, and knows a flag only behind its command. A flag has the same shape on every command that has it, so
// whether a word is a flag's value can be told before the command is known.
func flagsFirst(app *cli.App, words []string) []string {
	if len(words) == 0 {
		return words
	}
	valued := map[string]bool{}
	collectValued(app.Flags, app.Commands, valued)
	var flags, arguments []string
	for i := 1; i < len(words); i++ {
		word := words[i]
		if !isFlag(word) {
			arguments = append(arguments, word)
			continue
		}
		flags = append(flags, word)
		if valued[strings.TrimLeft(word, "-")] && i+1 < len(words) {
			i++
			flags = append(flags, words[i])
		}
	}
	line, commands := words[:1:1], app.Commands
	for len(arguments) > 0 {
		c := findCommand(commands, arguments[0])
		if c == nil {
			break
		}
		line, arguments, commands = append(line, arguments[0]), arguments[1:], c.Subcommands
	}
	if slices.Contains(flags, "--help") || slices.Contains(flags, "-h") {
		return append(line, "--help") // the library would take an argument for the command to explain
	}
	return append(append(line, flags...), arguments...)
}

// isFlag reports a word that is a flag; a dash alone stands for stdin or stdout.
func isFlag(word string) bool { return strings.HasPrefix(word, "-") && word != "-" }

func findCommand(commands []*cli.Command, word string) *cli.Command {
	for _, c := range commands {
		if c.HasName(word) {
			return c
		}
	}
	return nil
}

// collectValued gathers the names of all flags that take the next word for their value.
func collectValued(flags []cli.Flag, commands []*cli.Command, valued map[string]bool) {
	for _, f := range flags {
		if _, isBool := f.(*cli.BoolFlag); isBool {
			continue
		}
		for _, name := range f.Names() {
			valued[name] = true
		}
	}
	for _, c := range commands {
		collectValued(c.Flags, c.Subcommands, valued)
	}
}
