package pack

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/lookalike"
)

// checkManifest judges the manifest by itself.
func (p *Pack) checkManifest() []diag.Finding {
	m := p.Manifest
	findings := slices.Concat(m.checkPaths(), m.checkGraph())
	mismatch := func(rule diag.Rule, message, stated string, compute func() (string, error)) {
		if got, err := compute(); err != nil || got != stated {
			f := finding(rule, ManifestFile, message)
			f.Before, f.After = canon.Quote(stated), canon.Quote(got)
			findings = append(findings, f.Sealed())
		}
	}
	mismatch(contentsMismatch, "the manifest lists other artifacts and nodes than those it was sealed with", m.Contents, m.contents)
	mismatch(digestMismatch, "the manifest states a digest that is not its own", m.Digest, m.identity)
	return findings
}

func (m Manifest) checkPaths() []diag.Finding {
	var findings []diag.Finding
	taken := map[string]string{} // by what a file system may make of it
	claim := func(p string) (string, bool) {
		other, clash := taken[folded(p)]
		taken[folded(p)] = p
		return other, clash
	}
	claim(ManifestFile)
	for _, a := range m.Artifacts {
		if err := checkPath(a.Path); err != nil {
			findings = append(findings, finding(pathUnsafe, a.Path, err.Error()))
			continue
		}
		if other, clash := claim(a.Path); clash || isReserved(a.Path) {
			if !clash {
				other = "the certificate"
			}
			findings = append(findings, finding(pathUnsafe, a.Path, fmt.Sprintf("artifact path %q clashes with %q on some file systems", a.Path, other)))
		}
		if why := unportable(a.Path); why != "" {
			f := finding(pathUnportable, a.Path, fmt.Sprintf("artifact path %q %s", a.Path, why))
			f.Hint = "open the pack on another system than Windows"
			findings = append(findings, f)
		}
	}
	return findings
}

// folded is what file systems that ignore case and normalise Unicode take a path for.
func folded(p string) string {
	return strings.ToLower(strings.ToUpper(lookalike.Compatible(p)))
}

var reserved = []string{"con", "prn", "aux", "nul", "conin$", "conout$"}

// unportable says why Windows has no such path; "" when it has.
func unportable(p string) string {
	for name := range strings.SplitSeq(p, "/") {
		stem, _, _ := strings.Cut(strings.ToLower(name), ".")
		stem = strings.TrimRight(stem, " ")
		numbered := len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '1' && stem[3] <= '9'
		switch {
		case numbered || slices.Contains(reserved, stem):
			return fmt.Sprintf("holds %q, the name of a device on Windows", name)
		case strings.ContainsAny(name, `<>"|?*`):
			return "holds a character that Windows refuses in a name"
		case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
			return "holds a name that ends in a dot or a space, which Windows drops"
		}
	}
	return ""
}

// checkGraph holds nodes and artifacts against each other.
func (m Manifest) checkGraph() []diag.Finding {
	var findings []diag.Finding
	dangling := func(p, message string) { findings = append(findings, finding(outputDangling, p, message)) }
	artifacts, makers, ids := map[string]Artifact{}, map[string]string{}, map[string]bool{}
	for _, a := range m.Artifacts {
		artifacts[a.Path] = a
	}
	for _, n := range m.Nodes {
		if ids[n.ID] {
			dangling(ManifestFile, fmt.Sprintf("two nodes of the build graph have the id %q", n.ID))
		}
		ids[n.ID] = true
		for _, p := range n.Outputs {
			a, listed := artifacts[p]
			switch other, made := makers[p]; {
			case !listed:
				dangling(p, fmt.Sprintf("node %q makes %q, which is no artifact", n.ID, p))
			case made:
				dangling(p, fmt.Sprintf("nodes %q and %q both make %q", other, n.ID, p))
			case a.Kind != n.Kind || !slices.Equal(a.Inputs, n.digests()):
				dangling(p, fmt.Sprintf("artifact %q is of another kind or other inputs than node %q, which makes it", p, n.ID))
			}
			makers[p] = n.ID
		}
	}
	for _, a := range m.Artifacts {
		if _, made := makers[a.Path]; !made {
			dangling(a.Path, fmt.Sprintf("no node of the build graph makes artifact %q", a.Path))
		}
	}
	return findings
}
