package gate

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/lazy"
)

func checkVersionFloating(v *survey) []diag.Finding {
	fault, hint, word := floating(v.options.Command)
	if fault == "" {
		return nil
	}
	f := versionFloating.Finding("server", fault)
	f.Pointer, f.Hint, f.After = "/command", hint, canon.Raw(canon.Quote(diag.Shorten(word, 200)))
	return []diag.Finding{f.Sealed()}
}

// floating says whether a command line runs whatever a registry serves that day: through npx, uvx, pipx, docker and their like, a package or
// image without an exact version. fault is one sentence, hint says how to pin it, word is what is run; all are empty when the version is fixed, or
// when no launcher that is known stands in front. Words that could hold a secret are not repeated.
func floating(command []string) (fault, hint, word string) {
	l, rest := launcherOf(command)
	if l == nil {
		return "", "", ""
	}
	for _, asked := range l.packages(rest) {
		word = withoutUser(asked)
		if fault, hint = l.judge(word); fault != "" {
			return fmt.Sprintf("the server is started as %s, %s", called(word), fault), hint, word
		}
	}
	return "", "", ""
}

// launcher is a program that fetches what it runs.
type launcher struct {
	before [][]string                             // the words that lead a line: one of each
	valued []string                               // options that take the next word
	asks   []string                               // options whose value is what is run, or comes with it
	judge  func(word string) (fault, hint string) // of a package or an image
}

var launchers = []launcher{
	{before: [][]string{{"npx", "bunx", "pnpx"}}, valued: npmValued, asks: npmAsks, judge: judgeNPM},
	{before: [][]string{{"npm"}, {"exec", "x"}}, valued: npmValued, asks: npmAsks, judge: judgeNPM},
	{before: [][]string{{"pnpm", "yarn"}, {"dlx"}}, valued: npmValued, asks: npmAsks, judge: judgeNPM},
	{before: [][]string{{"bun"}, {"x"}}, valued: npmValued, asks: npmAsks, judge: judgeNPM},
	{before: [][]string{{"uvx"}}, valued: uvValued, asks: []string{"--from"}, judge: judgePython},
	{before: [][]string{{"uv"}, {"tool"}, {"run"}}, valued: uvValued, asks: []string{"--from"}, judge: judgePython},
	{before: [][]string{{"pipx"}, {"run"}}, valued: []string{"--python", "--index-url", "-i", "--pip-args"}, asks: []string{"--spec"}, judge: judgePython},
	{before: [][]string{{"docker", "podman", "nerdctl"}, {"run"}}, valued: dockerValued, judge: judgeImage},
	{before: [][]string{{"docker", "podman", "nerdctl"}, {"container"}, {"run"}}, valued: dockerValued, judge: judgeImage},
}

var (
	npmAsks   = []string{"--package", "-p"}
	npmValued = []string{"--registry", "--cache", "--userconfig", "--prefix", "--loglevel", "--node-options", "-w", "--workspace"}
	uvValued  = []string{"--python", "-p", "--with", "-w", "--with-requirements", "--with-editable", "--index-url", "-i", "--index", "--default-index", "--extra-index-url",
		"--constraints", "-c", "--cache-dir", "--directory", "--project", "--config-file", "--env-file", "--find-links", "-f", "--refresh-package", "--exclude-newer"}
	dockerValued = []string{"-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name", "--network", "--net", "-u", "--user", "-w", "--workdir",
		"--entrypoint", "-l", "--label", "--platform", "-m", "--memory", "--cpus", "--add-host", "--pull", "--restart", "-h", "--hostname", "--tmpfs", "--ulimit", "--cap-add",
		"--cap-drop", "--security-opt", "--device", "--gpus", "--ipc", "--pid", "--log-driver", "--log-opt", "--shm-size", "--dns", "--runtime", "--stop-timeout", "--expose"}
)

// launcherOf finds the launcher at the head of a line, behind env, a shell of Windows, or assignments. rest are the words behind it.
func launcherOf(command []string) (*launcher, []string) {
	for len(command) > 0 {
		switch name := programOf(command[0]); {
		case name == "env" || name == "command" || name == "exec" || isAssignment(command[0]):
			command = command[1:]
			continue
		case name == "cmd" && len(command) > 1 && strings.EqualFold(command[1], "/c"):
			command = command[2:]
			continue
		}
		break
	}
	for i := range launchers {
		l := &launchers[i]
		if len(command) < len(l.before) {
			continue
		}
		fits := slices.Contains(l.before[0], programOf(command[0]))
		for j := 1; j < len(l.before); j++ {
			fits = fits && slices.Contains(l.before[j], command[j])
		}
		if fits {
			return l, command[len(l.before):]
		}
	}
	return nil, nil
}

// programOf is the name of a program however it is spelled: a path, and the endings of Windows.
func programOf(word string) string {
	name := strings.ToLower(path.Base(filepath.ToSlash(strings.ReplaceAll(word, `\`, "/"))))
	for _, ending := range []string{".exe", ".cmd"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

var assignment = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func isAssignment(word string) bool { return assignment.MatchString(word) }

// packages returns what the line asks the launcher for: the values of its asking options, or else the first word that is no option.
func (l *launcher) packages(words []string) []string {
	var asked []string
	for i := 0; i < len(words); i++ {
		option, value, joined := strings.Cut(words[i], "=")
		switch {
		case words[i] == "--":
			return orFirst(asked, words[i+1:])
		case !strings.HasPrefix(words[i], "-"):
			return orFirst(asked, words[i:])
		case slices.Contains(l.asks, option):
			if !joined && i+1 < len(words) {
				i++
				value = words[i]
			}
			if value != "" {
				asked = append(asked, value)
			}
		case slices.Contains(l.valued, option) && !joined:
			i++
		}
	}
	return asked
}

func orFirst(asked, words []string) []string {
	if len(asked) == 0 && len(words) > 0 {
		return words[:1]
	}
	return asked
}

// withoutUser takes user information out of an address, which may hold a token.
func withoutUser(word string) string {
	scheme, rest, found := strings.Cut(word, "://")
	if !found {
		return word
	}
	host, behind, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = host[at+1:] + "/" + behind
	}
	if u, err := url.Parse(scheme + "://" + rest); err == nil {
		u.RawQuery = ""
		return u.String()
	}
	return scheme + "://***"
}
