package cli

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/config"
)

// secrets are the values that servers were given in confidence. A server may print them in its last words, or list them. The zero value knows
// none; it is safe for concurrent use.
type secrets struct {
	mu    sync.Mutex
	given []string // in no message; longest first
	sure  []string // in no report either, in every spelling of one; longest first
}

// shortestSecret is the length below which a value is too common a text to be hidden everywhere.
const shortestSecret = 6

// add remembers what a server is given in confidence, and returns it.
func (s *secrets) add(server config.Server) []string {
	given := longEnough(server.Given())
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range given {
		s.given = merged(s.given, longEnough([]string{value, url.QueryEscape(value), url.PathEscape(value), (&url.URL{Path: value}).EscapedPath()}))
	}
	for _, value := range longEnough(server.Secrets()) {
		s.sure = merged(s.sure, spellings(value))
	}
	return given
}

// addText remembers one value that is given in confidence.
func (s *secrets) addText(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given, s.sure = merged(s.given, spellings(value)), merged(s.sure, spellings(value))
}

// spellings are a value as it stands in text, in JSON, in Markdown, in a URL, in XML, in a workflow command, and in
// the id of an operation.
func spellings(value string) []string {
	quoted := string(canon.Quote(value))
	return longEnough([]string{value, quoted[1 : len(quoted)-1], diag.MarkdownText(value), diag.Printable(value), air.CanonicalName(value),
		url.QueryEscape(value), url.PathEscape(value), (&url.URL{Path: value}).EscapedPath(), html.EscapeString(value),
		strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(value), strings.ReplaceAll(value, "%", "%25")})
}

func longEnough(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return len(v) < shortestSecret })
}

// merged joins values, longest first, so that a secret inside another does not spare the rest of it.
func merged(values, more []string) []string {
	all := append(slices.Clone(values), more...)
	slices.Sort(all)
	all = slices.Compact(all)
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// mask takes what was given in confidence out of a message.
func (s *secrets) mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.given {
		text = maskCut(strings.ReplaceAll(text, value, "***"), value)
	}
	return text
}

// cutMark ends a text of a server's that was cut short, and may cut a secret in two.
const cutMark = "..."

// maskCut masks the beginning of value where a text was cut in the middle of it.
func maskCut(text, value string) string {
	parts := strings.Split(text, cutMark)
	for i, part := range parts[:len(parts)-1] {
		for n := min(len(value), len(part)); n >= shortestSecret; n-- {
			if strings.HasSuffix(part, value[:n]) {
				parts[i] = part[:len(part)-n] + "***"
				break
			}
		}
	}
	return strings.Join(parts, cutMark)
}

// hide takes secrets out of a report. What is no secret for certain stays: a report tells what a server says.
func (s *secrets) hide(report []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(report)
	for _, value := range s.sure {
		text = strings.ReplaceAll(text, value, "***")
	}
	return []byte(text)
}

// clean makes a text that may quote a server fit for a terminal or a report.
func (sh *shell) clean(text string) string { return printableLines(sh.secret.mask(text)) }
