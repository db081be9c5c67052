package launch

import (
	"path/filepath"
	"strings"

	"anvil/internal/lazy"
)

var (
	packageName = lazy.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	// exactVersion leaves out build metadata, which npm drops when it compares.
	exactVersion = lazy.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	programName  = lazy.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
)

// parseRequest reads the command line of npx or `npm exec`. Only options that leave no doubt are understood.
func parseRequest(args []string) (r request, err error) {
	npm := filepath.Base(args[0]) == "npm"
	rest := args[1:]
	if npm {
		rest = args[2:]
	}
	packages, rest, separated, err := parseOptions(rest, npm)
	switch {
	case err != nil:
		return r, err
	case len(rest) == 0:
		return r, asIs("no package is named")
	case npm && !separated:
		return r, asIs("without -- before the package, options behind it are npm's")
	case len(packages) > 1:
		return r, asIs("several packages are asked for")
	}
	r.spec, r.args = rest[0], rest[1:]
	if len(packages) == 1 {
		r.spec, r.command = packages[0], rest[0]
		if !programName.MatchString(r.command) {
			return r, asIs("%q is no plain name of a program", r.command)
		}
	}
	return r, r.parseSpec()
}

// parseOptions reads words up to the first that is no option. separated says that a -- stood before it.
func parseOptions(words []string, npm bool) (packages, rest []string, separated bool, err error) {
	for rest = words; len(rest) > 0; rest = rest[1:] {
		word, value, valued := strings.Cut(rest[0], "=")
		switch {
		case rest[0] == "--":
			return packages, rest[1:], true, nil
		case !strings.HasPrefix(word, "-"):
			return packages, rest, false, nil
		case (word == "-y" || word == "--yes") && !valued, word == "--no-install" && !valued && !npm:
		case word == "--package" || word == "-p" && !npm:
			if !valued {
				if rest = rest[1:]; len(rest) == 0 {
					return nil, nil, false, asIs("%s names no package", word)
				}
				value = rest[0]
			}
			packages = append(packages, value)
		default:
			return nil, nil, false, asIs("the option %s is its own", word)
		}
	}
	return packages, nil, false, nil
}

// parseSpec splits what was asked for into name and version, and refuses what names no package by version.
func (r *request) parseSpec() error {
	name, version := r.spec, ""
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name, version = name[:at], name[at+1:]
		if !exactVersion.MatchString(version) {
			return asIs("which version of %s to run is for the registry to say; PKG@1.2.3 is found without it", name)
		}
	}
	if !packageName.MatchString(name) || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar") || strings.HasSuffix(name, ".tar.gz") {
		return asIs("what is asked for is not a package by its name")
	}
	r.name, r.version = name, version
	return nil
}
