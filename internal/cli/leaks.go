package cli

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var secretInSurface = diag.Rule{ID: "secret-in-surface", Title: "The server repeats a secret it was given", Class: diag.Error, Security: true, Since: "0.1",
	Doc: `What a server lists is read by models and kept in files, and here it holds a secret of the server's own environment, headers,
arguments or URL. Nothing is written. Have the server fixed, and change the credential: every client of the server has seen it.`}

// leaks reports where a surface holds one of the secrets, and never the secret.
func leaks(s *surface.McpSurfaceSnapshot, secrets []string) []diag.Finding {
	w := leakWalk{secrets: longEnough(slices.Clone(secrets))}
	if len(w.secrets) == 0 {
		return nil
	}
	w.subject = "server"
	for _, part := range []struct {
		at   string
		node *canon.Node
	}{{"/server", s.Server}, {"/capabilities", s.Capabilities}, {"/instructions", s.Instructions}, {"/extra", s.Extra}} {
		w.search(part.node, part.at)
	}
	if w.holds(strings.Join(append(slices.Clone(s.SupportedVersions), s.ProtocolVersion), " ")) {
		w.report("/protocolVersion")
	}
	for _, kind := range surface.Kinds {
		for _, it := range s.Items[kind] {
			w.item(it)
		}
	}
	return w.findings
}

type leakWalk struct {
	secrets       []string
	subject, tool string
	findings      []diag.Finding
}

// item searches one item; one whose name is a secret is named by its digest.
func (w *leakWalk) item(it surface.Item) {
	w.subject, w.tool = it.Subject(), ""
	if w.holds(it.Name) {
		w.subject = fmt.Sprintf("%s/%s", it.Kind, strings.TrimPrefix(it.Digest, "sha256:")[:12])
	} else if it.Kind == surface.Tool {
		w.tool = it.Name
	}
	w.search(it.Node, "")
}

func (w *leakWalk) search(n *canon.Node, at string) {
	if n == nil {
		return
	}
	for _, m := range n.Members {
		if w.holds(m.Name) {
			w.report(at) // a pointer into it would tell
			continue
		}
		w.search(m.Value, at+canon.Pointer(m.Name))
	}
	for i, item := range n.Items {
		w.search(item, fmt.Sprintf("%s/%d", at, i))
	}
	if text, ok := n.Str(); ok && w.holds(text) || n.Is(canon.Number) && w.holds(string(n.Raw)) {
		w.report(at)
	}
}

func (w *leakWalk) holds(text string) bool {
	return slices.ContainsFunc(w.secrets, func(secret string) bool { return strings.Contains(text, secret) })
}

func (w *leakWalk) report(at string) {
	f := secretInSurface.Finding(w.subject, fmt.Sprintf("%s holds a secret that the server was given", orThe(w.subject, at)))
	f.Tool, f.Pointer = w.tool, at
	f.Hint = "have the server fixed, and change the credential: whoever may list the server's tools has seen it"
	w.findings = append(w.findings, f.Sealed())
}

func orThe(subject, at string) string {
	if at == "" {
		return subject
	}
	return subject + " at " + at
}
