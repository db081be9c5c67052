package affect

import (
	"bytes"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/pack"
)

// follows reports whether an artifact is made of the pack's document or snapshot, by way of others or not: one that is not is the same after any difference.
func (r *Reader) follows(a pack.Artifact) bool {
	sources := []string{r.pack.Manifest.Snapshot}
	known := map[string]pack.Artifact{}
	for _, other := range r.pack.Manifest.Artifacts {
		known[other.Digest] = other
		if other.Path == pack.AIRFile {
			sources = append(sources, other.Digest)
		}
	}
	seen := map[string]bool{}
	var leads func(a pack.Artifact) bool
	leads = func(a pack.Artifact) bool {
		if seen[a.Digest] {
			return false
		}
		seen[a.Digest] = true
		return slices.ContainsFunc(a.Inputs, func(digest string) bool {
			other, isArtifact := known[digest]
			return slices.Contains(sources, digest) || isArtifact && leads(other)
		})
	}
	return leads(a)
}

// mentions reports whether a file names the operation: by its id as a word, or by its tool's name or its command in quotes of some kind.
func mentions(file []byte, o air.Operation) bool {
	return named(file, o.ID, false) || named(file, o.MCP.ToolName, true) || named(file, o.CLI.Command, true)
}

func named(file []byte, name string, quoted bool) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := bytes.Index(file[from:], []byte(name))
		if i < 0 {
			return false
		}
		before, after := at(file, from+i-1), at(file, from+i+len(name))
		if quoted && before == after && bytes.IndexByte([]byte("\"'`"), before) >= 0 || !quoted && !ofName(before) && !ofName(after) {
			return true
		}
		from += i + 1
	}
}

// at is a byte of the file; a line break beyond its ends.
func at(file []byte, i int) byte {
	if i < 0 || i >= len(file) {
		return '\n'
	}
	return file[i]
}

// ofName reports a byte that ids of operations are made of.
func ofName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}
