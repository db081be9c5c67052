package gate

import (
	"fmt"
	"strings"

	"anvil/internal/lazy"
)

// What is wrong with a word that names what is run.
const (
	unpinned = "which names no version: each start may run another one"
	movable  = "and %q is no exact version: each start may run another one"
)

var (
	exactNPM = lazy.MustCompile(`^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)
	exactPy  = lazy.MustCompile(`^\d[0-9A-Za-z.!+-]*$`)
	commitID = lazy.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	imageID  = lazy.MustCompile(`@sha256:[0-9a-f]{64}$`)
	fullTag  = lazy.MustCompile(`\d+\.\d+|\d{6}`)
)

// judgeNPM judges a package specification of npm: PKG, PKG@1.2.3, PKG@latest, a range, a folder, an archive or a repository.
func judgeNPM(word string) (fault, hint string) {
	if fault, hint, found := judgeSource(word); found {
		return fault, hint
	}
	name, version := word, ""
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		name, version = word[:at], word[at+1:]
	}
	if _, inner, alias := strings.Cut(version, "npm:"); alias {
		return judgeNPM(inner)
	}
	return judgeVersion(version, exactNPM, fmt.Sprintf("name the version that was looked at: %s@1.2.3", name))
}

// judgePython judges a requirement of uvx or pipx: PKG, PKG==1.2.3, PKG@1.2.3, PKG@latest, PKG>=1, PKG[extra], a folder or a repository.
func judgePython(word string) (fault, hint string) {
	if _, source, direct := strings.Cut(word, " @ "); direct {
		word = strings.TrimSpace(source)
	}
	if fault, hint, found := judgeSource(word); found {
		return fault, hint
	}
	end := strings.IndexAny(word, "@=<>~! ")
	if end < 0 {
		return judgeVersion("", exactPy, fmt.Sprintf("name the version that was looked at: %s==1.2.3", word))
	}
	name, version := word[:end], strings.TrimSpace(word[end:])
	hint = fmt.Sprintf("name the version that was looked at: %s==1.2.3", name)
	for _, sign := range []string{"===", "==", "@"} {
		if exact, cut := strings.CutPrefix(version, sign); cut && !strings.ContainsAny(exact, ",*") {
			return judgeVersion(strings.TrimSpace(exact), exactPy, hint)
		}
	}
	return fmt.Sprintf(movable, version), hint
}

// judgeSource judges what names no package of a registry: a folder, an archive, or a repository at a commit.
func judgeSource(word string) (fault, hint string, found bool) {
	repository := strings.HasPrefix(word, "git+") || strings.HasPrefix(word, "git:") || strings.HasPrefix(word, "github:") || strings.HasPrefix(word, "git@")
	_, shorthand, _ := strings.Cut(word, "/")
	repository = repository || !strings.HasPrefix(word, "@") && shorthand != "" && !strings.ContainsAny(word, ":.\\~") // owner/repository
	switch {
	case repository:
		at := max(strings.LastIndexByte(word, '@'), strings.LastIndexByte(word, '#'))
		if at > 0 && commitID.MatchString(word[at+1:]) {
			return "", "", true
		}
		return "which is a repository at no fixed commit: each start may run other code", "name the commit that was looked at, all forty digits of it", true
	case strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") || strings.HasPrefix(word, "file:"), strings.Contains(word, "://"), strings.ContainsRune(word, '\\'):
		return "", "", true // a file says nothing of its version, and a URL names one text
	}
	return "", "", false
}

func judgeVersion(version string, exact *lazy.Regexp, hint string) (string, string) {
	switch {
	case version == "":
		return unpinned, hint
	case exact.MatchString(version):
		return "", ""
	}
	return fmt.Sprintf(movable, version), hint
}

// judgeImage judges a container image: NAME, NAME:tag or NAME@sha256:digest. A tag with a version is taken, though it can be moved: it is what
// registries offer, and moving one is no habit.
func judgeImage(word string) (fault, hint string) {
	if imageID.MatchString(word) {
		return "", ""
	}
	hint = "name the image by its digest, NAME@sha256:..., as `docker image inspect` shows it"
	name, tag := word, ""
	if at := strings.LastIndexByte(word, ':'); at > strings.LastIndexByte(word, '/') {
		name, tag = word[:at], word[at+1:]
	}
	switch {
	case tag == "":
		return "which names no tag: each pull may bring another image", strings.Replace(hint, "NAME", name, 1)
	case !fullTag.MatchString(tag) && !commitID.MatchString(tag):
		return fmt.Sprintf("and tag %q is moved with each release", tag), strings.Replace(hint, "NAME", name, 1)
	}
	return "", ""
}
