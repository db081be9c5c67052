package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// Repeated captures a server n times, each over a connection of its own (for stdio: in a process of its own), and returns the first result. What
// differs in a later one is a finding, one for each differing item. n below 2 is [Capture].
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
	for i := 1; i < n; i++ {
		again, err := Capture(ctx, o)
		if err != nil {
			return Result{}, err
		}
		s, err := surface.New(again.Capture)
		if err == nil && s.Digest == base.Digest {
			continue
		}
		compare(base, s, differing)
	}
	subjects := make([]string, 0, len(differing))
	for subject := range differing {
		subjects = append(subjects, subject)
	}
	slices.Sort(subjects)
	for _, subject := range subjects {
		f := listNondeterministic.Finding(subject, fmt.Sprintf("%s in %d captures: %s", differing[subject], n, strings.Replace(subject, "/", " ", 1)))
		if name, isTool := strings.CutPrefix(subject, string(surface.Tool)+"/"); isTool {
			f.Tool = name
		}
		f.Hint = "find out on what the answer depends, and have the server answer the same each time; until then do not commit a snapshot of it"
		first.Findings = append(first.Findings, f.Sealed())
	}
	return first, nil
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
