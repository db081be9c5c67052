package packcli

import (
	"errors"
	"slices"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/pack/commands"
	"anvil/internal/near"
)

// Line is a command line that was read. Without a command it asks for Help, Version or Completion, or for nothing.
type Line struct {
	Command    *commands.Command
	Help       bool
	Version    bool
	Completion string // shell
	Schema     bool
	DryRun     bool
	Confirm    bool
	Format     string        // text or json
	Timeout    time.Duration // 0 when none was given
	Target     string        // a URL or a name; "" when none was given
	Server     []string      // the command behind "--"; nil when there was none

	whole *string             // of --json
	given map[string][]string // values as typed, by flag
}

// boolean spells that a flag stands alone; nobody types a NUL.
const alone = "\x00"

// Parse reads what was typed behind the program's name. Errors are *[UsageError]. A line that asks for help gets it, whatever else is wrong in it but
// the command: help of none is no help with another.
func (c *CLI) Parse(words []string) (Line, error) {
	l := Line{Format: "text", given: map[string][]string{}}
	err := c.parse(&l, words)
	if err == nil {
		err = c.check(&l)
	}
	var wrong *UsageError
	if err == nil || errors.As(err, &wrong) && wrong.Code != air.ErrValidation ||
		!slices.ContainsFunc(before(words, "--"), func(w string) bool { return w == "--help" || w == "-h" }) {
		return l, err
	}
	return Line{Command: l.Command, Help: true}, nil
}

// WantsJSON tells whether a line asks for JSON, of which nothing else need be readable: what is wrong with it is told in JSON then.
func WantsJSON(words []string) bool {
	words = before(words, "--")
	for i, w := range words {
		if w == "--format=json" || w == "--format" && i+1 < len(words) && words[i+1] == "json" {
			return true
		}
	}
	return false
}

func before(words []string, end string) []string {
	if i := slices.Index(words, end); i >= 0 {
		return words[:i]
	}
	return words
}

func (c *CLI) parse(l *Line, words []string) (err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			l.Server = append([]string{}, words[i+1:]...)
			return nil
		case word == "-h", word == "-v" && l.Command == nil:
			l.Help, l.Version = l.Help || word == "-h", l.Version || word == "-v"
		case strings.HasPrefix(word, "--"):
			name, value, has := strings.Cut(word[2:], "=")
			takes, known := c.takesValue(l, name)
			if !known {
				return c.unknownFlag(l.Command, name)
			}
			if takes && !has {
				if i++; i == len(words) || strings.HasPrefix(words[i], "--") {
					return c.wrong(l.Command, "--%s needs a value; one that begins with -- is written --%s=VALUE", name, name)
				}
				value, has = words[i], true
			}
			if err := c.flag(l, name, value, has); err != nil {
				return err
			}
		case strings.HasPrefix(word, "-") && word != "-":
			return c.wrong(l.Command, "there is no flag %s; flags begin with --", quoted(word))
		case l.Command == nil:
			if l.Command, err = c.find(word); err != nil {
				return c.builtIn(l, word, words[i+1:], err)
			}
		default:
			return c.wrong(l.Command, "unexpected argument %s: arguments are given by flags, and true or false to a flag as --FLAG=false", quoted(word))
		}
	}
	return nil
}

// builtIn takes the words "help" and "completion" for the flags of that name, unless an operation is called so.
func (c *CLI) builtIn(l *Line, word string, rest []string, err error) error {
	switch {
	case word == "help" && len(rest) == 0:
		l.Help = true
	case word == "help" && len(rest) == 1:
		l.Help = true
		l.Command, err = c.find(rest[0])
		return err
	case word == "completion" && len(rest) == 1:
		l.Completion = rest[0]
	default:
		return err
	}
	return nil
}

// takesValue tells whether a flag takes a value, and whether there is one of that name. Flags of an operation stand behind its command.
func (c *CLI) takesValue(l *Line, name string) (takes, known bool) {
	if i := slices.IndexFunc(commands.Flags, func(f commands.Flag) bool { return f.Name == name }); i >= 0 {
		return commands.Flags[i].Value != "", true
	}
	p, ok := paramOf(l.Command, name)
	return p.Type != air.ParamBoolean, ok
}

func paramOf(c *commands.Command, flag string) (air.Param, bool) {
	if c == nil {
		return air.Param{}, false
	}
	i := slices.IndexFunc(c.Params, func(p air.Param) bool { return p.Flag == flag })
	if i < 0 {
		return air.Param{}, false
	}
	return c.Params[i], true
}

func (c *CLI) unknownFlag(of *commands.Command, name string) error {
	var flags []string
	for _, f := range commands.Flags {
		flags = append(flags, f.Name)
	}
	if of == nil {
		return c.wrong(nil, "there is no flag %s before a command; flags of a command stand behind it%s", quoted("--"+name), near.Question(near.Names(name, flags), "--"))
	}
	for _, p := range of.Params {
		if p.Name == name {
			return c.wrong(of, "there is no flag %s: the argument is --%s", quoted("--"+name), p.Flag)
		}
		flags = append(flags, p.Flag)
	}
	return c.wrong(of, "%s has no flag %s%s", of.Name, quoted("--"+name), near.Question(near.Names(name, flags), "--"))
}

// flag takes one flag in.
func (c *CLI) flag(l *Line, name, value string, has bool) error {
	switches := map[string]*bool{"confirm": &l.Confirm, "dry-run": &l.DryRun, "help": &l.Help, "schema": &l.Schema, "version": &l.Version}
	if at, ok := switches[name]; ok {
		switch {
		case !has || value == "true":
			*at = true
		case value == "false":
			*at = false
		default:
			return c.wrong(l.Command, "--%s is given or not; %s is neither true nor false", name, quoted(value))
		}
		return nil
	}
	var err error
	switch name {
	case "json":
		if l.whole != nil {
			return c.wrong(l.Command, "--json is given twice")
		}
		l.whole = &value
	case "format":
		l.Format = value
	case "target":
		l.Target = value
	case "completion":
		l.Completion = value
	case "timeout":
		if l.Timeout, err = time.ParseDuration(value); err != nil || l.Timeout <= 0 {
			return c.wrong(l.Command, "--timeout %s is no time to wait: give it with its unit, such as 30s or 2m", quoted(value))
		}
	default:
		if !has {
			value = alone
		}
		l.given[name] = append(l.given[name], value)
	}
	return nil
}

// check refuses what is known and cannot be meant.
func (c *CLI) check(l *Line) error {
	if !slices.Contains([]string{"text", "json"}, l.Format) {
		return c.wrong(l.Command, "--format %s is not known: use text or json", quoted(l.Format))
	}
	if l.Target != "" && l.Server != nil {
		return c.wrong(l.Command, "--target and the command behind -- are two targets: give one")
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"version", l.Version}, {"completion", l.Completion != ""}} {
		if flag.given && l.Command != nil {
			return c.wrong(l.Command, "--%s is about the whole command line: leave %s out", flag.name, l.Command.Name)
		}
	}
	if l.Completion != "" && !slices.Contains(shells, l.Completion) {
		return c.wrong(nil, "there is no completion for %s: use %s", quoted(l.Completion), strings.Join(shells, ", "))
	}
	if l.Command == nil && !l.Help && !l.Version && l.Completion == "" && (l.Schema || l.DryRun || l.Confirm || l.whole != nil) {
		return c.wrong(nil, "say which command")
	}
	return nil
}
