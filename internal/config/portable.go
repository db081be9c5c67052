package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Portable returns s in a form fit for a file that is shared: as its configuration has it, with variables not filled in, and with every
// secret in Env and Headers replaced by a reference to a variable, ${NAME}. A secret in an argument or in the URL cannot be replaced
// safely, and neither can a header of the command line that is no reference, which is [ErrWrittenOut]; it is an error that says where.
// [Filled] is the way back.
func (s Server) Portable() (Server, error) {
	p := s
	if s.written != nil {
		p = *s.written
	} else {
		p = s.escaped()
	}
	p.Extra, p.Plugin, p.Shown, p.written, p.given, p.filled = nil, "", "", nil, nil, nil
	masked := maskArgs(p.Args)
	var problems []error
	for i, arg := range p.Args {
		if masked[i] != arg && holdsSecret(arg) {
			problems = append(problems, fmt.Errorf("argument %d (%s) looks like a secret", i+1, masked[i]))
		}
	}
	if redactURL(p.URL) != p.URL && holdsSecret(p.URL) {
		problems = append(problems, fmt.Errorf("the url (%s) looks like it holds a secret", redactURL(p.URL)))
	}
	if len(problems) > 0 {
		return Server{}, fmt.Errorf("%w; put it in a variable: name the server in anvil.yaml and write ${NAME} in its place", errors.Join(problems...))
	}
	if err := s.portableHeaders(); err != nil {
		return Server{}, err
	}
	p.Env, p.Headers = referenced(p.Env), referenced(p.Headers)
	return p, nil
}

// holdsSecret reports text that is secret by itself: what a reference stands for is not in it.
func holdsSecret(text string) bool {
	return !reference.MatchString(text) || looksSecret(reference.ReplaceAllString(text, ""))
}

// referenced returns the table with secret values replaced by references named after their keys.
func referenced(table map[string]string) map[string]string {
	out := maps.Clone(table)
	for key, value := range table {
		if (holdsSecret(value) || spareValue.MatchString(value)) && (namesSecret(key) || isSecret(value)) {
			out[key] = "${" + variableFor(key) + "}"
		}
	}
	return out
}

// spareValue is a default that is not empty: a value written out.
var spareValue = regexp.MustCompile(`\$\{[^}]*?:-[^}]+\}`)

// variableFor names the variable that stands for the value of a key: API_KEY, or AUTHORIZATION for the header Authorization.
func variableFor(key string) string {
	return strings.ToUpper(strings.Trim(notWord.ReplaceAllString(strings.ToLower(key), "_"), "_"))
}

// Lookup returns the value that s itself has for a variable which [Server.Portable] put in its place.
func (s Server) Lookup(variable string) (string, bool) {
	for _, table := range []map[string]string{s.Env, s.Headers} {
		for key, value := range table {
			if variableFor(key) == variable {
				return value, true
			}
		}
	}
	return "", false
}

// escaped returns s with every text that reads as a reference marked as plain text.
func (s Server) escaped() Server {
	escape := func(text string) string { return strings.ReplaceAll(text, "${", "$${") }
	table := func(in map[string]string) map[string]string {
		out := maps.Clone(in)
		for key, value := range in {
			out[key] = escape(value)
		}
		return out
	}
	s.Command, s.URL, s.Dir, s.Args = escape(s.Command), escape(s.URL), escape(s.Dir), slices.Clone(s.Args)
	for i, arg := range s.Args {
		s.Args[i] = escape(arg)
	}
	s.Env, s.Headers = table(s.Env), table(s.Headers)
	return s
}

// Filled returns a portable server with its variables filled in from lookup. All that are missing are reported at once.
func Filled(s Server, lookup func(string) (string, bool)) (Server, error) {
	r := entryReader{file: &File{Path: "upstream", lookup: lookup}, name: s.Name}
	shown := s.asWritten()
	server := r.fill(s)
	server.Shown = shown
	if len(r.problems) == 0 {
		r.checkHeaders(server.Headers)
	}
	return server, errors.Join(r.problems...)
}
