package pack

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/diag"
)

// rebuild is how a pack that cannot be trusted is made anew; what was approved in it is not.
const rebuild = "remove PACK, build it again with `anvil mcp adopt TARGET --mode MODE --out PACK`, and approve anew"

// Hint puts the pack in the place of the words PACK and MODE of a hint, so that the commands in it can be pasted. Commands that need a folder get one
// where the pack is an archive.
func (p *Pack) Hint(text string) string {
	if !strings.Contains(text, "PACK") {
		return text
	}
	path, mode := diag.ShellPath(p.Dir), string(p.Manifest.Mode)
	if p.Archive {
		text += fmt.Sprintf("; DIR is the folder that `anvil pack open %s DIR` writes", path)
		path = "DIR"
	}
	if !slices.Contains([]Mode{Adopt, Facade, Replace}, p.Manifest.Mode) {
		mode = "MODE"
	}
	return strings.NewReplacer("PACK", path, "MODE", mode).Replace(text)
}

// hinted returns findings whose hints are about the pack.
func (p *Pack) hinted(findings []diag.Finding) []diag.Finding {
	for i, f := range findings {
		findings[i].Hint = p.Hint(f.Hint)
	}
	return findings
}
