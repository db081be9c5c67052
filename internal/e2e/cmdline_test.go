package e2e

import (
	"strings"

	"anvil/compiler/canon"
)

// byCommandLine is walk with the command line that the pack brings: each argument is typed as the flag that the catalogue beside it names.
func (l line) byCommandLine() {
	l.Helper()
	catalogue := mustParse(l, string(l.read("pack", "cli", "commands.json")))
	program := *l.world
	program.anvil = l.path("pack", "cli", catalogue.Get("launcher").Text())
	env := l.env("ANVIL=" + l.anvil)
	if n := len(catalogue.Get("commands").Elements()); n != len(l.server.tools()) {
		l.Errorf("%d operations are approved, and %d are commands", len(l.server.tools()), n)
	}
	for i, c := range l.server.calls {
		if i == len(l.results)-1 && l.server.denied.tool != "" {
			denied := program.demand(1, program.run(env, l.server.denied.tool, "--confirm"))
			contains(l, "the refusal", denied.stderr, "is not approved", "anvil mcp approve ")
		}
		c = c.in(l.world)
		words := append(typedWords(l, catalogue, c), "--confirm", "--format", "json")
		r := program.demand(0, program.run(env, words...))
		if got, want := canonical(l, []byte(r.stdout)), canonical(l, l.results[i]); got != want {
			l.Errorf("%s\ngot  %s\nwant %s", strings.Join(words, " "), got, want)
		}
		sent := program.demand(0, program.run(env, append(words, "--dry-run")...))
		if got := mustParse(l, sent.stdout).Get("request").Get("params"); !canon.Equal(got.Raw, c.params()) {
			l.Errorf("%s would send %s, not %s", strings.Join(words, " "), got.Raw, c.params())
		}
	}
}

// typedWords are the words of a call, by the catalogue alone.
func typedWords(l line, catalogue *canon.Node, c call) []string {
	l.Helper()
	for _, cmd := range catalogue.Get("commands").Elements() {
		if cmd.Get("tool").Text() != c.tool {
			continue
		}
		words := []string{cmd.Get("command").Text()}
		for _, m := range mustParse(l, c.arguments).Members {
			values, before := []*canon.Node{m.Value}, len(words)
			for _, p := range cmd.Get("params").Elements() {
				if p.Get("name").Text() != m.Name {
					continue
				}
				if repeated, _ := p.Get("repeated").Bool(); repeated {
					values = m.Value.Elements()
				}
				for _, v := range values {
					text, ok := v.Str()
					if !ok || p.Get("type").Text() == "json" {
						text = string(v.Raw)
					}
					words = append(words, "--"+p.Get("flag").Text()+"="+text)
				}
			}
			if len(words) == before {
				l.Fatalf("%s has no flag for %s", c.tool, m.Name)
			}
		}
		return words
	}
	l.Fatalf("%s is approved, and no command", c.tool)
	return nil
}
