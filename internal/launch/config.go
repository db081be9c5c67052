package launch

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// harmless names the settings of npm that do not bear on which installed file npx runs. With any other one, npx decides.
var harmless = []string{
	"audit", "cafile", "color", "email", "fetch-retries", "fetch-timeout", "fund", "https-proxy", "ignore-scripts", "loglevel", "nodedir", "noproxy",
	"omit-lockfile-registry-resolved", "package-lock", "progress", "proxy", "registry", "save-exact", "save-prefix",
	"strict-ssl", "update-notifier", "user-agent", "yes",
}

// environment is what matters of the variables.
type environment struct {
	home, path string
	cache      string // npm's setting, if it is in a variable
}

func readEnv(env []string) (e environment, err error) {
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		key, setting := npmSetting(name)
		switch {
		case name == "HOME":
			e.home = value
		case name == "PATH":
			e.path = value
		case value == "": // to npm as if it were not set
		case name == "PREFIX" || name == "DESTDIR":
			return e, asIs("the variable %s moves npm's global folder", name)
		case setting && key == "cache" && (e.cache == "" || e.cache == value):
			e.cache = value
		case setting && !slices.Contains(harmless, key):
			return e, asIs("the variable %s is set", name)
		}
	}
	if !filepath.IsAbs(e.home) {
		return e, asIs("the variable HOME names no folder")
	}
	return e, nil
}

// npmSetting returns which setting of npm a variable holds.
func npmSetting(variable string) (key string, ok bool) {
	const prefix = "npm_config_"
	if len(variable) <= len(prefix) || !strings.EqualFold(variable[:len(prefix)], prefix) {
		return "", false
	}
	return strings.ReplaceAll(strings.ToLower(variable[len(prefix):]), "_", "-"), true
}

// cacheDir is npm's cache folder.
func (e environment) cacheDir(dir string) (string, error) {
	switch {
	case e.cache == "":
		return filepath.Join(e.home, ".npm"), nil
	case strings.ContainsAny(e.cache, "$~"):
		return "", asIs("the name of npm's cache folder is for npm to expand")
	case filepath.IsAbs(e.cache):
		return filepath.Clean(e.cache), nil
	}
	return filepath.Join(dir, e.cache), nil
}

// find returns the path of a program, empty when it is not in PATH.
func (e environment) find(program string) string {
	for _, dir := range filepath.SplitList(e.path) {
		if path := filepath.Join(dir, program); filepath.IsAbs(dir) && isProgram(path) {
			return path
		}
	}
	return ""
}

// checkConfig refuses a configuration file of npm with a setting that may matter. Values are not looked at: they may be
// secret.
func checkConfig(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return asIs("%s cannot be read", path)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, _, _ := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		ofRegistry := strings.HasPrefix(key, "//") || strings.HasPrefix(key, "@") && strings.HasSuffix(key, ":registry")
		if !ofRegistry && !slices.Contains(harmless, key) {
			return asIs("%s has settings that are npm's to follow", path)
		}
	}
	if lines.Err() != nil {
		return asIs("%s cannot be read", path)
	}
	return nil
}
