package launch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errNotLocal says that the project does not hold what is asked for.
var errNotLocal = asIs("it is not installed in the project")

// local finds what npx would take from the project.
func (p *place) local(r request) (string, error) {
	if err := p.checkProject(r); err != nil {
		return "", err
	}
	if r.command == "" {
		// The word as it was given, version and all, is tried as the name of a program.
		for _, folder := range upwards(p.project) {
			path := filepath.Join(folder, "node_modules", ".bin", r.spec)
			if absent(path) {
				continue
			}
			if r.spec != r.name || r.name != r.unscoped() || !startsAlone(path) {
				return "", asIs("%s is in the way", path)
			}
			return path, contained(path, folder)
		}
		if err := p.noGlobalProgram(r); err != nil {
			return "", err
		}
	}
	return p.localPackage(r)
}

// checkProject refuses a project that itself has to do with the asked package.
func (p *place) checkProject(r request) error {
	if absent(filepath.Join(p.project, "package.json")) {
		return nil
	}
	m, err := readManifest(p.project)
	if err != nil {
		return err
	}
	if m.name == r.name || m.odd || m.bin(r.spec) != nil {
		return asIs("the project in %s may be meant", p.project)
	}
	return nil
}

// localPackage finds the package in the project's node_modules, which must hold one copy of it at most.
func (p *place) localPackage(r request) (string, error) {
	for _, folder := range upwards(p.project)[1:] {
		if !absent(filepath.Join(folder, "node_modules", r.name)) {
			return "", asIs("a folder above the project holds %s too", r.name)
		}
	}
	modules := filepath.Join(p.project, "node_modules")
	if absent(modules) {
		return "", errNotLocal
	}
	if err := singleCopy(modules, r.name); err != nil {
		return "", err
	}
	folder := filepath.Join(modules, filepath.FromSlash(r.name))
	if absent(folder) {
		return "", errNotLocal
	}
	m, err := readManifest(folder)
	switch {
	case err != nil:
		return "", err
	case m.name != r.name:
		return "", asIs("%s holds another package", folder)
	case r.version != "" && r.version != m.version:
		return "", errNotLocal
	}
	return programOf(p.project, m, r)
}

// singleCopy refuses a node_modules in which the package may be installed under another, or by another name.
func singleCopy(modules, name string) error {
	lock, err := os.ReadFile(filepath.Join(modules, ".package-lock.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || bytes.Contains(lock, []byte(`"name": "`+name+`"`)) {
		return asIs("%s may hold %s by another name", modules, name)
	}
	packages, err := packagesIn(modules)
	if err != nil {
		return err
	}
	for _, folder := range packages {
		nested := filepath.Join(folder, "node_modules")
		if absent(nested) {
			continue
		}
		if !absent(filepath.Join(nested, filepath.FromSlash(name))) {
			return asIs("there are several copies of %s", name)
		}
		if err := singleCopy(nested, name); err != nil {
			return err
		}
	}
	return nil
}

// packagesIn lists the folders of the packages in a node_modules. Links are left out: what is linked to stands elsewhere.
func packagesIn(modules string) ([]string, error) {
	entries, err := os.ReadDir(modules)
	if err != nil {
		return nil, asIs("%s cannot be read", modules)
	}
	var folders []string
	for _, e := range entries {
		path := filepath.Join(modules, e.Name())
		switch {
		case e.Name() == ".store" || e.Name() == ".pnpm":
			return nil, asIs("%s is laid out by other rules", modules)
		case !e.IsDir() || e.Name()[0] == '.':
		case strings.HasPrefix(e.Name(), "@"):
			scoped, err := packagesIn(path)
			if err != nil {
				return nil, err
			}
			folders = append(folders, scoped...)
		default:
			folders = append(folders, path)
		}
	}
	return folders, nil
}
