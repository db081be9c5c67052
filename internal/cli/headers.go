package cli

import (
	"errors"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/internal/config"
)

// headerFlags are the flags that give a server reached by URL its headers.
func headerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "header", Usage: "send the header `'NAME: VALUE'` to a server reached by URL; give it once for each. The value is kept secret; " +
			"'NAME: ${VAR}' takes it from the environment, and only such a header goes into a facade, by the variable's name"},
		&cli.StringFlag{Name: "bearer-env", Usage: "send the token in the variable `VAR` of the environment as \"Authorization: Bearer ...\"; a facade names the variable"},
	}
}

// headers reads --header and --bearer-env. It comes before the target, since a value that was not quoted is taken for one.
func (sh *shell) headers(c *cli.Context) ([]config.Header, error) {
	var headers []config.Header
	if c.IsSet("bearer-env") {
		h, err := config.BearerHeader(c.String("bearer-env"), sh.getenv)
		if err != nil {
			return nil, usagef("--bearer-env: %w%s", err, headerHint(err))
		}
		headers = append(headers, h)
	}
	for _, text := range c.StringSlice("header") {
		h, err := config.ParseHeader(text, sh.getenv)
		if err != nil {
			return nil, usagef("--header: %w%s", err, headerHint(err))
		}
		headers = append(headers, h)
	}
	return headers, nil
}

// headerHint says what to type for a header that could not be made, with its separator; empty where the error says it.
func headerHint(err error) string {
	switch {
	case errors.Is(err, config.ErrNotHeader):
		return ": --header 'Name: value'"
	case errors.Is(err, config.ErrNoValue):
		return "; write --header 'Name: value' in quotes, and see that what the shell puts in is set"
	case errors.Is(err, config.ErrNotVariable):
		return ": --bearer-env TOKEN"
	case errors.Is(err, config.ErrNoToken):
		return "; put the token into it, and give its name: --bearer-env TOKEN"
	case errors.Is(err, config.ErrOtherThanBearer):
		return "; give another scheme with --header 'Authorization: ${VAR}'"
	}
	return ""
}

// withHeaders returns t with the headers of the flags. Only a server reached by URL takes them.
func withHeaders(t config.Target, headers []config.Header) (config.Target, error) {
	switch {
	case len(headers) == 0:
		return t, nil
	case t.Path != "":
		return config.Target{}, usagef("--header and --bearer-env are for a server reached by URL; %s is a %s", t.Path, t.Kind)
	case t.Server.URL == "":
		return config.Target{}, usagef("--header and --bearer-env are for a server reached by URL; one that is started gets its secrets in env of the configuration")
	}
	seen := map[string]config.Header{}
	for _, h := range headers {
		if first, ok := seen[h.Name]; ok && (first.Variable != "" || h.Variable != "") {
			return config.Target{}, usagef("both --bearer-env and --header say what Authorization is; give one")
		} else if ok {
			return config.Target{}, usagef("--header gives %s twice; give it once", h.Name)
		}
		seen[h.Name] = h
	}
	t.Server = t.Server.WithHeaders(headers)
	return t, nil
}

// withHeadersOfOne gives the headers to the one of two targets that is reached by URL.
func withHeadersOfOne(targets [2]config.Target, headers []config.Header) ([2]config.Target, error) {
	if len(headers) == 0 {
		return targets, nil
	}
	to := 1
	if targets[0].Server.URL != "" {
		to = 0
		if targets[1].Server.URL != "" {
			return targets, usagef("--header and --bearer-env are for one server, and both of these are reached by URL; " +
				"take a snapshot of one first, or name both in the configuration with their headers")
		}
	}
	var err error
	targets[to], err = withHeaders(targets[to], headers)
	return targets, err
}

// portable returns the server as a pack may hold it. The error says which flags to give instead.
func portable(s config.Server) (config.Server, error) {
	p, err := s.Portable()
	if !errors.Is(err, config.ErrWrittenOut) {
		return p, err
	}
	var problems []error
	for _, h := range s.GivenHeaders() {
		if written, variable := h.Portable(); variable != "" {
			problems = append(problems, fmt.Errorf("the value of the header %s is written out; set the variable %s to it and write --header '%s: %s'",
				h.Name, variable, h.Name, written))
		}
	}
	return config.Server{}, errors.Join(problems...)
}

// headerWords are the flags that give a server its headers on another command line: variables by name, and where a value was written out a
// variable to put it in.
func headerWords(s config.Server) []string {
	var words []string
	for _, h := range s.GivenHeaders() {
		if h.Variable != "" {
			words = append(words, "--bearer-env", h.Variable)
			continue
		}
		written, _ := h.Portable()
		words = append(words, "--header", h.Name+": "+written)
	}
	return words
}

// shellTarget spells a target as it is typed, secrets masked and with the variables in the place of headers.
func shellTarget(t config.Target) string {
	if t.Kind == config.KindCommand {
		return "-- " + calledTarget(t)
	}
	if t.Kind == config.KindPack {
		return diag.ShellPath(t.Path)
	}
	var words []string
	for _, word := range headerWords(t.Server) {
		words = append(words, diag.ShellWord(word))
	}
	return strings.Join(append(words, diag.ShellWord(calledTarget(t))), " ")
}

// calledTarget says in a message which server it was.
func calledTarget(t config.Target) string {
	if t.Kind == config.KindName {
		return t.Server.Name
	}
	if t.Kind == config.KindPack { // which is not known by its server
		return "pack " + t.Path
	}
	s := t.Server
	s.Transport, s.Headers = "", nil
	return s.Redacted()
}
