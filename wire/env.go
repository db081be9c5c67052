package wire

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited names the variables a server gets without being given them: what programs need to find their files, their
// caches and their language. Anything that may hold a credential stays out, proxies and registry settings included.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP",
	"NPM_CONFIG_CACHE", "npm_config_cache", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
	"UV_CACHE_DIR", "PIP_CACHE_DIR", "PYENV_ROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "CARGO_HOME",
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	// Windows
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "HOMEDRIVE", "HOMEPATH",
}

// BaseEnv returns the environment for a server: an allow-list of this process's own, with extra on top, sorted. It never
// holds all of the current environment.
func BaseEnv(extra map[string]string) []string { return baseEnv(os.Environ(), extra) }

func baseEnv(current []string, extra map[string]string) []string {
	chosen := map[string]string{}
	for _, entry := range current {
		if name, value, ok := strings.Cut(entry, "="); ok && isInherited(name) {
			chosen[name] = value
		}
	}
	maps.Copy(chosen, extra)
	env := make([]string, 0, len(chosen))
	for name, value := range chosen {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func isInherited(name string) bool {
	if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
		return true
	}
	return slices.ContainsFunc(inherited, func(known string) bool {
		return name == known || runtime.GOOS == "windows" && strings.EqualFold(name, known)
	})
}

// lookPath finds program as the server's environment would: a configured PATH decides, not the one of this process.
func lookPath(program string, env []string) (string, error) {
	path, set := "", false
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path, set = value, true
		}
	}
	if !set || path == os.Getenv("PATH") || filepath.Base(program) != program {
		if filepath.Base(program) != program {
			return program, nil // relative to the working directory; the start itself tells whether it is there
		}
		return exec.LookPath(program)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // as exec.LookPath, which takes nothing from the current directory
		}
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("not in the PATH of its environment: %w", exec.ErrNotFound)
}
