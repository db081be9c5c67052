package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// fill returns s with its variables filled in. All that are missing become one problem.
func (r *entryReader) fill(s Server) Server {
	if r.file.lookup == nil {
		return s
	}
	x := expander{lookup: r.file.lookup}
	one := func(text, at string) string {
		out, missing := x.expand(text)
		for _, name := range missing {
			x.report(r.file.place(r.at+at), name, fieldName(at))
		}
		return out
	}
	table := func(in map[string]string, at string) map[string]string {
		out := maps.Clone(in)
		for _, key := range slices.Sorted(maps.Keys(in)) {
			out[key] = one(in[key], at+canon.Pointer(key))
		}
		return out
	}
	s.Transport = one(s.Transport, "/"+r.transportKey())
	s.Command = one(s.Command, "/command")
	s.Args = slices.Clone(s.Args)
	for i, arg := range s.Args {
		s.Args[i] = one(arg, "/args/"+strconv.Itoa(i))
	}
	s.Env = table(s.Env, "/env")
	s.Dir = one(s.Dir, "/cwd")
	s.URL = one(s.URL, "/url")
	s.Plugin = one(s.Plugin, "/plugin")
	s.Headers = table(s.Headers, "/headers")
	s.filled = x.filled
	if x.used && r.file.dotenvErr != nil {
		r.problems = append(r.problems, r.file.dotenvErr)
	} else if len(x.reports) > 0 {
		r.problems = append(r.problems, x.missingError(r.name))
	}
	return s
}

// expander fills in variables and notes the ones that are not there.
type expander struct {
	lookup  func(string) (string, bool)
	filled  map[string]string // what was looked up
	used    bool              // a variable was looked up
	reports []string
	prompts bool // one of the missing is a question that VS Code would ask
}

func (x *expander) report(place, name, field string) {
	line := fmt.Sprintf("%s: %s in %s", place, name, field)
	if !slices.Contains(x.reports, line) {
		x.reports = append(x.reports, line)
	}
	x.prompts = x.prompts || strings.HasPrefix(name, "input:")
}

func (x *expander) missingError(server string) error {
	what := "a variable is not set"
	if len(x.reports) > 1 {
		what = "variables are not set"
	}
	hint := "set it in the environment or in .env beside the file, or write ${NAME:-default}"
	if x.prompts {
		hint += "; ${input:...} is asked for by VS Code alone, so write ${NAME} for it"
	}
	return fmt.Errorf("server %q: %s (%s)\n  %s", server, what, hint, strings.Join(x.reports, "\n  "))
}

// expand reads text once from left to right; what it puts in is not read again.
func (x *expander) expand(text string) (out string, missing []string) {
	var b strings.Builder
	for {
		start := strings.Index(text, "${")
		if start < 0 {
			break
		}
		length := strings.IndexByte(text[start:], '}')
		if length < 0 {
			break
		}
		reference := text[start+2 : start+length]
		if start > 0 && text[start-1] == '$' {
			b.WriteString(text[:start-1] + "${" + reference + "}")
		} else {
			b.WriteString(text[:start])
			value, ok := x.value(reference)
			if !ok {
				missing = append(missing, strings.TrimPrefix(reference, "env:"))
			}
			b.WriteString(value)
		}
		text = text[start+length+1:]
	}
	b.WriteString(text)
	return b.String(), missing
}

func (x *expander) value(reference string) (string, bool) {
	x.used = true
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(reference, "env:"), ":-")
	value, ok := x.lookup(name)
	if ok && value != "" {
		if x.filled == nil {
			x.filled = map[string]string{}
		}
		x.filled[name] = value
	}
	if hasFallback && value == "" {
		return fallback, true
	}
	return value, ok
}
