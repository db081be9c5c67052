package config

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"anvil/internal/lazy"
)

// Header is a header that a command line gives to a server reached by URL, a secret whatever it is called.
type Header struct {
	Name     string // in canonical form
	Value    string // as it is sent
	Written  string // the value with variables as references, as a configuration has it
	Variable string // the variable that holds the token, set by [BearerHeader] only
}

// Errors of [ParseHeader] and [BearerHeader] that are mended by giving something else, to be tested with errors.Is.
var (
	ErrNotHeader       = errors.New("want a name, a colon and a value in one word")
	ErrNoValue         = errors.New("there is no value")
	ErrNotVariable     = errors.New("want the name of a variable that holds the token, not the token")
	ErrNoToken         = errors.New("not set, or empty")
	ErrOtherThanBearer = errors.New("set to text with a space in it, which is no bearer token")
)

// ParseHeader reads "Name: value" and fills in variables from lookup; an empty one is as good as missing. No error repeats the value.
func ParseHeader(text string, lookup func(string) (string, bool)) (Header, error) {
	name, written, found := strings.Cut(text, ":")
	if !found {
		return Header{}, ErrNotHeader
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
		return Header{}, fmt.Errorf("%s: %s is not set, or empty; set it in the environment", name, variableCalled(missing[0]))
	case strings.TrimSpace(value) == "":
		return Header{}, fmt.Errorf("%s: %w", name, ErrNoValue)
	}
	return Header{Name: name, Value: value, Written: written}, nil
}

// BearerHeader makes the header that carries the token in the variable, as lookup has it. No error repeats the value.
func BearerHeader(variable string, lookup func(string) (string, bool)) (Header, error) {
	if !variableName.MatchString(variable) {
		return Header{}, ErrNotVariable
	}
	token, _ := lookup(variable)
	scheme, _, spaced := strings.Cut(token, " ")
	called := variableCalled(variable)
	switch {
	case token == "":
		return Header{}, fmt.Errorf("%s is %w", called, ErrNoToken)
	case spaced && strings.EqualFold(scheme, "bearer"):
		return Header{}, fmt.Errorf("%s is set to more than the token: leave the word Bearer out of it", called)
	case spaced:
		return Header{}, fmt.Errorf("%s is %w", called, ErrOtherThanBearer)
	}
	h := Header{Name: "Authorization", Value: "Bearer " + token, Written: "Bearer ${" + variable + "}", Variable: variable}
	if err := checkHeader(h.Name, h.Value); err != nil {
		return Header{}, fmt.Errorf("%s is not fit for a header: %w", called, err)
	}
	return h, nil
}

var variableName = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variableCalled names a variable to people. What was given as its name may be a token, which is not repeated.
func variableCalled(name string) string {
	if !variable.MatchString(name) || looksSecret(name) {
		return "the variable that it names"
	}
	return "the variable " + name
}

// ownHeaders are those that a link sets by itself, and those that are about one connection alone.
var ownHeaders = lazy.MustCompile(`^(host|content-(length|type|encoding)|accept(-encoding)?|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*` +
	`|last-event-id|mcp-(session-id|protocol-version|method|name|param-.*))$`)

var headerName = lazy.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// checkHeader refuses a header that cannot be sent, or not by a user. The error does not repeat what was given.
func checkHeader(name, value string) error {
	switch {
	case !headerName.MatchString(name) || looksSecret(name):
		return errors.New("a header name has letters, digits and dashes only, as in X-Api-Key")
	case ownHeaders.MatchString(strings.ToLower(name)):
		return fmt.Errorf("the header %s is for anvil to set; leave it out", http.CanonicalHeaderKey(name))
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the value of %s holds a line break or another control character; take it out", http.CanonicalHeaderKey(name))
	}
	return nil
}
