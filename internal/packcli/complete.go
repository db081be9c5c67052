package packcli

import (
	_ "embed"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
)

var (
	//go:embed complete.bash
	bashScript string
	//go:embed complete.zsh
	zshScript string
	//go:embed complete.fish
	fishScript string

	scripts = map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	shells  = []string{"bash", "zsh", "fish"}
)

// CompleteWord asks for completions where it is the first word: --complete SHELL WORD..., the last word being the one to complete. The scripts of
// --completion do so.
const CompleteWord = "--complete"

// Script returns what makes a shell complete the line. It holds no command and no value: it asks the program each time.
func (c *CLI) Script(shell string) string {
	return strings.ReplaceAll(scripts[shell], "@NAME@", diag.ShellWord(c.name))
}

// candidate is one way to go on.
type candidate struct{ word, about string }

// Complete returns the candidates for the last word as the shell's script reads them, one a line: for bash the words alone, for others a tab and what
// they are about behind each. Values that a terminal would not show as they are, are left out.
func (c *CLI) Complete(shell string, words []string) string {
	if len(words) == 0 {
		words = []string{""}
	}
	offset := 0 // of the part that the shell replaces, in the last word
	if shell == "bash" {
		words, offset = rejoined(words)
	}
	last := words[len(words)-1]
	var b strings.Builder
	for _, cand := range c.candidates(words[:len(words)-1], last) {
		if !strings.HasPrefix(cand.word, last) || diag.Printable(cand.word) != cand.word {
			continue
		}
		switch shell {
		case "bash": // which puts words into the line as they are
			b.WriteString(diag.ShellWord(cand.word[offset:]) + "\n")
		default:
			b.WriteString(cand.word + "\t" + diag.Printable(diag.Shorten(cand.about, listedTitle)) + "\n")
		}
	}
	return b.String()
}

// rejoined puts together what bash took apart at "=" and ":". offset is where in the last word the part begins that bash completes.
func rejoined(words []string) (joined []string, offset int) {
	glue := false
	for i, w := range words {
		breaks := w == ":" || w == "=" && strings.HasPrefix(lastOf(joined), "--")
		if (breaks || glue) && len(joined) > 0 {
			if i == len(words)-1 {
				offset = len(lastOf(joined))
				if breaks {
					offset++
				}
			}
			joined[len(joined)-1] += w
		} else {
			joined = append(joined, w)
		}
		glue = breaks
	}
	return joined, offset
}

func lastOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// candidates are what can stand behind the words; those that do not begin like last are among them.
func (c *CLI) candidates(words []string, last string) []candidate {
	if slices.Contains(words, "--") {
		return nil
	}
	l := Line{given: map[string][]string{}}
	for i := 0; i < len(words); i++ {
		name, _, has := strings.Cut(strings.TrimPrefix(words[i], "--"), "=")
		switch {
		case strings.HasPrefix(words[i], "--"):
			l.given[name] = append(l.given[name], "")
			takes, known := c.takesValue(&l, name)
			if !takes || !known || has {
				continue
			}
			if i++; i == len(words) {
				return c.values(&l, name, "")
			}
		case l.Command == nil && !strings.HasPrefix(words[i], "-"):
			cmd, err := c.find(words[i])
			if err != nil {
				return nil
			}
			l.Command = cmd
		}
	}
	name, _, has := strings.Cut(strings.TrimPrefix(last, "--"), "=")
	switch {
	case strings.HasPrefix(last, "--") && has:
		return c.values(&l, name, "--"+name+"=")
	case l.Command == nil && !strings.HasPrefix(last, "-"):
		return c.commandWords()
	}
	return c.flagWords(&l)
}

func (c *CLI) commandWords() (all []candidate) {
	for _, cmd := range c.commands {
		for _, name := range append([]string{cmd.Name}, cmd.Aliases...) {
			all = append(all, candidate{name, mark(cmd) + ": " + firstLine(cmd)})
		}
	}
	return all
}

// flagWords are the flags that can still be given, required ones first.
func (c *CLI) flagWords(l *Line) (all []candidate) {
	if l.Command != nil {
		for _, p := range l.Command.Params {
			if _, given := l.given[p.Flag]; !given || p.Repeated {
				all = append(all, candidate{"--" + p.Flag, p.Description})
			}
		}
	}
	for _, f := range commands.Flags {
		whole := strings.Contains(wholeOnly, " "+f.Name+" ")
		if _, given := l.given[f.Name]; !given && !(whole && l.Command != nil) {
			all = append(all, candidate{"--" + f.Name, f.Usage})
		}
	}
	return all
}

// values are those that a flag names, each with prefix before it.
func (c *CLI) values(l *Line, name, prefix string) (all []candidate) {
	for _, f := range commands.Flags {
		if f.Name == name {
			for _, v := range f.Values {
				all = append(all, candidate{prefix + v, ""})
			}
			return all
		}
	}
	p, ok := paramOf(l.Command, name)
	if !ok {
		return nil
	}
	enum := p.Enum
	if p.Type == air.ParamBoolean && len(enum) == 0 {
		enum = []canon.Raw{canon.Raw("true"), canon.Raw("false")}
	}
	for _, v := range enum {
		if word := typed(v); word != "" && (prefix != "" || !strings.HasPrefix(word, "--")) {
			all = append(all, candidate{prefix + word, ""})
		}
	}
	return all
}
