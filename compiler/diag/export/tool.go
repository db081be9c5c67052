package export

import (
	"cmp"
	"net/url"
	"path/filepath"

	"anvil/compiler/diag"
)

// Tool is who made a report, and what a format asks for beside it.
type Tool struct {
	Name, Version string
	Rules         diag.Catalog // that findings of the report may name
	Threshold     diag.Threshold
	// Artifact returns the file that stands for a server, relative to the repository: code scanning shows findings on files. Nil stands for
	// NAME.snapshot.json.
	Artifact func(server string) string
	// Broken says whether a server could not be looked at. Nil stands for none.
	Broken func(diag.Status) bool
}

// artifact returns the file of a server as a relative URI.
func (t Tool) artifact(server string) string {
	path := cmp.Or(server, "server") + ".snapshot.json"
	if t.Artifact != nil {
		path = t.Artifact(server)
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	return u.EscapedPath()
}

func (t Tool) broken(s diag.Status) bool { return t.Broken != nil && t.Broken(s) }
