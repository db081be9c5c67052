package cli

import (
	"fmt"
	"maps"
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

// openTrusted opens a pack, every file of which is built again, and its document; see trustedDocument.
func openTrusted(dir string) (*pack.Pack, air.Document, error) {
	p, err := pack.Open(dir)
	if err != nil {
		return nil, air.Document{}, err
	}
	d, err := trustedDocument(p, emit.Trusted)
	return p, d, err
}

// openToCall is openTrusted for one call, which rests on the document and the settings alone.
func openToCall(dir string) (*pack.Pack, air.Document, error) {
	p, err := pack.Open(dir)
	if err != nil {
		return nil, air.Document{}, err
	}
	d, err := trustedDocument(p, emit.TrustedDocument)
	return p, d, err
}

// trustedDocument returns the pack's document, unless check finds that it contradicts itself: an operation looser than its evidence, approved by
// nobody, or not what the pack's own snapshot and approvals give.
func trustedDocument(p *pack.Pack, check func(*pack.Pack) (air.Document, []diag.Finding, error)) (air.Document, error) {
	d, findings := rechecked(p, check)
	if len(findings) == 0 {
		return d, nil
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

// changePack builds a pack again with what change makes of its inputs, and puts it in the place of the old one, while no other anvil changes it.
// change is given the pack and its document, and returns how to tell what was done. On error the pack is as it was.
func (sh *shell) changePack(dir string, change func(p *pack.Pack, d air.Document, in *emit.Inputs) (tell func(emit.Built), err error)) error {
	if err := checkOutside(dir); err != nil {
		return err
	}
	if !pack.IsPack(dir) {
		_, err := pack.Open(dir)
		return err
	}
	return sh.exclusively(dir, func() error {
		p, d, err := openTrusted(dir)
		if err != nil {
			return err
		}
		in, err := emit.InputsFrom(p, d)
		if err != nil {
			return err
		}
		tell, err := change(p, d, &in)
		if err != nil {
			return err
		}
		built, err := emit.Build(in)
		if err != nil {
			return err
		}
		if err := sh.writePack(p.Dir, p, built); err != nil {
			return err
		}
		tell(built)
		return nil
	})
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

// writePack puts the pack in place whole; earlier is the one that is there, or nil. A pack that comes out the same stays as it is. The certificates of
// the one that was there stay too, though they are of that one: the serial of the next counts on from theirs, and an older certificate must not be
// able to take the place of a newer one. A pack that no command would open again is refused.
func (sh *shell) writePack(out string, earlier *pack.Pack, built emit.Built) error {
	if len(built.Unfit) > 0 {
		return unfit(built.Unfit)
	}
	files := built.Files
	if earlier != nil {
		if earlier.Manifest.Digest == built.Manifest.Digest {
			return nil
		}
		files = maps.Clone(files)
		maps.Copy(files, earlier.Certificates)
		sh.tellStale(earlier, built.Manifest.Digest)
	}
	return atomicfile.WriteDir(sh.ctx, out, files, earlier != nil, atomicfile.Executable(pack.IsExecutable))
}

// unfit is the refusal of a pack that could not be served.
func unfit(findings []diag.Finding) error {
	var problems []string
	for _, f := range findings {
		problems = append(problems, fmt.Sprintf("%s (%s): %s", f.Message, f.Rule, f.Hint))
	}
	return &exitError{exitFindings, fmt.Errorf("nothing was written, since no command would open the pack again: %s", strings.Join(problems, "; "))}
}

// makeParent makes the folder that a pack goes into.
func makeParent(out string) error { return os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o755) }
