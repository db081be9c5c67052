package export

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"anvil/compiler/diag"
)

// Tool is who made a report, and what a format asks for beside it.
type Tool struct {
	Name, Version string
	Rules         diag.Catalog // that findings of the report may name
	Threshold     diag.Threshold
	Target        string // what a report about one server calls it; empty stands for "server"
	// Accepted says whether this run made what was found of a server the new state of things, so that none of it fails. Nil stands for no server.
	Accepted func(server string) bool
	// Artifact returns the file that stands for a server, relative to the repository: code scanning shows findings on files. Nil stands for
	// NAME.snapshot.json.
	Artifact func(server string) string
	// Broken says whether a server could not be looked at, or what was seen of it could not be used. Nil stands for none.
	Broken func(diag.Status) bool
	// Unchecked says of which servers nothing is known, so that no findings of theirs are no good news. Nil stands for Broken.
	Unchecked func(diag.Status) bool
}

// fileWidth is how many characters of a server's name stand in that of its file.
const fileWidth = 200

// artifact returns the file of a server, with slashes. It never leads out of the repository, whatever the server is called.
func (t Tool) artifact(server string) string {
	file := cmp.Or(strings.ReplaceAll(diag.Shorten(server, fileWidth), "/", "_"), "server") + ".snapshot.json"
	if t.Artifact != nil {
		file = filepath.ToSlash(t.Artifact(server))
	}
	return cmp.Or(path.Clean("/" + file)[1:], "server.snapshot.json")
}

// uri is the artifact as a relative URI.
func (t Tool) uri(server string) string {
	return (&url.URL{Path: t.artifact(server)}).String()
}

func (t Tool) broken(s diag.Status) bool { return t.Broken != nil && t.Broken(s) }

func (t Tool) unchecked(s diag.Status) bool {
	if t.Unchecked != nil {
		return t.Unchecked(s)
	}
	return t.broken(s)
}

// fails reports a finding that makes the command fail.
func (t Tool) fails(f diag.Finding) bool { return !t.accepts(f.Server) && t.Threshold.Fails(f) }

func (t Tool) accepts(server string) bool { return t.Accepted != nil && t.Accepted(server) }

// level is how loud a finding is. One that somebody lets pass is a note, whatever it concerns.
func level(f diag.Finding) string {
	if f.Accepted != nil {
		return "note"
	}
	return levelOf(f.Class, f.Security)
}

// levelOf names a finding's class as code scanning and annotations do. What concerns security is no mere note.
func levelOf(c diag.Class, security bool) string {
	switch {
	case c == diag.Error, c == diag.Breaking:
		return "error"
	case c == diag.Risky, c == diag.Warning, security:
		return "warning"
	}
	return "note"
}
