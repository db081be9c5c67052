package export

import (
	"bytes"
	"fmt"
	"strings"

	"anvil/compiler/diag"
)

// GitHub returns the report as workflow commands, one line for each finding and each server that could not be looked at: in a workflow's log they
// become annotations.
func GitHub(r diag.Report, t Tool) []byte {
	var b bytes.Buffer
	for _, s := range r.Servers {
		if t.broken(s) {
			fmt.Fprintf(&b, "::error title=%s::%s\n", githubProperty("anvil: "+s.State), githubText(s.Server+": "+s.Message))
		}
	}
	for _, f := range r.Findings {
		text := f.Message
		if f.Hint != "" {
			text += "; " + f.Hint
		}
		fmt.Fprintf(&b, "::%s file=%s,title=%s::%s\n", commandOf(f.Class), githubProperty(t.artifact(f.Server)), githubProperty("anvil: "+f.Rule),
			githubText(f.Subject+f.Pointer+": "+text))
	}
	return b.Bytes()
}

func commandOf(c diag.Class) string {
	switch level := levelOf(c); level {
	case "error", "warning":
		return level
	}
	return "notice"
}

var (
	githubEscapes         = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubPropertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubText(s string) string     { return githubEscapes.Replace(diag.Printable(s)) }
func githubProperty(s string) string { return githubPropertyEscapes.Replace(diag.Printable(s)) }
