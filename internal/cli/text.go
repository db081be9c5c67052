package cli

import (
	"fmt"
	"strings"

	"anvil/compiler/diag"
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
