package affect

import (
	"bytes"

	"anvil/compiler/air"
	"anvil/compiler/pack"
)

// follows reports whether an artifact is made of the server's surface, by way of others or not: one that is not is the same after any difference.
func (r *Reader) follows(a pack.Artifact) bool { return r.pack.Manifest.Follows(a.Path, "surface") }

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
