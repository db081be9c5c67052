package config

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"anvil/internal/lazy"
)

// WithHeaders returns s, which is reached by URL, with headers of the command line. They stand in the place of those of the configuration,
// whatever case these are written in; of two with one name the last counts.
func (s Server) WithHeaders(headers []Header) Server {
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

// GivenHeaders returns the headers of the command line, in the order in which they were given.
func (s Server) GivenHeaders() []Header { return slices.Clone(s.given) }

// byReference matches a value of which nothing is written out but the scheme, names of cookies and separators.
var byReference = lazy.MustCompile(`^(?i:(bearer|basic|token|apikey|digest|negotiate) )?[ ,;:]*([\w.-]+=)?\$\{(env:)?\w+\}([ ,;:]+([\w.-]+=)?\$\{(env:)?\w+\})*$`)

// Portable returns the value for a file that is shared: as it is written, or, where more than a scheme is written out in it, as a reference
// to variable, which somebody has to set to it; variable is "" for the first.
func (h Header) Portable() (written, variable string) {
	if byReference.MatchString(h.Written) {
		return h.Written, ""
	}
	variable = variableFor(h.Name)
	return "${" + variable + "}", variable
}

// ErrWrittenOut is the error of [Server.Portable] for headers of the command line of which [Header.Portable] names a variable: no file could
// tell where to find their values.
var ErrWrittenOut = errors.New("the value of a header is written out")

func (s Server) portableHeaders() error {
	var names []string
	for _, h := range s.given {
		if _, variable := h.Portable(); variable != "" {
			names = append(names, h.Name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%w: %s", ErrWrittenOut, strings.Join(names, ", "))
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
