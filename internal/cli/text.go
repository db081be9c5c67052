package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"anvil/compiler/diag"
	"anvil/internal/config"
)

// printableLines escapes what a text carries of a server's, line by line.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = diag.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// counted is a number with its noun: "1 tool", "2 tools".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func orUnnamed(name string) string {
	if name == "" {
		return "(a server without a name)"
	}
	return name
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// shorten cuts s to at most limit characters, marking the cut.
func shorten(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return orDash(s)
	}
	return string(runes[:limit-1]) + "…"
}

// secrets are the values that servers were given in confidence. A server may print them in its last words. The zero value knows none; it
// is safe for concurrent use.
type secrets struct {
	mu     sync.Mutex
	values []string // longest first
}

// shortestSecret is the length below which a value is too common a text to be hidden everywhere.
const shortestSecret = 6

// add remembers what a server is given in confidence: its environment, its headers, and the arguments that a line for people hides.
func (s *secrets) add(server config.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, table := range []map[string]string{server.Env, server.Headers} {
		for _, value := range table {
			s.addValue(value)
		}
	}
	for i, arg := range server.Args {
		upToArg := config.Server{Command: "server", Args: server.Args[:i+1]}
		if strings.HasSuffix(upToArg.Redacted(), "***") {
			s.addValue(arg)
			_, value, _ := strings.Cut(arg, "=")
			s.addValue(value)
		}
	}
	slices.SortFunc(s.values, func(a, b string) int { return len(b) - len(a) })
}

// addValue adds the value and the words in it: "Bearer abc" may be told as "abc".
func (s *secrets) addValue(value string) {
	for _, text := range append(strings.Fields(value), value) {
		if len(text) >= shortestSecret && !slices.Contains(s.values, text) {
			s.values = append(s.values, text)
		}
	}
}

func (s *secrets) mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.values {
		text = strings.ReplaceAll(text, value, "***")
	}
	return text
}

// clean makes a text that may quote a server fit for a terminal or a report.
func (sh *shell) clean(text string) string { return printableLines(sh.secret.mask(text)) }
