package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/internal/lazy"
)

// verifiedNPM matches the versions of npm whose rules this package follows.
var verifiedNPM = lazy.MustCompile(`^1[01]\.`)

// place is where npx would be run: the folders it would look into.
type place struct {
	dir     string   // working directory, free of symbolic links
	project string   // the folder whose node_modules npx takes for its own
	caches  string   // the folder of npx's caches
	globals []string // what may be the prefix of global packages
}

// newPlace looks around. launcher is the npx or npm that would be run.
func newPlace(launcher string, env []string, dir string) (*place, error) {
	e, err := readEnv(env)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, asIs("the working directory cannot be read")
	}
	p := &place{dir: dir}
	npm, err := npmFolder(launcher, e, dir)
	if err != nil {
		return nil, err
	}
	if p.globals, err = prefixes(e); err != nil {
		return nil, err
	}
	if p.project, err = projectOf(dir); err != nil {
		return nil, err
	}
	if p.caches, err = e.cacheDir(dir); err != nil {
		return nil, err
	}
	p.caches = filepath.Join(p.caches, "_npx")
	files := []string{filepath.Join(npm, "npmrc"), filepath.Join(e.home, ".npmrc"), filepath.Join(p.project, ".npmrc")}
	for _, prefix := range p.globals {
		files = append(files, filepath.Join(prefix, "etc", "npmrc"))
	}
	for _, file := range files {
		if err := checkConfig(file); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// npmFolder finds the npm that launcher belongs to, and checks that it is one whose ways are known.
func npmFolder(launcher string, e environment, dir string) (string, error) {
	path := e.find(launcher)
	if strings.ContainsRune(launcher, filepath.Separator) {
		path = launcher
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if path == "" || err != nil {
		return "", asIs("it is not in PATH")
	}
	folder := filepath.Dir(filepath.Dir(real))
	if real != filepath.Join(folder, "bin", filepath.Base(launcher)+"-cli.js") {
		return "", asIs("it is not npm's own")
	}
	m, err := readManifest(folder)
	if err != nil || m.name != "npm" || !verifiedNPM.MatchString(m.version) {
		return "", asIs("its version is not one whose rules are known here, npm 10 or 11")
	}
	return folder, nil
}

// prefixes lists the folders that npm may take for the prefix of global packages: above the bin folder of node, which may
// be reached through a symbolic link.
func prefixes(e environment) ([]string, error) {
	node := e.find("node")
	real, err := filepath.EvalSymlinks(node)
	if node == "" || err != nil {
		return nil, asIs("node is not in PATH")
	}
	if base := filepath.Base(real); base != "node" && base != "nodejs" || startsWith(real, "#!") {
		return nil, asIs("node is a stand-in for another")
	}
	return slices.Compact([]string{filepath.Dir(filepath.Dir(node)), filepath.Dir(filepath.Dir(real))}), nil
}

// projectOf returns the first folder from dir upwards with a package.json or a node_modules, or dir if there is none.
func projectOf(dir string) (string, error) {
	project := ""
	for _, folder := range upwards(dir) {
		described := isFile(filepath.Join(folder, "package.json"))
		if project == "" {
			if described || isDir(filepath.Join(folder, "node_modules")) {
				project = folder
			}
			continue
		}
		if described {
			doc, err := readObject(filepath.Join(folder, "package.json"))
			if err != nil || doc.Get("workspaces") != nil {
				return "", asIs("the folder may be part of the workspace %s", folder)
			}
		}
	}
	if project == "" {
		project = dir
	}
	return project, nil
}

// upwards lists dir and the folders above it, up to the root.
func upwards(dir string) []string {
	folders := []string{dir}
	for up := filepath.Dir(dir); up != dir; up = filepath.Dir(dir) {
		folders = append(folders, up)
		dir = up
	}
	return folders
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// absent reports whether nothing at all has that path.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// maxFile bounds the files that are read, in bytes.
const maxFile = 16 << 20

// readObject reads a file that holds a JSON object.
func readObject(path string) (*canon.Node, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, asIs("%s is not a plain file of JSON", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := canon.Parse(data)
	if err != nil || !doc.IsObject() {
		return nil, asIs("%s holds no JSON object", path)
	}
	return doc, nil
}
