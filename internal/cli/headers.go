package cli

import (
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
			return nil, usagef("--bearer-env: %w", err)
		}
		headers = append(headers, h)
	}
	for _, text := range c.StringSlice("header") {
		h, err := config.ParseHeader(text, sh.getenv)
		if err != nil {
			return nil, usagef("--header: %w", err)
		}
		headers = append(headers, h)
	}
	return headers, nil
}

// withHeaders gives the headers to the one of two targets that is reached by URL.
func withHeaders(targets [2]config.Target, headers []config.Header) ([2]config.Target, error) {
	if len(headers) == 0 {
		return targets, nil
	}
	to := 1
	if targets[0].Server.URL != "" {
		to = 0
		if targets[1].Server.URL != "" {
			return targets, usage(fmt.Errorf("--header and --bearer-env are for one server, and both of these are reached by URL; " +
				"take a snapshot of one first, or name both in the configuration with their headers"))
		}
	}
	var err error
	targets[to], err = targets[to].WithHeaders(headers)
	return targets, usage(err)
}

// shellTarget spells a target as it is typed, secrets masked and with the variables in the place of headers.
func shellTarget(t config.Target) string {
	if t.Kind == config.KindCommand {
		return "-- " + calledTarget(t)
	}
	var words []string
	for _, word := range t.Server.HeaderFlags() {
		words = append(words, diag.ShellWord(word))
	}
	return strings.Join(append(words, diag.ShellWord(calledTarget(t))), " ")
}

// calledTarget says in a message which server it was.
func calledTarget(t config.Target) string {
	if t.Kind == config.KindName {
		return t.Server.Name
	}
	s := t.Server
	s.Transport, s.Headers = "", nil
	return s.Redacted()
}
