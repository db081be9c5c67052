package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/internal/atomicfile"
)

// openTrusted opens a pack and its document; see trustedDocument.
func openTrusted(dir string) (*pack.Pack, air.Document, error) {
	p, err := pack.Open(dir)
	if err != nil {
		return nil, air.Document{}, err
	}
	d, err := trustedDocument(p)
	return p, d, err
}

// trustedDocument returns the pack's document, unless it contradicts itself: an operation looser than its evidence, approved by nobody, or
// not what the pack's own snapshot and approvals give.
func trustedDocument(p *pack.Pack) (air.Document, error) {
	findings := recheck(p)
	if len(findings) == 0 {
		return p.Document()
	}
	return air.Document{}, &exitError{exitFindings, fmt.Errorf(
		"pack %s does not verify: %s; see `anvil pack verify %s`; if another version of anvil built it, remove it and build it again with `anvil mcp adopt`",
		p.Dir, findings[0].Message, diag.ShellPath(p.Dir))}
}

// operationsCalled returns the operations that a word names, by tool or by id. A server can call one tool by the id of another's operation,
// so that there are several; which of them is meant is not for anvil to choose.
func operationsCalled(d air.Document, word string) (matches []air.Operation) {
	for _, o := range d.Operations {
		if o.ID == word || o.MCP.ToolName == word {
			matches = append(matches, o)
		}
	}
	return matches
}

func ambiguous(word string, matches []air.Operation) error {
	var all []string
	for _, o := range matches {
		all = append(all, fmt.Sprintf("tool %q (operation %s)", o.MCP.ToolName, o.ID))
	}
	return usagef("%q can mean %s; nothing was done; use the name that only the one you mean has", word, strings.Join(all, " or "))
}

// lockPatience is how long a command waits for another that changes the same pack.
const lockPatience = 15 * time.Second

// exclusively does work that reads a pack and replaces it while no other anvil does, so that neither undoes what the other did.
func (sh *shell) exclusively(dir string, work func() error) error {
	unlock, err := atomicfile.Lock(sh.ctx, dir, lockPatience)
	if err != nil {
		return err
	}
	defer unlock()
	return work()
}

// checkOutside refuses to replace a folder that the user's shell is in: it would be left in one that is no more.
func checkOutside(dir string) error {
	target, err := realPath(dir)
	if err != nil {
		return nil // nothing to replace
	}
	here, err := realPath(".")
	if err != nil {
		return err
	}
	way, err := filepath.Rel(target, here)
	if err != nil || way == ".." || strings.HasPrefix(way, ".."+string(filepath.Separator)) {
		return nil
	}
	return usagef("%s is the folder you are in, or holds it, and replacing it would leave you in a folder that is gone: run `cd %s` and name it %s",
		dir, diag.ShellPath(filepath.Dir(target)), diag.ShellPath(filepath.Base(target)))
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// writePack puts the pack in place whole.
func (sh *shell) writePack(out string, built emit.Built) error {
	return atomicfile.WriteDir(sh.ctx, out, built.Files, pack.IsPack(out), atomicfile.Executable(pack.IsExecutable))
}

// makeParent makes the folder that a pack goes into.
func makeParent(out string) error { return os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o755) }
