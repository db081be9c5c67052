package launch

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// errAsIs says that the arguments are to be run as they are; the message tells why.
type errAsIs string

func (e errAsIs) Error() string { return string(e) }

func asIs(format string, values ...any) error { return errAsIs(fmt.Sprintf(format, values...)) }

// Resolve returns the arguments that start what args would start through npx or `npm exec --`, when npx would run an
// installed package; otherwise args itself. env is the whole environment the server will get, as "K=V", and dir its
// working directory, empty for the current one. The note says in one sentence what was found or why nothing was; it is
// empty when args is no such launcher.
func Resolve(args []string, env []string, dir string) (resolved []string, note string) {
	if !isLauncher(args) {
		return args, ""
	}
	program, r, err := resolve(args, env, dir)
	if err != nil {
		return args, fmt.Sprintf("%s is left to decide: %v", filepath.Base(args[0]), err)
	}
	return append([]string{program}, r.args...), fmt.Sprintf("%s is installed: %s is started without %s", r.spec, program, filepath.Base(args[0]))
}

func isLauncher(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch filepath.Base(args[0]) {
	case "npx":
		return true
	case "npm":
		return len(args) > 1 && args[1] == "exec"
	}
	return false
}

func resolve(args []string, env []string, dir string) (program string, r request, err error) {
	if runtime.GOOS == "windows" {
		return "", r, asIs("on Windows it is a command script that starts another")
	}
	if r, err = parseRequest(args); err != nil {
		return "", r, err
	}
	p, err := newPlace(args[0], env, dir)
	if err != nil {
		return "", r, err
	}
	if program, err = p.program(r); err == nil {
		// The program is <folder>/node_modules/.bin/NAME.
		err = p.ownInterpreter(program, filepath.Dir(filepath.Dir(filepath.Dir(program))))
	}
	return program, r, err
}

// program looks where npx looks, in its order.
func (p *place) program(r request) (string, error) {
	program, err := p.local(r)
	if !errors.Is(err, errNotLocal) {
		return program, err
	}
	if err := p.noGlobalPackage(r); err != nil {
		return "", err
	}
	return p.cached(r)
}

// request is what the arguments ask of npx.
type request struct {
	spec    string // as given: the name, or name@version
	name    string // of the package
	version string // exact; empty when none was given
	command string // with --package: the program of the package to run
	args    []string
}

func (r request) unscoped() string { return r.name[strings.LastIndexByte(r.name, '/')+1:] }
