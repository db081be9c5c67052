package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// The transports of a [Server]. An empty one means: streamable HTTP, falling back to SSE.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

// Server says how to reach one server: a command to start, or a URL. The zero value reaches none.
type Server struct {
	Name      string // in the configuration; "" for a server given on the command line
	Transport string // Stdio, HTTP, SSE or ""
	Command   string // to be looked up in PATH when it holds no separator
	Args      []string
	Env       map[string]string
	Dir       string // to start the command in; "" is the folder anvil runs in
	URL       string // http or https
	Headers   map[string]string
	Plugin    string // that brings the server to its clients, which some put into the names of its tools; "" for none

	// Extra holds the keys of the entry that anvil does not know, as JSON and with variables not filled in.
	Extra map[string]canon.Raw
	// Shown is the command line or URL for people, made from the entry as it is written, where variables are still names,
	// and with secrets masked. When empty, Redacted makes it from the fields.
	Shown string

	written *Server           // the entry as it is written, where it has one; see Portable
	given   []Header          // of the command line, which are among Headers
	filled  map[string]string // the variables that were filled in, and their values
}

// Redacted returns one line that tells people which server this is: its command or URL, and the names of the
// environment variables and headers it is given. It never holds their values, user information, a query value, or an
// argument that names or looks like a secret; these read "***".
func (s Server) Redacted() string {
	parts := []string{s.Shown}
	if s.Shown == "" {
		parts[0] = s.reach()
	}
	if s.Transport == SSE || s.Transport == HTTP {
		parts = append(parts, "("+s.Transport+")")
	}
	if len(s.Env) > 0 {
		parts = append(parts, names("env", s.Env))
	}
	if len(s.Headers) > 0 {
		parts = append(parts, names("headers", s.Headers))
	}
	return strings.Join(parts, " ")
}

// reach is the command line or the URL, masked.
func (s Server) reach() string {
	var parts []string
	if s.Command != "" {
		parts = append(parts, shown(maskWord(s.Command)))
		for _, arg := range maskArgs(s.Args) {
			parts = append(parts, shown(arg))
		}
	}
	if s.URL != "" {
		parts = append(parts, shown(redactURL(s.URL)))
	}
	return strings.Join(parts, " ")
}

// asWritten is reach for an entry whose variables are not filled in; their defaults are left out.
func (s Server) asWritten() string {
	written := func(text string) string { return withDefault.ReplaceAllString(text, "$${$1}") }
	s.Command, s.URL, s.Args = written(s.Command), written(s.URL), slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = written(s.Args[i])
	}
	return s.reach()
}

// normalTransport brings the spellings in use to one of the four transports.
func normalTransport(word string) (string, error) {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word)) {
	case "":
		return "", nil
	case "stdio":
		return Stdio, nil
	case "http", "https", "streamable", "streamablehttp":
		return HTTP, nil
	case "sse":
		return SSE, nil
	}
	return "", fmt.Errorf("unknown transport %q; known are stdio, http and sse", word)
}

// checkURL does not repeat the URL in its errors, since it may hold a secret.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || !schemed.MatchString(text):
		return errors.New("the url cannot be read; it should look like https://host/path")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the url has scheme %q; only http and https are supported", u.Scheme)
	case u.Host == "":
		return errors.New("the url names no host; it should look like https://host/path")
	}
	return nil
}
