package config

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Header is a header that a command line gives to a server, a secret whatever it is called.
type Header struct {
	Name     string // in canonical form
	Value    string // as it is sent
	Written  string // the value with variables as references, as a configuration has it
	Variable string // that holds the token of [BearerHeader]; "" otherwise
}

// ParseHeader reads "Name: value" and fills in variables from lookup; an empty one is as good as missing. No error repeats the value.
func ParseHeader(text string, lookup func(string) (string, bool)) (Header, error) {
	name, written, found := strings.Cut(text, ":")
	if !found {
		return Header{}, errors.New("want a name, a colon and a value in one word: --header 'Name: value'")
	}
	written = strings.Trim(written, " ")
	x := expander{lookup: func(name string) (string, bool) {
		value, ok := lookup(name)
		return value, ok && value != ""
	}}
	value, missing := x.expand(written)
	if err := checkHeader(name, value); err != nil {
		return Header{}, err
	}
	name = http.CanonicalHeaderKey(name)
	switch {
	case len(missing) > 0:
		return Header{}, fmt.Errorf("%s: %s not set, or empty; set it in the environment", name, variableCalled(missing[0]))
	case strings.TrimSpace(value) == "":
		return Header{}, fmt.Errorf("%s: there is no value; write --header 'Name: value' in quotes, and see that what the shell puts in is set", name)
	}
	return Header{Name: name, Value: value, Written: written}, nil
}

// BearerHeader makes the header that carries the token in the variable, as lookup has it. No error repeats the value.
func BearerHeader(variable string, lookup func(string) (string, bool)) (Header, error) {
	if !variableName.MatchString(variable) {
		return Header{}, errors.New("want the name of a variable that holds the token, not the token: --bearer-env TOKEN")
	}
	token, _ := lookup(variable)
	scheme, _, spaced := strings.Cut(token, " ")
	called := variableCalled(variable)
	switch {
	case token == "":
		return Header{}, fmt.Errorf("%s not set, or empty; put the token into it, and give its name: --bearer-env TOKEN", called)
	case spaced && strings.EqualFold(scheme, "bearer"):
		return Header{}, fmt.Errorf("%s set to more than the token: leave the word Bearer out of it", called)
	case spaced:
		return Header{}, fmt.Errorf("%s set to text with a space in it, which is no bearer token; give another scheme with --header 'Authorization: ${VAR}'", called)
	}
	h := Header{Name: "Authorization", Value: "Bearer " + token, Written: "Bearer ${" + variable + "}", Variable: variable}
	if err := checkHeader(h.Name, h.Value); err != nil {
		return Header{}, fmt.Errorf("%s not fit for a header: %w", called, err)
	}
	return h, nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variableCalled begins a sentence about a variable. What was given as its name may be a token, which is not repeated.
func variableCalled(name string) string {
	if !variable.MatchString(name) || looksSecret(name) {
		return "the variable that it names is"
	}
	return "the variable " + name + " is"
}

// ownHeaders are those that a link sets by itself, and those that are about one connection alone.
var ownHeaders = regexp.MustCompile(`^(host|content-(length|type|encoding)|accept(-encoding)?|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*` +
	`|last-event-id|mcp-(session-id|protocol-version|method|name|param-.*))$`)

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// checkHeader refuses a header that cannot be sent, or not by a user. The error does not repeat what was given.
func checkHeader(name, value string) error {
	switch {
	case !headerName.MatchString(name) || looksSecret(name):
		return errors.New("what stands for a header's name is none; it has letters, digits and dashes, as in X-Api-Key")
	case ownHeaders.MatchString(strings.ToLower(name)):
		return fmt.Errorf("the header %s is for anvil to set; leave it out", http.CanonicalHeaderKey(name))
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the value of %s holds a line break or another control character; take it out", http.CanonicalHeaderKey(name))
	}
	return nil
}

// checkHeaders reports the headers of an entry that cannot be sent. Other clients want Accept and Content-Type written out; a link replaces
// both.
func (r *entryReader) checkHeaders(headers map[string]string) {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		key := http.CanonicalHeaderKey(name)
		err := checkHeader(name, headers[name])
		if err == nil && seen[key] {
			err = fmt.Errorf("the header %s is given twice; names differ by more than upper and lower case", key)
		}
		if err != nil && key != "Accept" && key != "Content-Type" {
			r.report("/headers", "%v", err)
		}
		seen[key] = true
	}
}

// WithHeaders returns t with headers of the command line, which stand in the place of those of the configuration. Only a server reached by
// URL takes them.
func (t Target) WithHeaders(headers []Header) (Target, error) {
	switch {
	case len(headers) == 0:
		return t, nil
	case t.Path != "":
		return Target{}, fmt.Errorf("--header and --bearer-env are for a server reached by URL; %s is a %s", t.Path, t.Kind)
	case t.Server.URL == "":
		return Target{}, errors.New("--header and --bearer-env are for a server reached by URL; one that is started gets its secrets in env of the configuration")
	}
	seen := map[string]Header{}
	for _, h := range headers {
		if first, ok := seen[h.Name]; ok && (first.Variable != "" || h.Variable != "") {
			return Target{}, errors.New("both --bearer-env and --header say what Authorization is; give one")
		} else if ok {
			return Target{}, fmt.Errorf("--header gives %s twice; give it once", h.Name)
		}
		seen[h.Name] = h
	}
	t.Server = t.Server.withHeaders(headers)
	return t, nil
}

func (s Server) withHeaders(headers []Header) Server {
	written := s.escaped()
	if s.written != nil {
		written = *s.written
	}
	s.Headers, written.Headers = withoutHeaders(s.Headers, headers), withoutHeaders(written.Headers, headers)
	for _, h := range headers {
		s.Headers[h.Name], written.Headers[h.Name] = h.Value, h.Written
	}
	s.written, s.given = &written, slices.Clone(headers)
	return s
}

// withoutHeaders copies the table without the headers given otherwise.
func withoutHeaders(table map[string]string, given []Header) map[string]string {
	out := map[string]string{}
	for name, value := range table {
		if !isGiven(given, name) {
			out[name] = value
		}
	}
	return out
}

func isGiven(given []Header, name string) bool {
	return slices.ContainsFunc(given, func(h Header) bool { return h.Name == http.CanonicalHeaderKey(name) })
}

// byReference matches a value of which nothing is written out but the scheme, names of cookies and separators.
var byReference = regexp.MustCompile(`^(?i:(bearer|basic|token|apikey|digest|negotiate) )?[ ,;:]*([\w.-]+=)?\$\{(env:)?\w+\}([ ,;:]+([\w.-]+=)?\$\{(env:)?\w+\})*$`)

// HeaderFlags returns the flags that give a server its headers on another command line: variables by name, and where a value was written out
// a variable to put it in.
func (s Server) HeaderFlags() []string {
	var words []string
	for _, h := range s.given {
		switch {
		case h.Variable != "":
			words = append(words, "--bearer-env", h.Variable)
		case byReference.MatchString(h.Written):
			words = append(words, "--header", h.Name+": "+h.Written)
		default:
			words = append(words, "--header", h.Name+": ${"+variableFor(h.Name)+"}")
		}
	}
	return words
}

// portableHeaders reports the headers of the command line whose value no file can tell where to find.
func (s Server) portableHeaders() (problems []error) {
	for _, h := range s.given {
		if !byReference.MatchString(h.Written) {
			name := variableFor(h.Name)
			problems = append(problems, fmt.Errorf("the value of the header %s is written out; set the variable %s to it and write --header '%s: ${%s}'", h.Name, name, h.Name, name))
		}
	}
	return problems
}
