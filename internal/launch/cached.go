package launch

import (
	"bufio"
	"crypto/sha512"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// noGlobalProgram refuses a request that a global program of the asked name answers before the project's packages.
func (p *place) noGlobalProgram(r request) error { return p.noneGlobal("bin", r.spec) }

// noGlobalPackage refuses a request that a global package may answer before the cache.
func (p *place) noGlobalPackage(r request) error {
	if r.command != "" {
		return nil // with --package npx does not look there
	}
	return p.noneGlobal("lib", "node_modules", r.name)
}

func (p *place) noneGlobal(names ...string) error {
	for _, prefix := range p.globals {
		if path := filepath.Join(append([]string{prefix}, names...)...); !absent(path) {
			return asIs("%s may answer", path)
		}
	}
	return nil
}

// cached finds the package in npx's cache.
func (p *place) cached(r request) (string, error) {
	if r.version == "" {
		return "", asIs("it asks the registry whether %s has a newer version; with PKG@1.2.3 the cached one is found without it", r.name)
	}
	folder := filepath.Join(p.caches, cacheKey(r.spec))
	if absent(folder) {
		return "", asIs("%s is not in its cache", r.spec)
	}
	if !absent(filepath.Join(folder, "concurrency.lock")) {
		return "", asIs("its cache of %s is being changed", r.spec)
	}
	if _, err := readObject(filepath.Join(folder, "package.json")); err != nil {
		return "", asIs("its cache of %s is not whole", r.spec)
	}
	m, err := readManifest(filepath.Join(folder, "node_modules", filepath.FromSlash(r.name)))
	switch {
	case err != nil:
		return "", asIs("its cache of %s is not whole", r.spec)
	case m.name != r.name || m.version != r.version:
		return "", asIs("its cache of %s holds something else", r.spec)
	}
	return programOf(folder, m, r)
}

// cacheKey is the name of the folder that npx keeps for a package asked for.
func cacheKey(spec string) string {
	sum := sha512.Sum512([]byte(spec))
	return hex.EncodeToString(sum[:])[:16]
}

// programOf returns the entry in the node_modules/.bin of folder for the program r wants of the package m installed
// there. It must lead to the file that the package names. The entry is run, not the file, since a server may look at the
// name it was started by.
func programOf(folder string, m manifest, r request) (string, error) {
	var want *bin
	if r.command == "" {
		b, err := m.program()
		if err != nil {
			return "", err
		}
		want = b
	} else if want = m.bin(r.command); want == nil || m.odd {
		return "", asIs("%s is not plainly a program of %s", r.command, m.name)
	}
	modules := filepath.Join(folder, "node_modules")
	entry := filepath.Join(modules, ".bin", want.name)
	if !startsAlone(entry) {
		return "", asIs("%s is no program", entry)
	}
	named, err := filepath.EvalSymlinks(filepath.Join(modules, filepath.FromSlash(m.name), filepath.FromSlash(want.file)))
	if err != nil {
		return "", asIs("the program of %s is not there", m.name)
	}
	if found, err := filepath.EvalSymlinks(entry); err != nil || found != named {
		return "", asIs("%s does not lead to the program of %s", entry, m.name)
	}
	return entry, contained(entry, folder)
}

// contained refuses a path that leads out of folder.
func contained(path, folder string) error {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return asIs("%s leads nowhere", path)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return asIs("%s cannot be read", folder)
	}
	if within, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(within) {
		return asIs("%s leads out of %s", path, folder)
	}
	return nil
}

// isProgram reports whether path leads to a file that may be executed.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// startsAlone reports whether path leads to a program that names its interpreter, so that no shell has to guess it.
func startsAlone(path string) bool { return isProgram(path) && startsWith(path, "#!") }

// ownInterpreter refuses a program whose interpreter npx would find in a node_modules/.bin: in the one of folder, which
// holds the program, or in one from the working directory upwards.
func (p *place) ownInterpreter(program, folder string) error {
	f, err := os.Open(program)
	if err != nil {
		return asIs("%s cannot be read", program)
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	for _, word := range strings.Fields(strings.TrimPrefix(line, "#!")) {
		for _, dir := range append(upwards(p.dir), folder) {
			// Whatever the word is for, an option included: there is no program of that name, so it cannot matter.
			if path := filepath.Join(dir, "node_modules", ".bin", word); !strings.HasPrefix(word, "/") && !absent(path) {
				return asIs("%s would run the program", path)
			}
		}
	}
	return nil
}

func startsWith(path, text string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(text))
	_, err = io.ReadFull(f, head)
	return err == nil && strings.EqualFold(string(head), text)
}
