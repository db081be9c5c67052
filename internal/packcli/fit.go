package packcli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/commands"
	"anvil/compiler/schema"
	"anvil/internal/near"
)

// Fit holds arguments against the input schema of their command. refused is a *[UsageError] with every place that does not fit; unsure says why it
// cannot be told, which is not the arguments' fault. A command without a schema takes any. Once ctx is done it returns at once.
func (c *CLI) Fit(ctx context.Context, cmd *commands.Command, object []byte) (refused, unsure error) {
	if len(cmd.Input) == 0 {
		return nil, nil
	}
	root, err := canon.Parse(cmd.Input)
	if err != nil {
		return nil, err
	}
	value, err := canon.Parse(object)
	if err != nil {
		return nil, err
	}
	type verdict struct {
		found []schema.Mismatch
		err   error
	}
	told := make(chan verdict, 1)
	go func() {
		found, err := schema.Mismatches(schema.Analyse(root), value)
		told <- verdict{found, err}
	}()
	select {
	case <-ctx.Done():
		return nil, errors.New("it takes too long")
	case v := <-told:
		if v.err != nil || len(v.found) == 0 {
			return nil, v.err
		}
		e := &UsageError{Code: air.ErrValidation, See: c.helpLine(cmd)}
		for _, m := range v.found {
			e.Problems = append(e.Problems, misfit(cmd, root, m)...)
		}
		return e, nil
	}
}

// misfit words one place that does not fit; for a person who thinks in flags.
func misfit(cmd *commands.Command, root *canon.Node, m schema.Mismatch) []string {
	tokens := canon.Tokens(m.Pointer)
	if len(tokens) == 0 {
		return rootMisfit(cmd, m)
	}
	where := flagOf(cmd, tokens[0])
	if len(tokens) > 1 {
		where += " at " + quoted(canon.Pointer(tokens[1:]...))
	}
	switch {
	case m.Keyword == "type":
		return []string{fmt.Sprintf("%s takes %s, not %s", where, strings.Join(m.Want, " or "), m.Got)}
	case m.Keyword == "required":
		return []string{fmt.Sprintf("%s lacks %s", where, listedNames(m.Names))}
	case m.Keyword == "additionalProperties" && len(m.Names) > 0:
		return []string{fmt.Sprintf("%s has %s, which the schema does not know", where, listedNames(m.Names))}
	case m.Keyword == "":
		return []string{where + " is nothing that the schema allows"}
	}
	return []string{fmt.Sprintf("%s is refused by the schema's %s%s", where, m.Keyword, limit(root, tokens, m.Keyword))}
}

// rootMisfit words what is wrong with the arguments as a whole.
func rootMisfit(cmd *commands.Command, m schema.Mismatch) (problems []string) {
	switch {
	case m.Keyword == "required":
		for _, name := range m.Names {
			problems = append(problems, flagOf(cmd, name)+" is required")
		}
	case m.Keyword == "additionalProperties" && len(m.Names) > 0:
		var known []string
		for _, p := range cmd.Params {
			known = append(known, p.Name)
		}
		for _, name := range m.Names {
			problems = append(problems, fmt.Sprintf("--json has %s, which the schema does not know%s", quoted(name), near.Question(quotedAll(near.Names(name, known)), "")))
		}
	case m.Keyword == "type":
		problems = append(problems, "the schema takes no object, so that no call can fit it: it wants "+strings.Join(m.Want, " or "))
	case m.Keyword == "":
		problems = append(problems, "the schema allows no arguments at all, not even none: no call can fit it")
	default:
		problems = append(problems, fmt.Sprintf("the arguments together are refused by the schema's %s; see --schema", m.Keyword))
	}
	return problems
}

// limit is what a keyword says of a flag's value, where the schema says it in plain sight.
func limit(root *canon.Node, tokens []string, keyword string) string {
	if len(tokens) > 1 {
		return ""
	}
	for _, p := range schema.Properties(root) {
		if stated := p.Schema.Get(keyword); p.Name == tokens[0] && stated != nil && len(stated.Raw) <= maxChoice {
			return " " + shown(canon.Raw(stated.Raw), maxChoice)
		}
	}
	return ""
}

// flagOf names an argument as it is given.
func flagOf(cmd *commands.Command, name string) string {
	for _, p := range cmd.Params {
		if p.Name == name {
			return "--" + p.Flag
		}
	}
	return quoted(name) + " (of --json)"
}

const maxNames = 5

func listedNames(names []string) string {
	text := strings.Join(quotedAll(names[:min(len(names), maxNames)]), ", ")
	if more := len(names) - maxNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func quotedAll(names []string) (all []string) {
	for _, name := range names {
		all = append(all, quoted(name))
	}
	return all
}
