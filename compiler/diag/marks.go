package diag

import (
	"bytes"
	"regexp"
	"strings"
)

// oldMark begins a command to the runner of a CI job wherever it stands in a line of the job's log: ##[group], ##vso[task.setvariable].
var oldMark = regexp.MustCompile(`##[A-Za-z]*\[`)

// lineMark begins a command at the head of a line, behind blanks: ::error::, ::add-mask::, ::stop-commands::.
const lineMark = "::"

// Commands reports whether a runner of CI jobs reads a command out of this line of a job's log. What anvil prints is such a log, and what it prints of
// a server's is never one.
func Commands(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), lineMark) || oldMark.MatchString(line)
}

// harmless returns a line's text with one character of each mark as an escape.
func harmless(s string) string {
	if strings.Contains(s, "##") {
		s = oldMark.ReplaceAllStringFunc(s, func(mark string) string { return `#\u0023` + mark[2:] })
	}
	if text := strings.TrimLeft(s, " "); strings.HasPrefix(text, lineMark) {
		s = s[:len(s)-len(text)] + `\u003a` + text[1:]
	}
	return s
}

// HarmlessQuoted returns JSON, or YAML that has all its strings in double quotes, with the marks in its strings spelled so that no runner of CI jobs
// knows them, and readers read the same.
func HarmlessQuoted(data []byte) []byte {
	if !bytes.Contains(data, []byte("##")) {
		return data
	}
	return oldMark.ReplaceAllFunc(data, func(mark []byte) []byte { return append([]byte(`#\u0023`), mark[2:]...) })
}
