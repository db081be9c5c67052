package probe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// Repeated captures a server n times, each over a connection of its own (for stdio: in a process of its own), and returns the first result. What
// differs in a later one is a finding, one for each differing item. n below 2 is [Capture]. When a capture fails the error, a *[Failure],
// says which one; the result is then that capture's, with what the first one noticed and what differed until then.
func Repeated(ctx context.Context, o Options, n int) (Result, error) {
	first, err := Capture(ctx, o)
	if err != nil || n < 2 {
		return first, err
	}
	base, err := surface.New(first.Capture)
	if err != nil {
		return first, nil // the caller meets the same error and reports it
	}
	differing := map[string]string{}
	for i := 2; i <= n; i++ {
		again, err := Capture(ctx, o)
		if err != nil {
			again.Findings = merged(first.Findings, differences(differing, i-1), again.Findings)
			return again, inCapture(err, i, n)
		}
		s, err := surface.New(again.Capture)
		if err == nil && s.Digest == base.Digest {
			continue
		}
		compare(base, s, differing)
	}
	first.Findings = append(first.Findings, differences(differing, n)...)
	return first, nil
}

// inCapture adds to a failure which capture it was.
func inCapture(err error, i, n int) error {
	var f *Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Capture, told.Of = i, n
	return &told
}

// merged is all findings, sorted, each of them once.
func merged(lists ...[]diag.Finding) []diag.Finding {
	all := slices.Concat(lists...)
	diag.Sort(all)
	return slices.CompactFunc(all, func(a, b diag.Finding) bool { return a.Fingerprint == b.Fingerprint })
}

// differences makes a finding of each subject that came out otherwise in one of n captures.
func differences(differing map[string]string, n int) []diag.Finding {
	var findings []diag.Finding
	for _, subject := range slices.Sorted(maps.Keys(differing)) {
		f := listNondeterministic.Finding(subject, fmt.Sprintf("%s in %d captures: %s", differing[subject], n, strings.Replace(subject, "/", " ", 1)))
		if name, isTool := strings.CutPrefix(subject, string(surface.Tool)+"/"); isTool {
			f.Tool = name
		}
		f.Hint = "find out on what the answer depends, and have the server answer the same each time; until then do not commit a snapshot of it"
		findings = append(findings, f.Sealed())
	}
	return findings
}

// compare notes each subject in which b differs from a, and how.
func compare(a, b *surface.McpSurfaceSnapshot, differing map[string]string) {
	if b == nil {
		differing["server"] = "a capture could not be read"
		return
	}
	for _, kind := range surface.Kinds {
		before, after := digests(a, kind), digests(b, kind)
		for subject, digest := range before {
			switch other, there := after[subject]; {
			case !there:
				differing[subject] = "not always there"
			case other != digest:
				differing[subject] = "not always the same"
			}
		}
		for subject := range after {
			if _, there := before[subject]; !there {
				differing[subject] = "not always there"
			}
		}
	}
	for name, pair := range map[string][2]*canon.Node{
		"server": {a.Server, b.Server}, "server/capabilities": {a.Capabilities, b.Capabilities}, "server/instructions": {a.Instructions, b.Instructions},
	} {
		if string(pair[0].Canonical()) != string(pair[1].Canonical()) {
			differing[name] = "not always the same"
		}
	}
	if a.Era != b.Era || a.ProtocolVersion != b.ProtocolVersion {
		differing["server/protocol"] = "not always the same"
	}
}

// digests maps the subjects of a list to what is there under each; items of one name count together.
func digests(s *surface.McpSurfaceSnapshot, kind surface.Kind) map[string]string {
	joined := map[string]string{}
	for _, it := range s.Items[kind] {
		joined[it.Subject()] += it.Digest
	}
	return joined
}

// Differing returns the subjects of which findings say that they came out otherwise in one of several captures.
func Differing(findings []diag.Finding) []string {
	var subjects []string
	for _, f := range findings {
		if f.Rule == listNondeterministic.ID {
			subjects = append(subjects, f.Subject)
		}
	}
	return subjects
}
